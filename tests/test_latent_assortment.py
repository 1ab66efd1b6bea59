"""What is sold: categories, products, their lives, links and prices, and what is weak."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from latent.assortment import Assortment, stated_categories
from latent.pricing import Pricing
from latent.product_defect import ProductDefect
from latent.solution import Solution
from pipeline.world.org import Org
from pipeline.world.tables import Table, strings
from schemas.categories import Category
from schemas.errors import BadInput
from tests.latent_orgs import SEEDS, drawn, job, part_of, setting_with, with_columns


def sold(**counts: int) -> tuple[Table, ...]:
    """Categories, products and links of a company with other counts."""
    return Assortment().draw(Org(setting_with(**counts)))


def months_on(first: np.datetime64, last: np.datetime64) -> int:
    """Months from one day's month to another's."""
    return int((last.astype("datetime64[M]") - first.astype("datetime64[M]")).astype(int))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_first_price_lies_in_its_tiers_part_of_its_categorys_range(seed: int) -> None:
    """Value products are in the lowest third, premium ones in the highest; what a target group
    costs in proportion to others counts, and a point of the price ladder is no further than ten
    dollars.
    """
    org = drawn(seed)
    categories, products = org.table("Assortment.categories"), org.table("Assortment.products")
    years = org.table("Assortment.prices")["price"].reshape(products.size, -1)
    groups = org.setting.world.groups
    dear = np.array([groups[row].price for row in products["group"]])
    low, high = (categories[end][products["category"]] * dear for end in ("low", "high"))
    share = (years[:, 0] - low) / (high - low)
    margin = 11 / (high - low)
    spans = {"value_tier": (0, 0.35), "core_tier": (0.25, 0.7), "premium_tier": (0.65, 1)}
    for tier, (start, end) in spans.items():
        rows = products["tier"] == tier
        assert (share[rows] >= start - margin[rows]).all()
        assert (share[rows] <= end + margin[rows]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_new_products_come_on_working_days(seed: int) -> None:
    """None comes at a weekend, and no day of the week has those of the weekend on top."""
    org = drawn(seed)
    launched = org.table("Assortment.products")["launched"]
    new = launched[launched > org.setting.first_day].astype("datetime64[D]")
    assert np.is_busday(new).all()
    weekday = (new.astype(int) + 3) % 7
    assert np.bincount(weekday, minlength=5).max() < 0.4 * len(new)


def test_prices_are_those_that_shops_use() -> None:
    """Prices stand on the ladder's round points, or just below; ten points hold many products."""
    org = drawn(1)
    prices = org.setting.world.trade.range.prices
    years = org.table("Assortment.prices")
    under = np.repeat(org.table("Assortment.products")["under"], len(set(years["year"])))
    assert set(under) <= set(prices.under)
    round_price = np.round(years["price"] + under, 2)
    assert (round_price % prices.ladder[0].every == 0).all()
    _, number = np.unique(org.table("Assortment.products")["list_price"], return_counts=True)
    assert np.sort(number)[-10:].sum() > 0.25 * number.sum()


@pytest.mark.parametrize("seed", SEEDS)
def test_list_prices_step_once_a_year_and_mostly_upwards(seed: int) -> None:
    """A tenth to a third of the prices differ from the year before's, most of them upwards; what
    the CRM shows as list price is that of the last year.
    """
    products = drawn(seed).table("Assortment.products")
    years = drawn(seed).table("Assortment.prices")["price"].reshape(products.size, -1)
    step = np.diff(years, axis=1)
    assert 0.1 < (step != 0).mean() < 0.33
    assert (step > 0).sum() > 2 * (step < 0).sum()
    assert np.array_equal(years[:, -1], products["list_price"])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_product_is_launched_before_it_ends(seed: int) -> None:
    """Products live for half a year at least; who has an end before the last day is inactive."""
    org = drawn(seed)
    products, last = org.table("Assortment.products"), org.setting.last_day
    active = products["active"].astype(bool)
    assert (products["launched"] <= last).all()
    life = (products["ended"] - products["launched"]).astype(int)
    assert (life[~active] > 182).all()
    assert (products["ended"][active] == last).all()
    assert np.isnat(products["end_date"][active]).all()
    assert np.array_equal(products["end_date"][~active], products["ended"][~active])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_range_turns_over_and_keeps_its_size(seed: int) -> None:
    """Of what is there at New Year, about two fifths are gone a year later, and as many come."""
    products = drawn(seed).table("Assortment.products")
    days = np.array(["2020-01-01", "2021-01-01", "2022-01-01", "2023-01-01"], dtype="datetime64[D]")
    there = [(products["launched"] <= day) & (products["ended"] >= day) for day in days]
    sizes = [int(present.sum()) for present in there]
    assert min(sizes) > 0.6 * max(sizes)
    pairs = list(zip(there, there[1:], strict=False))
    stayed = sum(int((before & after).sum()) for before, after in pairs)
    assert 0.25 < 1 - stayed / sum(sizes[:-1]) < 0.62


