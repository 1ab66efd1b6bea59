"""The metadata that an org needs before its records: an SFDX project of custom objects, fields,
value sets and permission sets.

It is made from the schema and, where a standard picklist has no values there, from the records.
What not every org can have lies in a package of its own: `force-app` for all, `commerce` for
catalogs, `legacy-chat` for chats.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from orgweave.crm.facts import shipped
from orgweave.crm.field import CrmField, CrmObject
from orgweave.export.metadata_project import permission_set, write_project
from orgweave.export.metadata_xml import field_xml, object_xml, permission_set_xml, value_set_xml
from orgweave.export.notes import left_out
from orgweave.export.objects import BASE, export_objects, loaded, why_not
from orgweave.export.source import ExportSource
from orgweave.soql.sql import quoted
from pipeline.atomic import write_text

MAIN = "main/default"


def write_metadata(source: ExportSource, folder: Path) -> list[str]:
    """Writes the project.

    Every custom field that a record sets has its file and, unless required, its permission.
    """
    objects = export_objects(source.schema)
    used = {crm_object.package or BASE for crm_object in objects}
    optional = shipped().common.packages
    packages = [name for name in (BASE, *optional) if name in used]
    for name in packages:
        _write_package(folder / name / MAIN, name, objects)
    value_sets: list[str] = []
    for path, text in _value_sets(source, objects):
        _write(folder / BASE / MAIN / "standardValueSets" / path, text)
        value_sets.append(str(path).partition(".")[0])
    names = {crm_object.name for crm_object in objects}
    write_project(folder, packages, optional, names, value_sets, source.schema.locale)
    return [*left_out(source, objects, _why_no_field), *_told(source, objects)]


def custom_fields(crm_object: CrmObject) -> list[CrmField]:
    """The fields that have to be made."""
    return [field for field in loaded(crm_object) if field.custom]


def _write_package(folder: Path, name: str, objects: Sequence[CrmObject]) -> None:
    """Writes what one package holds: its objects, their fields, and who may use them."""
    own = [crm_object for crm_object in objects if (crm_object.package or BASE) == name]
    fields: list[tuple[str, CrmField]] = []
    for crm_object in own:
        place = folder / "objects" / crm_object.name
        if crm_object.custom:
            _write(place / f"{crm_object.name}.object-meta.xml", object_xml(crm_object))
        for field in custom_fields(crm_object):
            children = _children(crm_object, field, objects)
            _write(place / "fields" / f"{field.name}.field-meta.xml", field_xml(field, children))
            fields.append((crm_object.name, field))
    title = permission_set(name)
    users = ["CreateAuditFields"] if name == BASE else []
    _write(
        folder / "permissionsets" / f"{title}.permissionset-meta.xml",
        permission_set_xml(title, own, fields, users),
    )


def _children(crm_object: CrmObject, field: CrmField, objects: Sequence[CrmObject]) -> str:
    """The name under which SOQL finds these records from the parent, without its `__r`."""
    for parent in objects:
        if parent.name != field.target:
            continue
        for child in parent.child_relationships:
            if (child.entity, child.field) == (crm_object.name, field.name):
                return str(child.name).removesuffix("__r")
    return ""


def _value_sets(source: ExportSource, objects: Sequence[CrmObject]) -> Iterator[tuple[str, str]]:
    """The file and the text of each standard value set; fields that share one add up."""
    values: dict[str, list[str]] = {}
    first: dict[str, CrmField] = {}
    for crm_object in objects:
        for field in loaded(crm_object):
            if field.value_set:
                found = values.setdefault(field.value_set, [])
                found += _values(source, crm_object, field)
                first.setdefault(field.value_set, field)
    for name in sorted(values):
        field = first[name]
        default = "" if field.default is None else str(field.default)
        text = value_set_xml(values[name], default, field.closing_values)
        yield f"{name}.standardValueSet-meta.xml", text


def _values(source: ExportSource, crm_object: CrmObject, field: CrmField) -> list[str]:
    """The schema's values; where it names none, those that the records have."""
    if field.picklist:
        return list(field.picklist)
    stored = quoted(field.column)
    rows = source.rows(crm_object.table, [f"DISTINCT {stored}"], f"{stored} <> ''", stored)
    return [str(row[0]) for row in rows]


def _why_no_field(field: CrmField) -> str | None:
    return why_not(field) if field.custom else None


def _told(source: ExportSource, objects: Sequence[CrmObject]) -> Iterator[str]:
    for crm_object in objects:
        if crm_object.natural_key:
            yield (
                f"left out: {crm_object.name} takes no external id field; {crm_object.natural_key}"
                " is its key"
            )
        item = source.schema.object(crm_object.table)
        for field in loaded(crm_object):
            if field.holds_ids and item.field(field.column).holds_ids is None:
                yield (
                    f"left out: {crm_object.name}.{field.name} as a lookup: none may lead to"
                    f" {field.holds_ids}; it is a text that holds the id"
                )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, iter([text]))
