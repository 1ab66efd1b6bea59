"""What a network does to an upload between two and no clock: a CRM whose answers are lost, whose
requests arrive late or twice, on a clock that only the test moves.

The CRM behind it is real and on a real socket; only the way there is bad.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from orgweave.load.client import Client
from schemas.errors import CrmUnreachable

Fate = Literal["well", "lost", "unanswered", "late", "twice", "again"]
"""What becomes of a request: it arrives; it is lost; it arrives and its answer is lost; it arrives
only when `delay` seconds are over, and no answer comes; it arrives twice and the first answer
comes; it arrives twice and the second answer comes.
"""
FATES: tuple[Fate, ...] = ("well", "lost", "unanswered", "late", "twice", "again")
HARMED = ("create", "update", "publish", "fill_job", "end_job")
UNNAMED = HARMED[2:]
"""Requests that name no object type; `fate` hears what they do."""


@dataclass(slots=True)
class HeldClock:
    """A clock that moves only when somebody sleeps by it; what is due then happens."""

    moment: float = 0.0
    due: list[tuple[float, Callable[[], object]]] = field(default_factory=list)

    def now(self) -> float:
        """Seconds slept so far."""
        return self.moment

    def sleep(self, seconds: float) -> None:
        """Moves on, and lets what was late arrive."""
        self.moment += seconds
        arrived = [work for moment, work in self.due if moment <= self.moment]
        self.due = [(moment, work) for moment, work in self.due if moment > self.moment]
        for work in arrived:
            work()


class Nemesis:
    """A `Target`: a real client, of whose writes `fate` decides what becomes of them."""

    def __init__(
        self,
        real: Client,
        clock: HeldClock,
        fate: Callable[[str], Fate],
        delay: float = 0.0,
    ) -> None:
        self._real, self._clock, self._fate, self._delay = real, clock, fate, delay

    def __getattr__(self, name: str) -> Any:
        work = getattr(self._real, name)
        if name not in HARMED:
            return work

        def call(*values: Any) -> Any:
            fate = self._fate(name if name in UNNAMED else str(values[0]))
            if fate == "well":
                return work(*values)
            if fate == "late":
                moment = self._clock.now() + self._delay
                self._clock.due.append((moment, lambda: work(*values)))
            if fate in ("unanswered", "twice", "again"):
                first = work(*values)
            if fate in ("twice", "again"):
                second = work(*values)
                return first if fate == "twice" else second
            raise CrmUnreachable("no answer came")

        return call


def drawn(seed: int, share: float) -> Callable[[str], Fate]:
    """Fates drawn at random; that share of the requests isn't well."""
    draw = random.Random(seed)

    def fate(name: str) -> Fate:
        return draw.choice(FATES[1:4]) if draw.random() < share else "well"

    return fate


def once(name: str, fate: Fate) -> Callable[[str], Fate]:
    """That fate for the first request of an object type; all others are well."""
    left = [fate]

    def of(asked: str) -> Fate:
        return left.pop() if asked == name and left else "well"

    return of
