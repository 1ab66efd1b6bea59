"""P values: what scipy gives, computed without it."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.significance import (
    fisher_exact_p,
    incomplete_beta,
    mann_whitney_p,
    poisson_slope,
    ranks,
    spearman,
)

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)
SAMPLES = st.lists(NUMBERS, min_size=2, max_size=60)
TIED_SAMPLES = st.lists(st.integers(0, 5).map(float), min_size=2, max_size=60)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(inside=SAMPLES | TIED_SAMPLES, outside=SAMPLES | TIED_SAMPLES)
def test_two_samples_have_the_p_value_of_mann_and_whitney(
    inside: list[float], outside: list[float]
) -> None:
    """Small or large, tied or not, two samples get the p value that scipy gives them."""
    wanted = scipy.stats.mannwhitneyu(inside, outside).pvalue
    if np.isnan(wanted):
        wanted = 1.0  # all values are one: nothing speaks against the hypothesis
    assert mann_whitney_p(np.array(inside), np.array(outside)) == pytest.approx(wanted, rel=1e-9)


@settings(max_examples=200, deadline=None)
@given(
    cells=st.lists(st.integers(0, 400), min_size=4, max_size=4).filter(
        lambda cells: cells[0] + cells[1] > 0 and cells[2] + cells[3] > 0
    )
)
def test_two_shares_have_the_p_value_of_fisher(cells: list[int]) -> None:
    """A table of counts gets the p value that scipy gives it."""
    counts = np.array(cells).reshape(2, 2)
    assert fisher_exact_p(counts) == pytest.approx(scipy.stats.fisher_exact(counts)[1], rel=1e-7)


@pytest.mark.parametrize(
    "cells",
    [
        [60_000, 400_000, 59_000, 410_000],
        [900, 20, 10, 900],
        [5_000, 5_000, 5_000, 5_000],
        [700, 180, 190, 700],
        [480_000, 20_000, 10_000, 490_000],
    ],
)
def test_a_large_table_has_the_p_value_of_fisher(cells: list[int]) -> None:
    """Neither a table with hundreds of thousands of counts nor one far from chance is rounded."""
    counts = np.array(cells).reshape(2, 2)
    assert fisher_exact_p(counts) == pytest.approx(scipy.stats.fisher_exact(counts)[1], rel=1e-6)


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3, max_size=80)
    | st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=80)
)
def test_a_rank_correlation_has_the_size_and_p_value_of_spearman(
    rows: list[tuple[float, float]],
) -> None:
    """Two columns that vary get the size and the p value that scipy gives them."""
    first, second = np.array(rows, dtype=float).T
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return
    wanted = scipy.stats.spearmanr(first, second)
    size, p = spearman(first, second)
    assert size == pytest.approx(wanted.statistic, abs=1e-12)
    assert p == pytest.approx(wanted.pvalue, rel=1e-6, abs=1e-30)


def test_a_strong_correlation_of_many_rows_has_a_p_value_far_below_rounding() -> None:
    """A p value near 1e-60 is still right to six digits."""
    first = np.arange(200.0)
    second = first + 60 * np.sin(first * 7.3)
    wanted = scipy.stats.spearmanr(first, second).pvalue
    assert 0 < wanted < 1e-40
    assert spearman(first, second)[1] == pytest.approx(wanted, rel=1e-6)


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    """5, 7, 7, 9 rank 1, 2.5, 2.5, 4, in whatever order they stand."""
    assert ranks(np.array([7, 5, 9, 7])).tolist() == [2.5, 1.0, 4.0, 2.5]


@pytest.mark.parametrize(("x", "wanted"), [(0.0, 0.0), (1.0, 1.0)])
def test_the_incomplete_beta_function_runs_from_zero_to_one(x: float, wanted: float) -> None:
    """At its ends the function is exactly 0 and exactly 1."""
    assert incomplete_beta(2.5, 0.5, x) == wanted


@settings(max_examples=200, deadline=None)
@given(a=st.floats(0.5, 500), b=st.floats(0.5, 500), x=st.floats(0.001, 0.999))
def test_the_incomplete_beta_function_agrees_on_both_sides_of_its_mean(
    a: float,
    b: float,
    x: float,
) -> None:
    """The fraction is right left of the mean, and its mirror image right of it."""
    wanted = float(scipy.stats.beta.cdf(x, a, b))
    assert incomplete_beta(a, b, x) == pytest.approx(wanted, rel=1e-7, abs=1e-12)


def test_a_poisson_slope_is_told_from_seasons() -> None:
    """Where counts fall by half with a slope of one, in months of different levels, the slope is
    about the logarithm of a half; of counts that know no slope it isn't significant.
    """
    rng = np.random.default_rng(1)
    month = np.repeat(np.arange(12), 100)
    slope = rng.random(1200) * (month < 9)
    level = 1.0 + month
    falling = rng.poisson(level * 0.5**slope)
    size, p = poisson_slope(falling, slope, (month,))
    assert -0.8 < size < -0.58 and p < 1e-9
    assert poisson_slope(rng.poisson(level), slope, (month,))[1] > 0.01


def test_a_poisson_slope_of_nothing_is_none() -> None:
    """A slope that never changes can't be told from the level; no counts have none."""
    month = np.repeat(np.arange(4), 5)
    assert poisson_slope(np.zeros(20), np.zeros(20), (month,)) == (0.0, 1.0)
