"""Shared draws: totals met, counts exact, weights obeyed, moments within their hours."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.draws import clock, exactly, exactly_within, labels, pick, split
from pipeline.world.streams import stream

rows = st.lists(
    st.tuples(st.floats(0.01, 100), st.integers(0, 4), st.integers(0, 6)),
    min_size=1,
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(rows=rows, share=st.floats(0, 1), seed=st.integers(0, 2**32))
def test_split_meets_the_total_within_its_bounds(
    rows: list[tuple[float, int, int]],
    share: float,
    seed: int,
) -> None:
    """A total that the bounds allow is met exactly, each part within its own bounds."""
    weights, low = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    high = low + np.array([row[2] for row in rows])
    total = int(low.sum() + round(share * int((high - low).sum())))
    parts = split(stream(seed, "split"), weights, total, low, high)
    assert parts.sum() == total
    assert (low <= parts).all() and (parts <= high).all()


@settings(max_examples=60, deadline=None)
@given(
    weights=st.lists(st.one_of(st.just(0.0), st.floats(0.01, 100)), min_size=1, max_size=40),
    share=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
def test_exactly_chooses_distinct_rows_and_weightless_ones_last(
    weights: list[float],
    share: float,
    seed: int,
) -> None:
    """So many different rows in rising order;
    rows without weight only where all others are taken.
    """
    count = round(share * len(weights))
    chosen = exactly(stream(seed, "exactly"), np.array(weights), count)
    assert len(chosen) == count and (np.diff(chosen) > 0).all()
    assert sum(weights[at] == 0 for at in chosen) == max(
        count - sum(weight > 0 for weight in weights), 0
    )


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(st.sampled_from([0.0, 0.5, 9.0]), st.integers(0, 3)), min_size=1),
    room=st.lists(st.integers(-1, 5), min_size=4, max_size=4),
    share=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
def test_a_group_gives_more_rows_than_it_has_room_for_only_where_no_others_are_left(
    rows: list[tuple[float, int]],
    room: list[int],
    share: float,
    seed: int,
) -> None:
    """As many distinct rows as asked for; without a need for more, none beyond a group's room."""
    weights = np.array([weight for weight, _ in rows])
    group = np.array([row_group for _, row_group in rows])
    count = round(share * len(rows))
    chosen = exactly_within(stream(seed, "within"), weights, count, group, np.array(room))
    assert len(chosen) == count and (np.diff(chosen) > 0).all()
    weighty = np.bincount(group[weights > 0], minlength=4)
    fit = int(np.minimum(weighty, np.maximum(room, 0)).sum())
    taken = np.bincount(group[chosen], minlength=4)
    assert np.maximum(taken - np.maximum(room, 0), 0).sum() <= max(count - fit, 0)
    assert (weights[chosen] == 0).sum() == max(count - weighty.sum(), 0)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.lists(st.sampled_from([0.0, 0.5, 1.0, 7.0]), min_size=4, max_size=4).filter(any),
        min_size=1,
        max_size=20,
    ),
    seed=st.integers(0, 2**32),
)
def test_pick_takes_a_column_that_has_weight(rows: list[list[float]], seed: int) -> None:
    """One column a row, never one without weight."""
    chosen = pick(stream(seed, "pick"), np.array(rows))
    assert len(chosen) == len(rows)
    assert all(row[at] > 0 for row, at in zip(rows, chosen, strict=True))


def test_likelier_rows_are_chosen_more_often() -> None:
    """A row of ten times the weight is chosen far more often."""
    weights = np.array([10.0] * 10 + [1.0] * 90)
    heavy = [int((exactly(stream(seed, "likely"), weights, 10) < 10).sum()) for seed in range(200)]
    assert 3.5 < np.mean(heavy) < 7


def test_one_row_of_weight_is_always_the_one_chosen() -> None:
    """The only row that has weight is chosen, be it the first or the last."""
    for place in (0, 4):
        weights = np.zeros(5)
        weights[place] = 0.001
        assert exactly(stream(1, "only"), weights, 1).tolist() == [place]


def test_what_no_bound_allows_is_left_out() -> None:
    """A total that the upper bounds don't allow fills them all and ends."""
    assert split(stream(1, "full"), np.ones(3), 100, 0, 2).tolist() == [2, 2, 2]


def test_a_total_below_the_lower_bounds_gives_the_lower_bounds() -> None:
    """No part falls below its bound, even where the total is less than their sum."""
    assert split(stream(1, "low"), np.ones(3), 2, 1).tolist() == [1, 1, 1]


def test_labels_come_by_their_shares() -> None:
    """Shares need not sum to one; a label of three times the share comes three times as often."""
    found = labels(stream(1, "labels"), {"often": 3.0, "rarely": 1.0}, 4000)
    assert 0.72 < np.mean(found == "often") < 0.78


@pytest.mark.parametrize(("start", "end"), [(7, 22), (6.5, 22.5)])
def test_moments_fill_their_hours_and_leave_none_of_the_day(start: float, end: float) -> None:
    """Moments lie on their day within the hours, come near both ends, and gather in the middle."""
    days = np.repeat(np.datetime64("2022-02-28", "D"), 20_000)
    moments = clock(stream(1, "clock"), days, start, end)
    assert (moments.astype("datetime64[D]") == days).all()
    hours = (moments - days.astype("datetime64[s]")).astype(float) / 3600
    assert start <= hours.min() < start + 0.4
    assert end - 0.4 < hours.max() <= end
    assert abs(np.median(hours) - (start + end) / 2) < 0.6
