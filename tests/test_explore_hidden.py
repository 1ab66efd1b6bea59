"""What only a teacher sees: hidden tables beside the records, and what tasks say of a record."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from orgweave.explore.hidden import (
    FIRST_ROWS,
    LONGEST,
    HiddenTable,
    HiddenTruth,
    copy_hidden,
    hidden_truth,
    shown_value,
)
from orgweave.explore.lessons import Lessons, ShownInstance, TaskLesson
from orgweave.explore.reading import OrgPages, PageRow
from orgweave.soql.sql import Sql
from pipeline.manifest import LATENT_FORMAT
from schemas.errors import BadInput

pytestmark = pytest.mark.quick

CASE, OTHER = "500zz0000000001AAA", "500zz0000000002AAA"


class ToyReader:
    """Reads a toy copy."""

    def __init__(self, path: Path) -> None:
        self.path = path

    async def rows(self, sql: Sql) -> Sequence[PageRow]:
        """All rows of a statement."""
        with closing(sqlite3.connect(self.path)) as db:
            db.row_factory = sqlite3.Row
            found = db.execute(sql.text, sql.params).fetchall()
        return [dict(row) for row in found]


def made(path: Path, *statements: str, version: int = LATENT_FORMAT) -> Path:
    """A file of SQLite, made by these statements."""
    with closing(sqlite3.connect(path)) as db, db:
        for statement in (*statements, f"PRAGMA user_version = {version}"):
            db.execute(statement)
    return path


def hidden_in(folder: Path, *statements: str) -> tuple[list[HiddenTable], OrgPages]:
    """The hidden tables of a toy org as its private copy has them, and its pages."""
    copy = made(folder / "copy.sqlite")
    latent = made(folder / "latent.sqlite", *statements)
    return copy_hidden(copy, latent, ["500"]), OrgPages(ToyReader(copy), {}, {})


def truth(folder: Path, *statements: str, key: str = CASE) -> list[HiddenTruth]:
    """What the hidden tables say of a record."""
    tables, pages = hidden_in(folder, *statements)
    return asyncio.run(hidden_truth(tables, pages, key))


def story(name: str, *rows: str) -> tuple[str, ...]:
    """A hidden table of cases with a tone and a number of pieces."""
    created = f'CREATE TABLE "{name}" (Id TEXT, tone TEXT, pieces INTEGER)'
    return (created, *(f'INSERT INTO "{name}" VALUES ({row})' for row in rows))


def test_columns_that_hold_ids_are_found_by_their_values(tmp_path: Path) -> None:
    """All that is in such a column must be an id of the org's; an empty one holds none."""
    (table,) = hidden_in(
        tmp_path,
        'CREATE TABLE "CaseStory.cases" (Id TEXT, before TEXT, mixed TEXT, lacking TEXT)',
        f"""INSERT INTO "CaseStory.cases" VALUES ('{CASE}', NULL, '{CASE}', NULL)""",
        f"""INSERT INTO "CaseStory.cases" VALUES ('{OTHER}', '{CASE}', 'x', NULL)""",
    )[0]
    assert table.columns == ("Id", "before", "mixed", "lacking")
    assert table.ids == ("Id", "before")


def test_a_table_says_what_its_variable_is(tmp_path: Path) -> None:
    """The sentence is the variable's own; a table of an unknown one has none."""
    tables, _ = hidden_in(tmp_path, *story("CaseStory.cases"), *story("Unknown.rows"))
    assert [bool(table.says) for table in tables] == [True, False]


def test_hidden_tables_of_a_newer_format_are_refused(tmp_path: Path) -> None:
    """The line names the file."""
    latent = made(tmp_path / "latent.sqlite", version=LATENT_FORMAT + 1)
    with pytest.raises(BadInput, match=r"latent\.sqlite"):
        copy_hidden(made(tmp_path / "copy.sqlite"), latent, ["500"])


