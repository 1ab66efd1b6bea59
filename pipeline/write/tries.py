"""When asking again is no use: how often each unit of a mini-batch was refused, and for what.

A fault that comes back every time tells that this writer never gets it right; different faults in
a row tell that it is careless, and that one of the next tries may well be right. Knows no writer
and asks nobody.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from verifiers.material import Unit

# A good model needs two or three tries for the hardest units; twelve that fail in the same way
# tell that it never will.
SAME_FAULT = 12
# Of a model that spoils every second text, each in another way, one text in sixty billion is
# spoiled so often in a row.
ANY_FAULT = 36
# A model refuses by mistake now and then; what it withholds four times alone, one after the other,
# it never writes.
WITHHELD_ALONE = 4


@dataclass(slots=True)
class Tries:
    """What was found at fault with each unit in the tries so far."""

    _faults: dict[int, Counter[str]] = field(default_factory=dict)
    _withheld: Counter[int] = field(default_factory=Counter)

    def add(self, refused: Mapping[int, str]) -> None:
        """Counts a try by the reasons for which units were refused."""
        for unit, reason in refused.items():
            self._faults.setdefault(unit, Counter())[fault_of(reason)] += 1

    def add_alone(
        self,
        unit: int,
        withheld: bool,
    ) -> bool:
        """Counts a try with a unit that was asked alone; whether it will never be written."""
        self._withheld[unit] = self._withheld[unit] + 1 if withheld else 0
        return self._withheld[unit] == WITHHELD_ALONE

    def of(self, unit: int) -> int:
        """How often a unit was refused."""
        return sum(self._faults.get(unit, {}).values())

    def hopeless(self, units: Sequence[Unit]) -> tuple[Unit, ...]:
        """Those of the units that this writer never gets right."""
        return tuple(unit for unit in units if self._is_hopeless(unit.id))

    def _is_hopeless(self, unit: int) -> bool:
        faults = self._faults.get(unit, Counter())
        return max(faults.values(), default=0) >= SAME_FAULT or faults.total() >= ANY_FAULT


def fault_of(reason: str) -> str:
    """What kind of fault a reason tells, and where: `Title: content` of `Title: content: does not
    name topic (tents)`.
    """
    told = reason.split(": ")
    return ": ".join(told[:2]) if len(told) > 2 else told[0]
