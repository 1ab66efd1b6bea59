"""Where an export goes: whole or not at all, two at once, through links, and never over anybody's
files.
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

from orgweave.cli import run as command
from orgweave.export.folder import building
from orgweave.export.source import opened
from pipeline.run import FinishedRun
from schemas.errors import BadInput
from tests.exports_org import contents

DIES = """
import os, sys
from pathlib import Path
from orgweave.export.folder import building

def die(event, given):
    if event == "os.rename" and Path(os.fsdecode(given[0])).name == "new":
        os._exit(9)

with building(Path(sys.argv[1]), {}) as draft:
    (draft / "data.txt").write_text("later")
    sys.addaudithook(die)
"""


def build(place: Path, text: str = "here") -> None:
    """An export of one file."""
    with building(place, {}) as draft:
        (draft / "data.txt").write_text(text)


def beside(place: Path) -> list[str]:
    """What lies in a place's parent."""
    return sorted(path.name for path in place.parent.iterdir())


def test_two_exports_into_one_folder_both_end_well(tmp_path: Path) -> None:
    """Each has a draft of its own; the one that ends last stays, and nothing else is left."""
    place = tmp_path / "out"
    with building(place, {}) as first:
        (first / "data.txt").write_text("first")
        with building(place, {}) as second:
            (second / "data.txt").write_text("second")
        assert (place / "data.txt").read_text() == "second"
    assert (place / "data.txt").read_text() == "first"
    assert beside(place) == ["out"]


def test_many_exports_at_once_leave_a_whole_one(tmp_path: Path) -> None:
    """However their last steps meet, all end well and one of them lies there with its account."""
    place = tmp_path / "out"
    texts = [str(number) for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: build(place, text), texts))
    assert set(contents(place)) == {"data.txt", "export.json"}
    assert (place / "data.txt").read_text() in texts
    assert beside(place) == ["out"]


def test_a_kill_between_the_last_steps_loses_neither_export(tmp_path: Path) -> None:
    """Killed when the earlier export is aside and the new one isn't in, a run leaves both whole;
    the next one makes its own.
    """
    place = tmp_path / "out"
    build(place, "earlier")
    assert subprocess.run([sys.executable, "-c", DIES, str(place)], timeout=60).returncode == 9
    assert sorted(path.read_text() for path in tmp_path.rglob("data.txt")) == ["earlier", "later"]
    build(place)
    assert (place / "data.txt").read_text() == "here"
    assert beside(place) == ["out"]


def test_what_killed_runs_leave_is_swept_away_and_what_living_ones_make_is_not(
    tmp_path: Path,
) -> None:
    """The next export of a place removes the folders of runs that are dead, of that place alone; a
    failing one takes the earlier export back first.
    """
    place, other = tmp_path / "out", tmp_path / "out.b"
    for target in (place, place, other):
        build(target, "earlier")
        assert subprocess.run([sys.executable, "-c", DIES, str(target)], timeout=60).returncode == 9
    with building(place, {}) as living:
        (living / "data.txt").write_text("living")
        assert len(beside(place)) == 3
        with pytest.raises(BadInput, match="no such thing"), building(place, {}):
            raise BadInput("no such thing")
        assert (place / "data.txt").read_text() == "earlier"
    assert (place / "data.txt").read_text() == "living"
    build(other)
    assert beside(place) == ["out", "out.b"]


def test_an_interrupted_export_says_one_thing(small_shoes: FinishedRun, tmp_path: Path) -> None:
    """Rows that are being read when an export is interrupted end without a word of their own, also
    when the org is closed before them.
    """
    with opened(small_shoes.folder) as source:
        rows = source.rows("Case", ['"Id"'])
        next(rows)
    rows.close()  # type: ignore[attr-defined]
    assert list(rows) == []


def test_an_export_tells_for_whom_it_waits(tmp_path: Path) -> None:
    """While another program holds the lock of exports, an export says so, and goes on when it is
    free.
    """
    said: list[str] = []
    user = os.getuid() if hasattr(os, "getuid") else ""
    held = FileLock(Path(tempfile.gettempdir()) / f"orgweave-export-{user}.lock")

    def say(text: str) -> None:
        said.append(text)
        held.release()

    with held, building(tmp_path / "out", {}, say):
        pass
    assert len(said) == 1
    assert held.lock_file in said[0]


def test_an_export_that_fails_keeps_the_earlier_one(tmp_path: Path) -> None:
    """An error while a new export is written leaves the earlier one, and no draft."""
    place = tmp_path / "out"
    build(place, "earlier")
    with pytest.raises(BadInput, match="no such thing"), building(place, {}):
        raise BadInput("no such thing")
    assert (place / "data.txt").read_text() == "earlier"
    assert beside(place) == ["out"]


def test_a_folder_that_looks_like_a_draft_stays(tmp_path: Path) -> None:
    """A folder of somebody's own beside the place is never removed, whatever it is called."""
    mine = tmp_path / ".out.part"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    build(tmp_path / "out")
    assert contents(mine) == {"thesis.txt": b"years of work"}


def test_a_file_added_meanwhile_stays(tmp_path: Path) -> None:
    """What somebody puts into an earlier export while a new one is made keeps that folder
    theirs.
    """
    place = tmp_path / "out"
    build(place, "earlier")
    with (
        pytest.raises(BadInput, match=r"holds notes\.md, which no export wrote"),
        building(place, {}),
    ):
        (place / "notes.md").write_text("mine")
    assert (place / "notes.md").read_text() == "mine"
    assert (place / "data.txt").read_text() == "earlier"
    assert beside(place) == ["out"]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_to_a_folder_is_followed(there: bool, tmp_path: Path) -> None:
    """The export lies where the link leads, whether or not a folder is there yet, and the link
    stays.
    """
    real = tmp_path / "elsewhere" / "real"
    if there:
        real.mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(real, target_is_directory=True)
    build(link)
    build(link)
    assert link.is_symlink()
    assert set(contents(real)) == {"data.txt", "export.json"}


def test_an_export_may_be_read_as_other_folders_may(tmp_path: Path) -> None:
    """Its rights are those of any new folder, not a draft's."""
    (tmp_path / "usual").mkdir()
    build(tmp_path / "out")
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize(
    ("to", "says"),
    [
        ("", "--to: is followed by nothing"),
        (".", "the folder you are in"),
        ("..", "the folder you are in"),
        ("file/x/y", "file: is a file"),
        ("loop", "leads to itself"),
    ],
)
def test_a_place_that_cannot_be_is_one_clear_line(
    to: str,
    says: str,
    odd: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No name, the current folder, one above it, a folder in a file and a link to itself are
    refused with exit code 2, and nothing is written.
    """
    here = tmp_path / "above" / "here"
    here.mkdir(parents=True)
    if to.startswith("file"):
        (here / "file").write_text("mine")
    if to == "loop":
        (here / "loop").symlink_to("loop")
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(here)
    assert command(["export", str(odd), "--format", "csv", "--to", to]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and says in lines[0]
    assert sorted(tmp_path.rglob("*")) == before
