"""Parquet: a typed file an object type, its fields described in the file's metadata, and a dataset
card. Needs pyarrow.

Dates are date32, moments UTC timestamps of milliseconds, lists of ids lists of strings; nothing is
left out.
"""

import json
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orgweave.export.by_workers import each
from orgweave.export.card import write_card
from orgweave.export.source import ExportSource
from orgweave.export.words import described
from orgweave.soql.sql import SqlValue, quoted
from schemas.errors import BadInput
from schemas.field import Field
from schemas.object_type import ObjectType

if TYPE_CHECKING:
    import pyarrow

AT_ONCE = 50_000
"""Records in a row group, and in memory."""


def write_parquet(source: ExportSource, folder: Path) -> list[str]:
    """`<Object>.parquet` for each object type and README.md; raises BadInput where pyarrow isn't
    installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise BadInput(
            "--format parquet needs pyarrow, which isn't installed; run: pip install"
            " 'orgweave[parquet]'"
        ) from error
    names = [item.name for item in source.schema.objects]
    each(source, _write, folder, [(name, name) for name in names])
    write_card(source, folder / "README.md")
    return []


def _write(source: ExportSource, folder: Path, name: str) -> None:
    """Writes an object type's file."""
    import pyarrow
    import pyarrow.parquet as parquet

    item = source.schema.object(name)
    schema = pyarrow.schema(
        [_field(source, item, field) for field in item.fields], {"description": item.description}
    )
    rows = source.rows(item.name, [quoted(field.name) for field in item.fields])
    path = folder / f"{name}.parquet"
    with parquet.ParquetWriter(path, schema, compression="zstd") as out:
        while group := list(islice(rows, AT_ONCE)):
            arrays = []
            by_column = zip(*group, strict=True)
            for field, kind, values in zip(item.fields, schema, by_column, strict=True):
                column = _column(source, item, field, values)
                arrays.append(pyarrow.array(column, kind.type))
            out.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def _field(source: ExportSource, item: ObjectType, field: Field) -> "pyarrow.Field[Any]":
    import pyarrow

    return pyarrow.field(
        field.name,
        _type(field),
        metadata={"description": described(source.schema, item, field)},
    )


def _type(field: Field) -> "pyarrow.DataType":
    import pyarrow

    match field.type, field.format:
        case "string", "date":
            return pyarrow.date32()
        case "string", "date-time":
            return pyarrow.timestamp("ms", tz="UTC")
        case "array", _:
            return pyarrow.list_(pyarrow.string())
    return {
        "boolean": pyarrow.bool_(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
    }.get(field.type, pyarrow.string())


def _column(
    source: ExportSource,
    item: ObjectType,
    field: Field,
    values: tuple[SqlValue, ...],
) -> list[object]:
    """Stored values as Python's; raises BadInput where one isn't of its field's type, as in an org
    that somebody edited.
    """
    try:
        return [None if value is None else _value(field, value) for value in values]
    except (ValueError, TypeError) as error:
        raise BadInput(
            f"{source.path}: {item.name}.{field.name} holds a value that is no"
            f" {field.format or field.type} ({error}); `check` names it, mend it there"
        ) from error


def _value(field: Field, value: SqlValue) -> object:
    match field.type, field.format:
        case "string", "date":
            return date.fromisoformat(str(value))
        case "string", "date-time":
            return datetime.fromisoformat(str(value))
        case "array", _:
            return [str(member) for member in json.loads(str(value))]
        case "boolean", _:
            return bool(value)
        case "integer", _:
            return int(str(value))
        case "number", _:
            return float(str(value))
    return str(value)
