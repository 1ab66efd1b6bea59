"""The metadata that an org needs before its records: an SFDX project of custom objects, fields,
value sets and permission sets.

Made from the schema (and, where a standard picklist has no values there, from the records). What
not every org can have lies in a
package of its own: `force-app` for all, `commerce` for catalogs, `legacy-chat` for chats.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from orgweave.export.crm import Column, CrmObject, crm_objects, why_not
from orgweave.export.metadata_project import write_project
from orgweave.export.metadata_xml import field_xml, object_xml, permission_set_xml, value_set_xml
from orgweave.export.notes import left_out
from orgweave.export.source import ExportSource
from orgweave.export.standard import (
    BASE,
    CLOSING,
    NO_EXTERNAL_ID,
    PACKAGES,
    VALUE_SETS,
    package,
    permission_set,
)
from orgweave.server.standard import DEFAULTS
from orgweave.soql.sql import quoted
from pipeline.atomic import write_text

MAIN = "main/default"


def write_metadata(source: ExportSource, folder: Path) -> list[str]:
    """The project; every custom field that a record sets has its file and, unless required, its
    permission.
    """
    objects = crm_objects(source.schema)
    packages = [
        name for name in (BASE, *PACKAGES) if any(package(one.name) == name for one in objects)
    ]
    for name in packages:
        _write_package(
            folder / name / MAIN,
            name,
            [one for one in objects if package(one.name) == name],
            objects,
        )
    for path, text in _value_sets(source, objects):
        _write(folder / BASE / MAIN / "standardValueSets" / path, text)
    write_project(folder, packages, {one.name for one in objects})
    return [*left_out(source, objects, _why_no_field), *_told(objects)]


def custom_fields(one: CrmObject) -> list[Column]:
    """The fields that have to be made."""
    return [column for column in one.loaded if column.name.endswith("__c")]


def _write_package(
    folder: Path, name: str, own: Sequence[CrmObject], objects: Sequence[CrmObject]
) -> None:
    for one in own:
        place = folder / "objects" / one.name
        if one.access.entity.custom:
            _write(place / f"{one.name}.object-meta.xml", object_xml(one))
        for column in custom_fields(one):
            _write(
                place / "fields" / f"{column.name}.field-meta.xml",
                field_xml(column, _children(one, column, objects)),
            )
    fields = [(one.name, column) for one in own for column in custom_fields(one)]
    users = ["CreateAuditFields"] if name == BASE else []
    _write(
        folder / "permissionsets" / f"{permission_set(name)}.permissionset-meta.xml",
        permission_set_xml(permission_set(name), own, fields, users),
    )


def _children(one: CrmObject, column: Column, objects: Sequence[CrmObject]) -> str:
    """The name under which SOQL finds these records from the parent, without its `__r`."""
    parent = next((other for other in objects if other.name == column.target), None)
    found = (
        [
            child.name
            for child in parent.access.entity.all_children
            if (child.entity, child.field) == (one.name, column.name)
        ]
        if parent
        else []
    )
    return str(found[0]).removesuffix("__r") if found else ""


def _value_sets(source: ExportSource, objects: Sequence[CrmObject]) -> Iterator[tuple[str, str]]:
    values: dict[str, list[str]] = {}
    defaults: dict[str, str] = {}
    for one in objects:
        for column in one.loaded:
            if name := VALUE_SETS.get((one.name, column.name)):
                values.setdefault(name, []).extend(_values(source, one, column))
                defaults.setdefault(name, str(DEFAULTS.get((one.name, column.name), "")))
    for name in sorted(values):
        closing = {
            value: value in CLOSING if name == "CaseStatus" else None for value in values[name]
        }
        yield f"{name}.standardValueSet-meta.xml", value_set_xml(closing, defaults[name])


def _values(source: ExportSource, one: CrmObject, column: Column) -> list[str]:
    """The schema's values; where it names none, those that the records have."""
    stored = quoted(column.stored)
    return list(column.access.values) or [
        str(row[0])
        for row in source.rows(one.table, [f"DISTINCT {stored}"], f"{stored} <> ''", stored)
    ]


def _why_no_field(one: CrmObject, column: Column) -> str | None:
    return why_not(one, column) if column.name.endswith("__c") else None


def _told(objects: Sequence[CrmObject]) -> Iterator[str]:
    for one in objects:
        if one.name in NO_EXTERNAL_ID:
            yield (
                f"left out: {one.name} takes no external id field; {NO_EXTERNAL_ID[one.name]} is"
                " its key"
            )
        for column in one.loaded:
            if column.holds_ids and one.item.field(column.stored).holds_ids is None:
                yield (
                    f"left out: {one.name}.{column.name} as a lookup: none may lead to"
                    f" {column.holds_ids}; it is a text that holds the id"
                )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, iter([text]))
