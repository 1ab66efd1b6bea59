"""Shopping: when customers come and order, from which book, and what is in an order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.draws import repeats
from latent.shopping_habit import ShoppingHabit
from pipeline.world.org import Org
from pipeline.world.tables import Table
from schemas.errors import BadInput
from tests.latent_orgs import SEEDS, drawn, part_of, setting_with, with_columns

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=30)


def bought(org: Org) -> tuple[Table, Table, Table]:
    """Customers, orders and items that are drawn from an org's tables."""
    customers, orders, items = ShoppingHabit().draw(org)
    return customers, orders, items


@pytest.fixture(scope="module")
def many() -> tuple[Table, Table, Table]:
    """Twenty thousand customers with one order of one item each."""
    counts = {"Account": 20_000, "Order": 20_000, "OrderItem": 20_000}
    return bought(part_of(drawn(1), setting=setting_with(**counts)))


def test_customers_come_between_seven_and_ten_in_the_evening(
    many: tuple[Table, Table, Table],
) -> None:
    """The first customers come after seven, the last ones before ten."""
    since = many[0]["since"]
    hours = (since - since.astype("datetime64[D]")).astype(float) / 3600
    assert 7 <= hours.min() < 7.3
    assert 21.7 < hours.max() <= 22


def test_just_over_half_of_the_customers_were_there_from_the_first_day(
    many: tuple[Table, Table, Table],
) -> None:
    """The others came in the first three quarters of the period, to its end."""
    setting = drawn(1).setting
    came = (many[0]["since"].astype("datetime64[D]") - setting.first_day).astype(int)
    days = int((setting.last_day - setting.first_day).astype(int))
    assert 0.53 < (came == 0).mean() < 0.57
    assert days * 3 // 4 - 10 < came.max() < days * 3 // 4


def test_drafts_are_a_third_of_the_last_ten_days(many: tuple[Table, Table, Table]) -> None:
    """No older order is a draft, about a third of the recent ones is."""
    orders, last = many[1], drawn(1).setting.last_day
    draft, recent = orders["status"] == "Draft", orders["day"] > last - 10
    assert not draft[~recent].any()
    assert 0.25 < draft[recent].mean() < 0.45


def test_one_line_in_six_is_for_more_than_one_piece(many: tuple[Table, Table, Table]) -> None:
    """Quantities are one, two or three; the second piece comes with 16 lines in a hundred."""
    quantity = many[2]["quantity"]
    assert set(quantity) == {1, 2, 3}
    assert 0.16 < (quantity > 1).mean() < 0.21


def test_holiday_shoppers_order_in_the_holidays(many: tuple[Table, Table, Table]) -> None:
    """Half of their orders come in November and December, a sixth of the steady buyers'."""
    customers, orders, _ = many
    month = orders["day"].astype("datetime64[M]").astype(int) % 12 + 1
    rhythm = customers["rhythm"][orders["account"]]
    late = month >= 11
    assert late[rhythm == "holiday_shopper"].mean() > 0.45
    assert late[rhythm == "steady_buyer"].mean() < 0.25


def test_the_weekend_begins_on_friday(many: tuple[Table, Table, Table]) -> None:
    """Saturday is the busiest weekday, Monday and Tuesday the quietest."""
    weekday = (many[1]["day"].astype(int) + 3) % 7
    number = np.bincount(weekday, minlength=7)
    assert number.argmax() == 5 and set(number.argsort()[:2]) <= {0, 1, 2}


@settings(max_examples=300, deadline=None)
@given(pairs=PAIRS)
def test_a_repeat_is_a_product_that_its_order_already_has(pairs: list[tuple[int, int]]) -> None:
    """The first line of a product in an order is none, each further one is."""
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
    assert (orders["day"] <= org.setting.last_day).all()
    assert (orders["day"] >= books["start"][orders["book"]]).all()
    assert (orders["day"] <= books["end"][orders["book"]]).all()
    rows = list(zip(orders["day"], orders["account"], strict=True))
    assert rows == sorted(rows)


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


def test_an_order_may_hold_every_product_there_is() -> None:
    """Where each order must have all products of a small range, each has each once."""
    org = drawn(1)
    few = part_of(org, *small_range(org), setting=setting_with(Product2=3, Order=20, OrderItem=60))
    _, _, items = bought(few)
    for order in range(20):
        assert sorted(items["product"][items["order"] == order]) == [0, 1, 2]


@pytest.mark.parametrize(("items", "allowed"), [(19, False), (20, True), (60, True), (61, False)])
def test_items_must_fit_their_orders(items: int, allowed: bool) -> None:
    """One item an order at least, and no more than there are products."""
    org = drawn(1)
    setting = setting_with(Product2=3, Order=20, OrderItem=items)
    few = part_of(org, *small_range(org), setting=setting)
    if allowed:
        assert bought(few)[2].size == items
        return
    with pytest.raises(BadInput, match=f"OrderItem={items}"):
        bought(few)


def small_range(org: Org) -> tuple[Table, Table]:
    """The first three products, and their prices in every book."""
    products, entries = org.table("Assortment.products"), org.table("Pricing.entries")
    books = org.table("Season.books").size
    first = {name: values[:3] for name, values in products.columns.items()}
    prices = entries["price"].reshape(books, products.size)[:, :3].ravel()
    return (
        Table(products.name, 3, first, products.references),
        Table(entries.name, len(prices), {"price": prices}, entries.references),
    )


def test_what_is_not_yet_on_sale_is_not_bought(many: tuple[Table, Table, Table]) -> None:
    """A product is bought from its launch to its end, unless its category has nothing else."""
    _, orders, items = many
    products = drawn(1).table("Assortment.products")
    day, product = orders["day"][items["order"]], items["product"]
    launched, ended = products["launched"], products["ended"]
    wrong = (day < launched[product]) | (day > ended[product])
    for row in np.flatnonzero(wrong)[:200]:
        shelf = products["category"] == products["category"][product[row]]
        assert not ((launched[shelf] <= day[row]) & (ended[shelf] >= day[row])).any()


def test_sale_hunters_take_promotions_more_often(many: tuple[Table, Table, Table]) -> None:
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
    assert len(set(fewer["account"])) < accounts - 1


def test_with_one_category_the_second_favorite_is_the_first() -> None:
    """A company of one category has customers whose favorites are the same."""
    org = drawn(1)
    categories, products = org.table("Assortment.categories"), org.table("Assortment.products")
    columns = {name: values[:1] for name, values in categories.columns.items()}
    single = Table(categories.name, 1, columns, categories.references)
    all_one = with_columns(products, category=np.zeros(products.size, dtype=np.int64))
    customers, _, items = bought(part_of(org, single, all_one))
    assert not customers["favorite"].any() and not customers["second_favorite"].any()
    assert items.size == org.setting.counts["OrderItem"]
