"""`mapping.yml` and `dataset.sql` for CumulusCI's `load_dataset`: a step a part, lookups by the
tables' own ids such as `Account-12`.

CumulusCI takes a text that looks like an id of the CRM for one, so ours stand in Synth_Id__c only.
It loads no users: owners stay out.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from orgweave.crm.field import CrmField, CrmObject
from orgweave.export.notes import counted, left_out, unresolved, without_users
from orgweave.export.objects import EXTERNAL_ID, export_objects, inserted
from orgweave.export.parts import ObjectPart, late_fields, late_rows, parts_of
from orgweave.export.resolve_ids import write_apex
from orgweave.export.source import ExportRow, ExportSource
from orgweave.export.template_files import template
from orgweave.soql.sql import SqlValue, quoted
from pipeline.atomic import write_text

WHY = "CumulusCI loads no users; all belongs to whoever loads"


def write_cumulusci(source: ExportSource, folder: Path) -> list[str]:
    """Writes mapping.yml, dataset.sql and README.txt."""
    all_objects = export_objects(source.schema)
    objects = [crm_object for crm_object in all_objects if crm_object.name != "User"]
    parts = parts_of(source, objects)
    steps = {_title(part): _step(part, parts) for part in parts}
    for crm_object in objects:
        if late_fields(crm_object):
            steps[f"Update {crm_object.name}"] = _late_step(crm_object, parts)
    mapping = yaml.safe_dump(steps, sort_keys=False, allow_unicode=True)
    write_text(folder / "mapping.yml", iter([mapping]))
    write_text(folder / "dataset.sql", _dataset(source, parts, objects))
    write_text(folder / "README.txt", iter([template("cumulusci.txt")]))
    write_apex(source.schema, objects, folder)
    return [*_told(source), *left_out(source, objects, without_users(WHY)), *unresolved(objects)]


def _told(source: ExportSource) -> Iterator[str]:
    if source.schema.has("User"):
        users = counted(source.number("User"), "record")
        yield f"left out: {users} of User: CumulusCI loads no users"


def _title(part: ObjectPart) -> str:
    return f"{'Select' if part.there else 'Insert'} {part.name}"


def _loaded(crm_object: CrmObject) -> list[CrmField]:
    return [field for field in inserted(crm_object) if field.target != "User"]


def _step(part: ObjectPart, parts: Sequence[ObjectPart]) -> dict[str, object]:
    """A part's entry in mapping.yml."""
    step: dict[str, object] = {"sf_object": part.crm_object.name, "table": part.name}
    if part.there:
        step["action"] = "select"
        step["select_options"] = {"strategy": "standard", "filter": "WHERE IsStandard = true"}
        step["fields"] = ["Name"]
        return step
    fields = _loaded(part.crm_object)
    step["fields"] = [field.name for field in fields if not field.target]
    references = [field for field in fields if field.target]
    if references:
        step["lookups"] = {field.name: {"table": _tables(field, parts)} for field in references}
    return step


def _tables(field: CrmField, parts: Sequence[ObjectPart]) -> str | list[str]:
    """The table or tables that a lookup may lead to: prices and price books lie in two."""
    found = [part.name for part in parts if part.crm_object.name == field.target]
    return found[0] if len(found) == 1 else found


def _late_step(crm_object: CrmObject, parts: Sequence[ObjectPart]) -> dict[str, object]:
    late, again = late_fields(crm_object), _again(crm_object)
    plain = [field.name for field in (*again, *late) if not field.target]
    step: dict[str, object] = {
        "sf_object": crm_object.name,
        "table": f"{crm_object.name}_update",
        "action": "upsert",
        "update_key": EXTERNAL_ID,
        "fields": [EXTERNAL_ID, *plain],
    }
    lookups: dict[str, object] = {}
    for field in again:
        if field.target:
            lookups[field.name] = {"table": _tables(field, parts)}
    for field in late:
        if field.target:
            lookups[field.name] = {"table": crm_object.name}
    if lookups:
        step["lookups"] = lookups
    return step


