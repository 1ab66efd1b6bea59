"""A rehearsal: every record held against what the CRM says of its fields; nothing is sent.

Tells what would fail, counted, with an example each.

It can't foresee rules of a company's own (validation rules, triggers, duplicates) nor what the user
who loads may not see.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orgweave.load.bodies import left_out
from orgweave.load.cargo import UploadRecord, UploadSource
from orgweave.load.described import TEXTS, FieldInfo, ObjectInfo
from orgweave.load.load import TRANSCRIPT, USER, VISITOR_FIELD

GIVEN = {USER: frozenset({"ProfileId"}), TRANSCRIPT: frozenset({VISITOR_FIELD})}
"""Required fields that the loader fills itself."""


@dataclass(frozen=True, slots=True)
class LoadFault:
    """What would go wrong in a field of an object type (an empty field: with all of it), and what
    is to be done.
    """

    type: str
    field: str
    says: str


@dataclass(slots=True)
class Faults:
    """Records that have a fault, and the first of them with its value."""

    count: int = 0
    example: str = ""

    def add(self, record: UploadRecord, value: object) -> None:
        """One more."""
        self.count += 1
        if self.count == 1:
            self.example = record.key + (f": {str(value)[:60]!r}" if value is not None else "")


def rehearse(
    cargo: UploadSource, infos: Mapping[str, ObjectInfo], mapping_users: bool = False
) -> dict[LoadFault, Faults]:
    """All that would fail, object type by object type."""
    out = left_out(cargo, infos)
    found: dict[LoadFault, Faults] = {}
    for name in cargo.order:
        if name == USER and mapping_users:
            continue
        for record in cargo.records(name):
            faults = (
                [(LoadFault(name, "", f"{out[name]}: would be left out"), None)]
                if name in out
                else _faults(infos[name], record)
            )
            for fault, value in faults:
                found.setdefault(fault, Faults()).add(record, value)
    return found


def _faults(info: ObjectInfo, record: UploadRecord) -> Iterator[tuple[LoadFault, object]]:
    for name, value in record.values.items():
        says = _fault(info.fields.get(name), value)
        if says:
            yield LoadFault(info.name, name, says), value
    for name, field in info.fields.items():
        if (
            field.required
            and record.values.get(name) in (None, "")
            and name not in GIVEN.get(info.name, ())
        ):
            yield (
                LoadFault(
                    info.name, name, "the CRM requires it and the record has none: would be refused"
                ),
                None,
            )


def _fault(field: FieldInfo | None, value: object) -> str:
    """Why a value would not get through; empty where it would."""
    if field is None:
        return (
            "the CRM has no such field, or hides it: would be left out. Deploy it, and grant it in"
            " a permission set"
        )
    if not field.createable:
        return (
            "the CRM lets nobody set it: would be left out. For audit fields turn on 'Set Audit"
            " Fields upon Record Creation'"
        )
    if field.type in TEXTS and field.length and len(str(value)) > field.length:
        return f"longer than {field.length:,} characters: would be refused"
    if field.restricted and str(value) not in field.values:
        return (
            f"not a value of the restricted picklist ({', '.join(sorted(field.values))}): would be"
            " refused"
        )
    return ""


def rehearsal_text(found: Mapping[LoadFault, Faults]) -> str:
    """A line a fault, and what it comes to."""
    lines = [
        f"{'.'.join(filter(None, (fault.type, fault.field)))}: {faults.count:,} records,"
        f" {fault.says}; such as {faults.example}"
        for fault, faults in found.items()
    ]
    end = (
        f"{len(found)} faults; nothing was sent"
        if found
        else "nothing would fail that the CRM's describe can tell; nothing was sent"
    )
    return "\n".join([*lines, end])
