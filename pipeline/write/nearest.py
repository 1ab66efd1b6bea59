"""Which short texts (titles, subjects, turns of a few words) come nearest to one that has to be
written again: they are what a new one must keep clear of. Knows no writer.
"""

from collections.abc import Mapping, Sequence

from schemas.field import Field
from schemas.object_type import ObjectType
from verifiers.material import Entry

# Texts of at most so many characters are worth showing whole.
SHORT = 80
# How many near texts a rewritten unit is shown: in its first round, in any, and in a whole round.
FEW = 50
MANY = 1000
ALL = 20_000
# Of conversations many turns are asked again at once, and a turn has many more ways to be said.
FEW_TURNS = 12


def nearest(
    item: ObjectType,
    entries: Mapping[int, Entry],
    again: Mapping[int, Sequence[str]],
    round_number: int,
) -> dict[int, list[str]]:
    """For each unit the short texts of others that are nearest to its own.

    `again` holds the units, and of a conversation the turns that are asked again. There are few at
    first; a unit that hits another text each time is shown more and more of them, as long as the
    whole round can bear it.
    """
    found: dict[int, list[str]] = {unit: [] for unit in again}
    for written in item.written:
        lots = _short_texts(written, entries)
        for unit, turns in again.items():
            texts = lots.get(_lot(written, unit), {})
            own = entries[unit][written.name]
            few = FEW_TURNS if turns else FEW
            most = min(few * 4 ** (round_number - 1), MANY, max(ALL // len(again), 1))
            for text in turns or (own if isinstance(own, str) else "",):
                if 0 < len(text) <= SHORT:
                    found[unit] += _near(text, unit, texts, most)
    return found


def _near(
    text: str,
    unit: int,
    texts: Mapping[str, int],
    most: int,
) -> list[str]:
    """The texts of other units that are nearest to that one, the nearest first."""
    # Here, since a run's first calls go out before any text is compared.
    from rapidfuzz import process
    from rapidfuzz.distance import Indel

    scorer = Indel.normalized_similarity
    near = process.extract(text, texts.keys(), scorer=scorer, limit=most)
    return [other for other, _, _ in near if texts[other] != unit]


def _short_texts(
    written: Field,
    entries: Mapping[int, Entry],
) -> dict[int, dict[str, int]]:
    """A field's short texts by the lot in which they must be new, each with its first unit."""
    lots: dict[int, dict[str, int]] = {}
    for unit, entry in entries.items():
        value = entry[written.name]
        for text in [value] if isinstance(value, str) else _turns(value):
            if 0 < len(text) <= SHORT:
                lots.setdefault(_lot(written, unit), {}).setdefault(text, unit)
    return lots


def _turns(value: object) -> list[str]:
    """The turns of a conversation, each in one line, as a prompt shows them."""
    if not isinstance(value, list | tuple):
        return []
    return [" ".join(str(text).split()) for text in value]


def _lot(
    written: Field,
    unit: int,
) -> int:
    return written.written.lot(unit) if written.written else 0
