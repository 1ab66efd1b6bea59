"""JSON for `sf data import tree --plan`: at most 200 records a file, parents before children,
references as `@AccountRef12`.

The CLI looks at top-level values only, finds no record that the org has already (a user, the
standard price book), and breaks down beyond some 2,800 records a plan. So owners stay out, the
standard book is a placeholder, and a large org is cut to whole families.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from orgweave.crm.field import CrmField, CrmObject
from orgweave.export.notes import counted, left_out, unresolved, without_users
from orgweave.export.objects import STANDARD_BOOK, export_objects, inserted
from orgweave.export.parts import BOOK, ObjectPart, late_fields, parts_of
from orgweave.export.resolve_ids import write_apex
from orgweave.export.share import Chosen, chosen
from orgweave.export.source import ExportSource
from orgweave.export.template_files import template
from orgweave.soql.sql import SqlValue, quoted
from pipeline.atomic import write_json, write_text

MOST_RECORDS = 2_500
"""Of one plan: the CLI's recursion breaks down from about 2,800 on."""
A_FILE = 200
"""Records in one file, the most that the tree API takes."""
WHY = "the CLI finds no user that the org has already; all belongs to whoever imports"
REFERENCE = re.compile(r"@\w+Ref\d+")
"""A text of this form the CLI takes for a reference."""


@dataclass(frozen=True, slots=True)
class TreeExport:
    """One plan in the making.

    `kept` are the ids that it holds, None where it holds all; `taken` collects the values that the
    CLI would take for references.
    """

    source: ExportSource
    objects: tuple[CrmObject, ...]
    kept: Chosen | None
    taken: list[str]


def write_tree(source: ExportSource, folder: Path, most: int = MOST_RECORDS) -> list[str]:
    """Writes plan.json, its files of at most 200 records, and README.txt.

    The plan holds at most `most` records.
    """
    all_objects = export_objects(source.schema)
    objects = tuple(crm_object for crm_object in all_objects if crm_object.name != "User")
    tree = TreeExport(source, objects, chosen(source, objects, most), taken=[])
    plan, number = [], 0
    for part in parts_of(source, objects):
        if part.there:
            continue
        files = _write(folder, part.name, _records(tree, part))
        number += sum(files.values())
        if files:
            plan.append({"sobject": part.crm_object.name, "files": list(files)})
    write_json(folder / "plan.json", plan)
    whole = sum(source.number(item.name) for item in source.schema.objects)
    write_apex(source.schema, objects, folder)
    readme = template("tree.txt").format(
        number=f"{number:,}",
        all=f"{whole:,}",
        placeholder=STANDARD_BOOK,
    )
    write_text(folder / "README.txt", iter([readme]))
    return list(_told(tree, most))


def _told(tree: TreeExport, most: int) -> Iterator[str]:
    source = tree.source
    if tree.kept is not None:
        missing = ", ".join(_missing(source, tree.objects, tree.kept))
        yield (
            f"left out: {missing}: a plan has at most {most:,} records, for the CLI breaks down on"
            " larger ones; the bulk format has all"
        )
    if source.schema.has("User"):
        yield (
            f"left out: {counted(source.number('User'), 'record')} of User: a setup object, which"
            " the tree API doesn't mix with others"
        )
    yield from left_out(source, tree.objects, without_users(WHY))
    for crm_object in tree.objects:
        for late in late_fields(crm_object):
            values = counted(source.filled(crm_object.table, late.column), "value")
            if late.target:
                yield (
                    f"left out: {crm_object.name}.{late.name} ({values}): the tree API finds no"
                    " record of the same file"
                )
                continue
            yield (
                f"left out: the final {crm_object.name}.{late.name} ({values}): {late.insert_as} is"
                " inserted; README.txt says how it is set"
            )
    if tree.taken:
        yield (
            f"left out: {counted(len(tree.taken), 'value')} that the CLI would take for references,"
            f" such as {tree.taken[0]}"
        )
    yield from unresolved(tree.objects)


def _missing(source: ExportSource, objects: Sequence[CrmObject], kept: Chosen) -> Iterator[str]:
    """How many records of each object type aren't in the plan."""
    for crm_object in objects:
        number = source.number(crm_object.table) - len(kept[crm_object.name])
        if number:
            yield f"{crm_object.name} ({counted(number, 'record')})"


def _records(tree: TreeExport, part: ObjectPart) -> Iterator[dict[str, object]]:
    name = part.crm_object.name
    tables = {crm_object.name: crm_object.table for crm_object in tree.objects}
    fields = [field for field in inserted(part.crm_object) if field.target != "User"]
    columns = [_expression(tree.source, field, tables) for field in fields]
    rows = tree.source.rows(part.crm_object.table, ["rowid", '"Id"', *columns], part.where)
    for number, key, *values in rows:
        if tree.kept is not None and key not in tree.kept[name]:
            continue
        record: dict[str, object] = {
            "attributes": {"type": name, "referenceId": f"{name}Ref{number}"}
        }
        for field, value in zip(fields, values, strict=True):
            if value is not None and not _is_taken(field, value, tree.taken):
                record[field.name] = _value(field, value)
        yield record


def _expression(source: ExportSource, field: CrmField, tables: Mapping[str, str]) -> str:
    """SQL for a value; a reference becomes its parent's name within the plan, which ends in its
    row.
    """
    stored = f"t.{quoted(field.column)}"
    if field.target is None:
        return stored
    if field.column == "Id":
        return f"'@{field.target}Ref' || t.rowid"
    table = tables[field.target]
    standard = ""
    if field.target == BOOK and source.schema.object(table).has("IsStandard"):
        standard = f"WHEN p.\"IsStandard\" THEN '{STANDARD_BOOK}' "
    return (
        f"(SELECT CASE {standard}WHEN 1 THEN '@{field.target}Ref' || p.rowid END FROM"
        f' {quoted(table)} p WHERE p."Id" = {stored})'
    )


def _is_taken(field: CrmField, value: SqlValue, taken: list[str]) -> bool:
    """Whether the CLI would take a text for a reference; such a one is collected."""
    if field.target or not isinstance(value, str) or not REFERENCE.fullmatch(value):
        return False
    taken.append(f"{field.name} {value!r}")
    return True


def _value(field: CrmField, value: SqlValue) -> object:
    if field.insert_as:
        return field.insert_as
    return bool(value) if field.type == "boolean" else value


def _write(folder: Path, name: str, records: Iterator[dict[str, object]]) -> dict[str, int]:
    """Writes the files; how many records each of them holds."""
    files: dict[str, int] = {}
    while some := list(islice(records, A_FILE)):
        file = f"{name}-{len(files) + 1}.json"
        files[file] = len(some)
        lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in some)
        write_text(folder / file, iter(['{"records": [\n', lines, "\n]}\n"]))
    return files
