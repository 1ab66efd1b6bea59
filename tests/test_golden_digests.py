"""The data of a seed: the same in every version, or the changelog says otherwise."""

from collections.abc import Callable

import pytest

from pipeline.run import FinishedRun
from tests.golden_digests import SCALES, canonical, changed, digests_of, kept


@pytest.mark.parametrize("company", SCALES)
def test_a_seed_gives_the_data_that_it_always_gave(
    company: str, shipped: Callable[[str, float], FinishedRun]
) -> None:
    """Every table, hidden table and upload file of a small company has its kept digest."""
    made = shipped(company, SCALES[company])
    names = changed(kept()[company], digests_of(made.folder))
    assert not names, (
        f"{company}: the same seed gives other rows in {', '.join(names)}; if that is meant, renew"
        " with `make golden` and write it in CHANGELOG.md under Data"
    )


def test_a_digest_does_not_see_the_last_bits_of_a_float() -> None:
    """0.1 + 0.2 and 0.3 are one value, 0.3 and 0.3000001 are two."""
    assert canonical([0.1 + 0.2]) == canonical([0.3]) != canonical([0.3000001])


def test_what_is_new_gone_or_different_has_changed() -> None:
    """All three kinds of change are named, and nothing else."""
    before = {"org/A": "1", "org/B": "2", "org/C": "3"}
    after = {"org/A": "1", "org/B": "9", "org/D": "4"}
    assert changed(before, after) == ["org/B", "org/C", "org/D"]
