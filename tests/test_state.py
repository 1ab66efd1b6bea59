"""How an org differs from another, row by row, and whether that is what should have changed."""

import sqlite3
from pathlib import Path

from orgweave.benchmark.state import (
    RowChange,
    WantedChange,
    changes_between,
    judged,
    wanted_changes,
)

CLOSE = "update Case c1 Status=Closed"
MEND = "update Case c1 Status=Working; create CaseComment ParentId=c1 CommentBody~ka0"


def org(path: Path) -> Path:
    """Two cases, and a table without ids."""
    with sqlite3.connect(path) as db:
        db.executescript("""
            CREATE TABLE "Case" (Id TEXT, Status TEXT, OwnerId TEXT, LastModifiedDate TEXT);
            CREATE TABLE CaseComment (Id TEXT, ParentId TEXT, CommentBody TEXT);
            CREATE TABLE marks (word TEXT);
            INSERT INTO "Case" VALUES ('c1', 'New', 'u1', '2022-01-01'),
                                      ('c2', 'New', 'u2', '2022-01-01');
        """)
    return path


def test_rows_are_compared_by_their_ids(tmp_path: Path) -> None:
    """A changed field, a new row and one that is gone are told; what the CRM fills by itself, and
    an order of rows, is not.
    """
    before, after = org(tmp_path / "before"), org(tmp_path / "after")
    with sqlite3.connect(after) as db:
        db.executescript("""
            UPDATE "Case" SET Status = 'Closed', LastModifiedDate = '2022-02-02' WHERE Id = 'c1';
            INSERT INTO CaseComment VALUES ('m1', 'c1', 'See ka0.');
            DELETE FROM "Case" WHERE Id = 'c2';
            INSERT INTO marks VALUES ('seen');
        """)
    found = {(change.kind, change.key): change.fields for change in changes_between(before, after)}
    assert found[("update", "c1")] == {"Status": "Closed"}
    assert ("create", "m1") in found and ("delete", "c2") in found and len(found) == 3


def test_an_untouched_copy_has_no_changes(tmp_path: Path) -> None:
    """A record that was only touched counts as unchanged too."""
    before, after = org(tmp_path / "before"), org(tmp_path / "after")
    with sqlite3.connect(after) as db:
        db.execute("""UPDATE "Case" SET LastModifiedDate = '2022-02-02'""")
    assert changes_between(before, after) == []


def test_a_change_is_read_from_its_line() -> None:
    """An update names its record, a new row its fields and what a text must hold; None is no
    change.
    """
    update, create = wanted_changes([MEND])
    assert update == WantedChange("update", "Case", "c1", {"Status": "Working"})
    assert (create.kind, create.key) == ("create", "")
    assert (create.fields, create.holds) == ({"ParentId": "c1"}, {"CommentBody": "ka0"})
    assert wanted_changes([None]) == []


def closed(key: str = "c1", **more: object) -> RowChange:
    """A case that was closed."""
    return RowChange("update", "Case", key, {"Status": "Closed", **more})


def test_what_was_wanted_and_nothing_else_is_right() -> None:
    """Another row, another field beside it, a second change, or no change at all is wrong; where
    nothing is wanted, only an untouched org is right.
    """
    wanted = wanted_changes([CLOSE])
    assert judged([closed()], wanted).right
    assert not judged([closed("c2")], wanted).right
    assert not judged([closed(OwnerId="u9")], wanted).right
    assert not judged([closed(), closed("c2")], wanted).right
    assert not judged([], wanted).right
    assert judged([], []).right and not judged([closed()], []).right


def test_a_comment_counts_by_what_it_holds() -> None:
    """The article's id must stand in the comment's text, whatever else does."""
    reopened = RowChange("update", "Case", "c1", {"Status": "Working"})
    body = {"Id": "m1", "ParentId": "c1", "CommentBody": "Against ka0, sorry."}
    assert judged(
        [reopened, RowChange("create", "CaseComment", "m1", body)], wanted_changes([MEND])
    ).right
    other = {**body, "CommentBody": "Against another."}
    verdict = judged(
        [reopened, RowChange("create", "CaseComment", "m1", other)], wanted_changes([MEND])
    )
    assert "missing: create CaseComment" in str(verdict) and "extra" in str(verdict)
