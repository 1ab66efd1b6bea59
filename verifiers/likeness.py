"""Texts that are too like an earlier one of the same object type, or of the same lot of it.

Which of two is the earlier one is decided by the canonical order of the units, not by time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from schemas.field import Field
from schemas.object_type import ObjectType
from verifiers.duplicates import KnownTexts, exact_repeats, near_repeats
from verifiers.material import Entry
from verifiers.verdict import Verdict, fail

LEAST_WORDS = 5  # "Thank you!" may stand in any mail: shorter texts are alike by nature
QUOTED = 300

KnownLots = dict[tuple[str, int], KnownTexts]
"""What is known of the texts of each field and lot."""


@dataclass(frozen=True, slots=True)
class RepeatedText:
    """A text that more than one unit has in a field that must be unique."""

    field: str
    text: str
    repeats: int


def verify_unlike(
    item: ObjectType,
    units: Sequence[int],
    entries: Mapping[int, Entry],
    known: KnownLots | None = None,
) -> dict[int, Verdict]:
    """A failing verdict for each unit whose text equals, or nearly equals, an earlier unit's.

    `units` are their ids in canonical order. The reason quotes both texts. `known` is kept from one
    call to the next.
    """
    failed: dict[int, Verdict] = {}
    by_lot = {} if known is None else known
    for field in item.written:
        for unit, verdict in verify_unlike_in(field, units, entries, by_lot).items():
            failed.setdefault(unit, verdict)
    return failed


def verify_unlike_in(
    field: Field,
    units: Sequence[int],
    entries: Mapping[int, Entry],
    known: KnownLots,
) -> dict[int, Verdict]:
    """The same of one field, whose texts depend on no other field's."""
    failed: dict[int, Verdict] = {}
    for lot, members in _lots(field, units).items():
        owners, texts = _compared(field, members, entries)
        known_texts = known.setdefault((field.name, lot), KnownTexts())
        for later, earlier in near_repeats(texts, known_texts).items():
            reason = (
                f"{texts[later][:QUOTED]!r} is too like an earlier text:"
                f" {texts[earlier][:QUOTED]!r}"
            )
            failed.setdefault(owners[later], fail(reason, field.name))
    return failed


def repeated_text(
    item: ObjectType,
    units: Sequence[int],
    entries: Mapping[int, Entry],
) -> RepeatedText | None:
    """The first text that stands twice in a unique field, None where none does."""
    for field in item.written:
        if not field.unique:
            continue
        texts = [str(entries[unit][field.name]) for unit in units]
        repeats = exact_repeats(texts)
        if repeats:
            return RepeatedText(field.name, texts[repeats[0]], len(repeats))
    return None


def _lots(field: Field, units: Sequence[int]) -> dict[int, list[int]]:
    """The units by the lots in which the field's texts are compared, in canonical order."""
    lots: dict[int, list[int]] = {}
    for unit in units:
        lots.setdefault(field.written.lot(unit) if field.written else 0, []).append(unit)
    return lots


def _compared(
    field: Field,
    units: Sequence[int],
    entries: Mapping[int, Entry],
) -> tuple[list[int], list[str]]:
    """The texts worth comparing in canonical order, and the ids of the units that they belong to.

    Of a unique field all are, of others those of five words or more.
    """
    whole = field.written is not None and field.written.render == "transcript"
    owners: list[int] = []
    texts: list[str] = []
    for unit in units:
        for text in _texts(entries[unit][field.name], whole):
            if field.unique or len(text.split()) >= LEAST_WORDS:
                owners.append(unit)
                texts.append(text)
    return owners, texts


def _texts(value: object, whole: bool) -> Iterator[str]:
    """Yields the texts of a field: each turn by itself, or with `whole` all turns as one."""
    if not isinstance(value, list | tuple):
        yield str(value)
        return
    turns = [str(text) for text in value]
    if whole:
        yield " ".join(turns)
    else:
        yield from turns
