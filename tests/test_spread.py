"""How long a run would take with several workers: what the simulation must show."""

from pathlib import Path

import pytest

from orgweave.cli import run
from pipeline.compute.executor import InProcess
from pipeline.compute.timed import TimedExecutor, TimedPiece
from pipeline.config import RunRequest
from pipeline.model.prices import Price
from pipeline.plan import Plan, PlanNode
from pipeline.spread import USUAL_COSTS, play, spread_text
from pipeline.spread_trial import TrialTimes, costs_of, timed_run
from schemas.errors import BadInput
from tests.compute_work import doubled, refused

FREE = Price(0.0, 0.0, known=False)
CAUSE = PlanNode("CaseStory", "latent", (), 40_000)
CASES = PlanNode("Case", "object", (), 20_000, mini_batches=2000, tokens_out=2_000_000)
NOTHING = PlanNode("Case", "object", (), 0)
PIECES = tuple(
    TimedPiece(work, seconds)
    for work, seconds in (
        ("pipeline.write.worker_words.written_words", 2.0),
        ("pipeline.write.worker_words.unlike_in", 3.0),
        ("pipeline.upload_files._object_files", 2.0),
        ("pipeline.upload_files._object_files", 3.0),
        ("pipeline.check._looked_at", 40.0),
        ("pipeline.check.ready_to_check", 9.0),
    )
)


def plan(*nodes: PlanNode) -> Plan:
    """A plan of these nodes."""
    return Plan("Toy", nodes, FREE, FREE)


def test_more_workers_never_take_longer_nor_less_than_the_command_alone() -> None:
    """The command is the limit in the end: what it does by itself nobody can share."""
    runs = [play(plan(CAUSE, CASES), workers) for workers in (1, 2, 4, 64)]
    walls = [run.wall for run in runs]
    assert walls == sorted(walls, reverse=True)
    assert walls[0] > 1.5 * walls[1]
    assert walls[-1] >= runs[-1].command


def test_the_work_is_the_same_however_it_is_shared() -> None:
    """A worker more costs its start; the command's own part stays."""
    two, three = (play(plan(CAUSE, CASES), workers) for workers in (2, 3))
    assert three.workers - two.workers == pytest.approx(USUAL_COSTS.to_start_a_worker)
    assert two.command == pytest.approx(three.command)


def test_files_are_written_while_the_last_texts_are_waited_for() -> None:
    """What no text needs takes no longer than the words do, where the command waits for these."""
    prices = PlanNode("PricebookEntry", "object", (), 200_000)
    words, both = (play(plan(*nodes), 1) for nodes in ((CASES,), (CASES, prices)))
    more = 200_000 * (USUAL_COSTS.a_row_drawn + USUAL_COSTS.a_record_filed)
    assert both.command == pytest.approx(words.command + more)
    by_workers = 200_000 * (USUAL_COSTS.a_record_uploaded + USUAL_COSTS.a_record_checked)
    assert both.wall == pytest.approx(words.wall + by_workers)


def test_a_single_process_does_all_of_it() -> None:
    """It takes as long as it computes, and needs no worker."""
    run = play(plan(CAUSE, CASES), 0)
    both = play(plan(CAUSE, CASES), 2)
    assert run.wall == run.command > both.wall
    assert run.workers == 0
    # Nobody sends anything, and no worker is started.
    assert run.command < both.command + both.workers


def test_an_org_of_nothing_takes_the_start() -> None:
    """No rows, no words: what is left is to begin."""
    assert play(plan(NOTHING), 0).wall == USUAL_COSTS.to_start


def test_the_table_has_a_line_for_each_doubling_up_to_the_number_asked_for() -> None:
    """One process first, the number that was asked for last."""
    lines = spread_text(plan(CAUSE, CASES), 6).splitlines()
    assert [line.split()[0] for line in lines] == ["workers", "none", "1", "2", "4", "6"]
    assert lines[1].split()[2] == "1.0"


def test_costs_that_were_measured_tell_the_runs_that_they_come_from() -> None:
    """A machine half as quick, whose check is one long piece, is told by what two runs took there:
    the command's seconds of both, and those of all work in the larger one.
    """
    small, large = plan(CAUSE), plan(CAUSE, CASES)
    slow = [TrialTimes(1.0 + 2 * play(part, 2).command, 0.5, PIECES) for part in (small, large)]
    costs = costs_of(small, slow[0], large, slow[1])
    assert play(small, 2, costs).command == pytest.approx(slow[0].command)
    assert play(large, 2, costs).command == pytest.approx(slow[1].command)
    assert play(large, 3, costs).workers == pytest.approx(3 * 0.5 + 2.0 + 3.0 + 5.0 + 40.0)
    assert costs.check_parts == (1.0,)
    assert costs.upload_parts == (0.6, 0.4)


def test_a_run_with_workers_tells_what_they_took(tmp_path: Path) -> None:
    """Each piece of work is told by its name; with the worker's start they are all that it does."""
    times = timed_run(RunRequest("clinic", scale=0.05), tmp_path / "run")
    for kind in ("written", "compared", "uploaded", "checked"):
        assert times.of(kind)
    assert times.command > 0
    assert times.a_worker > 0
    assert (tmp_path / "run" / "manifest.json").is_file()


def test_timed_work_gives_what_it_gives_untimed() -> None:
    """Results, errors and shared values pass; what failed is no piece of work that was done."""
    executor = TimedExecutor(InProcess())
    assert executor.workers == 1
    assert executor.submit(doubled, executor.share([1, 2]), name="a").result() == ([2, 4], "a")
    with pytest.raises(BadInput, match="7: is no good number"):
        executor.submit(refused, 7).result()
    assert [piece.work for piece in executor.pieces] == ["tests.compute_work.doubled"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--measure"], "--measure: tells what --workers go by; add --workers N"),
        (["--workers", "0"], "--workers 0: must be 1 to 100,000"),
        (["--workers", "2", "--format", "dot"], "--workers: is told as a table; leave out"),
    ],
)
def test_workers_that_nobody_has_get_one_line(
    options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither none of them, nor a picture."""
    assert run(["plan", "--company", "shoes", *options]) == 2
    assert says in capsys.readouterr().err
