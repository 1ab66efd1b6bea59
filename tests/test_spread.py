"""How long a run would take with several workers: what the simulation must show."""

import pytest

from orgweave.cli import run
from pipeline.model.prices import Price
from pipeline.plan import Plan, PlanNode
from pipeline.spread import TO_START, TO_START_A_WORKER, play, spread_text

FREE = Price(0.0, 0.0, known=False)
CAUSE = PlanNode("CaseStory", "latent", (), 40_000)
CASES = PlanNode("Case", "object", (), 20_000, mini_batches=2000, tokens_out=2_000_000)
NOTHING = PlanNode("Case", "object", (), 0)


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
    assert three.workers - two.workers == pytest.approx(TO_START_A_WORKER)
    assert two.command == pytest.approx(three.command)


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
    assert play(plan(NOTHING), 0).wall == TO_START


def test_the_table_has_a_line_for_each_doubling_up_to_the_number_asked_for() -> None:
    """One process first, the number that was asked for last."""
    lines = spread_text(plan(CAUSE, CASES), 6).splitlines()
    assert [line.split()[0] for line in lines] == ["workers", "none", "1", "2", "4", "6"]
    assert lines[1].split()[2] == "1.0"


@pytest.mark.parametrize(
    ("options", "says"),
    [
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
