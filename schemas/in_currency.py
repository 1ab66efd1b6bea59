"""A lexicon and a trade in another country than the one of dollars in which they are stated.

Where the lexicon says `$25` or `a few dollars`, the company's currency takes the dollar's place. A
currency of small units (yen) also has larger figures: prices, and what stands behind a dollar sign,
are multiplied by its `rate`. Statistics whose bands are others in the country have those. Knows no
texts and no prices of single products.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from schemas.articles import PolicyTerm
from schemas.categories import Category
from schemas.country import Country, Currency
from schemas.incidents import IncidentDetail, IncidentPlan, SignValue
from schemas.issues import Option
from schemas.lexicon import Lexicon
from schemas.selling import Prices
from schemas.trade import Trade, changed_trade
from schemas.world import World

DOLLARS = "USD"
MONEY_BANDS = ("order_value",)
"""The statistics of a trade that are amounts."""

NO_MONEY = "plan"
"""What a contract's amount counts units of use for, not money."""

SLOT = re.compile(r"\$\{(\w+)\}")
AMOUNT = re.compile(r"\$(\d[\d,]*(?:\.\d+)?)")
COUNTED = re.compile(r"\b(\d+) dollars\b")
WORD = re.compile(r"\bdollar(s?)\b")

StatedFigure = int | float


def in_currency(lexicon: Lexicon, currency: Currency) -> Lexicon:
    """The lexicon with its wordings, figures and price ranges in a currency."""
    if currency.code == DOLLARS:
        return lexicon
    rules = {name: _lines(lines, currency) for name, lines in lexicon.rules.items()}
    world = lexicon.world
    if currency.rate != 1:
        world = _rescaled(world, _money_figures(lexicon), currency)
    changed: Mapping[str, object] = {
        "terms": tuple(_term(term, currency) for term in world.terms),
        "incidents": {key: _plan(plan, currency) for key, plan in world.incidents.items()},
        "options": tuple(_option(option, currency) for option in world.options),
    }
    return replace(lexicon, rules=rules, world=world.model_copy(update=changed))


def company_trade(
    stated: Trade,
    own: str | Mapping[str, object],
    country: Country,
    where: str,
) -> Trade:
    """The trade of a company in its country.

    The world states a trade in dollars, or the profile (`own`) names another one; figures that the
    profile states itself are in the company's currency already. Raises SchemaError naming the key.
    """
    if isinstance(own, str):
        return trade_in(changed_trade(stated, own, where), country)
    figures = dict(own)
    named = {"like": figures.pop("like")} if "like" in figures else {}
    return changed_trade(trade_in(changed_trade(stated, named, where), country), figures, where)


def trade_in(trade: Trade, country: Country) -> Trade:
    """The trade with the price points that are usual in a country, and its bands of statistics."""
    currency = country.currency
    if currency.code == DOLLARS:
        return trade
    bands: dict[str, tuple[float, float] | None] = {**country.bands, **trade.bands}
    prices = _prices(trade.range.prices, currency)
    for name in MONEY_BANDS:
        band = trade.bands.get(name)
        if band is not None:
            bands[name] = (band[0] * currency.rate, band[1] * currency.rate)
    stocked = trade.range.model_copy(update={"prices": prices})
    return trade.model_copy(update={"range": stocked, "bands": bands})


def _prices(prices: Prices, currency: Currency) -> Prices:
    """The price ladder; what ends in cents has the endings of the currency."""
    rate = currency.rate
    ladder = []
    for rung in prices.ladder:
        steps = {
            "up_to": rung.up_to * rate,
            "every": rung.every * rate,
            "favored": rung.favored * rate,
        }
        ladder.append(rung.model_copy(update=steps))
    under = {below * rate: weight for below, weight in prices.under.items()}
    has_cents = any(below % 1 for below in prices.under)
    if has_cents and currency.under:
        under = dict(currency.under)
    return prices.model_copy(update={"ladder": tuple(ladder), "under": under})


def _lines(lines: Iterable[str], currency: Currency) -> tuple[str, ...]:
    return tuple(_worded(line, currency) for line in lines)


