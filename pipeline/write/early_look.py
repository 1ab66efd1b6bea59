"""A look at an object type's texts while the last of them are waited for.

Texts are held against one another once all are there. Most of that work can be done before: what
is found out about the texts that are written is kept as `known`, and the look that decides compares
the late ones only. Knows no writer and decides nothing.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schemas.object_type import ObjectType
from verifiers.likeness import KnownLots, verify_unlike
from verifiers.material import Entry

# How many of the units are written when the look begins: it is over before the last ones come, and
# leaves few to compare. Fewer units than these are compared in no time; a look at more of them
# takes more memory than all that the calls hold (80 MB at 85,000 texts of one sentence).
SHARE = 0.85
WORTH = 200
MOST = 30_000


@dataclass(slots=True)
class EarlyLook:
    """The look at one object type's texts. `units` are its units in canonical order."""

    item: ObjectType
    units: Sequence[int]
    known: KnownLots = field(default_factory=KnownLots)
    _begun: asyncio.Task[None] | None = None

    def written(self, entries: Mapping[int, Entry]) -> None:
        """Is told what is written by now; begins once that is enough.

        The look is taken in a thread, so that answers are read meanwhile.
        """
        if self._begun is not None or len(self.units) > MOST:
            return
        if len(entries) >= max(SHARE * len(self.units), WORTH):
            units = [unit for unit in self.units if unit in entries]
            look = asyncio.to_thread(self._look, units, dict(entries))
            self._begun = asyncio.create_task(look)

    def _look(self, units: Sequence[int], entries: Mapping[int, Entry]) -> None:
        verify_unlike(self.item, units, entries, self.known)

    async def over(self) -> KnownLots:
        """What is known, once the look is over."""
        if self._begun is not None:
            await self._begun
        return self.known
