"""On a terminal `tasks`, `export`, `bundle` and `upload` show how much of the whole is done, and
`evaluate` that it has begun.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from orgweave.export.registry import export
from orgweave.testing.org_server import OrgServer
from pipeline.run_folder import RunFolder
from tests.server_orgs import EMPTY
from tests.tiers import THOROUGH

pty = pytest.importorskip("pty", reason="this system has no terminals of that kind")
termios = pytest.importorskip("termios")


def on_a_terminal(*words: str) -> tuple[int, str]:
    """Runs a command whose messages go to a terminal; its exit code and what stood there."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, 120))
    command = [sys.executable, "-m", "pipeline", *words]
    # Every step is drawn, however soon it follows the one before.
    environment = {**os.environ, "TQDM_MININTERVAL": "0"}
    running = subprocess.Popen(command, stderr=theirs, stdout=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # so Linux tells that nobody writes any more
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return running.wait(), shown.decode(errors="replace")


@pytest.mark.parametrize("form", ["csv", "bulk"])
def test_an_export_shows_records_of_all(form: str, tiny: Path, tmp_path: Path) -> None:
    """The bar's whole is the number of the org's records."""
    records = sum(RunFolder(tiny).read_manifest().counts.values())
    code, shown = on_a_terminal("export", str(tiny), "--format", form, "--to", str(tmp_path / "o"))
    assert code == 0
    assert f"| 0/{records} [" in shown


def test_each_table_moves_the_bar_once(tiny: Path, tmp_path: Path) -> None:
    """In the end it has moved by all records, also where a format reads a table twice."""
    counts = RunFolder(tiny).read_manifest().counts
    whole = moved(tiny, "parquet", tmp_path / "parquet")
    assert dict(whole) == counts and len(whole) == len(counts)
    part = moved(tiny, "cumulusci", tmp_path / "cumulusci")
    assert part and dict(part).items() <= counts.items()
    assert len(part) == len(dict(part))


def moved(run: Path, form: str, to: Path) -> list[tuple[str, int]]:
    """By how much an export moves the bar, table by table."""
    told: list[tuple[str, int]] = []
    export(run, form, to, watch=lambda table, records: told.append((table, records)))
    return told


def test_a_bundle_shows_records_of_all(tiny: Path, tmp_path: Path) -> None:
    """Its whole is that of its tables."""
    records = sum(RunFolder(tiny).read_manifest().counts.values())
    code, shown = on_a_terminal("bundle", str(tiny), "--to", str(tmp_path / "o"))
    assert code == 0
    assert f"| 0/{records} [" in shown


def test_tasks_show_instances_of_all(mine: Path) -> None:
    """Two tasks of three instances are six, and the task under way is named."""
    tasks = "handle_time,transfer_count"
    code, shown = on_a_terminal("tasks", str(mine), "--tasks", tasks, "--per-task", "3")
    assert code == 0
    assert "handle_time" in shown and "| 0/6 [" in shown and "| 3/6 [" in shown


@THOROUGH
def test_an_evaluation_says_at_once_that_it_has_begun(tmp_path: Path) -> None:
    """Its first line comes before Inspect is loaded, and before anything is read."""
    code, shown = on_a_terminal("evaluate", str(tmp_path), "--agent", "oracle")
    assert code == 2
    first, second, *_ = shown.splitlines()
    assert first == f"orgweave: reading the tasks of {tmp_path} ..."
    assert str(tmp_path) in second


@THOROUGH
def test_an_upload_goes_on_where_the_last_one_stopped(tiny: Path, tmp_path: Path) -> None:
    """What an earlier run loaded is done before the bar begins; what there is to say stands on a
    line of its own above it.
    """
    run = Path(shutil.copytree(tiny, tmp_path / "shoes"))
    with OrgServer(run, EMPTY) as crm:
        words = ("upload", str(run), "--instance-url", crm.url, "--session-id", crm.token)
        _, first = on_a_terminal(*words)
        _, second = on_a_terminal(*words)
    began = [re.search(r"\| (\d+)/(\d+) \[", shown) for shown in (first, second)]
    assert began[0] and began[0][1] == "0"
    assert began[1] is None or int(began[1][1]) > 0
    assert "orgweave: at least once" in first
    assert "]orgweave: " not in first