@pytest.mark.parametrize("seed", SEEDS)
def test_best_sellers_carry_over(seed: int) -> None:
    """The dozen most popular products are there from the first day to the last."""
    org = drawn(seed)
    products = org.table("Assortment.products")
    best = np.argsort(-products["popularity"], kind="stable")[:12]
    assert (products["launched"][best] <= org.setting.first_day).all()
    assert products["active"][best].all()


def test_a_trade_may_keep_its_range() -> None:
    """Where next to nothing is replaced, nearly all products are there from first to last."""
    setting = setting_with()
    kept = setting.world.trade.range.model_copy(update={"turnover": 0.0})
    trade = setting.world.trade.model_copy(update={"range": kept})
    world = setting.world.model_copy(update={"trade": trade})
    _, products, _, _ = Assortment().draw(Org(replace(setting, world=world)))
    assert (products["launched"] <= setting.first_day).all()
    assert products["active"].mean() > 0.95


def test_every_category_has_a_product_where_there_are_enough() -> None:
    """As many products as categories give one each, in the categories' order; fewer needn't."""
    categories = setting_with().counts["ProductCategory"]
    products = sold(Product2=categories)[1]
    assert products["category"].tolist() == list(range(categories))
    assert sold(Product2=categories - 1)[1].size == categories - 1


