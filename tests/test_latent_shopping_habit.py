"""Shopping: when customers come and order, by which channel and book, and what is in an order."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.draws import repeats
from latent.household import Household
from latent.shopping_habit import ShoppingHabit
from latent.territory import near_to, place_weights
from latent.wearer import Wearer
from pipeline.config import RunRequest, load_job
from pipeline.world.org import Org, RunContext
from pipeline.world.tables import NONE, Table
from schemas.country import load_country
from tests.latent_orgs import SEEDS, drawn, part_of, setting_with
from tests.trade_orgs import drawn_company

AMERICA = load_country("en_US")

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=30)


def bought(org: Org) -> tuple[Table, Table, Table]:
    """Customers, orders and items that are drawn from an org's tables."""
    customers, orders, _, items = ShoppingHabit().draw(org)
    return customers, orders, items


def peopled(setting: RunContext, *replaced: Table) -> Org:
    """The org of seed 1 with other counts, its households drawn to them."""
    org = part_of(drawn(1), *replaced, setting=setting)
    org.add(*Household().draw(org))
    org.add(*Wearer().draw(org))
    return org


@pytest.fixture(scope="module")
def many() -> tuple[Table, Table, Table]:
    """Six thousand customers with 24,000 orders: four a customer."""
    return bought(peopled(setting_with(Account=6_000, Order=24_000, OrderItem=36_000)))


@pytest.fixture(scope="module")
def usual() -> tuple[Table, Table, Table]:
    """Eight thousand customers with 14,400 orders of 1.4 lines, as shops have them."""
    return bought(peopled(setting_with(Account=8_000, Order=14_400, OrderItem=20_200)))


