"""Effects: their sizes, what counts as present, and rows that say nothing."""

import pytest

from latent.statistics import correlation, difference, shares
from latent.variable import Effect


@pytest.mark.parametrize(
    ("size", "sign", "p", "present"),
    [
        (0.5, 1, 0.0099, True),
        (0.5, 1, 0.01, False),
        (-0.5, 1, 0.001, False),
        (-0.5, -1, 0.001, True),
        (0.0, 1, 0.001, False),
    ],
)
def test_an_effect_is_present_with_the_right_sign_and_a_small_p(
    size: float,
    sign: int,
    p: float,
    present: bool,
) -> None:
    """p must lie below 0.01, and an effect of no size is none."""
    assert Effect("Toy", "says", "measure", size, p, 10, sign).present is present


def test_a_difference_is_the_groups_mean_less_the_others() -> None:
    """A mean of 4 against one of 1 differs by 3, over all five rows."""
    rows = [(1, 3.0), (1, 5.0), (0, 0.0), (0, 1.0), (0, 2.0)]
    effect = difference("Toy", "says", "hours", rows)
    assert (effect.size, effect.records) == (3.0, 5)
    assert effect.measure == "difference of means, hours"
    assert effect.p == pytest.approx(0.2)


def test_two_rows_a_group_are_enough_for_a_difference() -> None:
    """With one row in a group nothing is measured, with two something is."""
    enough = [(1, 3.0), (1, 5.0), (0, 0.0), (0, 1.0)]
    assert difference("Toy", "says", "hours", enough).size == 3.5
    for rows in (enough[1:], enough[:3]):
        nothing = difference("Toy", "says", "hours", rows)
        assert (nothing.size, nothing.p, nothing.records) == (0.0, 1.0, 3)


def test_shares_differ_by_hits_in_the_group() -> None:
    """Three of four against one of four is a difference of a half."""
    rows = [(1, 1), (1, 1), (1, 1), (1, 0), (0, 1), (0, 0), (0, 0), (0, 0)]
    effect = shares("Toy", "says", rows)
    assert (effect.size, effect.records) == (0.5, 8)
    assert effect.p == pytest.approx(0.4857, abs=1e-4)


def test_shares_of_one_group_alone_say_nothing() -> None:
    """Without a row in or out of the group there is no difference."""
    for group in (0, 1):
        effect = shares("Toy", "says", [(group, 1), (group, 0)])
        assert (effect.size, effect.p) == (0.0, 1.0)
    assert shares("Toy", "says", [(1, 1), (0, 0)]).size == 1.0


def test_a_correlation_needs_three_rows_that_vary() -> None:
    """Two rows, or a column of one value, give no correlation; three rising rows a full one."""
    rising = [(1, 10), (2, 20), (3, 40)]
    assert correlation("Toy", "says", rising).size == pytest.approx(1)
    for rows in (rising[:2], [(1, 5), (2, 5), (3, 5)], [(1, 1), (1, 2), (1, 3)]):
        effect = correlation("Toy", "says", rows)
        assert (effect.size, effect.p) == (0.0, 1.0)
    assert correlation("Toy", "says", [(1, 5), (2, 5), (3, 4)]).size < 0


def test_two_groups_are_seen_without_the_cause_and_with_it() -> None:
    """Their means, or their shares of hits, whose difference is the size."""
    means = difference("Toy", "says", "hours", [(1, 3.0), (1, 5.0), (0, 0.0), (0, 1.0)])
    assert means.seen == ((0.0, 0.5), (1.0, 4.0))
    hits = shares("Toy", "says", [(1, 1), (1, 1), (0, 1), (0, 0)])
    assert hits.seen == ((0.0, 0.5), (1.0, 1.0))


def test_a_correlation_is_seen_as_a_curve_of_fifths() -> None:
    """From the least of the cause to the most, the means of both columns in parts of equal size."""
    rows = [(number, number * 10) for number in (9, 8, 7, 6, 5, 4, 3, 2, 1, 0)]
    curve = correlation("Toy", "says", rows).seen
    assert curve == ((0.5, 5.0), (2.5, 25.0), (4.5, 45.0), (6.5, 65.0), (8.5, 85.0))


def test_equal_causes_stay_together_in_a_curve() -> None:
    """A cause of two values has two points, however many rows have each."""
    rows = [(0, 1.0)] * 7 + [(1, 3.0)] * 3
    assert correlation("Toy", "says", rows).seen == ((0.0, 1.0), (1.0, 3.0))


def test_where_nothing_is_measured_nothing_is_seen() -> None:
    """Too few rows have no curve."""
    assert correlation("Toy", "says", [(1, 1), (2, 2)]).seen == ()
    assert shares("Toy", "says", [(1, 1)]).seen == ()
