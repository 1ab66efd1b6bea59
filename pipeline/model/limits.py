"""How many calls may be under way to one model at one endpoint, and how quickly.

The number of calls at once follows AIMD (additive increase, multiplicative decrease): it is halved
when the endpoint says that it is too much, once for all calls that were under way by then, and
grows by one for every full round of successes. Requests and tokens a minute come from x-ratelimit
headers or from the person. This module knows no network; time comes from the event loop.
"""

import asyncio
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

CUT = 0.5  # TCP's factor: the slowest that is sure to end a congestion
DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
WHOLE = re.compile(r"-?\d+")
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
MINUTE = 60.0
# Some endpoints send a time of day for a duration; a call that is too early is told so.
LONGEST_WINDOW = 60.0
# Of a request or a token: what sums of fractions may lack, and no clock is fine enough to wait for.
ROUNDING = 1e-6
UNREAD = 1.0  # seconds, where a duration can't be read


@dataclass(frozen=True, slots=True)
class Ticket:
    """Leave to send one call; `era` says after how many cuts it was given."""

    era: int
    tokens: int


@dataclass(slots=True)
class Rate:
    """So many requests or tokens a minute, as a person gave it.

    It is a bucket that fills evenly and holds a second's worth, at least one call; `filled_at` is
    the moment of its last filling, 0 before the first.
    """

    per_minute: float
    level: float = 0.0
    filled_at: float = 0.0

    def wait(
        self,
        now: float,
        amount: float,
    ) -> float:
        """Seconds until `amount` may go; 0 for now."""
        per_second = self.per_minute / MINUTE
        full = max(per_second, amount)
        level = full
        if self.filled_at:
            level = min(self.level + (now - self.filled_at) * per_second, full)
        self.level = level
        self.filled_at = now
        missing = amount - level
        return missing / per_second if missing > ROUNDING else 0.0

    def take(self, amount: float) -> None:
        """Counts what went."""
        self.level -= amount


@dataclass(slots=True)
class RateWindow:
    """What the endpoint's headers say is left, and when its count starts anew.

    `left` is None where it has said nothing or that moment has come.
    """

    left: float | None = None
    until: float = 0.0

    def heard(
        self,
        now: float,
        left: str | None,
        reset: str | None,
    ) -> None:
        """Takes over what a reply's headers say."""
        if left is not None and WHOLE.fullmatch(left.strip()):
            self.left = float(left)
            self.until = now + min(duration(reset or ""), LONGEST_WINDOW)

    def wait(
        self,
        now: float,
        amount: float,
    ) -> float:
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

    `most` is the person's limit of calls at once, `now_at_once` the one in force. `era` counts the
    cuts so far; nothing starts before `paused_until`.
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

    @property
    def waiting(self) -> int:
        """How many calls wait for leave."""
        return len(self._waiting)

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

    def too_much(
        self,
        ticket: Ticket,
        wait: float,
    ) -> None:
        """Takes note that the endpoint refused for load; nothing starts for `wait` seconds.

        Half as many calls are let through, if this one was let through after the last cut.
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
            wait = self._wait(tokens)
            if wait > 0:
                self._wake_in(wait)
                return
            self._waiting.popleft()
            self._take(tokens)
            self.active += 1
            place.set_result(Ticket(self.era, tokens))

    def _wait(self, tokens: int) -> float:
        now = _now()
        waits = [self.paused_until - now]
        for gauge, amount in self._gauges(tokens):
            waits.append(gauge.wait(now, amount))
        return max(waits)

    def _take(self, tokens: int) -> None:
        for gauge, amount in self._gauges(tokens):
            gauge.take(amount)

    def _gauges(self, tokens: int) -> Iterator[tuple[Rate | RateWindow, int]]:
        """Yields what limits the rate, and how much of it a call of so many tokens takes."""
        yield self.left_requests, 1
        yield self.left_tokens, tokens
        if self.requests:
            yield self.requests, 1
        if self.tokens:
            yield self.tokens, tokens

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
        return UNREAD


def _now() -> float:
    return asyncio.get_running_loop().time()