def orders_of(customers: Table, orders: Table) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How many orders each customer has."""
    return np.bincount(orders["account"], minlength=customers.size)


def test_most_customers_of_a_shop_buy_once(usual: tuple[Table, Table, Table]) -> None:
    """Of a shop's customers two thirds to four fifths order once, and a fifth places the half."""
    number = orders_of(*usual[:2])
    assert 0.66 < (number == 1).mean() < 0.8
    largest = np.sort(number)[::-1]
    assert 0.4 < largest[: len(number) // 5].sum() / number.sum() < 0.65


def test_a_basket_of_a_shop_has_one_line_or_two(usual: tuple[Table, Table, Table]) -> None:
    """Three of four orders have one line, and hardly any more than six."""
    lines = usual[1]["lines"]
    assert 0.68 < (lines == 1).mean() < 0.85
    assert (lines > 6).mean() < 0.02


@pytest.mark.slow
def test_more_orders_a_customer_are_placed_by_few() -> None:
    """With ten orders a customer the half has hardly any, and all have not become regulars."""
    setting = setting_with(Account=2_000, Order=21_000, OrderItem=72_000)
    customers, orders, _ = bought(peopled(setting))
    number = orders_of(customers, orders)
    assert np.median(number) <= 4 and number.max() > 60
    bulk = np.isin(customers["segment"][orders["account"]].astype(str), ["club", "reseller"])
    assert orders["lines"][bulk].mean() > 2 * orders["lines"][~bulk].mean()


def test_cohorts_shrink(usual: tuple[Table, Table, Table]) -> None:
    """Of who first ordered in year one, a sixth to two fifths are there in the third year."""
    customers, orders, _ = usual
    year = orders["day"].astype("datetime64[Y]").astype(int)
    first = customers["first"].astype("datetime64[Y]").astype(int)
    cohort = set(np.flatnonzero(first == first.min()).tolist())
    in_third = set(orders["account"][year == first.min() + 2].tolist())
    assert 1 / 6 < len(cohort & in_third) / len(cohort) < 2 / 5


def test_new_customers_come_every_month_and_more_each_year(
    usual: tuple[Table, Table, Table],
) -> None:
    """Leaving out the imported, each year wins more customers than the one before."""
    customers, _, _ = usual
    came = customers["since"][~customers["imported"]]
    months = came.astype("datetime64[M]")
    assert len(np.unique(months)) == 48
    _, number = np.unique(came.astype("datetime64[Y]"), return_counts=True)
    assert (np.diff(number) > 0).all()


def test_imported_customers_were_written_in_one_run(usual: tuple[Table, Table, Table]) -> None:
    """Three of twenty, on the period's first day, in batches of two hundred: in that night the CRM
    went live.
    """
    customers, _, _ = usual
    imported = customers["imported"]
    assert imported.mean() == 0.15
    moments, number = np.unique(customers["since"][imported], return_counts=True)
    assert (number[:-1] == 200).all()
    assert moments[-1] - moments[0] < np.timedelta64(1, "m")
    assert moments[0].astype("datetime64[D]") == drawn(1).setting.first_day


def test_customers_register_with_their_first_order(usual: tuple[Table, Table, Table]) -> None:
    """Nobody orders before registering; of the others than the imported most do both in a day."""
    customers, orders, _ = usual
    day = np.full(customers.size, np.datetime64("2100-01-01"))
    np.minimum.at(day, orders["account"], orders["day"])
    assert np.array_equal(day, customers["first"])
    lag = (day - customers["since"].astype("datetime64[D]")).astype(int)
    assert lag.min() == 0
    assert 0.82 < (lag[~customers["imported"]] == 0).mean() < 0.93


def test_gaps_between_orders_have_a_hump_and_a_long_tail(many: tuple[Table, Table, Table]) -> None:
    """Hardly any two orders of a customer are on one day; a gap of years happens."""
    orders = many[1]
    order = np.lexsort((orders["day"], orders["account"]))
    account, day = orders["account"][order], orders["day"][order]
    gap = np.diff(day).astype(int)[np.diff(account) == 0]
    assert (gap == 0).mean() < 0.02
    assert gap.std() > gap.mean() and gap.max() > 500


def test_orders_come_by_the_customers_channel(many: tuple[Table, Table, Table]) -> None:
    """The first one always, the others in at least four of five cases."""
    customers, orders, _ = many
    own = orders["channel"] == customers["channel"][orders["account"]]
    first = orders["day"] == customers["first"][orders["account"]]
    assert own[first].mean() > 0.98
    assert 0.85 < own.mean() < 0.97


def test_each_channel_has_its_weekdays(many: tuple[Table, Table, Table]) -> None:
    """Shops are fullest on Saturday, the web at the turn of the week; nobody phones on Sunday."""
    orders = many[1]
    weekday = (orders["day"].astype(int) + 3) % 7
    number = {}
    for channel in ("Online", "Store", "Phone"):
        number[channel] = np.bincount(weekday[orders["channel"] == channel], minlength=7)
    assert number["Store"].argmax() == 5
    assert set(number["Online"].argsort()[-2:]) == {0, 6}
    assert number["Phone"][6] < 0.02 * number["Phone"].sum()


def test_shops_are_closed_on_holidays(many: tuple[Table, Table, Table]) -> None:
    """On the days on which nobody works people order on the web only."""
    orders, org = many[1], drawn(1)
    closed = org.table("ClosedDays.days")["day"]
    on_them = np.isin(orders["day"], closed[closed > org.setting.first_day])
    assert on_them.any()
    assert set(orders["channel"][on_them]) == {"Online"}


def test_people_go_to_a_shop_nearby(many: tuple[Table, Table, Table]) -> None:
    """A shop is in the customer's own state or next to it, mostly in their own; only orders at a
    counter have one.
    """
    orders, org = many[1], drawn(1)
    setting = setting_with(Account=6_000, Order=24_000, OrderItem=36_000)
    homes = peopled(setting).table("Household.customers")
    assert ((orders["site"] != NONE) == (orders["channel"] == "Store")).all()
    visits = orders["site"] != NONE
    shop = org.table("Workforce.sites")["state"][orders["site"][visits]]
    home = homes["state"][orders["account"][visits]]
    near = [there in near_to(AMERICA, here) for here, there in zip(home, shop, strict=True)]
    # Who has moved lived elsewhere on the day.
    assert np.mean(near) > 0.95
    assert np.mean(home == shop) > 0.55
    assert 0.1 < visits.mean() < 0.3


def test_a_territory_is_of_states_next_to_each_other() -> None:
    """A company of eight states has no customer outside; without one it has them in all."""
    for seed in SEEDS:
        setting = replace(load_job(RunRequest("utility")).setting, seed=seed)
        weights = place_weights(setting)
        states = {
            city.state for city, weight in zip(AMERICA.places, weights, strict=True) if weight
        }
        assert len(states) == 8
        for state in states:
            assert near_to(AMERICA, state) & (states - {state})
    assert (place_weights(drawn(1).setting) > 0).all()


def test_what_a_shop_sells_is_placed_in_its_hours(many: tuple[Table, Table, Table]) -> None:
    """On the clock of the customer, and on the order's day in UTC."""
    orders = many[1]
    assert np.array_equal(orders["placed"].astype("datetime64[D]"), orders["day"])
    in_shop = orders["placed"][orders["channel"] == "Store"]
    hour = (in_shop - in_shop.astype("datetime64[D]")).astype(int) // 3600
    # From ten in the east (14 or 15 UTC) to midnight in UTC.
    assert hour.min() >= 14 and np.median(hour) > 17


def test_drafts_are_a_third_of_the_last_ten_days(many: tuple[Table, Table, Table]) -> None:
    """No older order is a draft, about a third of the recent ones is."""
    orders, last = many[1], drawn(1).setting.last_day
    draft, recent = orders["status"] == "Draft", orders["day"] > last - 10
    assert not draft[~recent].any()
    assert 0.25 < draft[recent].mean() < 0.45


def test_holiday_shoppers_order_in_the_holidays(many: tuple[Table, Table, Table]) -> None:
    """When they come again it is in November and December in half of the cases, twice as often as
    steady buyers.
    """
    customers, orders, _ = many
    again = orders["day"] > customers["first"][orders["account"]]
    month = orders["day"].astype("datetime64[M]").astype(int) % 12 + 1
    rhythm = customers["rhythm"][orders["account"]]
    late = month >= 11
    holiday = late[again & (rhythm == "holiday_shopper")].mean()
    assert holiday > 0.4
    assert late[again & (rhythm == "steady_buyer")].mean() < holiday * 0.65


@settings(max_examples=300, deadline=None)
@given(pairs=PAIRS)
def test_a_repeat_is_a_value_that_its_group_already_has(pairs: list[tuple[int, int]]) -> None:
    """The first row of a product in an order is none, each further one is."""
    order = np.array([pair[0] for pair in pairs], dtype=np.int64)
    product = np.array([pair[1] for pair in pairs], dtype=np.int64)
    wanted = [row for row, pair in enumerate(pairs) if pair in pairs[:row]]
    assert repeats(order, product).tolist() == wanted


@pytest.mark.parametrize("seed", SEEDS)
def test_an_order_follows_its_customer_and_its_book_holds_that_day(seed: int) -> None:
    """Nobody orders before they came or after the period; the book is valid on the order's day."""
    org = drawn(seed)
    orders, books = org.table("ShoppingHabit.orders"), org.table("Season.books")
    since = org.table("ShoppingHabit.customers")["since"][orders["account"]]
    assert (orders["day"] >= since.astype("datetime64[D]")).all()
    assert (orders["placed"] >= since).all()
    assert (orders["day"] <= org.setting.last_day).all()
    assert (orders["day"] >= books["start"][orders["book"]]).all()
    assert (orders["day"] <= books["end"][orders["book"]]).all()
    assert (orders["day"] == orders["placed"].astype("datetime64[D]")).all()
    assert (np.diff(orders["placed"]) >= np.timedelta64(0, "s")).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_an_orders_lines_are_numbered_different_and_add_up(seed: int) -> None:
    """Lines count from one, no product stands twice in an order, and the total is their sum."""
    org = drawn(seed)
    orders, items = org.table("ShoppingHabit.orders"), org.table("ShoppingHabit.items")
    pairs = set(zip(items["order"].tolist(), items["product"].tolist(), strict=True))
    assert len(pairs) == items.size
    products = org.table("Assortment.products").size
    prices = org.table("Pricing.entries")["price"]
    assert np.array_equal(items["entry"] // products, orders["book"][items["order"]])
    assert np.array_equal(items["entry"] % products, items["product"])
    assert np.array_equal(items["price"], prices[items["entry"]])
    assert np.allclose(items["amount"], items["price"] * items["quantity"])
    for order in range(orders.size):
        rows = np.flatnonzero(items["order"] == order)
        assert items["line"][rows].tolist() == list(range(1, len(rows) + 1))
        assert orders["lines"][order] == len(rows) <= 12
        assert round(items["amount"][rows].sum(), 2) == orders["total"][order]


@pytest.mark.parametrize("seed", SEEDS)
def test_an_order_goes_where_the_customer_lived_that_day(seed: int) -> None:
    """Bills go to the home of the day or the post office box; from a shop nothing is shipped."""
    org = drawn(seed)
    orders, parcels = org.table("ShoppingHabit.orders"), org.table("ShoppingHabit.addresses")
    people, homes = org.table("Household.customers"), org.table("Household.addresses")
    lived = set(zip(homes["account"].tolist(), homes["postal"], homes["street"], strict=True))
    for order, account in enumerate(orders["account"].tolist()):
        street = parcels["bill_street"][order]
        if people["box"][account]:
            assert street.startswith("PO Box ")
        else:
            assert (account, parcels["bill_postal"][order], street) in lived
    moved = people["moved"][orders["account"]]
    still = (orders["day"] < moved) & ~people["box"][orders["account"]]
    there = parcels["bill_street"] == people["street"][orders["account"]]
    assert still.any() and not there[still].any()
    shipped = orders["channel"] != "Store"
    assert ((parcels["ship_street"] == None) == ~shipped).all()  # noqa: E711 - elementwise


def test_sale_hunters_wait_for_promotions(many: tuple[Table, Table, Table]) -> None:
    """The keenest quarter orders from promotion books more often than the least keen one."""
    customers, orders, _ = many
    kinds = drawn(1).table("Season.books")["kind"][orders["book"]]
    hunting = customers["sale_hunter"][orders["account"]]
    low, high = np.quantile(hunting, [0.25, 0.75])
    promotion = kinds == "promotion"
    assert promotion[hunting > high].mean() > promotion[hunting < low].mean() * 1.15


def test_every_customer_orders_where_there_are_enough_orders() -> None:
    """As many orders as customers give each one; one order fewer needn't."""
    org = drawn(1)
    accounts = org.setting.counts["Account"]
    counts = {"Order": accounts, "OrderItem": accounts}
    _, orders, _ = bought(part_of(org, setting=setting_with(**counts)))
    assert sorted(orders["account"]) == list(range(accounts))
    counts = {"Order": accounts - 1, "OrderItem": accounts - 1}
    _, fewer, _ = bought(part_of(org, setting=setting_with(**counts)))
    assert len(set(fewer["account"])) == accounts - 1


def test_the_last_month_is_like_any_other(many: tuple[Table, Table, Table]) -> None:
    """The period is cut off anywhere: its last month grows by no more than the year before did."""
    month = many[1]["day"].astype("datetime64[M]")
    last = month.max()
    grown = (month == last).sum() / (month == last - 12).sum()
    this_year = ((month > last - 12) & (month < last)).sum()
    year_before = ((month > last - 24) & (month < last - 12)).sum()
    assert grown == pytest.approx(this_year / year_before, rel=0.15)


def test_a_sale_is_entered_by_who_makes_it(many: tuple[Table, Table, Table]) -> None:
    """At a counter by people of that shop, on the phone by the service people, on the web by the
    systems; all of them were there on the day.
    """
    orders, people = many[1], drawn(1).table("Workforce.people")
    sites = drawn(1).table("Workforce.sites")
    creator = orders["creator"]
    department = people["department"].astype(str)[creator]
    by_person = department != "IT"
    left = people["left"][creator]
    there = (people["joined"][creator] < orders["day"]) & (np.isnat(left) | (left >= orders["day"]))
    assert there[by_person].all()
    assert (department[orders["channel"] == "Online"] == "IT").all()
    assert (department[orders["channel"] == "Phone"] == "Customer Support").mean() > 0.95
    at_counter = by_person & (orders["site"] != NONE)
    assert at_counter.any() and (department[at_counter] == "Stores").all()
    own = people["city"][creator[at_counter]] == sites["city"][orders["site"][at_counter]]
    assert own.all()


def test_some_only_register_and_all_others_order() -> None:
    """As many as the trade says have no order; none of them was there before the CRM."""
    org = drawn_company("bank")
    customers = org.table("ShoppingHabit.customers")
    orders = np.bincount(org.table("ShoppingHabit.orders")["account"], minlength=customers.size)
    looks = orders == 0
    assert looks.sum() == round(customers.size * org.setting.world.trade.buying.prospects) > 0
    assert (customers["label"][looks] == "Prospect").all()
    assert not (customers["label"][~looks] == "Prospect").any()
    assert not customers["imported"][looks].any()


@pytest.mark.parametrize("company", ["shoes", "saas"])
def test_a_first_order_is_entered_behind_the_account_on_its_day(company: str) -> None:
    """A program takes seconds and a person minutes; never is it the account's own second."""
    org = drawn_company(company)
    customers, orders = org.table("ShoppingHabit.customers"), org.table("ShoppingHabit.orders")
    _, first = np.unique(orders["account"], return_index=True)
    since = customers["since"][orders["account"][first]].astype("datetime64[s]")
    waits = (orders["placed"][first] - since).astype(int)
    while_ordering = (waits < 3600) & (since.astype("datetime64[D]") == orders["day"][first])
    assert while_ordering.mean() > 0.4 and waits.min() > 0
    placed = orders["placed"].astype("datetime64[D]")
    assert (placed == orders["day"]).all()


@pytest.mark.parametrize("orders", [1, 40, 99])
def test_where_there_are_fewer_orders_than_customers_some_have_none(orders: int) -> None:
    """Nobody has two then, and the others have only registered."""
    setting = setting_with(Account=100, Order=orders, OrderItem=2 * orders)
    account = bought(peopled(setting))[1]["account"]
    assert len(account) == len(set(account)) == orders