def test_no_more_categories_than_are_stated() -> None:
    """All stated categories are possible, one more is refused."""
    stated = len(job().setting.world.categories)
    assert sold(ProductCategory=stated)[0].size == stated
    with pytest.raises(BadInput, match=f"only {stated} categories"):
        sold(ProductCategory=stated + 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_each_product_is_linked_to_its_category_first(seed: int) -> None:
    """One primary link each; further ones lead to other categories, as many as the rate says."""
    org = drawn(seed)
    links, products = org.table("Assortment.links"), org.table("Assortment.products")
    wanted = round(products.size * org.setting.profile.rates.links)
    primary = links["primary"]
    assert links.size == wanted
    assert links["product"][primary].tolist() == list(range(products.size))
    assert np.array_equal(links["category"][primary], products["category"])
    others = links["category"][~primary]
    assert (others != products["category"][links["product"][~primary]]).all()
    assert (np.diff(links["product"]) >= 0).all()
    assert len(set(zip(links["product"], links["category"], strict=True))) == links.size


def test_products_of_a_single_category_have_one_link_each() -> None:
    """Where there is no other category there is no second link."""
    _, products, _, links = sold(ProductCategory=1)
    assert links.size == products.size and links["primary"].all()


@pytest.mark.parametrize("seed", SEEDS)
def test_second_categories_go_together(seed: int) -> None:
    """A second category is one that the world names for the product's, and sells to its group."""
    org = drawn(seed)
    links, products = org.table("Assortment.links"), org.table("Assortment.products")
    stated = org.setting.world.categories
    for row in np.flatnonzero(~links["primary"]):
        product = links["product"][row]
        own, other = stated[products["category"][product]], stated[links["category"][row]]
        assert other.key in own.also
        assert products["group_key"][product] in other.groups


def prices_by_book(org: Org, column: str) -> "np.ndarray[tuple[int, int], np.dtype[np.generic]]":
    """A column of the entries, books × products."""
    books = org.table("Season.books").size
    return org.table("Pricing.entries")[column].reshape(books, -1)


def test_only_standard_prices_change_with_the_product() -> None:
    """A promotion's entries have no day of change, a standard one has its product's."""
    org = drawn(0)
    standard = org.table("Season.books")["standard"].astype(bool)
    changed = prices_by_book(org, "changed")
    assert np.isnat(changed[~standard]).all()
    of_product = org.table("Assortment.products")["changed"].astype("datetime64[D]")
    assert (changed[standard].astype(int) == of_product.astype(int)).all()
    assert not np.isnat(of_product).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_no_book_is_dearer_than_the_list(seed: int) -> None:
    """The standard book has list prices; promotions lie within their discounts, to a dollar, or
    are list prices for what is new or excluded; last pieces may be cheaper still.
    """
    org = drawn(seed)
    books, products = org.table("Season.books"), org.table("Assortment.products")
    price, listed = prices_by_book(org, "price"), prices_by_book(org, "list_price")
    discount = prices_by_book(org, "discount")
    assert np.array_equal(price[0], products["list_price"])
    assert (price <= listed).all()
    assert np.array_equal(price == listed, discount == 0)
    wanted = listed * (1 - discount / 100)
    assert (np.abs(price - wanted)[discount > 0] <= 1.01).all()
    lowest = discount[books["kind"] == "promotion"]
    assert lowest.max() <= 50
    seasonal = discount[books["kind"] == "seasonal"]
    assert 0 < (seasonal > 0).mean() < 0.1


def test_last_pieces_are_marked_down_in_the_season_in_which_they_end() -> None:
    """Each ended product is cheaper in the seasonal book that holds on its last day, and in no
    seasonal book before.
    """
    org = drawn(1)
    books, products = org.table("Season.books"), org.table("Assortment.products")
    discount = prices_by_book(org, "discount")
    for row in np.flatnonzero(books["kind"] == "seasonal"):
        start, end = books["start"][row], books["end"][row]
        last = (products["ended"] >= start) & (products["ended"] <= end) & ~products["active"]
        assert np.array_equal(discount[row] > 0, last)


def test_a_book_offers_what_it_is_for() -> None:
    """A promotion of some categories offers these alone, and no book what isn't in the range."""
    org = drawn(1)
    books, products = org.table("Season.books"), org.table("Assortment.products")
    offered = prices_by_book(org, "offered")
    for row in range(books.size):
        sold = offered[row]
        assert (products["launched"][sold] <= books["end"][row]).all()
        assert (products["ended"][sold] >= books["start"][row]).all()
        if not books["storewide"][row]:
            keys = set(products["category_key"][sold])
            assert keys <= set(books["boost"][row].split(","))
    assert offered[0].all()
    assert offered.mean() < 0.5


def test_a_boosted_category_has_the_books_highest_discount() -> None:
    """What a book is for has its highest discount, but for new and excluded products."""
    org = drawn(1)
    books, products = org.table("Season.books"), org.table("Assortment.products")
    discount = prices_by_book(org, "discount")
    row = int(np.flatnonzero(~books["storewide"])[0])
    boosted = np.isin(products["category_key"].astype(str), books["boost"][row].split(","))
    new = books["start"][row] < products["launched"] + 60
    spared = products["excluded"].astype(bool) | new
    ended = products["ended"] - books["start"][row] < np.timedelta64(92, "D")
    assert (discount[row][boosted & ~spared & ~ended] == books["highest"][row]).all()
    assert not discount[row][boosted & spared & ~ended].any()


def test_cheap_products_stay_above_nothing() -> None:
    """A product of 95 cents costs as much in every book."""
    org = drawn(1)
    years = org.table("Assortment.prices")
    cheap = with_columns(years, price=np.full(years.size, 0.95))
    (entries,) = Pricing().draw(part_of(org, cheap))
    assert set(entries["price"]) == {0.95}


@pytest.mark.parametrize("seed", SEEDS)
def test_weak_products_are_struck_again_and_again_by_changing_issues(seed: int) -> None:
    """A weak product has up to fourteen spells of product issues with quiet months between them."""
    org = drawn(seed)
    defects = org.table("ProductDefect.defects")
    items = org.table("ShoppingHabit.items")["product"]
    assert set(defects["product"]) <= set(items)
    issues = org.table("Solution.issues")
    assert (issues["kind"][defects["issue"]] == "product").all()
    rows, spells = np.unique(defects["product"], return_counts=True)
    assert 6 <= spells.max() <= 14 and spells.mean() > 4
    assert len(rows) < org.table("Assortment.products").size / 3
    same = defects["product"][1:] == defects["product"][:-1]
    ends = defects["from_month"][:-1] + defects["months"][:-1].astype("timedelta64[M]")
    assert (defects["from_month"][1:] > ends)[same].all()
    assert (defects["issue"][1:] != defects["issue"][:-1])[same].all()


def test_a_product_is_weak_in_what_it_can_have_though_none_of_it_comes_in_waves() -> None:
    """Where issues of products befall one category alone, weak products of all others are struck by
    other kinds of issues, and never by what they can't have.
    """
    org = drawn(1)
    issues, products = org.table("Solution.issues"), org.table("Assortment.products")
    only = str(products["category_key"][0])
    fits = strings([only if kind == "product" else "" for kind in issues["kind"]])
    (defects,) = ProductDefect().draw(part_of(org, with_columns(issues, fits=fits)))
    struck = products["category_key"][defects["product"]] == only
    kinds = issues["kind"][defects["issue"]]
    assert (kinds[struck] == "product").all()
    assert not struck.all() and (kinds[~struck] != "product").all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_defect_begins_after_three_months_and_before_the_last(seed: int) -> None:
    """Spells last one or two months; of 48 months the fourth to the forty-seventh begin one."""
    org = drawn(seed)
    setting, defects = org.setting, org.table("ProductDefect.defects")
    start = [months_on(setting.first_day, month) for month in defects["from_month"]]
    assert min(start) >= 3 and max(start) <= months_on(setting.first_day, setting.last_day) - 1
    assert set(defects["months"]) <= {1, 2}
    assert defects["strength"].min() >= 0.8


@pytest.mark.parametrize("seed", SEEDS)
def test_after_a_strong_spell_come_weaker_ones(seed: int) -> None:
    """Many report a fault at first, then fewer, until the next one begins: each spell of a product
    is clearly stronger than the next or not stronger, never nearly as strong but for single cases.
    """
    defects = drawn(seed).table("ProductDefect.defects")
    same = defects["product"][1:] == defects["product"][:-1]
    next_one, before = defects["strength"][1:][same], defects["strength"][:-1][same]
    step = next_one / before
    weaker = step < 0.75
    again = (before < 1.5) & ((step > 2.5) | np.isclose(step, 1, atol=0.02))
    assert (weaker | again).all() and weaker.any()


@pytest.mark.slow
def test_all_lengths_of_spells_and_all_months_happen() -> None:
    """Over forty seeds spells of one and two months begin in nearly any month from the fourth on to
    the last but one.
    """
    lengths: set[int] = set()
    starts: set[int] = set()
    for seed in range(40):
        org = Org(replace(drawn(1).setting, seed=seed), dict(drawn(1).tables))
        (defects,) = ProductDefect().draw(org)
        lengths |= set(defects["months"].tolist())
        starts |= {months_on(org.setting.first_day, month) for month in defects["from_month"]}
    assert lengths == {1, 2}
    assert starts <= set(range(3, 47)) and 46 in starts
    assert len(starts) > 25


def test_at_least_one_product_is_weak_and_only_sold_ones_are() -> None:
    """Of a company whose first product alone sells only that one is weak; without sales none is."""
    org = drawn(1)
    items, products = org.table("ShoppingHabit.items"), org.table("Assortment.products")
    single = with_columns(items, product=np.zeros(items.size, dtype=np.int64))
    few = Table(
        products.name,
        4,
        {name: values[:4] for name, values in products.columns.items()},
        products.references,
    )
    (defects,) = ProductDefect().draw(part_of(org, single, few))
    assert set(defects["product"].tolist()) == {0}
    empty = Table(items.name, 0, {name: values[:0] for name, values in items.columns.items()}, {})
    (none,) = ProductDefect().draw(part_of(org, empty, few))
    assert none.size == 0


def test_limits_are_among_the_options_candidates() -> None:
    """Each issue lists two to four that it may have, each with one of the option's limits."""
    setting = job().setting
    issues, options, listed = Solution().draw(Org(setting))
    candidates = {option.key: option.days for option in setting.world.options}
    for row, issue in enumerate(setting.world.issues[: issues.size]):
        keys = listed["option"][listed["issue"] == row]
        assert set(keys) <= {*issue.options, *issue.sometimes}
        assert len(set(keys)) == len(keys)
        assert 2 <= len(keys) <= 4
        assert len(set(listed["limit"][listed["issue"] == row])) == len(keys)
    for key, limit in zip(listed["option"], listed["limit"], strict=True):
        assert limit in candidates[key]
    assert options["key"].tolist() == list(candidates)


@pytest.mark.parametrize("seed", range(5))
def test_what_costs_more_is_granted_for_a_shorter_time(seed: int) -> None:
    """Of the options of an issue those that are usually granted longer have the longer limit, so
    that nobody who is too late for another size is offered all the money.
    """
    setting = job().setting
    _, _, listed = Solution().draw(Org(replace(setting, seed=seed)))
    usually = {option.key: sum(option.days) / len(option.days) for option in setting.world.options}
    agreeing = compared = 0
    for issue in set(listed["issue"].tolist()):
        rows = np.flatnonzero(listed["issue"] == issue)
        for one, other in itertools.combinations(rows, 2):
            longer = usually[listed["option"][one]] > usually[listed["option"][other]]
            compared += 1
            agreeing += longer == (listed["limit"][one] > listed["limit"][other])
    assert agreeing >= 0.9 * compared > 0


def test_no_more_issues_than_are_stated() -> None:
    """All stated issues are possible, one more is refused."""
    stated = len(job().setting.world.issues)
    issues, _, _ = Solution().draw(Org(setting_with(Issue__c=stated)))
    assert issues.size == stated
    with pytest.raises(BadInput, match=f"only {stated} issues"):
        Solution().draw(Org(setting_with(Issue__c=stated + 1)))


@pytest.mark.parametrize("seed", SEEDS)
def test_products_stand_in_the_order_in_which_they_came(seed: int) -> None:
    """Ids are given as records are made; what was there before the period comes first."""
    org = drawn(seed)
    came = np.maximum(org.table("Assortment.products")["launched"], org.setting.first_day)
    assert (np.diff(came) >= np.timedelta64(0, "D")).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_shelf_is_filled_for_everybody_whom_its_category_is_for(seed: int) -> None:
    """Each target group has as many products as its weight says, give or take two."""
    org = drawn(seed)
    products, world = org.table("Assortment.products"), org.setting.world
    for row, category in enumerate(world.categories[: org.table("Assortment.categories").size]):
        shelf = products["group_key"][products["category"] == row]
        for key, weight in category.groups.items():
            expected = len(shelf) * weight / sum(category.groups.values())
            assert abs((shelf == key).sum() - expected) <= 2


@pytest.mark.parametrize("seed", SEEDS)
def test_a_product_was_changed_with_its_last_price_or_its_end(seed: int) -> None:
    """A product that is gone was changed on its last day, one whose price moved in a March."""
    products = drawn(seed).table("Assortment.products")
    gone = ~products["active"].astype(bool)
    assert (products["changed"][gone] == products["end_date"][gone]).all()
    moved = products["changed"][~gone & ~np.isnat(products["changed"])]
    assert (moved.astype("datetime64[M]").astype(int) % 12 == 2).all()


def named(names: tuple[str, ...], world_has: int | None = None) -> list[Category]:
    """The categories of a shoe company whose profile merely names them."""
    setting = setting_with(ProductCategory=len(names))
    profile = setting.profile.model_copy(update={"categories": names})
    known = setting.world.categories[:world_has]
    world = setting.world.model_copy(update={"categories": known})
    return stated_categories(replace(setting, profile=profile, world=world))


def test_a_mere_name_is_filled_up_from_the_worlds_categories_in_turn() -> None:
    """It takes price, peak and weight of one of them, and its noun from the name."""
    stated = job().setting.world.categories
    found = named(("Hiking Boots", "Spa Packages", "Watches"), world_has=2)
    assert [item.name for item in found] == ["Hiking Boots", "Spa Packages", "Watches"]
    assert [item.short for item in found] == [("hiking boot",), ("spa package",), ("watch",)]
    for item, like in zip(found, (stated[0], stated[1], stated[0]), strict=True):
        assert (item.price, item.peak, item.weight) == (like.price, like.peak, like.weight)


def test_a_mere_name_in_a_world_without_categories_has_usual_figures() -> None:
    """Its weight is that of every other, it is bought all year, and its prices rise."""
    (item,) = named(("Hiking Boots",), world_has=0)
    assert (item.peak, item.weight) == ((), 1.0)
    assert 0 < item.price[0] < item.price[1]
