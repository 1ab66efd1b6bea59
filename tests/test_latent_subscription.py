"""Subscription: contracts, their renewals, changes and ends."""

import numpy as np
import pytest

from latent.holding_draws import last_cases
from latent.registry import LATENT
from latent.subscription_draws import OpenContracts, ended_terms
from pipeline.world.streams import stream
from pipeline.world.tables import NONE
from schemas.terms import Renewal
from tests.latent_orgs import drawn
from tests.trade_orgs import drawn_company

COMPANIES = ("saas", "utility")


@pytest.mark.parametrize("company", COMPANIES)
def test_each_line_that_is_no_draft_is_a_contract(company: str) -> None:
    """A contract a line, with the line's quantity as its first seats."""
    org = drawn_company(company)
    items, orders = org.table("ShoppingHabit.items"), org.table("ShoppingHabit.orders")
    contracts = org.table("Subscription.contracts")
    draft = orders["status"][items["order"]] == "Draft"
    assert list(contracts["item"]) == list(np.flatnonzero(~draft))
    assert (contracts["seats"] == items["quantity"][contracts["item"]]).all()


@pytest.mark.parametrize("company", COMPANIES)
def test_running_contracts_reach_beyond_the_period_and_others_ended_in_it(company: str) -> None:
    """Who renews has a term that isn't over; who doesn't has a last day within the period."""
    org = drawn_company(company)
    contracts, today = org.table("Subscription.contracts"), org.setting.last_day
    running = contracts["status"] == "Activated"
    assert (contracts["end"][running] >= today).all()
    assert (contracts["end"][~running] < today).all()
    assert (np.isnat(contracts["cancelled"]) == running).all()


@pytest.mark.parametrize("company", COMPANIES)
def test_each_change_begins_where_the_one_before_ended(company: str) -> None:
    """Seats and values chain, from a start with nothing before it; changes stand day by day."""
    drawn = drawn_company(company).table("Subscription.changes")
    assert (np.diff(drawn["day"]) >= np.timedelta64(0, "D")).all()
    by_contract = np.argsort(drawn["contract"], kind="stable")
    changes = {name: values[by_contract] for name, values in drawn.columns.items()}
    contract = changes["contract"]
    first = np.diff(contract, prepend=NONE) != 0
    assert (changes["kind"][first] == "Start").all()
    assert (changes["kind"][~first] != "Start").all()
    follows = np.flatnonzero(~first)
    assert (changes["seats_before"][follows] == changes["seats_after"][follows - 1]).all()
    assert (changes["value_before"][follows] == changes["value_after"][follows - 1]).all()
    assert (changes["day"][follows] >= changes["day"][follows - 1]).all()


@pytest.mark.parametrize("company", COMPANIES)
def test_no_contract_ends_before_its_last_case(company: str) -> None:
    """Who writes about a contract has one."""
    org = drawn_company(company)
    contracts = org.table("Subscription.contracts")
    last = last_cases(org)[contracts["item"]]
    known = ~np.isnat(last)
    assert (contracts["end"][known] >= last[known]).all()


def test_a_shop_sells_no_subscriptions() -> None:
    """In another kind of trade there are neither contracts nor changes."""
    org = drawn(0)
    made = {table.name: table for table in LATENT["Subscription"].draw(org)}
    assert made["Subscription.contracts"].size == 0
    assert made["Subscription.changes"].size == 0


def test_meters_are_read_at_the_start_every_quarter_and_at_the_end() -> None:
    """Only contracts with a meter are read; what a meter shows goes up by what is used a year."""
    org = drawn_company("utility")
    contracts, readings = org.table("Subscription.contracts"), org.table("Subscription.readings")
    metered = np.flatnonzero(contracts["metered"].astype(bool))
    assert 0.5 < len(metered) / contracts.size < 0.9
    assert set(readings["contract"]) == set(metered)
    by_contract = np.argsort(readings["contract"], kind="stable")
    contract, day = readings["contract"][by_contract], readings["day"][by_contract]
    first = np.diff(contract, prepend=-1) != 0
    assert (day[first] == contracts["start"][contract[first]]).all()
    apart = np.diff(day.astype(int))[~first[1:]]
    assert apart.min() >= 1 and 88 < np.median(apart) <= 92 and apart.max() <= 92
    used = np.diff(readings["reading"][by_contract])[~first[1:]]
    assert (used >= 0).all()
    expected = contracts["volume"][contract[1:][~first[1:]]].astype(float) * apart / 365.25
    assert used.sum() == pytest.approx(expected.sum(), rel=0.1)
    ended = ~np.isnat(contracts["cancelled"].astype("datetime64[D]"))
    last = np.append(first[1:], True)
    gone = last & ended[contract]
    assert (day[gone] == contracts["cancelled"][contract[gone]].astype("datetime64[D]")).all()


