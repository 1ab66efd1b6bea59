"""The hidden causes beside the records: which latent tables there are, and what of them a record
has.

Only `explore --teacher` comes here. Nothing else of the site opens the hidden causes.
"""

import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup, escape

from latent.registry import LATENT
from orgweave.explore.reading import ID_LENGTH, OrgPages, PageRow
from orgweave.soql.sql import Sql, SqlValue, quoted
from pipeline.manifest import LATENT_FORMAT, check_format
from pipeline.run_folder import sqlite_uri, user_version

FIRST_ROWS = 12
"""Rows of a latent table that a record's page shows."""
LONGEST = 240
"""Letters of a value that it shows."""

TABLES = "SELECT name FROM latent.sqlite_master WHERE type = 'table' ORDER BY name"
IDS = """
    SELECT count({column}),
        sum(length({column}) = {length} AND substr({column}, 1, 3) IN ({marks}))
    FROM main.{table}
"""


@dataclass(frozen=True, slots=True)
class HiddenTable:
    """A latent table: its variable, what that is in a sentence, its columns, and which of them hold
    ids.
    """

    name: str
    says: str
    columns: tuple[str, ...]
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HiddenTruth:
    """What a latent table says of a record: how many rows, and the first of them as HTML.

    `columns` are those in which a shown row has a value.
    """

    table: str
    says: str
    rows: int
    columns: tuple[str, ...]
    lines: tuple[tuple[Markup, ...], ...]


def copy_hidden(path: Path, latent_sqlite: Path, prefixes: Sequence[str]) -> list[HiddenTable]:
    """Copies the latent tables into the private copy, each with an index on its ids.

    `prefixes` are how the org's ids begin.
    """
    uri = sqlite_uri(path, "rw")
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("ATTACH ? AS latent", (sqlite_uri(latent_sqlite, "ro"),))
        check_format(latent_sqlite, user_version(db, "latent"), LATENT_FORMAT)
        db.execute("BEGIN")
        tables = []
        for (name,) in db.execute(TABLES).fetchall():
            tables.append(_copied(db, str(name), prefixes))
        db.execute("COMMIT")
        return tables


def _copied(db: sqlite3.Connection, name: str, prefixes: Sequence[str]) -> HiddenTable:
    table = quoted(name)
    db.execute(f"CREATE TABLE main.{table} AS SELECT * FROM latent.{table}")
    columns = []
    ids = []
    described = db.execute(f"PRAGMA main.table_info({table})")
    for row in described.fetchall():
        column = str(row[1])
        columns.append(column)
        if _holds_ids(db, table, quoted(column), prefixes):
            ids.append(column)
            index = quoted(f"{name}.{column}")
            db.execute(f"CREATE INDEX main.{index} ON {table} ({quoted(column)})")
    return HiddenTable(name, _says(name), tuple(columns), tuple(ids))


def _holds_ids(db: sqlite3.Connection, table: str, column: str, prefixes: Sequence[str]) -> bool:
    """Whether a column has values, and all of them look like ids of the org's."""
    marks = ", ".join("?" * len(prefixes))
    sql = IDS.format(table=table, column=column, length=ID_LENGTH, marks=marks)
    counted = db.execute(sql, tuple(prefixes))
    filled, like_ids = counted.fetchone()
    return bool(filled > 0 and filled == like_ids)


def _says(table: str) -> str:
    """A variable's own first sentence: what stands after its name on the top of its file."""
    name = table.partition(".")[0]
    variable = LATENT.get(name)
    if variable is None:
        return ""
    module = sys.modules[type(variable).__module__]
    text = module.__doc__ or ""
    first_paragraph = text.split("\n\n")[0]
    first_line = " ".join(first_paragraph.split())
    behind_name = first_line.partition(": ")[2]
    sentence = behind_name.partition(". ")[0]
    return sentence.rstrip(".")


async def hidden_truth(
    tables: Sequence[HiddenTable],
    reading: OrgPages,
    key: str,
) -> list[HiddenTruth]:
    """All that the latent tables say of a record: those with a row for it first, the fullest
    before the others.
    """
    found = []
    for table in tables:
        told = await _of_table(table, reading, key)
        if told is not None:
            found.append(told)
    return sorted(found, key=_place)


def _place(told: HiddenTruth) -> tuple[bool, int, str]:
    return told.rows > 1, -len(told.columns), told.table


async def _of_table(table: HiddenTable, reading: OrgPages, key: str) -> HiddenTruth | None:
    """What a table says of a record; None where that is nothing beyond its id."""
    if not table.ids:
        return None
    conditions = [f"{quoted(column)} = ?" for column in table.ids]
    held = " OR ".join(conditions)
    where = f"FROM {quoted(table.name)} WHERE {held}"
    keys = (key,) * len(table.ids)
    first_rows = Sql(f"SELECT * {where} LIMIT {FIRST_ROWS}", keys)
    rows = await reading.reader.rows(first_rows)
    columns = [name for name in table.columns if _tells(rows, name, key)]
    if not columns:
        return None
    all_rows = Sql(f"SELECT count(*) AS n {where}", keys)
    (count,) = await reading.reader.rows(all_rows)
    number = int(count["n"] or 0)
    lines = []
    for row in rows:
        cells = [await shown_value(reading, row[name]) for name in columns]
        lines.append(tuple(cells))
    return HiddenTruth(table.name, table.says, number, tuple(columns), tuple(lines))


def _tells(rows: Sequence[PageRow], name: str, key: str) -> bool:
    """Whether a column has a value in any row, other than the record's own id."""
    silent = (None, "", key)
    return any(row[name] not in silent for row in rows)


async def shown_value(reading: OrgPages, value: SqlValue) -> Markup:
    """A value as HTML: an id as a link, a long text cut."""
    if value is None or value == "":
        return Markup('<span class="none">–</span>')
    text = str(value)
    if len(text) == ID_LENGTH:
        link = await reading.link(text)
        if link is not None:
            anchor = Markup('<a href="{}">{}</a>')
            return anchor.format(link.url, link.label)
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} …"
    return Markup(escape(text))
