"""CSV files for Bulk API 2.0, references by relationship column on Synth_Id__c, with load order and
commands.

Files have LF and UTF-8, at most 100 MB each, and are sorted by parent so that no two batches lock
the same one. A null is an empty cell, or `#N/A` where the CRM would put its default in. Example of
a header: `Account.Synth_Id__c,User:Owner.Synth_Id__c,IssueId__r.Synth_Id__c,Subject`.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from orgweave.crm.field import CrmField, CrmObject
from orgweave.crm.person_accounts import CONTACT
from orgweave.export.bulk_script import ScriptStep, write_script
from orgweave.export.by_workers import each
from orgweave.export.notes import counted, left_out, unresolved
from orgweave.export.objects import (
    EXTERNAL_ID,
    PROFILE,
    export_objects,
    inserted,
    loaded,
    lookups,
    why_not,
)
from orgweave.export.parts import ObjectPart, late_fields, late_rows, parts_of
from orgweave.export.person_accounts import NOTE as PERSON_NOTE
from orgweave.export.resolve_ids import write_apex
from orgweave.export.source import ExportRow, ExportSource
from orgweave.soql.sql import SqlValue, quoted
from pipeline.atomic import write_text

MOST_BYTES = 100_000_000
"""Of one file: an upload may have 150 MB in base64."""
MOST_CHARACTERS = 32_000
"""Of one cell; Bulk API 2.0 refuses longer ones."""
NULL = "#N/A"
"""The cell that sets a field to null; an empty one leaves it to the CRM's default."""
TOO_LONG = "too_long.jsonl"


@dataclass(slots=True)
class Losses:
    """What a file can't hold, counted while it is written."""

    too_long: list[str]
    empty_texts: int = 0
    look_like_null: int = 0


def write_bulk(source: ExportSource, folder: Path, most_bytes: int = MOST_BYTES) -> list[str]:
    """Writes the files of every part, `<Object>.update.csv` for what is set later, order.txt,
    load.sh and README.txt.

    No file has more than `most_bytes`.
    """
    objects = export_objects(source.schema, source.forms.catalog)
    notes = []
    if source.forms.persons:
        objects = tuple(item for item in objects if item.name != CONTACT)
        notes.append(PERSON_NOTE)
    parts = [_BulkPart(part, most_bytes) for part in parts_of(source, objects)]
    written = each(source, _part, folder, [(part.table, part) for part in parts])
    steps = [step for step, _ in written]
    losses = _joined(losses for _, losses in written)
    late = [_LateFields(item, most_bytes) for item in objects if late_fields(item)]
    later = each(source, _late_step, folder, [(fields.crm_object.table, fields) for fields in late])
    resolving = write_apex(source.schema, objects, folder)
    write_script(folder, steps, later, resolving)
    if losses.too_long:
        write_text(folder / TOO_LONG, iter(losses.too_long))
    return [
        *notes,
        *left_out(source, objects, why_not),
        *_told(losses, steps),
        *unresolved(objects),
    ]


def header(field: CrmField) -> str:
    """A column's title: the API name, or for a reference the parent's external id."""
    if not field.target or field.insert_as:
        return field.name
    polymorphic = f"{field.target}:" if field.polymorphic else ""
    return f"{polymorphic}{field.relationship}.{EXTERNAL_ID}"


@dataclass(frozen=True, slots=True)
class _BulkPart:
    """A part to be written in files of at most so many bytes."""

    part: ObjectPart
    most_bytes: int

    @property
    def table(self) -> str:
        return self.part.crm_object.table


@dataclass(frozen=True, slots=True)
class _LateFields:
    """An object whose final values are to be written in such files."""

    crm_object: CrmObject
    most_bytes: int


def _part(source: ExportSource, folder: Path, wanted: _BulkPart) -> tuple[ScriptStep, Losses]:
    """Writes a part's files; what the CRM has already has none."""
    part, losses = wanted.part, Losses(too_long=[])
    files: list[str] = []
    if not part.there:
        files = _write(folder, part.name, _table(source, part, losses), wanted.most_bytes)
    step = ScriptStep(
        part.crm_object.name,
        tuple(files),
        part.number(source),
        key=_key(source, part),
        users=any(field.insert_as == PROFILE for field in loaded(part.crm_object)),
        optional=bool(part.crm_object.package),
        unique=part.crm_object.natural_key,
    )
    return step, losses


def _late_step(source: ExportSource, folder: Path, wanted: _LateFields) -> ScriptStep:
    """Writes the files with an object's final values."""
    crm_object = wanted.crm_object
    rows = _late(source, crm_object)
    files = _write(folder, f"{crm_object.name}.update", rows, wanted.most_bytes)
    return ScriptStep(crm_object.name, tuple(files), source.number(crm_object.table))


def _joined(parts: Iterable[Losses]) -> Losses:
    """What all parts lost, in their order."""
    losses = Losses(too_long=[])
    for part in parts:
        losses.too_long += part.too_long
        losses.empty_texts += part.empty_texts
        losses.look_like_null += part.look_like_null
    return losses


def _key(source: ExportSource, part: ObjectPart) -> str:
    """Our id of the standard price book, which takes the place of the org's own."""
    if not part.there:
        return ""
    first = next(source.rows(part.crm_object.table, ['"Id"'], part.where))
    return str(first[0])


def _table(source: ExportSource, part: ObjectPart, losses: Losses) -> Iterator[ExportRow]:
    """The header, then a part's records sorted by their first parent."""
    fields = inserted(part.crm_object)
    yield tuple(header(field) for field in fields)
    parents = lookups(part.crm_object)
    order = f"{quoted(parents[0].column)}, rowid" if parents else "rowid"
    columns = [quoted(field.column) if field.column else "NULL" for field in fields]
    for key, *values in source.rows(part.crm_object.table, ['"Id"', *columns], part.where, order):
        yield tuple(
            _cell(part.crm_object, field, str(key), value, losses)
            for field, value in zip(fields, values, strict=True)
        )


def _cell(
    crm_object: CrmObject,
    field: CrmField,
    key: str,
    value: SqlValue,
    losses: Losses,
) -> SqlValue:
    if field.insert_as:
        return field.insert_as
    if value is None:
        return NULL if field.default is not None else None
    if field.type == "boolean":
        return "true" if value else "false"
    losses.empty_texts += value == ""
    losses.look_like_null += value == NULL
    if isinstance(value, str) and len(value) > MOST_CHARACTERS:
        lost = {"sobject": crm_object.name, EXTERNAL_ID: key, "field": field.name, "value": value}
        losses.too_long.append(json.dumps(lost, ensure_ascii=False) + "\n")
        return None
    return value


def _late(source: ExportSource, crm_object: CrmObject) -> Iterator[ExportRow]:
    yield (EXTERNAL_ID, *(header(field) for field in late_fields(crm_object)))
    yield from late_rows(source, crm_object, '"Id"')


def _write(folder: Path, name: str, table: Iterator[ExportRow], most_bytes: int) -> list[str]:
    """Writes `<name>.csv`, or `<name>.1.csv` and so on, each with the header; their names."""
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
    """The names of the pieces; a single one loses its number."""
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
