"""Exports by several workers: the same bytes, the same notes, the same progress."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from orgweave.cli import run as command
from orgweave.export.bulk import write_bulk
from orgweave.export.registry import FORMATS
from orgweave.export.source import ExportSource, opened
from pipeline.compute.executor import Executor, InProcess
from pipeline.compute.processes import process_pool
from schemas.errors import BadInput
from tests.exports_org import changed, contents, copied
from tests.tiers import THOROUGH


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    """Two workers for all tests of this file."""
    with process_pool(2) as started:
        yield started


def written(
    form: str, run: Path, to: Path, executor: Executor
) -> tuple[list[str], list[tuple[str, int]]]:
    """What a format tells of itself, and the tables that a progress line is told, sorted."""
    told: list[tuple[str, int]] = []
    to.mkdir()
    with opened(run, lambda table, records: told.append((table, records)), executor) as source:
        notes = FORMATS[form](source, to)
    return notes, sorted(told)


@pytest.mark.parametrize("form", FORMATS)
def test_workers_write_the_same_bytes(form: str, odd: Path, tmp_path: Path, pool: Executor) -> None:
    """Files, notes and progress are those of a single process, awkward values or not."""
    alone = written(form, odd, tmp_path / "alone", InProcess())
    assert written(form, odd, tmp_path / "shared", pool) == alone
    assert contents(tmp_path / "shared") == contents(tmp_path / "alone")


def test_workers_cut_large_files_alike(odd: Path, tmp_path: Path, pool: Executor) -> None:
    """A table that needs several files has the same ones, with the same records in each."""
    for place, executor in (("alone", InProcess()), ("shared", pool)):
        (tmp_path / place).mkdir()
        with opened(odd, executor=executor) as source:
            write_bulk(source, tmp_path / place, most_bytes=20_000)
    assert (tmp_path / "alone" / "Case.2.csv").is_file()
    assert contents(tmp_path / "shared") == contents(tmp_path / "alone")


def test_a_workers_refusal_is_the_same_line(odd: Path, tmp_path: Path, pool: Executor) -> None:
    """A wrong value is told with its place, whoever comes upon it."""
    run = copied(odd, tmp_path / "run")
    changed(run, "UPDATE \"Order\" SET EffectiveDate = 'soon' WHERE rowid = 1")
    told = []
    for executor in (InProcess(), pool):
        with pytest.raises(BadInput, match=r"Order\.EffectiveDate holds a value") as refused:
            written("parquet", run, tmp_path / f"to_{executor.workers}", executor)
        told.append(str(refused.value))
    assert told[0] == told[1]


def test_an_org_that_is_made_anew_meanwhile_is_told(
    odd: Path, tmp_path: Path, pool: Executor
) -> None:
    """Workers open the org after the command did; they take no other one for it."""
    run = copied(odd, tmp_path / "run")
    (tmp_path / "to").mkdir()
    with opened(run, executor=pool) as source:
        _replaced(source)
        with pytest.raises(BadInput, match="is being made anew"):
            FORMATS["csv"](source, tmp_path / "to")


def _replaced(source: ExportSource) -> None:
    """Puts another file in the place of the org's."""
    other = source.path.with_suffix(".new")
    shutil.copyfile(source.path, other)
    other.replace(source.path)


@THOROUGH
def test_the_command_takes_a_number_of_jobs(odd: Path, tmp_path: Path) -> None:
    """`export --jobs 2` writes what `export --jobs 1` writes."""
    for jobs in ("1", "2"):
        words = ["export", str(odd), "--format", "jsonl", "--jobs", jobs]
        assert command([*words, "--to", str(tmp_path / jobs)]) == 0
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
