"""Files that are no files are not waited for."""

import os
from pathlib import Path

import pytest

from orgweave.cli import run
from schemas.regular import json_of, regular_bytes, regular_text

COMMANDS = {
    "query": ["SELECT COUNT() FROM Case"],
    "check": [],
    "export": ["--format", "csv"],
    "tasks": ["--per-task", "1"],
    "trace": [],
}


def test_a_pipe_and_a_device_are_no_files(tmp_path: Path) -> None:
    """Both are refused before they are opened; a folder and nothing at all by the system."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path, tmp_path / "nothing"):
        for read in (regular_bytes, regular_text):
            with pytest.raises(OSError):
                read(path)


@pytest.mark.parametrize("text", ["", "{", b"\xff", "[" * 100_000])
def test_json_that_is_none_is_a_value_error(text: str | bytes) -> None:
    """However it is broken, and however deep it is nested."""
    with pytest.raises(ValueError):
        json_of(text)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("file", ["manifest.json", "made_from/lexicon.json"])
def test_a_pipe_in_the_place_of_a_runs_file_is_one_line(
    name: str,
    file: str,
    mine: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A command that needs the file says what is wrong with it, and waits for nobody."""
    (mine / file).unlink()
    os.mkfifo(mine / file)
    code = run([name, str(mine), *COMMANDS[name]])
    said = capsys.readouterr().err
    if name == "trace":
        assert code == 0
    else:
        assert code == 2 and "is a pipe or a device" in said


def test_a_manifest_of_brackets_is_one_line(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A hundred thousand of them in one another are damage like any other."""
    (mine / "manifest.json").write_text("[" * 100_000)
    assert run(["check", str(mine)]) == 2
    assert "manifest.json: is damaged" in capsys.readouterr().err