def test_a_record_has_the_columns_that_tell_something_of_it(tmp_path: Path) -> None:
    """Its own id tells nothing, and neither does an empty column."""
    (told,) = truth(tmp_path, *story("A.cases", f"'{CASE}', 'angry', NULL", f"'{OTHER}', '', 7"))
    assert (told.table, told.rows, told.columns) == ("A.cases", 1, ("tone",))
    assert told.lines == (("angry",),)


def test_a_table_that_tells_nothing_beyond_the_id_is_left_out(tmp_path: Path) -> None:
    """So is one without the record, and one without ids."""
    tables = (
        *story("A.cases", f"'{CASE}', '', NULL"),
        *story("B.cases", f"'{OTHER}', 'calm', 1"),
        *story("C.states", "'WA', 'calm', 1"),
    )
    assert truth(tmp_path, *tables) == []


def test_the_fullest_table_of_one_row_stands_first(tmp_path: Path) -> None:
    """Tables with many rows for a record come behind those with a single one."""
    tables = (
        *story("A.turns", f"'{CASE}', 'calm', 1", f"'{CASE}', 'angry', 2"),
        *story("B.cases", f"'{CASE}', 'calm', NULL"),
        *story("C.cases", f"'{CASE}', 'calm', 3"),
    )
    told = truth(tmp_path, *tables)
    assert [table.table for table in told] == ["C.cases", "B.cases", "A.turns"]


def test_many_rows_are_counted_and_the_first_shown(tmp_path: Path) -> None:
    """A page stays short; the number says how many there are."""
    rows = [f"'{CASE}', 'calm', {number}" for number in range(FIRST_ROWS + 5)]
    (told,) = truth(tmp_path, *story("A.turns", *rows))
    assert told.rows == FIRST_ROWS + 5
    assert len(told.lines) == FIRST_ROWS


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, '<span class="none">–</span>'),
        ("", '<span class="none">–</span>'),
        (0, "0"),
        ("<b>", "&lt;b&gt;"),
        (CASE, CASE),
        ("x" * LONGEST, "x" * LONGEST),
        ("x" * (LONGEST + 1), "x" * LONGEST + " …"),
    ],
)
def test_a_hidden_value_is_shown_as_text(value: str | int | None, shown: str) -> None:
    """Nothing of it is taken for HTML, long texts are cut, and no value has a dash."""
    pages = OrgPages(ToyReader(Path()), {}, {})
    assert asyncio.run(shown_value(pages, value)) == shown


def instance(key: str, answer: str = "", parameter: str = "", evidence: str = "") -> ShownInstance:
    """A toy instance of a task."""
    return ShownInstance(
        id=key,
        task="handle_time",
        query="Who?",
        told="",
        hints="",
        answer=(answer,) if answer else (),
        metric="exact_match",
        parameters={"who": parameter},
        evidence={"case": evidence},
        records=1,
        steps=1,
    )


def lesson(*instances: ShownInstance) -> TaskLesson:
    """A toy task of these instances."""
    return TaskLesson("handle_time", "HTU", instances, 0, 1, "", None, {})


def test_a_record_is_asked_about_where_it_stands_in_an_instance() -> None:
    """As its answer, a parameter or evidence, each instance once and in order."""
    lessons = Lessons(
        tasks=(
            lesson(instance("a", answer=CASE, parameter=CASE), instance("b", answer=OTHER)),
            lesson(instance("c", parameter=CASE), instance("d", evidence=CASE)),
        )
    )
    assert [found.id for found in lessons.about(CASE)] == ["a", "c", "d"]
    assert lessons.about("500zz0000000003AAA") == []


def test_tasks_and_instances_are_found_by_name() -> None:
    """What there isn't is nothing, and no query proves what nobody can prove."""
    lessons = Lessons(tasks=(lesson(instance("a")),))
    found = lessons.instance("a")
    assert found is not None
    assert lessons.prove(found) is None
    assert lessons.task("handle_time") == lessons.tasks[0]
    assert lessons.task("other") is None
    assert lessons.instance("b") is None
