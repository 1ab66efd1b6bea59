"""Texts that are too like an earlier one of the same object type, or of the same lot of it.

Which of two is the earlier one is decided by the canonical order of the units, not by time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as derived

from schemas.field import Field
from schemas.object_type import ObjectType
from verifiers.duplicates import Comparing, KnownTexts, exact_repeats, folded, folded_repeats
from verifiers.material import Entry
from verifiers.verdict import Verdict, fail

QUOTED = 300

FailedUnits = dict[int, tuple[Verdict, ...]]
"""The failing verdicts on the texts of each unit that has some, in the order of the texts."""


@dataclass(frozen=True, slots=True)
class ComparedText:
    """A text that is compared: its place in a list, the text as it is, and folded."""

    place: int | None
    text: str
    plain: str


@dataclass(slots=True)
class KnownLot:
    """What is known of a lot's texts of a field from the last call: its values by unit, the texts
    of each, which of them are near, and the verdicts.

    Where another process has compared them, `packed` is what it knows, and nobody looks at it here.
    """

    values: dict[int, object] = derived(default_factory=dict)
    compared: dict[int, tuple[ComparedText, ...]] = derived(default_factory=dict)
    texts: KnownTexts = derived(default_factory=KnownTexts)
    failed: FailedUnits = derived(default_factory=dict)
    packed: bytes = b""


KnownLots = dict[tuple[str, int], KnownLot]
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
) -> FailedUnits:
    """Failing verdicts on each unit of which a text equals, or nearly equals, an earlier one.

    `units` are their ids in canonical order. The reason quotes both texts, and the path of a text
    in a list ends with its place there. `known` is kept from one call to the next: a later call
    needs the units alone whose texts are new. The others stand as they are, before these, and the
    verdicts are those on the lots in which one is new.
    """
    by_lot = {} if known is None else known
    return failed_in_any(
        [verify_unlike_in(field, units, entries, by_lot) for field in item.written]
    )


def failed_in_any(by_field: Sequence[FailedUnits]) -> FailedUnits:
    """The verdicts on all fields, those on the first ones first."""
    failed: FailedUnits = {}
    for found in by_field:
        for unit, verdicts in found.items():
            failed[unit] = (*failed.get(unit, ()), *verdicts)
    return failed


def verify_unlike_in(
    field: Field,
    units: Sequence[int],
    entries: Mapping[int, Entry],
    known: KnownLots,
    comparing: Comparing | None = None,
) -> FailedUnits:
    """The same of one field, whose texts depend on no other field's; compared here or by others."""
    failed: FailedUnits = {}
    for lot, values in values_by_lot(field, units, entries, known):
        # A unit that is written again for another field may have the same text as before in this.
        if values != lot.values:
            compare_lot(field, values, lot, comparing)
        # In their new order, too.
        lot.values = values
        failed |= lot.failed
    return failed


def values_by_lot(
    field: Field,
    units: Sequence[int],
    entries: Mapping[int, Entry],
    known: KnownLots,
) -> Iterator[tuple[KnownLot, dict[int, object]]]:
    """Yields each lot that has one of the units: as it was known, and its values as they are now.

    The values come by unit: first those of the units that stand, then those of these, in order.
    """
    name = field.name
    for number, members in _lots(field, units).items():
        lot = known.setdefault((name, number), KnownLot())
        new = {unit: _fixed(entries[unit][name]) for unit in members}
        standing = {unit: value for unit, value in lot.values.items() if unit not in new}
        yield lot, standing | new


def compare_lot(
    field: Field,
    values: dict[int, object],
    known: KnownLot,
    comparing: Comparing | None = None,
) -> None:
    """Brings what is known of a lot up to its values, the verdicts among it."""
    known.compared = _comparable(field, values, known)
    known.failed = _too_like(field, known, comparing)
    known.values = values


def _fixed(value: object) -> object:
    """A value that stays as it is: the texts of a list may be replaced one by one."""
    return tuple(value) if isinstance(value, list) else value


def _too_like(field: Field, lot: KnownLot, comparing: Comparing | None) -> FailedUnits:
    """The failing verdicts on a lot, whose texts are in canonical order."""
    owners: list[int] = []
    texts: list[ComparedText] = []
    for unit, its in lot.compared.items():
        owners += [unit] * len(its)
        texts += its
    failed: FailedUnits = {}
    repeats = folded_repeats([text.plain for text in texts], lot.texts, comparing)
    for later, earlier in sorted(repeats.items()):
        own = texts[later]
        other = texts[earlier]
        reason = f"{own.text[:QUOTED]!r} is too like an earlier text: {other.text[:QUOTED]!r}"
        path = field.name if own.place is None else f"{field.name}.{own.place}"
        unit = owners[later]
        failed[unit] = (*failed.get(unit, ()), fail(reason, path))
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
    written = field.written
    if written is None or not written.new_among:
        return {0: list(units)} if units else {}
    # The first look goes through all units here, so the size is asked for once.
    size = written.new_among
    lots: dict[int, list[int]] = {}
    for unit in units:
        lots.setdefault(unit // size, []).append(unit)
    return lots


def _comparable(
    field: Field, values: Mapping[int, object], before: KnownLot
) -> dict[int, tuple[ComparedText, ...]]:
    """The texts worth comparing of each unit; those of a value that was there before are as then.

    Of a unique field all are, of others those that are not too short to be anybody's own.
    """
    written = field.written
    whole = written is not None and written.render == "transcript"
    least = written.new_from if written is not None and not field.unique else 1
    compared: dict[int, tuple[ComparedText, ...]] = {}
    for unit, value in values.items():
        if unit in before.compared and before.values.get(unit) == value:
            compared[unit] = before.compared[unit]
            continue
        own = []
        for place, text in _texts(value, whole):
            plain = folded(text)
            # Folded words stand apart by single spaces.
            if plain.count(" ") >= least - 1:
                own.append(ComparedText(place, text, plain))
        compared[unit] = tuple(own)
    return compared


def _texts(value: object, whole: bool) -> Iterator[tuple[int | None, str]]:
    """Yields the texts of a field with their places: each turn of a list by itself, or with `whole`
    all turns as one.
    """
    if not isinstance(value, list | tuple):
        yield None, str(value)
        return
    turns = [str(text) for text in value]
    if whole:
        yield None, " ".join(turns)
    else:
        yield from enumerate(turns)
