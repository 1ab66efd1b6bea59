"""Texts that are too like an earlier one of the same object type.

Which one is earlier is decided by canonical order, not by time.
"""

from collections.abc import Iterator, Mapping, Sequence

from rapidfuzz import process
from rapidfuzz.distance import Indel

from pipeline.write.units import Entry, ObjectWork
from schemas.errors import WritingFailed
from schemas.model import ObjectType
from verifiers.duplicates import Known, exact_repeats, near_repeats

__all__ = ["Known", "refuse_equal_keys", "too_like"]
LEAST_WORDS, QUOTED = 5, 300
SHORT, FEW, MANY, ALL = 80, 50, 1000, 20_000


def too_like(
    item: ObjectType, work: ObjectWork, entries: Mapping[int, Entry], known: Known
) -> dict[int, str]:
    """Units whose text equals, or nearly equals, an earlier unit's,
    with a reason that quotes both.
    """
    again: dict[int, str] = {}
    for one in item.written:
        owners, texts = _compared(
            work, entries, one.name, bool(one.written and one.written.render), one.unique
        )
        for at, before in near_repeats(texts, known=known).items():
            again.setdefault(
                owners[at],
                f"{one.name}: {texts[at][:QUOTED]!r} is too like an earlier text:"
                f" {texts[before][:QUOTED]!r}",
            )
    return again


def nearest(
    item: ObjectType, entries: Mapping[int, Entry], units: Sequence[int], round_number: int
) -> dict[int, list[str]]:
    """For each unit the short texts of others (titles, subjects) that are nearest to its own: what
    a new one must keep clear of.

    Few at first; a unit that hits another text each time is shown more and more of them, as long as
    that is no load for the whole round.
    """
    most = min(FEW * 4 ** (round_number - 1), MANY, max(ALL // max(len(units), 1), 1))
    found: dict[int, list[str]] = {unit: [] for unit in units}
    for one in item.written:
        texts = {
            unit: text
            for unit, entry in entries.items()
            if isinstance(text := entry[one.name], str) and 0 < len(text) <= SHORT
        }
        for unit in units:
            if unit in texts:
                near = process.extract(
                    texts[unit], texts, scorer=Indel.normalized_similarity, limit=most
                )
                found[unit] += [text for text, _, other in near if other != unit]
    return found


def refuse_equal_keys(item: ObjectType, work: ObjectWork, entries: Mapping[int, Entry]) -> None:
    """Raises WritingFailed where texts of a unique field are still equal."""
    for one in item.written:
        if one.unique and (
            repeats := exact_repeats([str(entries[unit.id][one.name]) for unit in work.units])
        ):
            text = entries[work.units[repeats[0]].id][one.name]
            raise WritingFailed(
                f"{item.name}.{one.name} must be unique, but {len(repeats)} texts stand twice after"
                f" every round, such as {text!r}; widen the lexicon or use another writer"
            )


def _compared(
    work: ObjectWork, entries: Mapping[int, Entry], name: str, whole: bool, unique: bool
) -> tuple[list[int], list[str]]:
    """Texts worth comparing, of five words or more (or of a unique field), in canonical order, and
    whose they are.
    """
    rows = [
        (unit.id, text) for unit in work.units for text in _texts(entries[unit.id][name], whole)
    ]
    rows = [row for row in rows if unique or len(row[1].split()) >= LEAST_WORDS]
    return [row[0] for row in rows], [row[1] for row in rows]


def _texts(value: object, whole: bool) -> Iterator[str]:
    if isinstance(value, list | tuple):
        yield from (
            (" ".join(str(text) for text in value),) if whole else (str(text) for text in value)
        )
    else:
        yield str(value)
