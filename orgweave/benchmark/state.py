"""What an agent's work changed in an org: rows keyed by their ids, before and after; and whether
that is what should have changed, and nothing else.

A change is written as one line: `update Case 500zz0000000001AAA Status=Closed`, or `create
CaseComment ParentId=500zz0000000001AAA CommentBody~000001012` (`~`: the text holds it). Several
stand behind each other with `; ` between them.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pipeline.run_folder import sqlite_uri

ChangeKind = Literal["create", "update", "delete"]
SYSTEM = frozenset(
    (
        "CreatedDate",
        "CreatedById",
        "LastModifiedDate",
        "LastModifiedById",
        "SystemModstamp",
        "IsClosed",
        "ClosedDate",
        "IsPublished",
    )
)
"""Fields that the CRM fills by itself when something else is written."""
BETWEEN = "; "


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that is new, gone or other than it was, with the new values of its changed fields."""

    kind: ChangeKind
    table: str
    key: str
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WantedChange:
    """A change that should have been made: fields with their values, and texts that a field must
    hold; a new row has no key.
    """

    kind: ChangeKind
    table: str
    key: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    holds: Mapping[str, str] = field(default_factory=dict)

    def fulfilled(self, change: RowChange) -> bool:
        """Whether a change is this one: of a row that was there, these fields and no other."""
        if (change.kind, change.table) != (self.kind, self.table):
            return False
        if self.key and change.key != self.key:
            return False
        named = set(self.fields) | set(self.holds)
        if self.kind == "update" and set(change.fields) != named:
            return False
        for name, value in self.fields.items():
            if str(change.fields.get(name, "")) != value:
                return False
        return all(text in str(change.fields.get(name, "")) for name, text in self.holds.items())


@dataclass(frozen=True, slots=True)
class StateVerdict:
    """How a state differs from the one that was wanted: what is missing, and what was changed that
    nobody asked for.
    """

    missing: tuple[WantedChange, ...]
    extra: tuple[RowChange, ...]

    @property
    def right(self) -> bool:
        """Whether all that was wanted is there, and nothing else."""
        return not self.missing and not self.extra

    def __str__(self) -> str:
        if self.right:
            return "what should have changed has, and nothing else"
        parts = [f"missing: {change.kind} {change.table} {change.key}" for change in self.missing]
        parts += [f"extra: {change.kind} {change.table} {change.key}" for change in self.extra]
        return "; ".join(parts)


def wanted_changes(lines: Sequence[str | None]) -> list[WantedChange]:
    """The changes of an answer; none where it says that nothing is to be written."""
    found = []
    for line in lines:
        for part in (line or "").split(BETWEEN):
            if part:
                found.append(_wanted(part))
    return found


def judged(changes: Sequence[RowChange], wanted: Sequence[WantedChange]) -> StateVerdict:
    """Each wanted change is fulfilled by one that was made; the others are extra."""
    left = list(changes)
    missing = []
    for wish in wanted:
        made = next((change for change in left if wish.fulfilled(change)), None)
        if made is None:
            missing.append(wish)
        else:
            left.remove(made)
    return StateVerdict(tuple(missing), tuple(left))


def changes_between(before: Path, after: Path) -> list[RowChange]:
    """All rows that differ between two files of one org, but for what the CRM fills by itself."""
    with closing(sqlite3.connect(sqlite_uri(after, "ro"), uri=True)) as db:
        db.row_factory = sqlite3.Row
        db.execute("ATTACH ? AS before", (sqlite_uri(before, "ro"),))
        tables = db.execute("SELECT name FROM before.sqlite_master WHERE type = 'table'").fetchall()
        found: list[RowChange] = []
        for (table,) in tables:
            found += _of_table(db, str(table))
        return found


def _of_table(db: sqlite3.Connection, table: str) -> Iterator[RowChange]:
    columns = [row["name"] for row in db.execute(f'PRAGMA before.table_info("{table}")')]
    if "Id" not in columns:
        return
    listed = ", ".join(f'"{column}"' for column in columns)
    new, old = f'SELECT {listed} FROM main."{table}"', f'SELECT {listed} FROM before."{table}"'
    changed = {row["Id"]: row for row in db.execute(f"{new} EXCEPT {old}")}
    gone = {row["Id"]: row for row in db.execute(f"{old} EXCEPT {new}")}
    for key, row in changed.items():
        if key not in gone:
            yield RowChange("create", table, key, dict(row))
            continue
        fields = {
            column: row[column]
            for column in columns
            if column not in SYSTEM and row[column] != gone[key][column]
        }
        if fields:
            yield RowChange("update", table, key, fields)
    for key in gone.keys() - changed.keys():
        yield RowChange("delete", table, key)


def _wanted(part: str) -> WantedChange:
    kind, table, *rest = part.split(" ")
    key = rest.pop(0) if rest and "=" not in rest[0] and "~" not in rest[0] else ""
    fields: dict[str, str] = {}
    holds: dict[str, str] = {}
    for pair in rest:
        sign = "~" if "~" in pair.partition("=")[0] else "="
        name, _, value = pair.partition(sign)
        (holds if sign == "~" else fields)[name] = value
    if kind not in ("create", "update", "delete"):
        raise ValueError(f"{part!r} is no change such as `update Case 500… Status=Closed`")
    named: ChangeKind = "create" if kind == "create" else "update"
    return WantedChange(named, table, key, fields, holds)
