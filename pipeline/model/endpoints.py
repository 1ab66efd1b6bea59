"""Several endpoints of one model as one Caller: what a person allows holds over all together.

Each call goes to the endpoint that has most room. A call that fails at one goes to another; an
endpoint that fails again and again is left, and tried anew now and then, as long as others answer.
Where none does, it is waited for as a single endpoint is. What an endpoint itself takes (calls at
once, what its headers say) is that endpoint's own matter. Knows no network.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from pipeline.model.caller import BodyOf, EndpointCaller, KeyOf
from pipeline.model.transport import ModelReply
from schemas.errors import CallFailed, PromptRefused, Unreachable

# Failures in a row, of whichever calls, after which an endpoint is left: two may be chance.
LEFT_AFTER = 3
# Seconds until one call tries an endpoint again that was left: twice as long after each trial.
FIRST_REST, LONGEST_REST = 5.0, 300.0
# A call that was moved as often stays where it is, until that endpoint gives it up.
MOST_MOVES = 6


@dataclass(slots=True)
class _Place:
    """An endpoint, and until when it is left alone, if it is."""

    endpoint: EndpointCaller
    left_until: float = 0.0
    rest: float = FIRST_REST

    @property
    def left(self) -> bool:
        """Whether it was left since its last answer."""
        return self.rest > FIRST_REST

    def answers(self) -> bool:
        """Whether a call may get through there; one that was left is due for a trial now."""
        return self.endpoint.ended is None and _now() >= self.left_until

    def paused(self) -> bool:
        """Whether it has said that it is too busy."""
        return self.endpoint.limits.paused_until > _now()

    def load(self) -> tuple[bool, float]:
        """How much it has to do, for as much as it takes; one that pauses comes last."""
        limits = self.endpoint.limits
        calls = limits.active + limits.waiting + 1
        return self.paused(), calls / limits.now_at_once

    def begin(self) -> None:
        """A call is about to go there; where it is a trial, others stay away meanwhile."""
        if self.left:
            self.leave()

    def failed(self) -> None:
        """A call has failed there."""
        if self.endpoint.in_row >= LEFT_AFTER:
            self.leave()

    def answered(self) -> None:
        """A call has got through."""
        self.left_until = 0.0
        self.rest = FIRST_REST

    def leave(self) -> None:
        """Leaves it alone for a while, if it isn't yet."""
        if _now() >= self.left_until:
            self.left_until = _now() + self.rest
            longer = 2 * self.rest
            self.rest = min(longer, LONGEST_REST)


@dataclass(slots=True)
class _Course:
    """A call's way from endpoint to endpoint: when it began, its moves, and where it has ended."""

    started: float
    moves: int = 0
    ended: dict[int, CallFailed] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        """Whether an endpoint refused the prompt: others are asked once, and not waited for."""
        return any(isinstance(error, PromptRefused) for error in self.ended.values())


class ManyEndpoints:
    """A Caller over several endpoints, with at most `most` calls at the same time."""

    def __init__(self, endpoints: Sequence[EndpointCaller], most: int) -> None:
        self._places = tuple(_Place(endpoint) for endpoint in endpoints)
        self._room = asyncio.Semaphore(most)

    async def call(self, body: BodyOf, tokens: int, key: KeyOf) -> ModelReply:
        """The answer of one of them.

        Raises PromptRefused where one refuses the prompt and no other one answers it, and another
        CallFailed where none of them can be used.
        """
        course = _Course(_now())
        async with self._room:
            while True:
                reply = await self._asked(course, body, tokens)
                if reply is not None:
                    return reply

    async def _asked(self, course: _Course, body: BodyOf, tokens: int) -> ModelReply | None:
        """What the endpoint answers that has most room; None where another is to be asked."""
        number = self._choice(course)
        place = self._places[number]
        place.begin()
        moves = partial(self._moves, course, number)
        try:
            reply = await place.endpoint.call_or_move(body, tokens, moves, course.started)
        except CallFailed as error:
            course.ended[number] = error
            if not self._goes_on(course, place, error):
                raise _end_of(course) from error
            return None
        if reply is not None:
            place.answered()
            return reply
        place.failed()
        course.moves += 1
        if course.refused and not self._open(course):
            raise _end_of(course)
        return None

    def outage(self) -> str:
        """Which endpoints don't answer, or that none does; empty where all is well."""
        silent = []
        for place in self._places:
            endpoint = place.endpoint
            if endpoint.ended is not None or endpoint.outage():
                silent.append(endpoint)
        if len(silent) == len(self._places):
            return silent[0].outage()
        names = ", ".join(endpoint.address for endpoint in silent)
        return f"goes on without {names}" if silent else ""

    def _choice(self, course: _Course) -> int:
        """The endpoint with most room that may answer, else one of those to wait for."""
        found = self._open(course)
        if not found:
            for number, place in enumerate(self._places):
                if place.endpoint.ended is None:
                    found.append(number)
        # Where all have ended for good, any of them says why.
        return min(found, key=lambda number: self._places[number].load(), default=0)

    def _moves(self, course: _Course, number: int, busy: bool) -> bool:
        """Whether a call that just failed at an endpoint had better go to another one."""
        place = self._places[number]
        if course.refused and not busy:
            place.failed()
            course.ended[number] = Unreachable(place.endpoint.address)
            return True
        if course.moves >= MOST_MOVES:
            return False
        for other in self._open(course):
            held_up = busy and self._places[other].paused()
            if other != number and not held_up:
                return True
        return False

    def _goes_on(self, course: _Course, place: _Place, error: CallFailed) -> bool:
        """Whether a call that has ended at one endpoint is worth another one."""
        if isinstance(error, PromptRefused):
            return bool(self._open(course))
        if isinstance(error, Unreachable):
            place.leave()
            # Long enough waited for one: nobody waits as long for one that fails as well.
            sound = [number for number in self._open(course) if not self._places[number].left]
            return bool(sound)
        for number, other in enumerate(self._places):
            tried = number in course.ended
            if not tried and other.endpoint.ended is None:
                return True
        return False

    def _open(self, course: _Course) -> list[int]:
        """The endpoints that may answer a call."""
        found = []
        for number, place in enumerate(self._places):
            if number not in course.ended and place.answers():
                found.append(number)
        return found


def _end_of(course: _Course) -> CallFailed:
    """How a call ends that nobody answers: a refusal is told by those that could be asked."""
    errors = course.ended.values()
    for kind in (PromptRefused, Unreachable, CallFailed):
        found = [str(error) for error in errors if isinstance(error, kind)]
        if found:
            return kind("; ".join(dict.fromkeys(found)))
    raise ValueError("a call that has not ended anywhere")


def _now() -> float:
    return asyncio.get_running_loop().time()
