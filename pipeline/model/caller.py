"""A call until it is answered, and an end where nothing gets through.

Each try waits for leave from the limits and has a timeout by experience; tries that failed are
repeated after a back-off with jitter. What no repetition mends (wrong key, unknown model, used-up
quota) raises CallFailed with one line, a dead endpoint Unreachable, and a prompt that it never
answers while others get through PromptRefused.

In a healthy run nothing that comes once ends it: a refusal there is a fault like any other, and an
outage is waited for with patience.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pipeline.model.limits import Limits, Ticket
from pipeline.model.pauses import USUAL
from pipeline.model.replies import Meaning, ReplyKind, meaning_of
from pipeline.model.settings import PATIENCE
from pipeline.model.transport import ModelReply, Transport
from schemas.errors import CallFailed, PromptRefused, Unreachable

# Failures of one call while nothing ever got through: an endpoint that is restarted comes back
# sooner, one that never answers costs a whole timeout each time.
FAILURES = 5
SILENCES = 3
# Failures of one call while others get through: faults of the network come in a row now and then, a
# plain refusal doesn't.
TRIES = 12
REFUSALS = 4
LONGEST_WAIT = 30.0  # seconds
# Seconds of "too busy": a used-up minute or hour passes, a day's quota doesn't. An endpoint that
# was too busy from the first call on is one that this key may not use.
BUSY_FOR_GOOD = 900.0
BUSY_FROM_THE_START = 120.0
ENOUGH_ANSWERS = 20  # to know how long one takes
SLOWEST_SHARE = 0.99  # the slowest call in a hundred is no measure of the others
SLOWEST_TIMES = 4  # times the slowest answers, twice that while few are known
SILENCE = "no answer within"
# Seconds without an answer after which a person wants to know: single faults are over sooner.
WORTH_TELLING = 5.0
# Seconds after which it is looked again how long the calls under way are waited for.
LOOK_AGAIN = 1.0


KeyOf = Callable[[], str]
BodyOf = Callable[[], Mapping[str, object]]


class Caller(Protocol):
    """Answers the body of a chat completion: an endpoint, a batch, or files."""

    async def call(
        self,
        body: BodyOf,
        tokens: int,
        key: KeyOf,
    ) -> ModelReply:
        """A reply whose meaning is an answer or another form.

        Raises CallFailed for every other end. `body` is made when it is sent; `tokens` is about
        what the call will take; `key` names the request.
        """


@dataclass(slots=True)
class AdaptiveTimeout:
    """How long to wait for an answer: four times the 99th percentile of the last ones.

    All times are in seconds. It is never less than half a minute and never more than ten minutes.
    Before anything is known it is a minute, and twice as long after each silence, since a local
    model may be slow.
    """

    least: float = 30.0
    most: float = 600.0
    first: float = 60.0
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=200))

    @property
    def soonest(self) -> float:
        """Seconds that are waited in any case, for which nothing has to be reckoned."""
        return min(self.first, self.least)

    def timeout(self) -> float:
        """Seconds, by what is known now."""
        if not self.seconds:
            return self.first
        if len(self.seconds) < ENOUGH_ANSWERS:
            slowest = 2 * max(self.seconds)
            return min(max(SLOWEST_TIMES * slowest, self.first), self.most)
        slowest = sorted(self.seconds)[int(len(self.seconds) * SLOWEST_SHARE)]
        return min(max(SLOWEST_TIMES * slowest, self.least), self.most)

    def was_silent(self) -> None:
        """Gives the next call more time after one that got no answer."""
        self.first = min(2 * self.first, self.most)


@dataclass(slots=True)
class CallTally:
    """What went over the wire: calls sent, and how many were refused for load or failed."""

    sent: int = 0
    busy: int = 0
    failed: int = 0


@dataclass(slots=True)
class EndpointCaller:
    """Calls one model at one endpoint; `in_row` counts tries that failed since its last answer."""

    transport: Transport
    limits: Limits
    address: str
    first_wait: float = USUAL.retry
    timeout: AdaptiveTimeout = field(default_factory=AdaptiveTimeout)
    tally: CallTally = field(default_factory=CallTally)
    rng: random.Random = field(default_factory=random.Random)
    patience: float = PATIENCE
    successes: int = 0
    last_success: float | None = None
    silent_since: float | None = None
    in_row: int = 0
    ended: CallFailed | None = None
    _since: dict[asyncio.Timeout, float] = field(default_factory=dict)
    _next_look: asyncio.TimerHandle | None = None

    async def call(
        self,
        body: BodyOf,
        tokens: int,
        key: KeyOf,
    ) -> ModelReply:
        """The answer, after as many tries as it takes; see the module for what it raises."""
        reply = await self.call_or_move(body, tokens, lambda busy: False, _now())
        assert reply is not None  # a call that may not move ends with an answer or an error
        return reply

    async def call_or_move(
        self,
        body: BodyOf,
        tokens: int,
        moves: Callable[[bool], bool],
        started: float,
    ) -> ModelReply | None:
        """As `call`, or None where it failed and had better be sent to another endpoint.

        `moves` is asked that after each failed try, and told whether this one was only too busy.
        """
        successes_before = self.successes
        failures = 0
        while True:
            reply, meaning = await self._once(body, tokens)
            if meaning.kind in (ReplyKind.ANSWER, ReplyKind.FORM):
                return reply
            busy = meaning.kind is ReplyKind.BUSY
            failures += not busy
            others = self.successes - successes_before
            self._end_for_good(meaning, failures, others)
            self._refuse_prompt(meaning, failures, others)
            if moves(busy):
                return None
            self._give_up(meaning, failures, others, started)
            # A busy endpoint is waited for at the gate, by all calls together.
            await asyncio.sleep(0 if busy else self._back_off(failures))

    def outage(self) -> str:
        """For how long nothing has got through and how long that is borne; empty where all is well.

        A single call that fails while others are answered is no outage.
        """
        if self.silent_since is None:
            return ""
        seconds = _now() - self.silent_since
        if seconds < WORTH_TELLING:
            return ""
        return f"endpoint has not answered for {seconds:.0f} s; waiting up to {self.patience:.0f} s"

    async def _once(
        self,
        body: BodyOf,
        tokens: int,
    ) -> tuple[ModelReply, Meaning]:
        """One try.

        Whoever still waited for leave when another call found that there is no use in trying
        doesn't try.
        """
        ticket = await self.limits.enter(tokens)
        try:
            if self.ended is not None:
                raise self.ended
            started = _now()
            self.tally.sent += 1
            reply = await self._post(body())
            meaning = meaning_of(reply)
            self.limits.heard(reply.headers)
            self._count(meaning, ticket, _now() - started)
            return reply, meaning
        finally:
            self.limits.leave(ticket)

    async def _post(self, body: Mapping[str, object]) -> ModelReply:
        """The reply, or that none came in time, however its bytes drip in."""
        started = _now()
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._since[limit] = started
                self._look_later()
                return await self.transport.post("/chat/completions", body, self.timeout.most)
        except TimeoutError:
            if not limit.expired():
                raise
        finally:
            self._since.pop(limit, None)
        self.timeout.was_silent()
        return ModelReply(0, text=f"{SILENCE} {_now() - started:.0f} s")

    def _look_later(self) -> None:
        """Sees to it that the calls under way are looked at."""
        if self._next_look is None:
            seconds = min(LOOK_AGAIN, self.timeout.soonest)
            self._next_look = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        """Ends the calls that are waited for too long, by what others have shown of that by now.

        One timer for all takes a tenth less of this process than one for each.
        """
        self._next_look = None
        now = _now()
        longest = max(self.timeout.soonest, self.timeout.timeout())
        for limit, since in list(self._since.items()):
            if now - since >= longest:
                del self._since[limit]
                limit.reschedule(now)
        if self._since:
            self._look_later()

    def _count(
        self,
        meaning: Meaning,
        ticket: Ticket,
        seconds: float,
    ) -> None:
        if meaning.kind is ReplyKind.ANSWER:
            self.silent_since = None
            self.in_row = 0
            self.successes += 1
            self.last_success = _now()
            self.timeout.seconds.append(seconds)
            self.limits.succeeded()
        elif meaning.kind is ReplyKind.BUSY:
            self.tally.busy += 1
            wait = meaning.wait or self._back_off(1)
            # A wait that long ends the run: nobody needs to be held up by it.
            self.limits.too_much(ticket, 0.0 if meaning.wait > BUSY_FOR_GOOD else wait)
        elif meaning.kind is not ReplyKind.FORM:
            self.tally.failed += 1
            self.in_row += 1
            if self.silent_since is None:
                self.silent_since = max(_now() - seconds, self.last_success or 0.0)

    def _refuse_prompt(self, meaning: Meaning, failures: int, others: int) -> None:
        """Raises PromptRefused for a prompt that the endpoint never answers.

        It says so, or this call fails again and again while others get through.
        """
        bound = REFUSALS if meaning.kind is ReplyKind.USELESS else TRIES
        if meaning.kind is ReplyKind.REFUSED or (others and failures >= bound):
            raise PromptRefused(meaning.says)

    def _end_for_good(self, meaning: Meaning, failures: int, others: int) -> None:
        """Raises CallFailed where no repetition mends it, for this call and all that wait.

        In a run that had answers, one such reply may be a gateway's fault; several in a row while
        nothing gets through are none.
        """
        over = meaning.kind is ReplyKind.OVER
        if not over and (meaning.kind is not ReplyKind.USELESS or others):
            return
        if over or not self.successes or failures >= FAILURES:
            self.ended = self.ended or CallFailed(f"{self.address}: {meaning.says}")
            raise self.ended

    def _give_up(
        self,
        meaning: Meaning,
        failures: int,
        others: int,
        started: float,
    ) -> None:
        """The circuit breaker: raises Unreachable where another try is no use.

        That is an endpoint that never answered this run, or not for longer than the patience for
        an outage, and one that has been too busy for too long.
        """
        silent = meaning.says.startswith(SILENCE)
        bound = SILENCES if silent else FAILURES
        if failures >= bound and not self.successes:
            raise Unreachable(
                f"{self.address}: {failures} tries failed and nothing got through ({meaning.says});"
                " what was written is kept, the same command goes on when the endpoint is back"
            )
        since = max(started, self.last_success or started)
        if failures and not others and _now() - since > self.patience:
            raise Unreachable(
                f"{self.address}: nothing got through for {_minutes(self.patience)}"
                f" ({meaning.says}); what was written is kept, the same command goes on when the"
                " endpoint is back (--patience SECONDS waits longer)"
            )
        if meaning.wait > BUSY_FOR_GOOD:
            raise Unreachable(
                f"{self.address}: asks to wait for {meaning.wait / 60:.0f} minutes"
                f" ({meaning.says}); what was written is kept, run the same command again then"
            )
        patience = BUSY_FOR_GOOD if self.successes else BUSY_FROM_THE_START
        if meaning.kind is ReplyKind.BUSY and _now() - since > patience:
            raise Unreachable(
                f"{self.address}: has been too busy for {patience / 60:.0f} minutes"
                f" ({meaning.says}); what was written is kept, run the same command again later"
            )

    def _back_off(self, failures: int) -> float:
        """Seconds, doubled with each failure; half of them drawn, so that calls don't bunch."""
        if not failures:
            return 0.0
        longest: float = min(self.first_wait * 2 ** (failures - 1), LONGEST_WAIT)
        return longest * self.rng.uniform(0.5, 1.0)


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


def _now() -> float:
    return asyncio.get_running_loop().time()
