"""`mapping.yml` and `dataset.sql` for CumulusCI's `load_dataset`: a step a part, lookups by the
tables' own ids such as `Account-12`.

CumulusCI takes a text that looks like an id of the CRM for one, so ours stand in Synth_Id__c only.
It loads no users: owners stay out.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from orgweave.export.crm import Column, CrmObject, crm_objects
from orgweave.export.notes import counted, left_out, unresolved, without_users
from orgweave.export.parts import ObjectPart, late_columns, late_rows, parts_of
from orgweave.export.resolve_ids import write_apex
from orgweave.export.source import ExportRow, ExportSource
from orgweave.export.standard import EXTERNAL_ID
from orgweave.soql.sql import SqlValue, quoted
from pipeline.atomic import write_text

WHY_NOT = without_users("CumulusCI loads no users; all belongs to whoever loads")
README = """A dataset for CumulusCI. Deploy the metadata first (python -m pipeline export <run> --metadata), then

    cci task run load_dataset --mapping mapping.yml --sql_path dataset.sql --org dev

- The standard price book is selected, not created; activate it before you load.
- Orders are inserted as drafts; the last step sets their final status.
- Users aren't loaded: every record belongs to whoever loads. Articles come in as drafts: publish them in the Knowledge tab.
- Take the steps of LiveChat* and ProductCat* out of mapping.yml where the org has no Chat or no Commerce licence.
- resolve_ids.apex turns our ids in text fields into the org's, once your users' Synth_Id__c hold them: sf apex run --file resolve_ids.apex
"""


def write_cumulusci(source: ExportSource, folder: Path) -> list[str]:
    """mapping.yml, dataset.sql and README.txt."""
    objects = [one for one in crm_objects(source.schema) if one.name != "User"]
    parts = parts_of(source, objects)
    steps = {_title(part): _step(part, parts) for part in parts} | {
        f"Update {one.name}": _late_step(one) for one in objects if late_columns(one)
    }
    write_text(
        folder / "mapping.yml", iter([yaml.safe_dump(steps, sort_keys=False, allow_unicode=True)])
    )
    write_text(folder / "dataset.sql", _dataset(source, parts, objects))
    write_text(folder / "README.txt", iter([README]))
    write_apex(source.schema, objects, folder)
    return [*_told(source), *left_out(source, objects, WHY_NOT), *unresolved(objects)]


def _told(source: ExportSource) -> Iterator[str]:
    if source.schema.has("User"):
        yield (
            f"left out: {counted(source.number('User'), 'record')} of User: CumulusCI loads no"
            " users"
        )


def _title(part: ObjectPart) -> str:
    return f"{'Select' if part.there else 'Insert'} {part.name}"


def _loaded(one: CrmObject) -> list[Column]:
    return [column for column in one.loaded if WHY_NOT(one, column) is None]


def _step(part: ObjectPart, parts: Sequence[ObjectPart]) -> dict[str, object]:
    if part.there:
        return {
            "sf_object": part.one.name,
            "table": part.name,
            "action": "select",
            "select_options": {"strategy": "standard", "filter": "WHERE IsStandard = true"},
            "fields": ["Name"],
        }
    columns = _loaded(part.one)
    lookups = {
        column.name: {"table": _tables(column, parts)} for column in columns if column.target
    }
    return {
        "sf_object": part.one.name,
        "table": part.name,
        "fields": [column.name for column in columns if not column.target],
        **({"lookups": lookups} if lookups else {}),
    }


def _tables(column: Column, parts: Sequence[ObjectPart]) -> str | list[str]:
    """The table or tables that a lookup may lead to: prices and price books lie in two."""
    found = [part.name for part in parts if part.one.name == column.target]
    return found[0] if len(found) == 1 else found


def _late_step(one: CrmObject) -> dict[str, object]:
    return {
        "sf_object": one.name,
        "table": f"{one.name}_update",
        "action": "upsert",
        "update_key": EXTERNAL_ID,
        "fields": [EXTERNAL_ID, *(column.name for column in late_columns(one))],
    }


def _dataset(
    source: ExportSource, parts: Sequence[ObjectPart], objects: Sequence[CrmObject]
) -> Iterator[str]:
    """The SQL text: a table a step."""
    yield "BEGIN TRANSACTION;\n"
    for part in parts:
        yield from _table(
            part.name, [column.name for column in _loaded(part.one)], _rows(source, part, objects)
        )
    for one in objects:
        if late := late_columns(one):
            rows = late_rows(source, one, f"'{one.name}_update-' || rowid", '"Id"')
            yield from _table(
                f"{one.name}_update", [EXTERNAL_ID, *(column.name for column in late)], rows
            )
    yield "COMMIT;\n"


def _rows(
    source: ExportSource, part: ObjectPart, objects: Sequence[CrmObject]
) -> Iterator[ExportRow]:
    columns = _loaded(part.one)
    tables = {one.name: one.table for one in objects}
    for row in source.rows(
        part.one.table,
        [f"'{part.one.name}-' || rowid", *(_expression(column, tables) for column in columns)],
        part.where,
    ):
        yield (
            row[0],
            *(_text(column, value) for column, value in zip(columns, row[1:], strict=True)),
        )


def _expression(column: Column, tables: dict[str, str]) -> str:
    stored = f"t.{quoted(column.stored)}"
    if column.target is None:
        return stored
    if column.stored == "Id":
        return f"'{column.target}-' || t.rowid"
    return (
        f"(SELECT '{column.target}-' || p.rowid FROM {quoted(tables[column.target])} p WHERE"
        f' p."Id" = {stored})'
    )


def _text(column: Column, value: SqlValue) -> SqlValue:
    """All values are texts in the dataset; null stays null."""
    if value is None or column.target:
        return value
    if column.fill:
        return column.fill
    if column.access.info.type == "boolean":
        return "true" if value else "false"
    return str(value)


def _table(name: str, columns: Sequence[str], rows: Iterator[ExportRow]) -> Iterator[str]:
    titles = ", ".join(f"{quoted(column)} VARCHAR(255)" for column in columns)
    yield f"CREATE TABLE {quoted(name)} (id VARCHAR(255) NOT NULL, {titles}, PRIMARY KEY (id));\n"
    for row in rows:
        yield f"INSERT INTO {quoted(name)} VALUES ({', '.join(map(_literal, row))});\n"


def _literal(value: SqlValue) -> str:
    """A value in SQL; bytes in hexadecimal where reading the file as text would change them."""
    if value is None:
        return "NULL"
    text = str(value)
    if "\r" in text or "\0" in text:
        return f"CAST(X'{text.encode().hex()}' AS TEXT)"
    return "'" + text.replace("'", "''") + "'"
