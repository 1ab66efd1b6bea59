"""Runs in processes of their own: killed at any moment and continued, two at once, regenerated."""

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orgweave.cli import run
from tests.called import called
from tests.tiers import tried_on

ROOT = Path(__file__).parent.parent
SMALL = ["--company", "shoes", "--scale", "0.03", "--no-report"]


def command(*words: str) -> list[str]:
    """The command line as a person gives it."""
    return [sys.executable, "-m", "pipeline", *words]


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every file that makes the org."""
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix in (".json", ".sqlite") and path.name != "ledger.sqlite"
    )
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def answers(folder: Path) -> dict[str, str]:
    """Key and accepted entries of every mini-batch in the ledger."""
    with sqlite3.connect(folder / "ledger.sqlite") as db:
        return dict(db.execute("SELECT key, entries FROM answers"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small company made without interruption."""
    out = tmp_path_factory.mktemp("whole") / "shoes"
    assert run(["generate", *SMALL, "--out", str(out)]) == 0
    return out


def kill_after(out: Path, batches: int) -> None:
    """Starts the run and ends it with SIGKILL once so many mini-batches are kept (0: at once)."""
    process = subprocess.Popen(
        command("generate", *SMALL, "--out", str(out)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if (out / "ledger.sqlite").exists() and kept(out) >= batches:
            break
        time.sleep(0.005)
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()


def kept(out: Path) -> int:
    """Mini-batches in the ledger so far; 0 while it is being made."""
    try:
        return len(answers(out)) if (out / "ledger.sqlite").exists() else 0
    except sqlite3.Error:
        return 0


@tried_on("batches", [5, 0, 12])
def test_a_killed_run_goes_on_to_the_same_org(whole: Path, tmp_path: Path, batches: int) -> None:
    """After kill -9 at any moment the same command gives the uninterrupted run's bytes, and no
    finished mini-batch is written twice.
    """
    out = tmp_path / "shoes"
    kill_after(out, batches)
    before = answers(out) if (out / "ledger.sqlite").exists() and kept(out) else {}
    assert run(["generate", *SMALL, "--out", str(out)]) == 0
    assert hashes(out) == hashes(whole)
    assert answers(out) == answers(whole)
    assert before.items() <= answers(whole).items()


def test_the_same_command_again_writes_nothing_anew(whole: Path) -> None:
    """A finished run given again keeps every byte and every ledger entry."""
    orgs, ledger = hashes(whole), answers(whole)
    assert run(["generate", *SMALL, "--out", str(whole)]) == 0
    assert (hashes(whole), answers(whole)) == (orgs, ledger)


def test_regenerate_changes_only_that_object(whole: Path, tmp_path: Path) -> None:
    """Regenerating the articles changes their words and leaves every other record byte for byte."""
    out = tmp_path / "shoes"
    subprocess.run(["cp", "-r", str(whole), str(out)], check=True)
    assert run(["regenerate", *SMALL, "--object", "Knowledge__kav", "--out", str(out)]) == 0
    before, after = hashes(whole), hashes(out)
    changed = {name for name in before if before[name] != after[name] and name.startswith("upload")}
    assert changed == {"upload/Knowledge__kav.json"}
    with sqlite3.connect(whole / "org.sqlite") as old, sqlite3.connect(out / "org.sqlite") as new:
        query = "SELECT Id, FAQ_Answer__c FROM Knowledge__kav"
        assert [row[0] for row in old.execute(query)] == [row[0] for row in new.execute(query)]
        assert dict(old.execute(query)) != dict(new.execute(query))


def test_a_regenerated_object_takes_its_dependents_along(whole: Path, tmp_path: Path) -> None:
    """Regenerating the products renames them in the cases' words too,
    and the org is still right.
    """
    out = tmp_path / "shoes"
    subprocess.run(["cp", "-r", str(whole), str(out)], check=True)
    assert run(["regenerate", *SMALL, "--object", "Product2", "--out", str(out)]) == 0
    before, after = hashes(whole), hashes(out)
    assert before["upload/Case.json"] != after["upload/Case.json"]
    assert before["upload/User.json"] == after["upload/User.json"]


def test_two_runs_in_one_folder_do_not_mix(tmp_path: Path) -> None:
    """A second run in the same folder is refused with exit code 2 while the first goes on
    unharmed.
    """
    out = tmp_path / "shoes"
    first = subprocess.Popen(
        command("generate", *SMALL, "--out", str(out)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    while not (out / "ledger.sqlite").exists():
        time.sleep(0.01)
    # Halted, so that it is still at work when the second one has started, however quick it is.
    first.send_signal(signal.SIGSTOP)
    second = called("generate", *SMALL, "--out", str(out))
    first.send_signal(signal.SIGCONT)
    first.communicate()
    assert (first.returncode, second.returncode) == (0, 2)
    assert "another run" in second.stderr


def test_an_interrupted_run_says_so(tmp_path: Path) -> None:
    """Ctrl-C ends a run with exit code 130 and one line, keeps what was written, and the same
    command goes on.
    """
    out = tmp_path / "shoes"
    process = subprocess.Popen(
        command("generate", *SMALL, "--out", str(out)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    while kept(out) < 3 and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert said.splitlines()[-1].startswith("orgweave: interrupted")
    assert kept(out) >= 3
