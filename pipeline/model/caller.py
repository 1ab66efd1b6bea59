"""A call until it is answered: leave from the limits, a timeout by experience, back-off with
jitter, and an end where nothing gets through.

Raises CallFailed with one line for what no repetition mends (wrong key, unknown model, used-up
quota, too long a prompt), Unreachable for a dead endpoint.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pipeline.model.limits import Limits
from pipeline.model.replies import Meaning, ReplyKind, meaning_of
from pipeline.model.transport import ModelReply, Transport
from schemas.errors import CallFailed, Unreachable

FAILURES, SILENCES, TRIES = 5, 2, 12
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
BUSY_FOR_GOOD, BUSY_FROM_THE_START = 900.0, 120.0


KeyOf = Callable[[], str]
BodyOf = Callable[[], Mapping[str, object]]


class Caller(Protocol):
    """Answers the body of a chat completion: an endpoint, a batch,
    files that someone else answers.
    """

    async def call(self, body: BodyOf, tokens: int, key: KeyOf) -> ModelReply:
        """A reply whose meaning is an answer or another form; raises CallFailed for every other
        end. `body` is made when it is sent, `key` names the request.
        """


@dataclass(slots=True)
class AdaptiveTimeout:
    """How long to wait for an answer: four times the 99th percentile of the last ones, from half a
    minute to ten.
    """

    least: float = 30.0
    most: float = 600.0
    first: float = 300.0
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=200))

    def timeout(self) -> float:
        """Seconds; a long time while too little is known, since a local model may be slow."""
        if len(self.seconds) < 20:
            return self.most if self.seconds else self.first
        return min(
            max(4 * sorted(self.seconds)[int(len(self.seconds) * 0.99)], self.least), self.most
        )


@dataclass(slots=True)
class CallTally:
    """What went over the wire: calls sent, and how many of them were refused for load or failed."""

    sent: int = 0
    busy: int = 0
    failed: int = 0


@dataclass(slots=True)
class EndpointCaller:
    """Calls one model at one endpoint."""

    transport: Transport
    limits: Limits
    address: str
    first_wait: float = FIRST_WAIT
    patience: AdaptiveTimeout = field(default_factory=AdaptiveTimeout)
    tally: CallTally = field(default_factory=CallTally)
    rng: random.Random = field(default_factory=random.Random)
    successes: int = 0
    last_success: float | None = None
    ended: CallFailed | None = None

    async def call(self, body: BodyOf, tokens: int, key: KeyOf) -> ModelReply:
        """The answer, after as many tries as it takes; see the module for what it raises."""
        started, before, failures = _now(), self.successes, 0
        while True:
            reply, meaning = await self._once(body, tokens)
            if meaning.kind in (ReplyKind.ANSWER, ReplyKind.FORM):
                return reply
            if meaning.kind is ReplyKind.USELESS:
                self.ended = self.ended or CallFailed(f"{self.address}: {meaning.says}")
                raise self.ended
            failures += meaning.kind is ReplyKind.AGAIN
            self._give_up(meaning, failures, before, started)
            await asyncio.sleep(self._back_off(failures) if meaning.kind is ReplyKind.AGAIN else 0)

    async def _once(self, body: BodyOf, tokens: int) -> tuple[ModelReply, Meaning]:
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
            reply = await self.transport.post("/chat/completions", body(), self.patience.timeout())
            meaning = meaning_of(reply)
            self.limits.heard(reply.headers)
            if meaning.kind is ReplyKind.ANSWER:
                self._succeeded(_now() - started)
            elif meaning.kind is ReplyKind.BUSY:
                self.tally.busy += 1
                self.limits.too_much(
                    ticket,
                    0.0 if meaning.wait > BUSY_FOR_GOOD else meaning.wait or self._back_off(1),
                )
            elif meaning.kind is ReplyKind.AGAIN:
                self.tally.failed += 1
            return reply, meaning
        finally:
            self.limits.leave(ticket)

    def _succeeded(self, seconds: float) -> None:
        self.successes += 1
        self.last_success = _now()
        self.patience.seconds.append(seconds)
        self.limits.succeeded()

    def _give_up(self, meaning: Meaning, failures: int, before: int, started: float) -> None:
        """The circuit breaker: one call that failed again and again while nothing else got through,
        or far too often in any case.
        """
        silent = meaning.says.startswith("no answer within")
        if failures >= (SILENCES if silent else FAILURES) and self.successes == before:
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
        if (
            meaning.kind is ReplyKind.BUSY
            and _now() - max(started, self.last_success or started) > patience
        ):
            raise Unreachable(
                f"{self.address}: has been too busy for {patience / 60:.0f} minutes"
                f" ({meaning.says}); what was written is kept, run the same command again later"
            )

    def _back_off(self, failures: int) -> float:
        longest = min(self.first_wait * 2 ** (failures - 1), LONGEST_WAIT) if failures else 0.0
        return longest * self.rng.uniform(0.5, 1.0)


def _now() -> float:
    return asyncio.get_running_loop().time()
