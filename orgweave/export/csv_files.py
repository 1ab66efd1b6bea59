"""CSV as RFC 4180 has it (CRLF, UTF-8, header), a file an object type, and a Frictionless
`datapackage.json` with types and keys.

Nulls are empty cells; so is an empty text, which is told. Moments are `2022-03-01T09:30:00.000Z`,
lists JSON.
"""

import csv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from orgweave.export.by_workers import each
from orgweave.export.notes import counted
from orgweave.export.source import ExportSource
from orgweave.export.template_files import template
from orgweave.export.words import described
from orgweave.soql.sql import SqlValue, quoted
from pipeline.atomic import write_json, write_text
from schemas.field import Field
from schemas.filters import slug
from schemas.object_type import ObjectType

TYPES = {"boolean": "boolean", "integer": "integer", "number": "number", "array": "array"}
FORMATS = {"date": "date", "date-time": "datetime"}


def write_csv(source: ExportSource, folder: Path) -> list[str]:
    """`<Object>.csv` for each object type, datapackage.json and README.txt."""
    names = [item.name for item in source.schema.objects]
    notes = each(source, _write, folder, [(name, name) for name in names])
    write_json(folder / "datapackage.json", _package(source))
    write_text(folder / "README.txt", iter([template("csv.txt").format(name=source.profile.name)]))
    return list(chain.from_iterable(notes))


def _write(source: ExportSource, folder: Path, name: str) -> list[str]:
    """Writes an object type's file; returns what is to be told of it."""
    fields = source.schema.object(name).fields
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow([field.name for field in fields])
        for row in source.rows(name, [quoted(field.name) for field in fields]):
            pairs = zip(fields, row, strict=True)
            writer.writerow([_cell(field, value) for field, value in pairs])
    return list(_empty_texts(source, name))


def _cell(field: Field, value: SqlValue) -> SqlValue:
    if value is None:
        return None
    if field.type == "boolean":
        return "true" if value else "false"
    if field.format == "date-time":
        return str(value).replace("+0000", "Z")
    return value


def _empty_texts(source: ExportSource, name: str) -> Iterator[str]:
    for field in source.schema.object(name).fields:
        found = source.number(name, f"{quoted(field.name)} = ''")
        if found:
            yield (
                f"left out: {counted(found, 'empty text')} of {name}.{field.name}; CSV"
                " shows them as missing"
            )


def _package(source: ExportSource) -> dict[str, object]:
    return {
        "profile": "tabular-data-package",
        "name": slug(source.profile.name),
        "title": source.profile.name,
        "description": source.profile.description.strip(),
        "resources": [_resource(source, item) for item in source.schema.objects],
    }


def _resource(source: ExportSource, item: ObjectType) -> dict[str, object]:
    targets = {
        field.name: source.schema.target(item, field) for field in item.fields if field.name != "Id"
    }
    return {
        "profile": "tabular-data-resource",
        "name": item.name.lower(),
        "title": item.name,
        "description": item.description,
        "path": f"{item.name}.csv",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "dialect": {
            "delimiter": ",",
            "lineTerminator": "\r\n",
            "quoteChar": '"',
            "doubleQuote": True,
            "header": True,
        },
        "schema": {
            "fields": [_field(source, item, field) for field in item.fields],
            "missingValues": [""],
            "primaryKey": ["Id"],
            "foreignKeys": [
                {"fields": [name], "reference": {"resource": target.lower(), "fields": ["Id"]}}
                for name, target in targets.items()
                if target
            ],
        },
    }


def _field(source: ExportSource, item: ObjectType, field: Field) -> dict[str, object]:
    kind = FORMATS.get(field.format) or TYPES.get(field.type, "string")
    found: dict[str, object] = {
        "name": field.name,
        "type": kind,
        "description": described(source.schema, item, field),
    }
    if field.format == "email":
        found["format"] = "email"
    rules = {
        "required": field.required,
        "unique": field.unique,
        "maxLength": field.json_schema.get("maxLength"),
        "pattern": field.json_schema.get("pattern"),
    }
    if field.type == "string" and "enum" in field.json_schema:
        rules["enum"] = [value for value in field.json_schema["enum"] if value is not None]
    constraints = {name: value for name, value in rules.items() if value}
    if constraints:
        found["constraints"] = constraints
    return found
