"""What was made of an org tells which org that was, and is refused beside another one."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from orgweave.benchmark.evaluate.build import EvaluationRequest, chosen_instances
from orgweave.benchmark.evaluate.results import read_rows
from orgweave.cli import run
from orgweave.testing.org_server import OrgServer
from pipeline.atomic import sha256_of
from pipeline.check import check_folder
from pipeline.config import RunRequest
from pipeline.regenerate import regenerate
from pipeline.run import FinishedRun, generate
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput
from tests.explore_orgs import toy_run
from tests.tiers import THOROUGH, tried_on

TASKS = ["--tasks", "handle_time,case_routing", "--per-task", "2"]


@pytest.fixture(scope="module")
def tasked(small_shoes: FinishedRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small company with a few tasks."""
    folder = tmp_path_factory.mktemp("tasked") / "shoes"
    shutil.copytree(small_shoes.folder, folder)
    assert run(["tasks", str(folder), *TASKS]) in (0, 3)
    return folder


@pytest.fixture
def org(tasked: Path, tmp_path: Path) -> Path:
    """A copy of it, which a test may change."""
    return Path(shutil.copytree(tasked, tmp_path / "shoes"))


def evaluated(org: Path, *more: str) -> list[str]:
    """The words of an evaluation by the agent that knows the answers."""
    return ["evaluate", str(org), "--agent", "oracle", *more]


@THOROUGH
def test_tasks_of_an_org_that_was_made_anew_are_refused(
    org: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After another scale, or one object type anew, the old tasks are scored no more."""
    assert run(evaluated(org)) == 0
    regenerate(RunRequest("shoes"), org, "Routing")
    capsys.readouterr()
    assert run(evaluated(org)) == 2
    said = capsys.readouterr().err.strip()
    assert "its tasks were made before the org was made anew; make the tasks" in said
    assert run(["tasks", str(org), *TASKS]) in (0, 3)
    generate(RunRequest("shoes", scale=0.02), org, force=True)
    assert run(evaluated(org)) == 2


def test_instances_that_their_report_does_not_tell_of_are_refused(org: Path) -> None:
    """What a kill left of an earlier run beside a new report isn't scored; without a report tasks
    are taken as they are."""
    file = org / "tasks" / "tasks.jsonl"
    file.write_bytes(file.read_bytes().replace(b"?", b"??", 1))
    with pytest.raises(BadInput, match=r"is not the one that report\.json tells of"):
        chosen_instances(EvaluationRequest(org, "oracle"))
    (org / "tasks" / "report.json").unlink()
    assert chosen_instances(EvaluationRequest(org, "oracle"))


@pytest.mark.parametrize("command", ["evaluate", "tasks"])
def test_an_edited_org_makes_and_scores_no_tasks(
    command: str,
    org: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An org.sqlite that isn't the manifest's is told with its file and what to do."""
    with closing(sqlite3.connect(org / "org.sqlite")) as db, db:
        db.execute("UPDATE Contact SET FirstName = 'Nobody'")
    words = evaluated(org) if command == "evaluate" else ["tasks", str(org), *TASKS]
    assert run(words) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert "org.sqlite: is not the one that this org was made with" in said[-1]


def other_seed(org: Path) -> None:
    """The same company from another seed."""
    generate(RunRequest("shoes", scale=0.02, seed=77), org, force=True)


def other_routing(org: Path) -> None:
    """The same org with other agents for its cases."""
    regenerate(RunRequest("shoes"), org, "Routing")


@tried_on("change", [other_seed, other_routing])
def test_a_server_with_another_org_is_refused(
    change: Callable[[Path], None],
    tasked: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`evaluate --server` over another org's records, of the same company, scores nothing."""
    other = Path(shutil.copytree(tasked, tmp_path / "other"))
    change(other)
    with OrgServer(other) as crm:
        assert run(evaluated(tasked, "--server", crm.url, "--token", crm.token)) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert f"records are not those of {tasked}" in said[-1]


def test_a_server_with_the_same_org_is_taken(
    tasked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder's own org, served, is worked in."""
    with OrgServer(tasked) as crm:
        assert run(evaluated(tasked, "--server", crm.url, "--token", crm.token)) == 0


@THOROUGH
def test_scores_keep_two_orgs_of_one_name_apart(org: Path, tmp_path: Path) -> None:
    """Logs of two orgs whose folders have the same name make two rows, which show the orgs'
    SHA-256; logs of one org make one."""
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    assert run(evaluated(org, "--limit", "1", "--log-dir", str(first))) == 0
    assert run(evaluated(org, "--limit", "1", "--log-dir", str(second))) == 0
    (row,) = read_rows([first, second])
    assert row.org == "shoes"
    before = sha256_of(org / "org.sqlite")[:8]
    other_routing(org)
    assert run(["tasks", str(org), *TASKS]) in (0, 3)
    assert run(evaluated(org, "--limit", "1", "--log-dir", str(third))) == 0
    after = sha256_of(org / "org.sqlite")[:8]
    rows = read_rows([first, third])
    assert {row.org for row in rows} == {f"shoes {before}", f"shoes {after}"}


def test_check_tells_of_changed_files(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A bit-flipped org.sqlite and an emptied latent.sqlite end `check` with exit code 5."""
    assert check_folder(mine).changed == ()
    file = mine / "org.sqlite"
    content = bytearray(file.read_bytes())
    content[content.rindex(b"@")] ^= 1
    file.write_bytes(content)
    (mine / "latent.sqlite").write_bytes(b"")
    assert run(["check", str(mine)]) == 5
    shown = capsys.readouterr().out
    assert "  ! org.sqlite" in shown
    assert "  ! latent.sqlite" in shown
    assert json.loads((mine / "check.json").read_text())["right"] is False


def test_check_says_where_it_measured_no_cause(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An org that comes without its hidden story is right, and one line says what wasn't seen."""
    (mine / "latent.sqlite").unlink()
    assert run(["check", str(mine)]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told == [
        f"orgweave: {mine / 'latent.sqlite'}: isn't there, so that no hidden cause was measured"
    ]


def test_check_again_takes_its_own_report(mine: Path) -> None:
    """`check` writes its own report anew, which is no change of the org."""
    assert run(["check", str(mine)]) == 0
    assert run(["check", str(mine)]) == 0


@pytest.mark.parametrize("name", ["profile.yaml", "schema/toy/Visit.yaml"])
def test_an_edited_copy_of_the_sources_is_noticed(name: str, tmp_path: Path) -> None:
    """The profile and the schema in a finished folder are those that its org was made from."""
    toys = toy_run(tmp_path / "made")
    copy = toys / "made_from" / name
    copy.write_text(copy.read_text() + "# later\n")
    with pytest.raises(BadInput, match="is not the one that this org was made with"):
        RunFolder(toys).read_schema()
    assert generate(RunRequest(str(toys.parent / "toys.yaml")), toys).report.right
    assert RunFolder(toys).read_schema().has("Visit")