def _worded(line: str, currency: Currency) -> str:
    """A line with the currency in the dollar's place."""
    if "$" not in line and "dollar" not in line:
        return line
    line = AMOUNT.sub(lambda found: f"{currency.symbol}{_times(found[1], currency)}", line)
    line = SLOT.sub(lambda found: f"{currency.symbol}{{{found[1]}}}", line)
    several = currency.english[1]
    line = COUNTED.sub(lambda found: f"{_times(found[1], currency)} {several}", line)
    return WORD.sub(lambda found: currency.english[bool(found[1])], line)


def _times(number: str, currency: Currency) -> str:
    value = float(number.replace(",", "")) * currency.rate
    is_whole = value.is_integer() and "." not in number
    return f"{value:,.0f}" if is_whole else f"{value:,.{currency.decimals}f}"


def _term(term: PolicyTerm, currency: Currency) -> PolicyTerm:
    worded = {
        "shown": _worded(term.shown, currency),
        "says": _lines(term.says, currency),
        "asks": _lines(term.asks, currency),
    }
    return term.model_copy(update=worded)


def _option(option: Option, currency: Currency) -> Option:
    """A remedy by its words in the currency; what it is worth is reckoned where it is granted."""
    worded = {
        "phrase": _worded(option.phrase, currency),
        "ways": _lines(option.ways, currency),
    }
    return option.model_copy(update=worded)


def _plan(plan: IncidentPlan, currency: Currency) -> IncidentPlan:
    """A plan whose marks and amounts are in the currency, as the wordings are."""
    signs = {}
    for sign, values in plan.signs.items():
        signs[sign] = {name: _value(value, currency) for name, value in values.items()}
    causes = {}
    for name, cause in plan.causes.items():
        causes[name] = cause.model_copy(update={"details": _details(cause.details, currency)})
    worded = {
        "signs": signs,
        "causes": causes,
        "stakes": _lines(plan.stakes, currency),
        "details": _details(plan.details, currency),
    }
    return plan.model_copy(update=worded)


def _details(
    details: Iterable[IncidentDetail],
    currency: Currency,
) -> tuple[IncidentDetail, ...]:
    """Details whose values are in the currency."""
    told = []
    for detail in details:
        values = tuple(_lines(row, currency) for row in detail.values)
        told.append(detail.model_copy(update={"values": values}))
    return tuple(told)


def _value(value: SignValue, currency: Currency) -> SignValue:
    worded = {
        "marks": _lines(value.marks, currency),
        "stakes": _lines(value.stakes, currency),
        "details": _details(value.details, currency),
    }
    return value.model_copy(update=worded)


def _money_figures(lexicon: Lexicon) -> frozenset[str]:
    """The names of the figures that stand behind a dollar sign somewhere."""
    found: set[str] = set()
    for lines in lexicon.rules.values():
        for line in lines:
            found.update(SLOT.findall(line))
    for term in lexicon.world.terms:
        if SLOT.search(term.shown):
            found.add(term.figure)
    return frozenset(found)


def _rescaled(world: World, money: frozenset[str], currency: Currency) -> World:
    rate = currency.rate
    policies = []
    for policy in world.policies:
        figures = {
            name: _scaled(values, rate) if name in money else values
            for name, values in policy.figures.items()
        }
        policies.append(policy.model_copy(update={"figures": figures}))
    facts = []
    for fact in world.facts:
        values = _scaled(fact.values, rate) if fact.figure in money else fact.values
        facts.append(fact.model_copy(update={"values": values}))
    categories = tuple(_category(category, rate) for category in world.categories)
    changed: Mapping[str, object] = {
        "policies": tuple(policies),
        "facts": tuple(facts),
        "categories": categories,
    }
    return world.model_copy(update=changed)


def _scaled(values: Iterable[StatedFigure], rate: float) -> tuple[StatedFigure, ...]:
    scaled = [value * rate for value in values]
    return tuple(int(value) if float(value).is_integer() else value for value in scaled)


def _category(category: Category, rate: float) -> Category:
    """A category with its price range, and the amounts of its accounts, in the currency."""
    low, high = category.price
    changed: dict[str, object] = {"price": (low * rate, high * rate)}
    terms = category.terms
    if terms.holds != NO_MONEY and terms.amount is not None:
        least, most = terms.amount
        changed["terms"] = terms.model_copy(update={"amount": (least * rate, most * rate)})
    return category.model_copy(update=changed)
