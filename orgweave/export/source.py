"""The finished org that is exported: its schema and its tables, read-only.

Knows no format and never opens a hidden value.

Example: `with opened(Path("outputs/shoes")) as source: source.rows("Case", ['"Id"', '"Status"'])`.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from orgweave.export.forms import AS_THEY_ARE, OrgForms
from orgweave.soql.sql import SqlValue, quoted
from pipeline.atomic import sha256_of
from pipeline.compute.executor import Executor, InProcess
from pipeline.run_folder import GENERATE_AGAIN, RunFolder, unreadable
from schemas.errors import BadInput
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.profile import Profile

ExportRow = tuple[SqlValue, ...]
FileState = tuple[int, int]
"""When a file was last changed, in nanoseconds, and its bytes."""


TableObserver = Callable[[str, int], None]
"""Is told each table that was read as a whole, with its records, the first time that it was."""


def _nobody(table: str, records: int) -> None:
    """The observer where nobody looks."""


@dataclass(frozen=True, slots=True)
class ExportSource:
    """An org's profile, schema and file, with the file's SHA-256 and the language of its words.

    `state` tells the file from one that is put in its place; `executor` computes what is shared
    out; `forms` tells in which forms the schema has the org's records, and `own` is the schema
    without them.
    """

    profile: Profile
    schema: Schema
    path: Path
    sha256: str
    db: sqlite3.Connection
    watch: TableObserver = _nobody
    told: set[str] = field(default_factory=set)
    language: str = "en_US"
    state: FileState = (0, 0)
    executor: Executor = field(default_factory=InProcess)
    forms: OrgForms = AS_THEY_ARE
    own: Schema | None = None

    def rows(
        self,
        table: str,
        columns: Sequence[str],
        where: str = "",
        order: str = "rowid",
    ) -> Iterator[ExportRow]:
        """Records as tuples of the given SQL expressions; `t` is the table.

        They are in the org's own order.
        """
        condition = f" WHERE {where}" if where else ""
        try:
            # Not `yield from`, which would close the cursor of a database that is closed already
            # when an interrupted export is cleared away.
            for row in self.db.execute(  # noqa: UP028
                f"SELECT {', '.join(columns)} FROM {quoted(table)} t{condition} ORDER BY {order}"
            ):
                yield row
        except sqlite3.Error as error:
            raise unreadable(self.path, error) from error
        # A single column is a count, or a look at what is there.
        if len(columns) > 1 and not where and table not in self.told:
            self.told.add(table)
            self.watch(table, self.number(table))

    def number(self, table: str, where: str = "") -> int:
        """How many records there are, or how many of them fulfil a condition."""
        return int(next(self.rows(table, ["count(*)"], where, "1"))[0] or 0)

    def filled(self, table: str, column: str) -> int:
        """How many records hold a value in a column."""
        return self.number(table, f"{quoted(column)} IS NOT NULL")


@contextmanager
def opened(
    folder: Path,
    watch: TableObserver = _nobody,
    executor: Executor | None = None,
    forms: OrgForms = AS_THEY_ARE,
) -> Iterator[ExportSource]:
    """The org of a run's folder; raises BadInput where there is none, where it is half made, or
    where it isn't of its schema. `watch` is told what has been read.
    """
    run = RunFolder(folder)
    with ExitStack() as stack:
        with run.steady():
            profile, schema = run.read_profile(), run.read_schema()
            db = stack.enter_context(closing(connected(run)))
            # SQLite keeps the file that it has opened, whatever comes to lie in its place.
            digest = sha256_of(run.org_file)
            language = run.read_manifest().language
            state = file_state(run.org_file)
        source = ExportSource(
            profile,
            schema,
            run.org_file,
            digest,
            db,
            watch,
            language=language,
            state=state,
            executor=executor or InProcess(),
        )
        for item in schema.objects:
            _check_columns(source, item)
            _check_values(source, item)
        whole = forms.schema_of(schema)
        forms.add_tables(db, schema)
        yield replace(source, schema=whole, forms=forms, own=schema)


def file_state(path: Path) -> FileState:
    """What tells a file from one that is put in its place."""
    told = path.stat()
    return told.st_mtime_ns, told.st_size


def connected(run: RunFolder) -> sqlite3.Connection:
    """A run's org, opened; raises what a person is told of one that can't be."""
    try:
        return run.open_org()
    except sqlite3.Error as error:
        raise unreadable(run.org_file, error) from error


def _check_columns(source: ExportSource, item: ObjectType) -> None:
    try:
        there = {row[1] for row in source.db.execute(f"PRAGMA table_info({quoted(item.name)})")}
    except sqlite3.Error as error:
        raise unreadable(source.path, error) from error
    missing = [field.name for field in item.fields if field.name not in there]
    if missing:
        raise BadInput(
            f"{source.path}: {item.name} has no column {', '.join(missing)}, which its schema"
            f" {source.schema.name} has; {GENERATE_AGAIN}"
        )


def _check_values(source: ExportSource, item: ObjectType) -> None:
    """Raises BadInput where a record holds bytes, as in an org that somebody edited: no format has
    a word for them.
    """
    types = [f"typeof({quoted(field.name)})" for field in item.fields]
    cases = [f"WHEN {kind} = 'blob' THEN {number}" for number, kind in enumerate(types)]
    columns = ['"Id"', f"CASE {' '.join(cases)} END"]
    for key, number in source.rows(item.name, columns, f"'blob' IN ({', '.join(types)})"):
        raise BadInput(
            f"{source.path}: {item.name}.{item.fields[int(number or 0)].name} of the record {key}"
            " holds bytes, which no CRM takes; set it to a value there, or run generate again"
        )
