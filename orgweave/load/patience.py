"""How long an upload waits for what the CRM may still be doing, by which clock, and whom it tells.

Knows no record. Example: `Patience(seconds=0)` looks once and goes on.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

LONGEST_TRANSACTION = 600.0
"""Seconds for which a CRM lets one transaction run: Salesforce ends it after ten minutes."""
QUIET = LONGEST_TRANSACTION * 1.1
"""Seconds without a change after which a request is taken for lost. A tenth more than the longest
transaction, for its records may be seen a little after its end.
"""
FIRST_LOOK, LONGEST_PAUSE = 1.0, 30.0
"""Seconds between two looks at the CRM, twice as many each time: 26 queries in eleven minutes."""
Look = Callable[[], Mapping[str, str]]
"""Asks the CRM what it has: its ids by our keys."""
Say = Callable[[str], None]
"""Is told a line for the person who waits."""


class Clock(Protocol):
    """Time that only passes; the clock on the wall may jump."""

    def now(self) -> float:
        """Seconds since some moment."""
        ...

    def sleep(self, seconds: float) -> None:
        """Waits."""
        ...


class SystemClock:
    """This machine's monotonic clock."""

    def now(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)


def unsaid(text: str) -> None:
    """Tells nobody."""


@dataclass(frozen=True, slots=True)
class Patience:
    """`seconds` is how long nothing may change before a request is taken for lost."""

    seconds: float = QUIET
    clock: Clock = SystemClock()
    say: Say = unsaid

    def until_quiet(self, look: Look, known: Mapping[str, str], wanted: int) -> Mapping[str, str]:
        """What the last look found: when all that is wanted is there, or nothing has changed for
        as long as the patience lasts. `known` is what is there now.
        """
        since, pause = self.clock.now(), FIRST_LOOK
        while len(known) < wanted and (left := since + self.seconds - self.clock.now()) > 0:
            self.clock.sleep(min(pause, left))
            pause = min(2 * pause, LONGEST_PAUSE)
            found = look()
            if len(found) != len(known):
                known, since, pause = found, self.clock.now(), FIRST_LOOK
        return known