def _again(crm_object: CrmObject) -> list[CrmField]:
    """The fields that a later step gives again, unchanged.

    CumulusCI takes no step without the fields that a new record must have, not even one that
    creates none.
    """
    late = {field.name for field in late_fields(crm_object)}
    return [field for field in _loaded(crm_object) if field.required and field.name not in late]


def _dataset(
    source: ExportSource,
    parts: Sequence[ObjectPart],
    objects: Sequence[CrmObject],
) -> Iterator[str]:
    """The SQL text: a table a step."""
    tables = {crm_object.name: crm_object.table for crm_object in objects}
    yield "BEGIN TRANSACTION;\n"
    for part in parts:
        columns = [field.name for field in _loaded(part.crm_object)]
        yield from _table(part.name, columns, _rows(source, part, tables))
    for crm_object in objects:
        if late_fields(crm_object):
            name = f"{crm_object.name}_update"
            again = _again(crm_object)
            columns = [_expression(field, tables) for field in again]
            rows = late_rows(source, crm_object, f"'{name}-' || t.rowid", 't."Id"', *columns)
            late = [field.name for field in late_fields(crm_object)]
            titles = [EXTERNAL_ID, *(field.name for field in again), *late]
            yield from _table(name, titles, _with_numbers(source, crm_object, rows))
    yield "COMMIT;\n"


def _with_numbers(
    source: ExportSource,
    crm_object: CrmObject,
    rows: Iterator[ExportRow],
) -> Iterator[ExportRow]:
    """Rows of a later step with the dataset's own ids in place of ours in their references."""
    references = [bool(field.target) for field in late_fields(crm_object)]
    if not any(references):
        yield from rows
        return
    numbers = {}
    for number, key in source.rows(crm_object.table, ["rowid", '"Id"']):
        numbers[key] = f"{crm_object.name}-{number}"
    for row in rows:
        first, values = row[: -len(references)], row[-len(references) :]
        named = []
        for value, is_reference in zip(values, references, strict=True):
            named.append(numbers.get(value) if is_reference else value)
        yield (*first, *named)


def _rows(source: ExportSource, part: ObjectPart, tables: Mapping[str, str]) -> Iterator[ExportRow]:
    """A part's records, the dataset's own id first."""
    crm_object = part.crm_object
    fields = _loaded(crm_object)
    columns = [_expression(field, tables) for field in fields]
    key = f"'{crm_object.name}-' || rowid"
    for number, *values in source.rows(crm_object.table, [key, *columns], part.where):
        texts = [_text(field, value) for field, value in zip(fields, values, strict=True)]
        yield (number, *texts)


def _expression(field: CrmField, tables: Mapping[str, str]) -> str:
    """SQL for a field's value; a reference is the dataset's id of its parent."""
    stored = f"t.{quoted(field.column)}"
    if field.target is None:
        return stored
    if field.column == "Id":
        return f"'{field.target}-' || t.rowid"
    return (
        f"(SELECT '{field.target}-' || p.rowid FROM {quoted(tables[field.target])} p WHERE"
        f' p."Id" = {stored})'
    )


def _text(field: CrmField, value: SqlValue) -> SqlValue:
    """All values are texts in the dataset; null stays null."""
    if value is None or field.target:
        return value
    if field.insert_as:
        return field.insert_as
    if field.type == "boolean":
        return "true" if value else "false"
    return str(value)


def _table(name: str, columns: Sequence[str], rows: Iterator[ExportRow]) -> Iterator[str]:
    titles = ", ".join(f"{quoted(column)} VARCHAR(255)" for column in columns)
    yield f"CREATE TABLE {quoted(name)} (id VARCHAR(255) NOT NULL, {titles}, PRIMARY KEY (id));\n"
    for row in rows:
        values = ", ".join(map(_literal, row))
        yield f"INSERT INTO {quoted(name)} VALUES ({values});\n"


def _literal(value: SqlValue) -> str:
    """A value in SQL; bytes in hexadecimal where reading the file as text would change them."""
    if value is None:
        return "NULL"
    text = str(value)
    if "\r" in text or "\0" in text:
        return f"CAST(X'{text.encode().hex()}' AS TEXT)"
    return "'" + text.replace("'", "''") + "'"
