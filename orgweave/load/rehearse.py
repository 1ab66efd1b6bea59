"""A rehearsal: every record held against what the CRM says of its fields; nothing is sent.

Tells what would fail, counted, with an example each.

It can't foresee rules of a company's own (validation rules, triggers, duplicates) nor what the user
who loads may not see.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orgweave.crm.facts import Catalog
from orgweave.crm.field import TEXTS, CrmField, CrmObject
from orgweave.crm.setup import filled_by_loaders
from orgweave.load.bodies import left_out
from orgweave.load.load import USER
from orgweave.load.messaging import filled_with_channel
from orgweave.load.source import UploadRecord, UploadSource

BOUNDED = TEXTS | {"multipicklist", "combobox", "encryptedstring"}
"""Types whose values have a greatest length, those of CRMs elsewhere included."""


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
    source: UploadSource,
    infos: Mapping[str, CrmObject],
    mapping_users: bool = False,
) -> dict[LoadFault, Faults]:
    """All that would fail, object type by object type.

    What no CRM lets a loader create is left out everywhere, and no fault, and so is what a loader
    leaves out by itself.
    """
    out = left_out(source, infos)
    found: dict[LoadFault, Faults] = {}
    for name in source.order:
        if (name == USER and mapping_users) or not source.catalog.object(name).createable:
            continue
        for record in source.records(name):
            faults = (
                [(LoadFault(name, "", f"{out[name]}: would be left out"), None)]
                if name in out
                else _faults(infos[name], record, source.catalog)
            )
            for fault, value in faults:
                found.setdefault(fault, Faults()).add(record, value)
    return found


def _faults(
    info: CrmObject,
    record: UploadRecord,
    facts: Catalog,
) -> Iterator[tuple[LoadFault, object]]:
    for name, value in record.values.items():
        if facts.field(info.name, name).not_loaded:
            continue
        says = _fault(info.find(name), value)
        if says:
            yield LoadFault(info.name, name, says), value
    filled = filled_by_loaders(info.name) | filled_with_channel(info.name)
    for field in info.fields.values():
        missing = record.values.get(field.name) in (None, "")
        if field.required and missing and field.name not in filled:
            says = "the CRM requires it and the record has none: would be refused"
            yield LoadFault(info.name, field.name, says), None


def _fault(field: CrmField | None, value: object) -> str:
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
    if field.type in BOUNDED and field.length and len(str(value)) > field.length:
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
