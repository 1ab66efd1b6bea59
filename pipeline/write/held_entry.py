"""An accepted entry in little room, for the many that a run holds until its last text is written.

A dictionary of two names takes 184 bytes beside its text; of a hundred thousand of them that is a
sixth of all that a run takes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from verifiers.material import Entry


@dataclass(frozen=True, slots=True, eq=False)
class HeldEntry(Mapping[str, object]):
    """An entry; all of one object type share the tuple of their names."""

    _names: tuple[str, ...]
    _held: tuple[object, ...]

    def __getitem__(self, name: str) -> object:
        try:
            return self._held[self._names.index(name)]
        except ValueError:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def held(entries: Mapping[int, Entry], names: tuple[str, ...]) -> dict[int, Entry]:
    """The entries of units, which all have these names."""
    kept: dict[int, Entry] = {}
    for unit, entry in entries.items():
        texts = tuple(entry[name] for name in names)
        kept[unit] = HeldEntry(names, texts)
    return kept
