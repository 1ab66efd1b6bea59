"""JSON for `sf data import tree --plan`: at most 200 records a file, parents before children,
references as `@AccountRef12`.

The CLI looks at top-level values only, finds no record that the org has already (a user, the
standard price book), and breaks
down beyond some 2,800 records a plan: so owners stay out, the standard book is a placeholder, and a
large org is cut to whole families.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from orgweave.export.crm import Column, CrmObject, crm_objects
from orgweave.export.notes import counted, left_out, unresolved, without_users
from orgweave.export.parts import ObjectPart, late_columns, parts_of
from orgweave.export.resolve_ids import write_apex
from orgweave.export.share import Chosen, chosen
from orgweave.export.source import ExportSource
from orgweave.export.standard import STANDARD_BOOK
from orgweave.soql.sql import SqlValue, quoted
from pipeline.atomic import write_json, write_text

MOST_RECORDS = 2_500
"""Of one plan: the CLI's recursion breaks down from about 2,800 on."""
A_FILE = 200
WHY_NOT = without_users(
    "the CLI finds no user that the org has already; all belongs to whoever imports"
)
REFERENCE = re.compile(r"@\w+Ref\d+")
README = """Records for `sf data import tree`: {number} of the org's {all}.

Deploy the metadata first (python -m pipeline export <run> --metadata); then, in this folder:

1. The standard price book exists in every org and can't be created. Put its id in place of {placeholder}, and activate it:
     standard=$(sf data query --query "SELECT Id FROM Pricebook2 WHERE IsStandard = true" --result-format csv | tail -n 1)
     for file in *.json; do sed "s/{placeholder}/$standard/g" "$file" > "$file.new" && mv "$file.new" "$file"; done
     sf data update record --sobject Pricebook2 --record-id "$standard" --values "IsActive=true"
2. Import. In an org without Chat or without a Commerce licence, take LiveChat* or ProductCat* out of plan.json first:
     sf data import tree --plan plan.json
3. Activate the orders; they can only be created as drafts:
     sf data query --query "SELECT Id FROM Order WHERE Status = 'Draft'" --result-format csv | sed '1s/$/,Status/; 2,$s/$/,Activated/' > activate.csv
     sf data update bulk --sobject Order --file activate.csv --wait 60
4. Publish the articles in the Knowledge tab; they come in as drafts.
5. Text fields that hold ids of users (CaseHistory__c.OldValue__c) hold ours. Set Synth_Id__c of your users to those ids, then
     sf apex run --file resolve_ids.apex

Not in here: users, and so every OwnerId (all belongs to whoever imports), and EmailMessage.ToIds, a list of references. The bulk
format and the upload command have no such gaps and no bound on the number of records.
"""


def write_tree(source: ExportSource, folder: Path, most: int = MOST_RECORDS) -> list[str]:
    """plan.json, its files of at most 200 records, and README.txt."""
    objects = [one for one in crm_objects(source.schema) if one.name != "User"]
    kept = chosen(source, objects, most)
    tables = {one.name: one.table for one in objects}
    plan, number = [], 0
    taken: list[str] = []
    for part in parts_of(source, objects):
        if part.there:
            continue
        files = _write(folder, part.name, _records(source, part, tables, kept, taken))
        number += sum(count for _, count in files)
        if files:
            plan.append({"sobject": part.one.name, "files": [name for name, _ in files]})
    write_json(folder / "plan.json", plan)
    whole = sum(source.number(item.name) for item in source.schema.objects)
    write_apex(source.schema, objects, folder)
    write_text(
        folder / "README.txt",
        iter([README.format(number=f"{number:,}", all=f"{whole:,}", placeholder=STANDARD_BOOK)]),
    )
    return list(_told(source, objects, kept, taken, most))


def _told(
    source: ExportSource,
    objects: Sequence[CrmObject],
    kept: Chosen | None,
    taken: Sequence[str],
    most: int,
) -> Iterator[str]:
    if kept is not None:
        missing = {one.name: source.number(one.table) - len(kept[one.name]) for one in objects}
        named = ", ".join(
            f"{one} ({counted(number, 'record')})" for one, number in missing.items() if number
        )
        yield (
            f"left out: {named}: a plan has at most {most:,} records, for the CLI breaks down on"
            " larger ones; the bulk format has all"
        )
    if source.schema.has("User"):
        yield (
            f"left out: {counted(source.number('User'), 'record')} of User: a setup object, which"
            " the tree API doesn't mix with others"
        )
    yield from left_out(source, objects, WHY_NOT)
    for one in objects:
        for column in late_columns(one):
            yield (
                f"left out: the final {one.name}.{column.name}"
                f" ({counted(source.filled(one.table, column.stored), 'value')}): {column.fill} is"
                " inserted; README.txt says how it is set"
            )
    if taken:
        yield (
            f"left out: {counted(len(taken), 'value')} that the CLI would take for references, such"
            f" as {taken[0]}"
        )
    yield from unresolved(objects)


def _records(
    source: ExportSource,
    part: ObjectPart,
    tables: Mapping[str, str],
    kept: Chosen | None,
    taken: list[str],
) -> Iterator[dict[str, object]]:
    columns = [column for column in part.one.loaded if WHY_NOT(part.one, column) is None]
    for number, key, *values in source.rows(
        part.one.table,
        ["rowid", '"Id"', *(_expression(source, column, tables) for column in columns)],
        part.where,
    ):
        if kept is not None and key not in kept[part.one.name]:
            continue
        record: dict[str, object] = {
            "attributes": {"type": part.one.name, "referenceId": f"{part.one.name}Ref{number}"}
        }
        yield record | {
            column.name: _value(column, value)
            for column, value in zip(columns, values, strict=True)
            if value is not None and not _is_taken(column, value, taken)
        }


def _expression(source: ExportSource, column: Column, tables: Mapping[str, str]) -> str:
    """SQL for a value; a reference becomes its parent's name within the plan, which ends in its
    row.
    """
    stored = f"t.{quoted(column.stored)}"
    if column.target is None:
        return stored
    if column.stored == "Id":
        return f"'@{column.target}Ref' || t.rowid"
    table = tables[column.target]
    standard = (
        f"WHEN p.\"IsStandard\" THEN '{STANDARD_BOOK}' "
        if column.target == "Pricebook2" and source.schema.object(table).has("IsStandard")
        else ""
    )
    return (
        f"(SELECT CASE {standard}WHEN 1 THEN '@{column.target}Ref' || p.rowid END FROM"
        f' {quoted(table)} p WHERE p."Id" = {stored})'
    )


def _is_taken(column: Column, value: SqlValue, taken: list[str]) -> bool:
    if column.target or not isinstance(value, str) or not REFERENCE.fullmatch(value):
        return False
    taken.append(f"{column.name} {value!r}")
    return True


def _value(column: Column, value: SqlValue) -> object:
    if column.fill:
        return column.fill
    return bool(value) if column.access.info.type == "boolean" else value


def _write(folder: Path, name: str, records: Iterator[dict[str, object]]) -> list[tuple[str, int]]:
    """The files and how many records each holds."""
    files: list[tuple[str, int]] = []
    while some := list(islice(records, A_FILE)):
        files.append((f"{name}-{len(files) + 1}.json", len(some)))
        lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in some)
        write_text(folder / files[-1][0], iter(['{"records": [\n', lines, "\n]}\n"]))
    return files
