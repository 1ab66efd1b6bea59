"""What is sold: categories, products, their links, prices, and who is weak or skilled."""

from dataclasses import replace

import numpy as np
import pytest

from latent.assortment import Assortment
from latent.pricing import Pricing
from latent.product_defect import ProductDefect
from latent.skill import Skill, roles
from latent.solution import Solution
from pipeline.world.org import Org
from pipeline.world.tables import Table
from schemas.errors import BadInput
from tests.latent_orgs import SEEDS, drawn, job, part_of, setting_with, with_columns


def sold(**counts: int) -> tuple[Table, ...]:
    """Categories, products and links of a company with other counts."""
    return Assortment().draw(Org(setting_with(**counts)))


def months_on(first: np.datetime64, last: np.datetime64) -> int:
    """Months from one day's month to another's."""
    return int((last.astype("datetime64[M]") - first.astype("datetime64[M]")).astype(int))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_price_lies_in_its_tiers_part_of_its_categorys_range(seed: int) -> None:
    """Prices end in .95; value products are in the lowest third, premium ones in the highest."""
    org = drawn(seed)
    categories, products = org.table("Assortment.categories"), org.table("Assortment.products")
    assert np.array_equal(np.round(products["list_price"] % 1, 2), np.full(products.size, 0.95))
    low, high = (categories[end][products["category"]] for end in ("low", "high"))
    share = (products["list_price"] - low) / (high - low)
    margin = 1 / (high - low)
    spans = {"value_tier": (0, 0.35), "core_tier": (0.25, 0.7), "premium_tier": (0.65, 1)}
    for tier, (start, end) in spans.items():
        rows = products["tier"] == tier
        assert (share[rows] >= start - margin[rows]).all()
        assert (share[rows] <= end + margin[rows]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_product_is_launched_before_it_ends(seed: int) -> None:
    """Most were there from the first day; the others came early enough; few are gone, for a month
    at least.
    """
    org = drawn(seed)
    setting, products = org.setting, org.table("Assortment.products")
    days = int((setting.last_day - setting.first_day).astype(int)) + 1
    launched = (products["launched"] - setting.first_day).astype(int)
    gone = (setting.last_day - products["ended"]).astype(int)
    assert 0.4 < (launched == 0).mean() < 0.8
    assert launched.min() == 0 and launched.max() < days * 5 // 8
    assert (products["ended"] >= products["launched"]).all()
    assert np.array_equal(products["active"], gone == 0)
    assert gone.max() < days // 5 and (gone[gone > 0] >= 30).all()


def test_every_category_has_a_product_where_there_are_enough() -> None:
    """As many products as categories give one each, in the categories' order; fewer needn't."""
    categories = setting_with().counts["ProductCategory"]
    _, products, _ = sold(Product2=categories)
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
    _, products, links = sold(ProductCategory=1)
    assert links.size == products.size and links["primary"].all()


@pytest.mark.parametrize("seed", SEEDS)
def test_no_book_is_dearer_than_the_list(seed: int) -> None:
    """The standard book has list prices; others lie within their discounts, to a dollar."""
    org = drawn(seed)
    books, products = org.table("Season.books"), org.table("Assortment.products")
    prices = org.table("Pricing.entries")["price"].reshape(books.size, products.size)
    assert np.array_equal(prices[0], products["list_price"])
    assert (prices <= products["list_price"]).all()
    lowest = products["list_price"] * (1 - books["highest"][:, None] / 100)
    highest = products["list_price"] * (1 - books["lowest"][:, None] / 100)
    assert (prices >= np.maximum(lowest - 1, 0.95)).all()
    assert (prices <= np.maximum(highest + 1, 0.95)).all()
    assert np.array_equal(np.round(prices % 1, 2), np.full(prices.shape, 0.95))


def test_a_boosted_category_has_the_books_highest_discount() -> None:
    """Where a book boosts a category, all its products have the highest discount of the book."""
    org = drawn(1)
    books, products = org.table("Season.books"), org.table("Assortment.products")
    prices = org.table("Pricing.entries")["price"].reshape(books.size, products.size)
    row = next(row for row in range(books.size) if books["boost"][row])
    boosted = np.isin(products["category_key"].astype(str), books["boost"][row].split(","))
    wanted = np.round(products["list_price"] * (1 - books["highest"][row] / 100)) - 0.05
    assert boosted.any() and np.allclose(prices[row][boosted], wanted[boosted])


def test_cheap_products_stay_above_nothing() -> None:
    """A product of 95 cents costs as much in every book."""
    org = drawn(1)
    products = org.table("Assortment.products")
    cheap = with_columns(products, list_price=np.full(products.size, 0.95))
    (entries,) = Pricing().draw(part_of(org, cheap))
    assert set(entries["price"]) == {0.95}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_tenth_of_the_products_is_weak_and_some_are_twice(seed: int) -> None:
    """Defects are a tenth of the products; two of five strike one that has another already."""
    org = drawn(seed)
    defects, products = org.table("ProductDefect.defects"), org.table("Assortment.products")
    assert defects.size == round(products.size / 10)
    again = defects.size * 2 // 5
    assert len(set(defects["product"])) == defects.size - again
    items = org.table("ShoppingHabit.items")["product"]
    assert set(defects["product"]) <= set(items)
    issues = org.table("Solution.issues")
    assert (issues["kind"][defects["issue"]] == "product").all()
    first, second = slice(None, again), slice(defects.size - again, None)
    assert np.array_equal(defects["product"][first], defects["product"][second])
    assert (defects["issue"][first] != defects["issue"][second]).all()
    assert (defects["from_month"][first] != defects["from_month"][second]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_defect_begins_after_three_months_and_before_the_last(seed: int) -> None:
    """Spells last one to three months; of 48 months the fourth to the forty-seventh begin one."""
    org = drawn(seed)
    setting, defects = org.setting, org.table("ProductDefect.defects")
    start = [months_on(setting.first_day, month) for month in defects["from_month"]]
    assert min(start) >= 3 and max(start) <= months_on(setting.first_day, setting.last_day) - 1
    assert set(defects["months"]) <= {1, 2, 3}
    assert defects["strength"].min() >= 4


def test_all_lengths_of_spells_and_all_months_happen() -> None:
    """Over ten seeds spells of one, two and three months begin in the fourth month and in the
    last but one.
    """
    lengths: set[int] = set()
    starts: set[int] = set()
    for seed in range(40):
        org = Org(replace(drawn(1).setting, seed=seed), dict(drawn(1).tables))
        (defects,) = ProductDefect().draw(org)
        lengths |= set(defects["months"].tolist())
        starts |= {months_on(org.setting.first_day, month) for month in defects["from_month"]}
    assert lengths == {1, 2, 3}
    assert starts == set(range(3, 47))


def test_at_least_one_product_is_weak_and_only_sold_ones_are() -> None:
    """A company of one product that sells has one defect; one that sells nothing has none."""
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
    assert defects["product"].tolist() == [0]
    empty = Table(items.name, 0, {name: values[:0] for name, values in items.columns.items()}, {})
    (none,) = ProductDefect().draw(part_of(org, empty, few))
    assert none.size == 0


@pytest.mark.parametrize("agents", [1, 5, 9, 10, 25, 100])
def test_every_issue_is_mastered_by_somebody_who_is_always_there(agents: int) -> None:
    """Of the agents who are there from the first day one masters each issue."""
    org = part_of(drawn(1), setting=setting_with(User=agents))
    people, skills = Skill().draw(org)
    always = max(1, agents // 10)
    assert (people["joined"][:always] == org.setting.first_day).all()
    mastered = skills["mastered"].reshape(agents, -1)
    assert mastered[:always].any(axis=0).all()
    assert skills["agent"].tolist() == sorted(skills["agent"])
    assert set(skills["mastered"]) <= {0, 1}


def test_agents_join_in_the_first_two_thirds_of_the_period() -> None:
    """Six of ten agents are there from the first day, nobody joins in the last third."""
    org = part_of(drawn(1), setting=setting_with(User=2000))
    people, skills = Skill().draw(org)
    days = int((org.setting.last_day - org.setting.first_day).astype(int))
    joined = (people["joined"] - org.setting.first_day).astype(int)
    assert 0.6 < (joined == 0).mean() < 0.68
    assert days * 2 // 3 - 20 < joined.max() < days * 2 // 3
    managers = people["role"] == "manager_role"
    assert (people["workload"][managers] == 0.04).all()
    assert 0.55 < skills["mastered"].mean() < 0.65


@pytest.mark.parametrize(
    ("size", "wanted"),
    [
        (1, {"agent_role": 1}),
        (10, {"agent_role": 6, "senior_role": 2, "lead_role": 1, "manager_role": 1}),
        (50, {"agent_role": 30, "senior_role": 12, "lead_role": 5, "manager_role": 3}),
    ],
)
def test_roles_are_a_pyramid_with_agents_first(size: int, wanted: dict[str, int]) -> None:
    """As many of each role as its share says; the first users are agents."""
    found = roles(size).tolist()
    assert {role: found.count(role) for role in set(found)} == wanted
    assert found[0] == "agent_role" and len(found) == size
    order = ["agent_role", "senior_role", "lead_role", "manager_role"]
    assert found == sorted(found, key=order.index)


def test_limits_are_among_the_options_candidates() -> None:
    """Each issue lists its own options, each with one of the option's limits."""
    setting = job().setting
    issues, options, listed = Solution().draw(Org(setting))
    candidates = {option.key: option.days for option in setting.world.options}
    rows = []
    for row, issue in enumerate(setting.world.issues[: issues.size]):
        rows += [(row, key) for key in issue.options]
    assert list(zip(listed["issue"], listed["option"], strict=True)) == rows
    for key, limit in zip(listed["option"], listed["limit"], strict=True):
        assert limit in candidates[key]
    assert options["key"].tolist() == list(candidates)


def test_no_more_issues_than_are_stated() -> None:
    """All stated issues are possible, one more is refused."""
    stated = len(job().setting.world.issues)
    issues, _, _ = Solution().draw(Org(setting_with(Issue__c=stated)))
    assert issues.size == stated
    with pytest.raises(BadInput, match=f"only {stated} issues"):
        Solution().draw(Org(setting_with(Issue__c=stated + 1)))
