"""The data of a seed: the same in every version, or the changelog says otherwise."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.run import FinishedRun
from tests.golden_digests import (
    RUNS,
    SMALL,
    WHOLE,
    canonical,
    changed,
    digests_of,
    kept,
    task_digests,
)
from tests.tiers import THOROUGH

MakeCompany = Callable[[str, float], FinishedRun]


def hold_what_is_kept(name: str, folder: Path) -> None:
    """Raises where a finished run has other data than its kept digests tell of."""
    names = changed(kept()[name], digests_of(folder) | task_digests(folder, RUNS[name].per_task))
    assert not names, (
        f"{name}: the same seed gives other data in {', '.join(names)}; if that is meant, renew"
        " with `make golden` and write it in CHANGELOG.md under Data"
    )


@pytest.mark.parametrize("name", SMALL)
def test_a_seed_gives_the_data_that_it_always_gave(name: str, shipped: MakeCompany) -> None:
    """Every table, hidden table, upload file and measured figure of a small company has its kept
    digest.
    """
    hold_what_is_kept(name, shipped(SMALL[name].company, SMALL[name].scale).folder)


@THOROUGH
@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_company_is_what_it_always_was(
    name: str, shipped: MakeCompany, tmp_path: Path
) -> None:
    """So have a company in full, where also that happens which is rare, and its tasks."""
    made = shipped(WHOLE[name].company, WHOLE[name].scale)
    hold_what_is_kept(name, Path(shutil.copytree(made.folder, tmp_path / "whole")))


def test_a_digest_does_not_see_the_last_bits_of_a_float() -> None:
    """0.1 + 0.2 and 0.3 are one value, 0.3 and 0.3000001 are two."""
    assert canonical([0.1 + 0.2]) == canonical([0.3]) != canonical([0.3000001])


def test_what_is_new_gone_or_different_has_changed() -> None:
    """All three kinds of change are named, and nothing else."""
    before = {"org/A": "1", "org/B": "2", "org/C": "3"}
    after = {"org/A": "1", "org/B": "9", "org/D": "4"}
    assert changed(before, after) == ["org/B", "org/C", "org/D"]