def test_crews_read_meters_on_working_days_and_meters_send_by_night() -> None:
    """Readings are recorded in order of time, each at an hour at which it could be made."""
    org = drawn_company("utility")
    readings = org.table("Subscription.readings")
    moment = readings["at"].astype("datetime64[s]")
    assert (np.diff(moment) >= np.timedelta64(0, "s")).all()
    assert (moment >= readings["day"].astype("datetime64[s]")).all()
    closed = org.table("ClosedDays.days")["day"].astype("datetime64[D]")
    by_crew = readings["kind"] == "Crew"
    assert by_crew.any()
    assert np.is_busday(readings["day"][by_crew].astype("datetime64[D]"), holidays=closed).all()
    sent = moment[readings["kind"] == "Remote"]
    hour = (sent - sent.astype("datetime64[D]")).astype("timedelta64[h]").astype(int)
    assert ((hour >= 6) & (hour < 8)).mean() > 0.9


def test_gas_is_used_in_winter() -> None:
    """What a plan's months say is what its meters show."""
    org = drawn_company("utility")
    contracts, readings = org.table("Subscription.contracts"), org.table("Subscription.readings")
    products = org.table("Assortment.products")
    of_gas = products["category_key"][contracts["product"]] == "natural_gas"
    order = np.argsort(readings["contract"], kind="stable")
    contract, day = readings["contract"][order], readings["day"][order]
    same = (np.diff(contract) == 0) & of_gas[contract[1:]]
    days = np.diff(day).astype(int)[same]
    used = np.diff(readings["reading"][order])[same]
    month = day[1:][same].astype("datetime64[M]").astype(int) % 12 + 1
    winter, summer = np.isin(month, (2, 3, 4)), np.isin(month, (8, 9, 10))
    assert used[winter].sum() / days[winter].sum() > 2 * used[summer].sum() / days[summer].sum()


@pytest.mark.parametrize("company", COMPANIES)
def test_changes_are_recorded_behind_their_contract_and_touch_it(company: str) -> None:
    """No change comes before the order was placed, and the last one is the contract's."""
    org = drawn_company(company)
    contracts, changes = org.table("Subscription.contracts"), org.table("Subscription.changes")
    order = org.table("ShoppingHabit.items")["order"][contracts["item"]]
    placed = org.table("ShoppingHabit.orders")["placed"][order].astype("datetime64[s]")
    assert (changes["at"] >= placed[changes["contract"]]).all()
    assert (changes["at"].astype("datetime64[D]") >= changes["day"]).all()
    latest = np.full(contracts.size, np.datetime64("1970-01-01", "s"))
    np.maximum.at(latest, changes["contract"], changes["at"])
    assert (contracts["touched"] == latest).all()


def test_nobody_is_gone_within_two_weeks_of_a_complaint() -> None:
    """Where no contract is renewed, those go on whose last case is younger than two weeks at their
    end, or comes later; from the 14th day on, and without a case, they end on their last day.
    """
    end, never = np.datetime64("2022-03-31"), np.datetime64("NaT")
    days = [end - np.timedelta64(ago, "D") for ago in (30, 14, 13, 0, -5)]
    last_case = np.array([never, *days], "datetime64[D]")
    size = len(last_case)
    now = OpenContracts(
        start=np.full(size, np.datetime64("2022-01-01")),
        end=np.full(size, end),
        seats=np.full(size, 3),
        value=np.full(size, 100.0),
        renewals=np.zeros(size, dtype=np.int64),
        ended=np.zeros(size, dtype=bool),
        decimals=2,
    )
    renewal = Renewal(renewed=0.0, uplift=(10, 10))
    rows, months, even = np.arange(size), np.full(size, 3), np.zeros(size)
    step = ended_terms(stream(1, "toy"), renewal, now, rows, months, even, last_case)
    stay = np.array([False, False, False, True, True, True])
    assert (step.kind == np.where(stay, "Renewal", "Cancellation")).all()
    assert (now.ended == ~stay).all() and (now.renewals == stay).all()
    april, june = np.datetime64("2022-04-01"), np.datetime64("2022-06-30")
    assert (step.day == np.where(stay, april, end)).all()
    assert (now.end == np.where(stay, june, end)).all()
    assert (step.seats_after == np.where(stay, 3, 0)).all()
    assert (step.value_after == np.where(stay, 110.0, 0.0)).all()
    assert (now.value == np.where(stay, 110.0, 100.0)).all()
