"""A second `generate`: what is there already is not made again, and what is not whole is."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from shutil import copytree

import pytest

from pipeline.config import RunRequest
from pipeline.making import RunObserver
from pipeline.run import FinishedRun, generate
from pipeline.unchanged import MADE_BY
from tests.tiers import tried_on

ASK = RunRequest("shoes", scale=0.02, sets={"Product2": 12, "Pricebook2": 5})


def append(path: Path) -> None:
    """Changes a file of the org."""
    path.write_text(f"{path.read_text()}\n")


def other_program(folder: Path) -> None:
    """Says that another program made the org."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger, ledger:
        ledger.execute("DELETE FROM meta WHERE key = ?", (MADE_BY,))


SPOILT: dict[str, Callable[[Path], None]] = {
    "a changed file": lambda folder: append(folder / "upload" / "Case.json"),
    "a missing file": lambda folder: (folder / "latent.sqlite").unlink(),
    "another verdict": lambda folder: append(folder / "check.json"),
    "no manifest": lambda folder: (folder / "manifest.json").unlink(),
    "a changed copy of its trade": lambda folder: append(folder / "made_from" / "trade.json"),
    "another program": other_program,
}


@pytest.fixture
def again(tiny_shoes: FinishedRun, tmp_path: Path) -> Callable[..., tuple[FinishedRun, list[str]]]:
    """Asks for the tiny company again in a copy of its folder; the run and its nodes."""

    def asked(
        spoil: Callable[[Path], None] = lambda folder: None, force: bool = False
    ) -> tuple[FinishedRun, list[str]]:
        folder = copytree(tiny_shoes.folder, tmp_path / "tiny")
        spoil(folder)
        nodes: list[str] = []
        made = generate(ASK, folder, RunObserver(node=nodes.append), force=force)
        return made, nodes

    return asked


def test_an_org_that_is_there_is_not_made_again(
    tiny_shoes: FinishedRun, again: Callable[..., tuple[FinishedRun, list[str]]]
) -> None:
    """Nothing is drawn or written, and the same is told of it, verdicts and costs included."""
    held, nodes = again()
    assert nodes == []
    assert held.counts == tiny_shoes.counts
    assert held.report == tiny_shoes.report
    assert (held.writer, held.mini_batches) == (tiny_shoes.writer, tiny_shoes.mini_batches)
    told = {name: usage.as_json() for name, usage in held.spent.items()}
    assert told == {name: usage.as_json() for name, usage in tiny_shoes.spent.items()}


@tried_on("what", SPOILT)
def test_what_is_in_doubt_is_made_again(
    again: Callable[..., tuple[FinishedRun, list[str]]], what: str
) -> None:
    """One file that is not the one that was made, or another program, and all is made anew."""
    made, nodes = again(SPOILT[what])
    assert nodes[-1] == "check"
    assert made.report.right


def test_force_makes_the_org_again(
    again: Callable[..., tuple[FinishedRun, list[str]]],
) -> None:
    """Whoever says --force means it."""
    assert again(force=True)[1]


def test_an_org_whose_schema_extends_another_is_the_same_org(
    shipped: Callable[[str, float], FinishedRun], tmp_path: Path
) -> None:
    """A bank's schema is laid over the service's; asked for again, the bank is there already."""
    made = shipped("bank", 0.1)
    folder = Path(copytree(made.folder, tmp_path / "bank"))
    nodes: list[str] = []
    observer = RunObserver(node=nodes.append)
    again = generate(RunRequest("bank", scale=0.1), folder, observer)
    assert again.counts == made.counts
    assert nodes == []
