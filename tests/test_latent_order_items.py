"""Order items: from which book, which products, for whom, how many, at what price."""

from dataclasses import replace

import numpy as np
import pytest

from latent.assortment import Assortment
from latent.household import Household
from latent.offers import offers
from latent.pricing import Pricing
from latent.season import Season
from latent.shopping_habit import ShoppingHabit
from latent.wearer import Wearer
from pipeline.world.org import Org, RunContext
from pipeline.world.tables import Table
from schemas.categories import Category
from schemas.errors import BadInput
from tests.latent_orgs import SEEDS, drawn, part_of, setting_with
from tests.trade_orgs import drawn_company


def bought(setting: RunContext) -> tuple[Org, Table, Table]:
    """An org with its range and people drawn anew, its orders and items."""
    org = part_of(drawn(1), setting=setting)
    for variable in (Assortment(), Pricing(), Household(), Wearer()):
        org.add(*variable.draw(org))
    org.add(*ShoppingHabit().draw(org))
    return org, org.table("ShoppingHabit.orders"), org.table("ShoppingHabit.items")


def with_holding(setting: RunContext, limit: int) -> RunContext:
    """The setting where customers may hold so many of each category."""
    stated: list[Category] = []
    for category in setting.world.categories:
        stated.append(category.model_copy(update={"holding": limit}))
    world = setting.world.model_copy(update={"categories": tuple(stated)})
    return replace(setting, world=world)


@pytest.fixture(scope="module")
def many() -> tuple[Org, Table, Table]:
    """Six thousand customers with 24,000 orders."""
    return bought(setting_with(Account=6_000, Order=24_000, OrderItem=36_000))


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_sold_before_its_launch_or_after_its_end(seed: int) -> None:
    """Every line's product is in the range on the day, and its book offers it."""
    org = drawn(seed)
    items, products = org.table("ShoppingHabit.items"), org.table("Assortment.products")
    day = org.table("ShoppingHabit.orders")["day"][items["order"]]
    assert (day >= products["launched"][items["product"]]).all()
    assert (day <= products["ended"][items["product"]]).all()
    assert org.table("Pricing.entries")["offered"][items["entry"]].all()


@pytest.mark.slow
def test_a_product_has_one_price_a_day(many: tuple[Org, Table, Table]) -> None:
    """Whoever buys a product on a day pays the same for it, but where a small range would not
    fill an order otherwise.
    """
    _, orders, items = many
    prices: dict[tuple[str, int], set[float]] = {}
    days = orders["day"][items["order"]].astype(str)
    for day, product, price in zip(days, items["product"], items["price"], strict=True):
        prices.setdefault((day, int(product)), set()).add(float(price))
    assert np.mean([len(found) > 1 for found in prices.values()]) < 0.001


def test_an_orders_book_is_that_of_its_day(many: tuple[Org, Table, Table]) -> None:
    """It is the promotion of the day or the book of regular prices; a promotion of the whole range
    holds for everybody.
    """
    org, orders, _ = many
    calendar, books = org.table("Season.days"), org.table("Season.books")
    row = (orders["day"] - org.setting.first_day).astype(int)
    promotion, regular = calendar["promotion"][row], calendar["regular"][row]
    assert ((orders["book"] == promotion) | (orders["book"] == regular)).all()
    whole = (promotion >= 0) & books["storewide"][promotion].astype(bool)
    assert (orders["book"][whole] == promotion[whole]).all()


def test_list_prices_are_those_of_the_day(many: tuple[Org, Table, Table]) -> None:
    """A line's list price is its product's in that year of prices, and no line is dearer."""
    org, orders, items = many
    products = org.table("Assortment.products").size
    years = org.table("Assortment.prices")["price"].reshape(products, -1)
    row = items["product"] == items["product"][0]
    assert set(items["list_price"][row]) <= set(years[items["product"][0]])
    assert (items["price"] <= items["list_price"]).all()
    most_pay_it = (items["price"] == items["list_price"]).mean()
    assert 0.5 < most_pay_it < 0.85


def test_nearly_everybody_buys_one_of_a_kind(many: tuple[Org, Table, Table]) -> None:
    """Of a shoe shop's lines hardly one in twenty is for more than one pair."""
    quantity = many[2]["quantity"]
    assert quantity.min() == 1
    assert 0.01 < (quantity > 1).mean() < 0.06


