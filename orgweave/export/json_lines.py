"""JSON Lines: a file an object type, a record a line, as `datasets` and DuckDB read them.

Dates and moments are texts as in the org, lists are lists, and what is empty is null: nothing is
left out, and every line has the same keys.
"""

import json
from pathlib import Path

from orgweave.export.by_workers import each
from orgweave.export.source import ExportSource
from orgweave.export.template_files import template
from orgweave.soql.sql import SqlValue, quoted
from pipeline.atomic import write_text
from schemas.errors import BadInput
from schemas.field import Field
from schemas.object_type import ObjectType


def write_json_lines(source: ExportSource, folder: Path) -> list[str]:
    """`<Object>.jsonl` for each object type, and README.txt.

    Raises BadInput where a list's text is no JSON.
    """
    names = [item.name for item in source.schema.objects]
    each(source, _write, folder, [(name, name) for name in names])
    write_text(
        folder / "README.txt", iter([template("jsonl.txt").format(name=source.profile.name)])
    )
    return []


def _write(source: ExportSource, folder: Path, name: str) -> None:
    """Writes an object type's file."""
    item = source.schema.object(name)
    columns = [quoted(field.name) for field in item.fields]
    with (folder / f"{name}.jsonl").open("w", encoding="utf-8", newline="\n") as out:
        for row in source.rows(name, columns):
            record: dict[str, object] = {}
            for field, value in zip(item.fields, row, strict=True):
                record[field.name] = _value(source, item, field, value)
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


def _value(source: ExportSource, item: ObjectType, field: Field, value: SqlValue) -> object:
    if value is None:
        return None
    if field.type == "boolean":
        return bool(value)
    if field.type != "array":
        return value
    try:
        return json.loads(str(value))
    except ValueError as error:
        raise BadInput(
            f"{source.path}: {item.name}.{field.name} holds a value that is no list ({error});"
            " `check` names it, mend it there"
        ) from error
