"""A damaged ledger, or a locked org, is told in one line and kept as it is."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from orgweave.cli import run

BROKEN_ROWS = {
    "no JSON": "UPDATE answers SET entries = substr(entries, 2)",
    "no object": "UPDATE answers SET entries = '[1]'",
    "no unit": """UPDATE answers SET entries = '{"x": {}}'""",
    "no entry": """UPDATE answers SET entries = '{"0": 5}'""",
    "no reason": """UPDATE answers SET verdicts = '{"0": null}'""",
    "nested too deeply": "UPDATE answers SET entries = replace(hex(zeroblob(100000)), '0', '[')",
    "no UTF-8": "UPDATE answers SET entries = CAST(x'7bff7d' AS TEXT)",
    "a lost column": "ALTER TABLE answers DROP COLUMN verdicts",
}


@pytest.mark.parametrize("name", BROKEN_ROWS)
def test_a_damaged_row_is_one_line(
    name: str, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is wrong with the rows, `generate` names the ledger and what to do, exit code 1;
    after that was done the org is made again."""
    words = ["generate", "--company", "shoes", "--scale", "0.1", "--out", str(mine)]
    with closing(sqlite3.connect(mine / "ledger.sqlite")) as db, db:
        db.execute(BROKEN_ROWS[name])
    assert run(words) == 1
    said = capsys.readouterr().err.strip().splitlines()
    assert len([line for line in said if not line.startswith("writing with")]) == 1
    assert "ledger.sqlite: is damaged" in said[-1]
    assert "move it away" in said[-1]


def test_what_was_told_to_be_done_helps(mine: Path) -> None:
    """With the damaged ledger moved away the same command makes the same org."""
    words = ["generate", "--company", "shoes", "--scale", "0.1", "--out", str(mine)]
    before = (mine / "org.sqlite").read_bytes()
    with closing(sqlite3.connect(mine / "ledger.sqlite")) as db, db:
        db.execute(BROKEN_ROWS["no JSON"])
    assert run(words) == 1
    shutil.move(mine / "ledger.sqlite", mine / "damaged.sqlite")
    assert run(words) == 0
    assert (mine / "org.sqlite").read_bytes() == before


def test_a_locked_org_is_called_locked(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` says that another program holds the org, and not that it is damaged."""
    with closing(sqlite3.connect(mine / "org.sqlite", isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert run(["check", str(mine)]) == 1
    said = capsys.readouterr().err
    assert "another program holds org.sqlite" in said
    assert "damaged" not in said


def test_a_folder_in_the_place_of_the_hidden_story_is_told(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An org without its latent variables is checked without them; a folder with their file's name
    is damage.
    """
    (mine / "latent.sqlite").unlink()
    assert run(["check", str(mine)]) == 0
    (mine / "latent.sqlite").mkdir()
    assert run(["check", str(mine)]) == 1
    assert "latent.sqlite: is no file" in capsys.readouterr().err
