"""CSV files for Bulk API 2.0, references by relationship column on Synth_Id__c, with load order and
commands.

LF, UTF-8, at most 100 MB a file, sorted by parent so that no two batches lock the same one. A null
is an empty cell, or `#N/A`
where the CRM would put its default in. Example:
`Account.Synth_Id__c,User:Owner.Synth_Id__c,IssueId__r.Synth_Id__c,Subject`.
"""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orgweave.export.bulk_script import ScriptStep, write_script
from orgweave.export.crm import Column, CrmObject, crm_objects, why_not
from orgweave.export.notes import counted, left_out, unresolved
from orgweave.export.parts import ObjectPart, late_columns, late_rows, parts_of
from orgweave.export.resolve_ids import write_apex
from orgweave.export.source import ExportRow, ExportSource
from orgweave.export.standard import EXTERNAL_ID, PROFILE
from orgweave.server.standard import DEFAULTS
from orgweave.soql.sql import SqlValue, quoted
from pipeline.atomic import write_text

MOST_BYTES = 100_000_000
"""Of one file: an upload may have 150 MB in base64."""
MOST_CHARACTERS = 32_000
NULL = "#N/A"
TOO_LONG = "too_long.jsonl"


@dataclass(slots=True)
class Losses:
    """What a file can't hold, counted while it is written."""

    too_long: list[str] = field(default_factory=list)
    empty_texts: int = 0
    look_like_null: int = 0


def write_bulk(source: ExportSource, folder: Path, most_bytes: int = MOST_BYTES) -> list[str]:
    """The files of every part, `<Object>.update.csv` for what is set later, order.txt, load.sh and
    README.txt.
    """
    objects, losses = crm_objects(source.schema), Losses()
    steps = []
    for part in parts_of(source, objects):
        files = (
            []
            if part.there
            else _write(folder, part.name, _table(source, part, losses), most_bytes)
        )
        steps.append(
            ScriptStep(
                part.one.name,
                tuple(files),
                part.number(source),
                key=_key(source, part),
                users=any(column.fill == PROFILE for column in part.one.loaded),
            )
        )
    later = [
        ScriptStep(
            one.name,
            tuple(_write(folder, f"{one.name}.update", _late(source, one), most_bytes)),
            source.number(one.table),
        )
        for one in objects
        if late_columns(one)
    ]
    resolving = write_apex(source.schema, objects, folder)
    write_script(folder, steps, later, resolving)
    if losses.too_long:
        write_text(folder / TOO_LONG, iter(losses.too_long))
    return [*left_out(source, objects, why_not), *_told(losses, steps), *unresolved(objects)]


def header(column: Column) -> str:
    """A column's title: the API name, or for a reference the parent's external id."""
    info = column.access.info
    if not info.target or column.fill:
        return info.name
    polymorphic = f"{info.target}:" if len(info.reference_to) > 1 else ""
    return f"{polymorphic}{info.relationship}.{EXTERNAL_ID}"


def _key(source: ExportSource, part: ObjectPart) -> str:
    """Our id of the standard price book, which takes the place of the org's own."""
    return str(next(source.rows(part.one.table, ['"Id"'], part.where))[0]) if part.there else ""


def _table(source: ExportSource, part: ObjectPart, losses: Losses) -> Iterator[ExportRow]:
    columns = part.one.loaded
    yield tuple(header(column) for column in columns)
    order = f"{quoted(part.one.lookups[0].stored)}, rowid" if part.one.lookups else "rowid"
    for row in source.rows(
        part.one.table,
        ['"Id"', *(quoted(column.stored) if column.stored else "NULL" for column in columns)],
        part.where,
        order,
    ):
        yield tuple(
            _cell(part.one, column, str(row[0]), value, losses)
            for column, value in zip(columns, row[1:], strict=True)
        )


def _cell(one: CrmObject, column: Column, key: str, value: SqlValue, losses: Losses) -> SqlValue:
    if column.fill:
        return column.fill
    if value is None:
        return NULL if (one.name, column.name) in DEFAULTS else None
    if column.access.info.type == "boolean":
        return "true" if value else "false"
    losses.empty_texts += value == ""
    losses.look_like_null += value == NULL
    if isinstance(value, str) and len(value) > MOST_CHARACTERS:
        losses.too_long.append(
            json.dumps(
                {"sobject": one.name, EXTERNAL_ID: key, "field": column.name, "value": value},
                ensure_ascii=False,
            )
            + "\n"
        )
        return None
    return value


def _late(source: ExportSource, one: CrmObject) -> Iterator[ExportRow]:
    yield (EXTERNAL_ID, *(column.name for column in late_columns(one)))
    yield from late_rows(source, one, '"Id"')


def _write(folder: Path, name: str, table: Iterator[ExportRow], most_bytes: int) -> list[str]:
    """`<name>.csv`, or `<name>.1.csv` and so on, each with the header; their names."""
    head = _line(next(table))
    pieces: list[str] = []
    out = None
    room = 0
    try:
        for row in table:
            line = _line(row)
            if out is None or len(line) > room:
                if out is not None:
                    out.close()
                pieces.append(f"{name}.{len(pieces) + 1}.csv")
                out = (folder / pieces[-1]).open("wb")
                room = most_bytes - out.write(head)
            room -= out.write(line)
    finally:
        if out is not None:
            out.close()
    return _only(folder, name, pieces)


def _only(folder: Path, name: str, pieces: list[str]) -> list[str]:
    if len(pieces) != 1:
        return pieces
    (folder / pieces[0]).rename(folder / f"{name}.csv")
    return [f"{name}.csv"]


def _line(row: Sequence[SqlValue]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerow(row)
    return text.getvalue().encode()


def _told(losses: Losses, steps: Sequence[ScriptStep]) -> Iterator[str]:
    if losses.too_long:
        yield (
            f"left out: {counted(len(losses.too_long), 'value')} of more than {MOST_CHARACTERS:,}"
            f" characters; {TOO_LONG} has them, to be set by REST"
        )
    if losses.empty_texts:
        yield (
            f"left out: {counted(losses.empty_texts, 'empty text')}; the CRM knows only missing"
            " values"
        )
    if losses.look_like_null:
        yield f"left out: {counted(losses.look_like_null, f'text {NULL}')}: it means null here"
    for step in steps:
        if not step.files:
            yield (
                f"left out: {counted(step.records, 'record')} of {step.sobject}: the standard price"
                " book exists in every org; load.sh activates it and gives it our key"
            )