def test_what_is_new_is_wanted_more() -> None:
    """A product is wanted nearly twice as much on its first day as years later, and not at all
    before its launch or after its end.
    """
    org = drawn(1)
    products = org.table("Assortment.products")
    offered = offers(org)
    row = np.flatnonzero(products["launched"] > org.setting.first_day)[:1]
    launched, popularity = products["launched"][row], products["popularity"][row]
    first = float(offered.appeal(launched, row)[0, 0] / popularity[0])
    assert first == pytest.approx(1 + org.setting.world.trade.range.novelty)
    month = float(offered.appeal(launched + 30, row)[0, 0] / popularity[0])
    assert 1 < month < first
    assert offered.appeal(launched - 1, row)[0, 0] == 0
    assert offered.appeal(products["ended"][row] + 1, row)[0, 0] == 0


def test_a_product_is_on_sale_from_its_launch_to_its_last_day() -> None:
    """Both days count, in its category and, where it is for one, in its target group."""
    org = drawn(1)
    products, offered = org.table("Assortment.products"), offers(org)
    days = np.array([org.setting.first_day, org.setting.last_day])
    changes = [products["launched"], products["ended"], products["ended"] + 1]
    days = np.unique(np.concatenate([days, *changes]))
    days = days[(days >= org.setting.first_day) & (days <= org.setting.last_day)]
    there = (products["launched"] <= days[:, None]) & (products["ended"] >= days[:, None])
    number = offered.number_on(days)
    assert (number.sum(axis=1) == there.sum(axis=1)).all()
    for category in range(number.shape[1]):
        own = products["category"] == category
        assert (number[:, category] == there[:, own].sum(axis=1)).all()
        groups = offered.groups_on(days, np.full(len(days), category))
        for group in range(groups.shape[1]):
            wanted = there[:, own & (products["group"] == group)].any(axis=1)
            assert (groups[:, group] == wanted).all()


