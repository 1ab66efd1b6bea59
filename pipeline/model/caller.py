"""A call until it is answered, and an end where nothing gets through.

Each try waits for leave from the limits and has a timeout by experience; tries that failed are
repeated after a back-off with jitter. What no repetition mends (wrong key, unknown model, used-up
quota, too long a prompt) raises CallFailed with one line, a dead endpoint Unreachable.
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
from pipeline.model.transport import ModelReply, Transport
from schemas.errors import CallFailed, Unreachable

# Failures of one call while nothing else gets through: an endpoint that is restarted comes back
# sooner, one that never answers costs a whole timeout each time.
FAILURES, SILENCES = 5, 2
TRIES = 12  # failures of one call while others get through
LONGEST_WAIT = 30.0  # seconds
# Seconds of "too busy": a used-up minute or hour passes, a day's quota doesn't. An endpoint that
# was too busy from the first call on is one that this key may not use.
BUSY_FOR_GOOD, BUSY_FROM_THE_START = 900.0, 120.0
ENOUGH_ANSWERS = 20  # to know how long one takes
SLOWEST_SHARE = 0.99
PATIENCE = 4  # times the slowest answers


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
    """

    least: float = 30.0
    most: float = 600.0
    first: float = 300.0
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=200))

    def timeout(self) -> float:
        """Seconds; a long time while too little is known, since a local model may be slow."""
        if not self.seconds:
            return self.first
        if len(self.seconds) < ENOUGH_ANSWERS:
            return self.most
        slowest = sorted(self.seconds)[int(len(self.seconds) * SLOWEST_SHARE)]
        return min(max(PATIENCE * slowest, self.least), self.most)


@dataclass(slots=True)
class CallTally:
    """What went over the wire: calls sent, and how many were refused for load or failed."""

    sent: int = 0
    busy: int = 0
    failed: int = 0


@dataclass(slots=True)
class EndpointCaller:
    """Calls one model at one endpoint."""

    transport: Transport
    limits: Limits
    address: str
    first_wait: float = USUAL.retry
    timeout: AdaptiveTimeout = field(default_factory=AdaptiveTimeout)
    tally: CallTally = field(default_factory=CallTally)
    rng: random.Random = field(default_factory=random.Random)
    successes: int = 0
    last_success: float | None = None
    ended: CallFailed | None = None

    async def call(
        self,
        body: BodyOf,
        tokens: int,
        key: KeyOf,
    ) -> ModelReply:
        """The answer, after as many tries as it takes; see the module for what it raises."""
        started = _now()
        successes_before = self.successes
        failures = 0
        while True:
            reply, meaning = await self._once(body, tokens)
            if meaning.kind in (ReplyKind.ANSWER, ReplyKind.FORM):
                return reply
            if meaning.kind is ReplyKind.USELESS:
                self.ended = self.ended or CallFailed(f"{self.address}: {meaning.says}")
                raise self.ended
            failures += meaning.kind is ReplyKind.AGAIN
            self._give_up(meaning, failures, successes_before, started)
            # A busy endpoint is waited for at the gate, by all calls together.
            await asyncio.sleep(self._back_off(failures) if meaning.kind is ReplyKind.AGAIN else 0)

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
            timeout = self.timeout.timeout()
            reply = await self.transport.post("/chat/completions", body(), timeout)
            meaning = meaning_of(reply)
            self.limits.heard(reply.headers)
            self._count(meaning, ticket, _now() - started)
            return reply, meaning
        finally:
            self.limits.leave(ticket)

    def _count(
        self,
        meaning: Meaning,
        ticket: Ticket,
        seconds: float,
    ) -> None:
        if meaning.kind is ReplyKind.ANSWER:
            self.successes += 1
            self.last_success = _now()
            self.timeout.seconds.append(seconds)
            self.limits.succeeded()
        elif meaning.kind is ReplyKind.BUSY:
            self.tally.busy += 1
            wait = meaning.wait or self._back_off(1)
            # A wait that long ends the run: nobody needs to be held up by it.
            self.limits.too_much(ticket, 0.0 if meaning.wait > BUSY_FOR_GOOD else wait)
        elif meaning.kind is ReplyKind.AGAIN:
            self.tally.failed += 1

    def _give_up(
        self,
        meaning: Meaning,
        failures: int,
        successes_before: int,
        started: float,
    ) -> None:
        """The circuit breaker: raises Unreachable where another try is no use.

        That is one call that failed again and again while nothing else got through, or far too
        often in any case, and an endpoint that has been too busy for too long.
        """
        silent = meaning.says.startswith("no answer within")
        bound = SILENCES if silent else FAILURES
        if failures >= bound and self.successes == successes_before:
            raise Unreachable(
                f"{self.address}: {failures} tries failed and nothing got through ({meaning.says});"
                " what was written is kept, the same command goes on when the endpoint is back"
            )
        if failures >= TRIES:
            raise Unreachable(
                f"{self.address}: the same call failed {failures} times ({meaning.says}); what was"
                " written is kept, run the same command again"
            )
        if meaning.wait > BUSY_FOR_GOOD:
            raise Unreachable(
                f"{self.address}: asks to wait for {meaning.wait / 60:.0f} minutes"
                f" ({meaning.says}); what was written is kept, run the same command again then"
            )
        patience = BUSY_FOR_GOOD if self.successes else BUSY_FROM_THE_START
        busy_since = max(started, self.last_success or started)
        if meaning.kind is ReplyKind.BUSY and _now() - busy_since > patience:
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


def _now() -> float:
    return asyncio.get_running_loop().time()
