"""Prices stand on the points that shops use, or just below them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.price_ladder import LOWEST_PRICE, asked, reduced, round_prices, stepped
from pipeline.world.streams import stream
from schemas.selling import Prices, Rung

pytestmark = pytest.mark.quick

LADDER = (
    Rung(up_to=50, every=1, favored=5),
    Rung(up_to=200, every=5, favored=20),
    Rung(up_to=1000, every=10, favored=100),
)
PRICES = Prices(ladder=LADDER, under={0.05: 1}, steps=0.1)
AMOUNTS = st.lists(st.floats(0.1, 5000), min_size=1, max_size=20)


def rung_of(price: float) -> Rung:
    """The rung that a price stands on; the last one above all."""
    return next((rung for rung in LADDER if price <= rung.up_to), LADDER[-1])


@given(wanted=AMOUNTS)
def test_round_prices_are_points_of_the_ladder(wanted: list[float]) -> None:
    """Each is a multiple of its rung's step, never nothing, and near to what is wanted."""
    found = round_prices(stream(1, "prices"), PRICES, np.array(wanted))
    for amount, price in zip(wanted, found.tolist(), strict=True):
        rung = rung_of(amount)
        assert price % rung.every == 0
        assert price >= rung.every
        assert abs(price - amount) <= max(rung.favored / 2, rung.every)


def test_two_of_three_round_prices_are_favored() -> None:
    """Of many prices that are wanted off the favored points, two thirds are drawn to one."""
    wanted = np.full(4000, 112.0)
    found = round_prices(stream(1, "prices"), PRICES, wanted)
    assert set(found.tolist()) == {110.0, 120.0}
    assert 0.6 < (found == 120.0).mean() < 0.7


def test_what_is_cheaper_than_the_favored_points_keeps_to_the_finer_ones() -> None:
    """Nothing for two dollars becomes one for five."""
    found = round_prices(stream(1, "prices"), PRICES, np.full(200, 2.0))
    assert set(found.tolist()) == {2.0}


@given(
    price=st.sampled_from([10.0, 40.0, 60.0, 150.0, 400.0, 990.0]),
    change=st.floats(0.001, 0.5),
    rises=st.booleans(),
)
def test_a_changed_price_moves_by_a_point_at_least(
    price: float,
    change: float,
    rises: bool,
) -> None:
    """It goes the way of its change, however small that is, and stays on the ladder."""
    share = change if rises else -change
    (moved,) = stepped(PRICES, np.array([price]), np.array([share])).tolist()
    assert moved % rung_of(price).every == 0
    assert moved > price if rises else moved < price


def test_a_price_never_falls_off_the_ladder() -> None:
    """The cheapest point stays where it is, and no price becomes nothing."""
    assert stepped(PRICES, np.array([1.0]), np.array([-0.9])).tolist() == [1.0]


def test_what_is_asked_lies_just_below_the_round_price() -> None:
    """80 less five cents is 79.95, in whole cents."""
    assert asked(np.array([80.0, 20.0]), np.array([0.05, 0.01])).tolist() == [79.95, 19.99]


def test_nothing_is_given_away() -> None:
    """What would cost less than the lowest price costs that."""
    assert asked(np.array([0.5]), np.array([0.05])).tolist() == [LOWEST_PRICE]


def test_a_discount_leads_to_a_whole_price_less_the_usual_cents() -> None:
    """79.95 less a fifth is 63.95, not 63.96."""
    listed, under = np.array([79.95]), np.array([0.05])
    assert reduced(listed, under, np.array([0.2])).tolist() == [63.95]


def test_without_a_discount_the_list_price_stands() -> None:
    """Also one that is no whole price less the usual cents."""
    assert reduced(np.array([12.34]), np.array([0.05]), np.array([0.0])).tolist() == [12.34]


@given(listed=st.floats(1, 5000), discount=st.floats(0, 0.9))
def test_a_reduced_price_is_never_above_the_list(listed: float, discount: float) -> None:
    """However it is rounded, a sale makes nothing dearer."""
    price = reduced(np.array([listed]), np.array([0.01]), np.array([discount]))
    assert price[0] <= listed


def test_small_units_of_money_have_larger_whole_prices() -> None:
    """In yen a reduced price is a whole hundred, less what it is sold under."""
    found = reduced(np.array([7980.0]), np.array([20.0]), np.array([0.2]), whole=100.0)
    assert found.tolist() == [6380.0]
