"""A lexicon stated in dollars is told in the currency of the company's country."""

import pytest

from schemas.articles import ArticleFact, Policy, PolicyTerm, ProductArticle
from schemas.categories import Category
from schemas.country import Country, Currency, known_locales, load_country, locales_folder
from schemas.in_currency import company_trade, in_currency, trade_in
from schemas.incidents import IncidentPlan
from schemas.lexicon import Lexicon
from schemas.loader import load_schema
from schemas.selling import Prices, Rung
from schemas.terms import Terms
from schemas.trade import load_trade
from schemas.world import World

pytestmark = pytest.mark.quick

EURO = Currency(code="EUR", symbol="€", words=("euro",), english=("euro", "euros"))
YEN = Currency(code="JPY", symbol="¥", decimals=0, words=("yen",), english=("yen", "yen"), rate=100)
DOLLAR = Currency(code="USD", symbol="$", words=("dollar",), english=("dollar", "dollars"))
PLAN = IncidentPlan.model_validate(
    {
        "signs": {"fee": {"high": {"marks": ["25 dollars"]}, "low": {"marks": ["a dollar"]}}},
        "causes": {"slip": {"ends": ["either"], "known_by": "record", "tells": "fee"}},
    }
)
LINES = {
    "$25": ("€25", "¥2,500"),
    "$1,299.50 in all": ("€1,299.50 in all", "¥129,950 in all"),
    "${fee} a month": ("€{fee} a month", "¥{fee} a month"),
    "5 dollars less": ("5 euros less", "500 yen less"),
    "a dollar or a few dollars": ("a euro or a few euros", "a yen or a few yen"),
    "{days} days, 30 pieces": ("{days} days, 30 pieces", "{days} days, 30 pieces"),
    "no dollarless word": ("no dollarless word", "no dollarless word"),
}


def country(currency: Currency) -> Country:
    """A country that pays with this currency, and has no bands of its own."""
    return load_country("en_US").model_copy(update={"currency": currency, "bands": {}})


def category(**more: object) -> Category:
    """A toy category of goods from 10 to 40 dollars."""
    stated = {"key": "boots", "name": "Boots", "price": (10, 40), "short": ["boots"]}
    return Category.model_validate({"plural": True, **stated, **more})


def lexicon(**rules: str) -> Lexicon:
    """A toy lexicon: a policy with a fee and a limit in days, and the given rules."""
    world = World(
        categories=(category(),),
        policies=(
            Policy.model_validate(
                {
                    "key": "returns",
                    "title": "Returns",
                    "figures": {"fee": (5, 7.5), "days": (30, 60)},
                }
            ),
        ),
        terms=(
            PolicyTerm(
                policy="returns",
                figure="fee",
                kinder="less",
                shown="${fee}",
                says=("it costs {shown}, never $99",),
            ),
        ),
        articles=(ProductArticle(key="care", category="boots", topic="Care"),),
        facts=(
            ArticleFact(article="care", figure="fee", values=(9, 11)),
            ArticleFact(article="care", figure="weeks", values=(2, 3)),
        ),
        incidents={"any": PLAN},
    )
    return Lexicon("toy", {name: (line,) for name, line in rules.items()}, world)


@pytest.mark.parametrize("line", LINES)
def test_a_line_names_the_currency_in_the_dollars_place(line: str) -> None:
    """Amounts, slots and words change; figures that are no money stay."""
    stated = lexicon(line=line)
    told = [in_currency(stated, currency).rules["line"] for currency in (EURO, YEN)]
    assert told == [(words,) for words in LINES[line]]


def test_a_lexicon_in_dollars_stays_as_it_is() -> None:
    """It is the very same one, so that nothing is copied for most companies."""
    stated = lexicon(line="$25")
    assert in_currency(stated, DOLLAR) is stated


def test_only_figures_of_money_grow_with_the_currency() -> None:
    """A fee of 5 dollars is 500 yen; 30 days stay 30 days, and so do weeks."""
    world = in_currency(lexicon(), YEN).world
    (policy,) = world.policies
    assert policy.figures == {"fee": (500, 750), "days": (30, 60)}
    # A whole figure is told without decimals.
    assert [str(value) for value in policy.figures["fee"]] == ["500", "750"]
    assert [fact.values for fact in world.facts] == [(900, 1100), (2, 3)]


def test_a_slot_behind_a_dollar_sign_anywhere_makes_its_figure_money() -> None:
    """A rule tells of the weeks' figure that it is paid; then it grows too."""
    world = in_currency(lexicon(line="it takes ${weeks}"), YEN).world
    assert [fact.values for fact in world.facts] == [(900, 1100), (200, 300)]


def test_a_currency_of_large_units_keeps_the_figures() -> None:
    """In euros the same numbers are asked as in dollars."""
    stated = lexicon()
    world = in_currency(stated, EURO).world
    assert world.policies == stated.world.policies
    assert world.categories == stated.world.categories


