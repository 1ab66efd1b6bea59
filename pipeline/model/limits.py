"""How many calls may be under way to one model at one endpoint, and how quickly: AIMD concurrency,
requests and tokens a minute.

Additive increase, multiplicative decrease: halved when the endpoint says it is too much, once for
all calls that were under way by then; one more
for every full round of successes. Rates come from x-ratelimit headers or from the person. Knows no
network; time comes from the event loop.
"""

import asyncio
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

CUT = 0.5
DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
WHOLE = re.compile(r"-?\d+")
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
MINUTE, LONGEST_WINDOW = 60.0, 60.0


@dataclass(frozen=True, slots=True)
class Ticket:
    """Leave to send one call; `era` says after how many cuts it was given."""

    era: int
    tokens: int


@dataclass(slots=True)
class Rate:
    """So many (requests, tokens) a minute, as a person gave it: a bucket that fills evenly and
    holds a second's worth, at least one call.
    """

    per_minute: float
    level: float = 0.0
    at: float = 0.0

    def wait(self, now: float, amount: float) -> float:
        """Seconds until `amount` may go; 0 for now."""
        each = self.per_minute / MINUTE
        self.level = (
            min(self.level + (now - self.at) * each, max(each, amount))
            if self.at
            else max(each, amount)
        )
        self.at = now
        return max(amount - self.level, 0.0) / each

    def take(self, amount: float) -> None:
        """Counts what went."""
        self.level -= amount


@dataclass(slots=True)
class RateWindow:
    """What the endpoint's headers say is left, and when it starts anew; None where it has said
    nothing or the time has come.

    Never longer than a minute: some send a time of day for a duration, and a call that is too early
    is told so.
    """

    left: float | None = None
    until: float = 0.0

    def heard(self, now: float, left: str | None, reset: str | None) -> None:
        """Takes over what a reply's headers say."""
        if left is not None and WHOLE.fullmatch(left.strip()):
            self.left, self.until = float(left), now + min(duration(reset or ""), LONGEST_WINDOW)

    def wait(self, now: float, amount: float) -> float:
        """Seconds until `amount` may go."""
        if self.left is None or now >= self.until:
            self.left = None
            return 0.0
        return 0.0 if self.left >= amount else self.until - now

    def take(self, amount: float) -> None:
        """Counts what went, until the next reply tells."""
        if self.left is not None:
            self.left -= amount


@dataclass(slots=True)
class Limits:
    """The gate that every call passes.

    `most` is the person's limit; `now_at_once` the one in force.
    """

    most: int
    requests: Rate | None = None
    tokens: Rate | None = None
    now_at_once: float = 0.0
    active: int = 0
    era: int = 0
    cuts: int = 0
    paused_until: float = 0.0
    left_requests: RateWindow = field(default_factory=RateWindow)
    left_tokens: RateWindow = field(default_factory=RateWindow)
    _waiting: deque[tuple[asyncio.Future[Ticket], int]] = field(default_factory=deque)
    _timer: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        self.now_at_once = float(self.most)

    async def enter(self, tokens: int) -> Ticket:
        """Waits for leave to send a call of about so many tokens; first come, first served.

        Give the ticket back to `leave`.
        """
        place: asyncio.Future[Ticket] = asyncio.get_running_loop().create_future()
        self._waiting.append((place, tokens))
        self._admit()
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.leave(place.result())
            else:
                self._admit()
            raise

    def leave(self, ticket: Ticket) -> None:
        """A call has ended, however it did."""
        self.active -= 1
        self._admit()

    def succeeded(self) -> None:
        """One more at once for a whole round of successes."""
        self.now_at_once = min(float(self.most), self.now_at_once + 1 / self.now_at_once)

    def too_much(self, ticket: Ticket, wait: float) -> None:
        """The endpoint refused for load: half as many, if this call was let through after the last
        cut; nothing starts for `wait` seconds.
        """
        if ticket.era == self.era:
            self.era += 1
            self.cuts += 1
            self.now_at_once = max(1.0, self.now_at_once * CUT)
        self.paused_until = max(self.paused_until, _now() + wait)

    def heard(self, headers: Mapping[str, str]) -> None:
        """Takes over what a reply's headers say of the rates."""
        now = _now()
        self.left_requests.heard(
            now,
            headers.get("x-ratelimit-remaining-requests"),
            headers.get("x-ratelimit-reset-requests"),
        )
        self.left_tokens.heard(
            now,
            headers.get("x-ratelimit-remaining-tokens"),
            headers.get("x-ratelimit-reset-tokens"),
        )

    def _admit(self) -> None:
        while self._waiting and self.active < int(self.now_at_once):
            place, tokens = self._waiting[0]
            if place.done():
                self._waiting.popleft()
                continue
            if (wait := self._wait(tokens)) > 0:
                self._wake_in(wait)
                return
            self._waiting.popleft()
            self._take(tokens)
            self.active += 1
            place.set_result(Ticket(self.era, tokens))

    def _wait(self, tokens: int) -> float:
        now = _now()
        waits = [
            self.paused_until - now,
            self.left_requests.wait(now, 1),
            self.left_tokens.wait(now, tokens),
        ]
        waits += [
            rate.wait(now, amount)
            for rate, amount in ((self.requests, 1), (self.tokens, tokens))
            if rate
        ]
        return max(waits)

    def _take(self, tokens: int) -> None:
        for gauge, amount in (
            (self.left_requests, 1),
            (self.left_tokens, tokens),
            (self.requests, 1),
            (self.tokens, tokens),
        ):
            if gauge:
                gauge.take(amount)

    def _wake_in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._woken)

    def _woken(self) -> None:
        self._timer = None
        self._admit()


def duration(text: str) -> float:
    """Seconds of `6m0s`, `20ms`, `1.5s` or a bare number; 1 where it can't be read."""
    pieces = DURATION.findall(text)
    if pieces:
        return sum(float(number) * SECONDS[unit] for number, unit in pieces)
    try:
        return max(0.0, float(text))
    except ValueError:
        return 1.0


def _now() -> float:
    return asyncio.get_running_loop().time()
