"""Names counted over a stretch of a list: as often as they stand there, each pair once, or only
where something holds; and the means of their numbers.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orgweave.benchmark.tally import mean_tally_of, places_before, tally_of

pytestmark = pytest.mark.quick
STEPS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), max_size=12)
PLACES = st.integers(0, 12)


@given(STEPS, PLACES, PLACES)
def test_a_stretch_is_counted_as_if_it_stood_alone(
    steps: list[tuple[str, str]], first: int, last: int
) -> None:
    """Between two places each name is counted as often as it stands there, each pair once."""
    begin, end = sorted((first, last))
    stretch = steps[begin:end]
    tally = tally_of(name for name, _ in steps)
    names = [name for name, _ in stretch]
    assert tally.counted(begin, end) == {name: names.count(name) for name in names}
    once = [name for name, _ in set(stretch)]
    found = tally.counted_once(places_before(steps), begin, end)
    assert found == {name: once.count(name) for name in once}


def test_what_does_not_hold_is_not_counted() -> None:
    """Of three assignments, the second a transfer, two are counted."""
    holds = np.array([True, False, True])
    assert tally_of(["ann", "bo", "bo"]).counted_where(holds, 0, 3) == {"ann": 1, "bo": 1}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 99), st.booleans())), PLACES, PLACES)
def test_means_of_a_stretch_are_those_of_what_counts_in_it(
    steps: list[tuple[str, float, bool]], first: int, last: int
) -> None:
    """Each name has the mean of its own numbers that count, where so many do at least: one, where
    nobody says how many.
    """
    begin, end = sorted((first, last))
    own: dict[str, list[float]] = {}
    for name, number, counts in steps[begin:end]:
        if counts:
            own.setdefault(name, []).append(number)
    every = {name: sum(some) / len(some) for name, some in own.items()}
    wanted = {name: mean for name, mean in every.items() if len(own[name]) > 1}
    tally = mean_tally_of(steps)
    assert tally.means(begin, end, 2) == pytest.approx(wanted)
    assert tally.means(begin, end) == tally.means(begin, end, 0) == pytest.approx(every)
