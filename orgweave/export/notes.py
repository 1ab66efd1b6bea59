"""What an export tells of itself: every loss in one line, with its count."""

from collections.abc import Callable, Iterator, Sequence

from orgweave.crm.field import CrmField, CrmObject
from orgweave.export.objects import loaded, set_up_objects, why_not
from orgweave.export.resolve_ids import FILE
from orgweave.export.source import ExportSource

Reason = Callable[[CrmField], str | None]
"""Why a field stays out, or None."""
NOT_LOADED = (
    "a loader can't insert them: the CRM or its administrator makes them, or they take what no"
    " export has, the content of a file or an id of the CRM's own"
)


def counted(number: int, noun: str) -> str:
    """`counted(1, "value") == "1 value"`, `counted(1200, "value") == "1,200 values"`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def left_out(source: ExportSource, objects: Sequence[CrmObject], reason: Reason) -> Iterator[str]:
    """A line with the object types that nobody loads, and one an object type and reason with the
    fields that stay out and how many values they hold.

    Ids don't count, for Synth_Id__c holds them.
    """
    named = [
        f"{name} ({counted(source.number(name), 'record')})"
        for name in set_up_objects(source.schema)
    ]
    if named:
        yield f"left out: {', '.join(named)}: {NOT_LOADED}"
    for crm_object in objects:
        found: dict[str, list[str]] = {}
        for field in crm_object.fields.values():
            why = reason(field)
            if why is None or field.column in ("", "Id"):
                continue
            number = source.filled(crm_object.table, field.column)
            if number:
                line = f"{crm_object.name}.{field.name} ({counted(number, 'value')})"
                found.setdefault(why, []).append(line)
        for why, fields in found.items():
            yield f"left out: {', '.join(fields)}: {why}"


def without_users(why: str) -> Reason:
    """The usual reasons, and one more for what refers to users, where a format has none."""

    def reason(field: CrmField) -> str | None:
        return why if field.target == "User" else why_not(field)

    return reason


def unresolved(objects: Sequence[CrmObject]) -> Iterator[str]:
    """A line on the fields that hold our ids as text."""
    held: list[str] = []
    for crm_object in objects:
        held += [
            f"{crm_object.name}.{field.name}" for field in loaded(crm_object) if field.holds_ids
        ]
    if held:
        yield f"as text until {FILE} has run: {', '.join(held)}"
