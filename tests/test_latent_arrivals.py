"""How customers are won and kept: expected orders, and the mix that places as many as asked for."""

import numpy as np
import pytest

from latent.arrivals import expected_orders, mixed
from latent.draws import only
from pipeline.world.tables import Array
from schemas.buying import Segment
from schemas.lexicon import load_lexicon
from schemas.profile import lexicons_folder
from schemas.trade import load_trade, trades_folder

SEGMENTS = (
    Segment(name="few", share=9, yearly=1, dropout=0.8, basket=1),
    Segment(name="many", share=1, yearly=20, dropout=0.02, basket=3, surplus=1),
)


def matrices(years: float) -> tuple[Array, Array, Array]:
    """Both likelihoods and the expected orders of a hundred customers who stay so long."""
    shares = np.tile([segment.share for segment in SEGMENTS], (100, 1)).astype(float)
    surplus = np.tile([segment.surplus for segment in SEGMENTS], (100, 1))
    times = np.full(100, years)
    expected = np.stack([expected_orders(segment, times) for segment in SEGMENTS], axis=1)
    return shares, surplus, expected


def test_who_drops_out_at_once_orders_once() -> None:
    """The first order is always placed; the others end with the dropout's geometric series."""
    once = Segment(name="once", share=1, yearly=5, dropout=1, basket=1)
    assert expected_orders(once, np.array([0.0, 10.0])).tolist() == [1, 1]
    long = expected_orders(SEGMENTS[0], np.array([1000.0]))
    assert long[0] == pytest.approx(1 / 0.8)


@pytest.mark.parametrize("mean", [1.0, 3.0, 8.0, 20.0])
def test_the_mix_places_as_many_orders_as_asked_for(mean: float) -> None:
    """The usual mix where it places enough; else as many are replaced as it takes."""
    usual, surplus, expected = matrices(2)
    chances = mixed(usual, surplus, expected, mean)
    assert chances.sum(axis=1) == pytest.approx(1)
    placed = (chances * expected).sum(axis=1).mean()
    plain = (usual / 10 * expected).sum(axis=1).mean()
    assert placed == pytest.approx(max(mean, plain))


def test_more_than_anybody_would_place_makes_all_heavy() -> None:
    """Then all customers are of the segments of whom such a business has more."""
    chances = mixed(*matrices(2), mean=1000.0)
    assert chances[0].tolist() == [0, 1]


def test_without_a_surplus_the_usual_mix_stays() -> None:
    """A trade may name no segment of whom there are more."""
    usual, surplus, expected = matrices(2)
    chances = mixed(usual, 0 * surplus, expected, 50.0)
    assert chances[0] == pytest.approx([0.9, 0.1])


@pytest.mark.parametrize("name", sorted(path.stem for path in trades_folder().glob("*.yaml")))
def test_a_trade_that_ships_knows_its_channels(name: str) -> None:
    """What it says of visits and sources is said of a channel that it has."""
    trade = load_trade(name)
    channels = {channel.name for channel in trade.channels}
    assert set(trade.buying.visits) <= channels and set(trade.buying.sources) <= channels
    assert len({segment.name for segment in trade.buying.segments}) > 2


def test_a_world_that_says_nothing_of_buying_has_the_usual_customers() -> None:
    """The figures of buying all have values of their own."""
    trade = load_lexicon(lexicons_folder() / "generic", lexicons_folder() / "base").world.trade
    assert trade.buying.segments and 0 < trade.buying.same_day < 1


def test_what_is_not_known_is_none() -> None:
    """The others keep their values, whatever type these have."""
    assert only(np.array([True, False]), np.array([7, 8])).tolist() == [7, None]