def test_terms_are_told_in_the_currency() -> None:
    """What agents say of a figure has its sign, and amounts of its size."""
    (term,) = in_currency(lexicon(), YEN).world.terms
    assert (term.shown, term.says) == ("¥{fee}", ("it costs {shown}, never ¥9,900",))


def test_marks_of_incidents_follow_the_wordings() -> None:
    """What shows a sign in a text is worded as the text is."""
    plan = in_currency(lexicon(), EURO).world.incidents["any"]
    signs = plan.signs["fee"]
    assert (signs["high"].marks, signs["low"].marks) == (("25 euros",), ("a euro",))


def test_price_ranges_grow_with_the_currency() -> None:
    """Boots from 10 to 40 dollars cost from 1,000 to 4,000 yen."""
    (boots,) = in_currency(lexicon(), YEN).world.categories
    assert boots.price == (1000, 4000)


@pytest.mark.parametrize(("holds", "amount"), [("loan", (50_000, 90_000)), ("plan", (500, 900))])
def test_amounts_of_use_are_no_money(holds: str, amount: tuple[float, float]) -> None:
    """A loan is of so many yen, but a plan counts units."""
    terms = Terms.model_validate({"holds": holds, "amount": (500, 900)})
    stated = lexicon()
    world = stated.world.model_copy(update={"categories": (category(terms=terms),)})
    held = Lexicon(stated.name, stated.rules, world)
    (changed,) = in_currency(held, YEN).world.categories
    assert changed.terms.amount == amount


def test_a_trade_has_the_price_points_of_the_currency() -> None:
    """The ladder and the statistics in money grow, the endings are the currency's own."""
    bands = {"order_value": (40.0, 90.0), "lines": (1.0, 3.0)}
    trade = load_trade("goods").model_copy(update={"bands": bands})
    prices = trade.range.prices
    there = trade_in(trade, country(YEN))
    assert [rung.up_to for rung in there.range.prices.ladder] == [
        rung.up_to * 100 for rung in prices.ladder
    ]
    assert there.bands == {"order_value": (4000, 9000), "lines": (1, 3)}
    assert trade_in(trade, country(DOLLAR)) is trade


def test_a_trade_has_the_bands_of_its_country() -> None:
    """What has no meaning there has none, but the trade's own band goes before the country's."""
    trade = load_trade("goods").model_copy(update={"bands": {"cents": (0.2, 0.4)}})
    bands = {"cents": None, "order_value": (5000.0, 18000.0)}
    there = trade_in(trade, country(YEN).model_copy(update={"bands": bands}))
    assert there.bands == {"cents": (0.2, 0.4), "order_value": (5000, 18000)}


OWN = {"bands": {"order_value": [4000, 9000]}}


@pytest.mark.parametrize("own", [OWN, {"like": "services", **OWN}])
def test_figures_of_a_profile_are_in_its_own_currency(own: dict[str, object]) -> None:
    """A profile in yen states yen, whatever trade it changes; the trade's own prices grow."""
    trade = company_trade(load_trade("goods"), own, country(YEN), "mine.yaml: trade")
    assert trade.bands["order_value"] == (4000, 9000)
    stated = load_trade("services" if "like" in own else "goods")
    (first, *_), (dollars, *_) = trade.range.prices.ladder, stated.range.prices.ladder
    assert first.up_to == 100 * dollars.up_to


def test_every_band_of_a_country_is_a_statistics() -> None:
    """A locale names statistics that there are."""
    schema = load_schema(locales_folder().parent / "service_cloud")
    known = {statistic.name for statistic in schema.statistics}
    for locale in known_locales():
        assert set(load_country(locale).bands) <= known


@pytest.mark.parametrize(
    ("stated", "under"), [({0.05: 3.0, 0.0: 1.0}, {0.1: 2.0}), ({0.0: 1.0}, {0.0: 1.0})]
)
def test_endings_in_cents_are_the_countrys(
    stated: dict[float, float], under: dict[float, float]
) -> None:
    """A trade of whole prices has whole ones everywhere."""
    ladder = (Rung(up_to=50, every=1, favored=5),)
    trade = load_trade("goods")
    prices = Prices(ladder=ladder, under=stated, steps=0.1)
    stocked = trade.range.model_copy(update={"prices": prices})
    own = EURO.model_copy(update={"under": {0.1: 2.0}})
    there = trade_in(trade.model_copy(update={"range": stocked}), country(own))
    assert there.range.prices.under == under


@pytest.mark.parametrize(("amount", "shown"), [(1299.5, "€1,299.50"), (-3, "-€3.00"), (0, "€0.00")])
def test_an_amount_has_its_sign_before_it(amount: float, shown: str) -> None:
    """What is owed has a minus before the sign."""
    assert EURO.shown(amount) == shown


def test_an_amount_is_written_as_a_language_writes_it() -> None:
    """In German the sign stands behind, and thousands have points."""
    germany = load_country("de_DE")
    assert germany.currency.shown(1299.5, germany.language) == "1.299,50 €"
    assert load_country("ja_JP").currency.shown(1299) == "¥1,299"