def test_a_fifth_of_the_products_sells_most(many: tuple[Org, Table, Table]) -> None:
    """The fifth that sells best makes three fifths to four fifths of the lines."""
    org, _, items = many
    number = np.sort(np.bincount(items["product"], minlength=org.table("Assortment.products").size))
    assert 0.55 < number[-len(number) // 5 :].sum() / number.sum() < 0.85


def test_lines_are_for_people_of_the_household(many: tuple[Org, Table, Table]) -> None:
    """A wearer is of the order's account, and of the product's target group."""
    org, orders, items = many
    wearers, products = org.table("Wearer.wearers"), org.table("Assortment.products")
    own = np.flatnonzero(items["wearer"] >= 0)
    wearer = items["wearer"][own]
    assert len(own) > 0.2 * items.size
    assert np.array_equal(wearers["account"][wearer], orders["account"][items["order"][own]])
    group = products["group_key"][items["product"][own]]
    gender = wearers["gender"][wearer]
    assert (gender[group == "women"] == "female").mean() > 0.97
    assert (gender[group == "men"] == "male").mean() > 0.97
    assert set(wearers["role"][wearer[group == "kids"]]) == {"child"}


def test_children_wear_larger_sizes_as_they_grow(many: tuple[Org, Table, Table]) -> None:
    """A child's sizes of the third year are above those of the first, a grown-up's are the same."""
    org, orders, items = many
    sizes = org.table("Wearer.sizes")
    place = {}
    for group, size, row in zip(sizes["group"], sizes["size"], sizes["place"], strict=True):
        place[group, size] = int(row)
    groups = org.table("Assortment.products")["group_key"][items["product"]]
    years = orders["day"][items["order"]].astype("datetime64[Y]").astype(int)
    change: dict[str, list[int]] = {"kids": [], "women": [], "men": []}
    seen: dict[tuple[int, str], tuple[int, int]] = {}
    rows = np.flatnonzero(items["wearer"] >= 0)
    for row in rows[np.argsort(years[rows], kind="stable")]:
        key = (int(items["wearer"][row]), str(groups[row]))
        now = (int(years[row]), place[groups[row], items["size"][row]])
        first = seen.setdefault(key, now)
        if now[0] - first[0] >= 2:
            change[key[1]].append(now[1] - first[1])
    assert np.mean(change["kids"]) > 1.5
    for group in ("women", "men"):
        assert abs(np.mean(change[group])) < 0.1
        assert np.mean(np.array(change[group]) == 0) > 0.6


def test_variants_are_those_of_the_category(many: tuple[Org, Table, Table]) -> None:
    """Colors and widths are of the category's list, and a product comes in four colors at most."""
    org, _, items = many
    stated = org.setting.world.categories
    category = org.table("Assortment.products")["category"][items["product"]]
    colors: dict[int, set[str]] = {}
    for row in range(items.size):
        variants = stated[category[row]].variants
        assert items["color"][row] in variants.Color
        assert items["width"][row] in (variants.Width or {None: 1})
        colors.setdefault(int(items["product"][row]), set()).add(items["color"][row])
    assert max(len(found) for found in colors.values()) <= 4


def test_nobody_holds_more_of_a_kind_than_allowed() -> None:
    """Where two of each category may be held, no account has three; counts are met exactly."""
    setting = with_holding(setting_with(Account=50, Order=300, OrderItem=600), 2)
    org, orders, items = bought(setting)
    assert items.size == 600
    category = org.table("Assortment.products")["category"][items["product"]]
    pairs = orders["account"][items["order"]] * 100 + category
    assert np.bincount(pairs).max() == 2


def test_counts_beyond_what_may_be_held_are_refused() -> None:
    """Twelve categories of one each are no room for thirteen lines an account."""
    setting = with_holding(setting_with(Account=10, Order=100, OrderItem=121), 1)
    with pytest.raises(BadInput, match="holding"):
        bought(setting)


def test_counts_go_before_what_one_customer_may_hold() -> None:
    """Where some customers have room for nothing that is on sale, all lines come all the same."""
    setting = with_holding(setting_with(Account=10, Order=100, OrderItem=120), 1)
    _, _, items = bought(setting)
    assert items.size == 120


def test_counts_go_before_what_a_customer_has_use_for() -> None:
    """Where a tiny bank sells nothing else, an order takes what is meant for firms."""
    org = drawn_company("bank", scale=0.01)
    orders, items = org.table("ShoppingHabit.orders"), org.table("ShoppingHabit.items")
    assert items.size == 36 and (orders["lines"] == np.bincount(items["order"])).all()


def test_an_order_may_hold_every_product_there_is() -> None:
    """Where each order must have all products of a small range, each has each once."""
    _, _, items = bought(setting_with(Product2=3, Order=20, OrderItem=60))
    for order in range(20):
        assert sorted(items["product"][items["order"] == order]) == [0, 1, 2]


@pytest.mark.parametrize(("items", "allowed"), [(19, False), (20, True), (60, True), (61, False)])
def test_items_must_fit_their_orders(items: int, allowed: bool) -> None:
    """One item an order at least, and no more than there are products."""
    setting = setting_with(Product2=3, Order=20, OrderItem=items)
    if allowed:
        assert bought(setting)[2].size == items
        return
    with pytest.raises(BadInput, match=f"OrderItem={items}"):
        bought(setting)


def test_with_one_category_the_second_favorite_is_the_first() -> None:
    """A company of one category has customers whose favorites are the same."""
    setting = setting_with(ProductCategory=1, Pricebook2=1)
    org = part_of(drawn(1), setting=setting)
    org.add(*Season().draw(org))
    for variable in (Assortment(), Pricing(), Household(), Wearer()):
        org.add(*variable.draw(org))
    customers, _, _, items = ShoppingHabit().draw(org)
    assert not customers["favorite"].any() and not customers["second_favorite"].any()
    assert items.size == org.setting.counts["OrderItem"]


def test_a_firm_takes_about_as_many_seats_each_time() -> None:
    """The pieces of a customer's lines go together, whatever they are of."""
    org = drawn_company("saas")
    items, orders = org.table("ShoppingHabit.items"), org.table("ShoppingHabit.orders")
    account = orders["account"][items["order"]]
    by_customer = np.argsort(account, kind="stable")
    seats = np.log(items["quantity"][by_customer].astype(float))
    same = np.diff(account[by_customer]) == 0
    assert same.sum() > 100
    assert np.corrcoef(seats[:-1][same], seats[1:][same])[0, 1] > 0.1
