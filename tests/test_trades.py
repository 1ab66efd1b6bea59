"""Trades: what ships, and how a world lays its own figures over one."""

from pathlib import Path

import pytest

from schemas.errors import SchemaError
from schemas.lexicon import load_lexicon
from schemas.profile import lexicons_folder
from schemas.trade import load_trade, trade_of, trades_folder


@pytest.mark.parametrize("name", sorted(path.stem for path in trades_folder().glob("*.yaml")))
def test_every_trade_that_ships_reads(name: str) -> None:
    """A trade's file holds all that the model asks for."""
    assert load_trade(name).channels


def test_a_world_lays_its_figures_over_a_trade(tmp_path: Path) -> None:
    """What a world states goes before the trade it is like; the rest is the trade's."""
    (tmp_path / "world.yaml").write_text(
        "trade: {like: accounts, channels: [{name: Kiosk, weight: 1}]}"
    )
    trade = load_lexicon(tmp_path, lexicons_folder() / "base").world.trade
    assert trade.kind == "accounts"
    assert [channel.name for channel in trade.channels] == ["Kiosk"]


def test_what_a_world_says_is_null_is_left_out(tmp_path: Path) -> None:
    """Of a trade's list of weights a company takes what it has."""
    (tmp_path / "world.yaml").write_text(
        "trade: {like: subscriptions, buying: {sources: {Online: {Free Trial: null}}}}"
    )
    buying = load_lexicon(tmp_path, lexicons_folder() / "base").world.trade.buying
    usual = set(load_trade("subscriptions").buying.sources["Online"])
    assert set(buying.sources["Online"]) == usual - {"Free Trial"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "trade: barter",
            "there is no trade 'barter'; use one of accounts, goods, services, subscriptions",
        ),
        ("trade: 7", "a trade must be a name, or a mapping"),
        ("trade: {like: [goods]}", "trade.like: must be the name"),
        ("trade: {channels: [{name: A, weight: 1}, {name: A, weight: 2}]}", "same name"),
        ("trade: {contact: {silence: [9, 4]}}", "has 9.0 as the fewest days and 4.0 as the most"),
    ],
)
def test_a_wrong_trade_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    """An unknown or misshapen trade is refused with its place."""
    (tmp_path / "world.yaml").write_text(text)
    with pytest.raises(SchemaError, match=told):
        load_lexicon(tmp_path, lexicons_folder() / "base")


def test_a_desk_names_every_kind_of_issue(tmp_path: Path) -> None:
    """A world may rename some kinds of cases; it can't leave one without a name."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "world.yaml").write_text("trade: {like: goods, desk: {types: {delivery: Visit}}}")
    desk = load_lexicon(folder, lexicons_folder() / "base").world.trade.desk
    assert desk.types["delivery"] == "Visit"
    assert desk.types["billing"] == "Billing"
    (folder / "world.yaml").write_text("trade: {like: goods, desk: {reasons: {billing: ''}}}")
    with pytest.raises(SchemaError, match="has no name for billing"):
        load_lexicon(folder, lexicons_folder() / "base")


def test_an_issue_fits_known_categories(tmp_path: Path) -> None:
    """An issue that fits a category which isn't sold is refused."""
    (tmp_path / "world.yaml").write_text(
        "issues: [{key: a, name: A, description: D, kind: billing, options: [b], topics: [t],"
        " fits: [boats]}]\noptions: [{key: b, name: B, phrase: a b, days: [30]}]"
    )
    with pytest.raises(SchemaError, match=r"issue a fits unknown categories \['boats'\]"):
        load_lexicon(tmp_path, lexicons_folder() / "base")


def test_an_unknown_trade_is_told_with_the_known_ones() -> None:
    """The line begins with the place, says it once, and lists what there is."""
    with pytest.raises(SchemaError) as told:
        trade_of("hotel", "toys.yaml: trade")
    assert str(told.value) == (
        "toys.yaml: trade: there is no trade 'hotel'; use one of accounts, goods, services,"
        " subscriptions"
    )
