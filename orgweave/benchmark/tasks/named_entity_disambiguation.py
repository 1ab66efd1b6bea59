"""Named entity disambiguation: which product a contact means by a vague name, ordered so long ago.

A vague name shares words with its product's name or family and fits no other product of that
customer nearly as well (rapidfuzz).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from random import Random
from typing import Any

from rapidfuzz import fuzz, utils

from orgweave.benchmark.instance import (
    NOTHING,
    Answer,
    Candidate,
    Dropped,
    OrgTruth,
    Parameters,
    TwinGroup,
)
from orgweave.benchmark.judge_readings import shuffled_reading
from orgweave.benchmark.org_facts import OrgFacts
from orgweave.benchmark.scripts import reading
from orgweave.benchmark.scripts.script import NONE, CallTool, ScriptInput, first_record_of, said
from orgweave.benchmark.scripts.windows import interval_named
from orgweave.benchmark.shortcuts import top
from orgweave.benchmark.soql_truth import SoqlAsker, clear_extreme, name_words
from orgweave.benchmark.story import Product, PurchasedItem, Story
from orgweave.benchmark.task import (
    Draws,
    JudgeReading,
    TaskDefinition,
    TaskSources,
    TaskTexts,
)
from orgweave.benchmark.windows import LAST_SAFE_DAY, before, interval_forms
from orgweave.crm.seam import Crm

CLOSE = 70.0
"""How close a vague name is to its own product at least, from 0 to 100."""
APART = 12.0
"""How much closer it is to its own product than to any other of that day."""
BARE = 0.75
"""How often the vague name is a noun alone, without the first word of the product's name."""
WITHOUT_ORDER = 1 / 3
"""The share of unanswerable questions about the day before or after an order."""
TRIES = 6
"""How many intervals are tried for a day before it is given up."""
SPANS = {"day": (5, 150), "week": (2, 26), "month": (1, 18)}
"""How long ago the order was, at least and at most, in each unit."""
LOOSE = {
    "sneaker": {"shoe", "trainer", "runner", "sneaker", "volley"},
    "boot": {"boot"},
    "slip-on": {"loafer", "slip", "clog", "slipper", "mule", "moc"},
}
"""Nouns that people use loosely, each with words of product names that they may well mean: nothing
is asked about them where they could mean something else too.
"""
NOT_CLEAR = Dropped("no vague name fits its product and no other of that day")
NO_DAY = Dropped("no such day in the period")
NO_OTHER = Dropped("the contact bought nothing on another day that the name fits, or could mean")
MEANS = "Which of these products does the customer mean by the words {vague_name!r}?"


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Endless draws of twins: one contact and one vague name, two days with different products.

    With `nothing` the contact ordered nothing on the other day, or nothing that the name could
    mean.
    """
    story = sources.story
    purchases = story.purchases()
    accounts = sorted(account for account in purchases if account in story.contacts)
    while True:
        account = rng.choice(accounts)
        buyer = Buyer(story, story.contacts[account], purchases[account])
        meant = rng.choice(buyer.own)
        vague = buyer.vague_name(rng, meant)
        asked = asked_on(story, rng, meant.day)
        if vague is None:
            yield NOT_CLEAR
        elif asked is None:
            yield NO_DAY
        else:
            first = ordered_ago(buyer.contact, vague, asked, meant.day, (meant.product,))
            if nothing:
                yield _with_nothing(buyer, rng, vague, first)
            else:
                yield _twins(buyer, rng, vague, first)


@dataclass(frozen=True, slots=True)
class Buyer:
    """A contact with all that its account bought."""

    story: Story
    contact: str
    own: Sequence[PurchasedItem]

    def of_day(self, day: date) -> list[Product]:
        """The products of a day's orders, each as often as it was ordered."""
        return [self.story.products[item.product] for item in self.own if item.day == day]

    def vague_name(self, rng: Random, meant: PurchasedItem) -> str | None:
        """A vague name of what was bought that fits nothing else of its day; None where there is
        none.
        """
        product = self.story.products[meant.product]
        of_day = self.of_day(meant.day)
        if of_day.count(product) != 1:
            return None
        others = [other for other in of_day if other != product]
        return _vague_name(rng, product, others)

    def meant_on(self, vague: str, day: date) -> str | None:
        """The product that a vague name clearly means on a day, an empty text where it means none;
        None where that is not clear.
        """
        of_day = self.of_day(day)
        near = [product for product in of_day if closeness(vague, product) > CLOSE - APART]
        if not near:
            return "" if not any(_could_mean(vague, product) for product in of_day) else None
        product = near[0]
        others = [other for other in of_day if other != product]
        alone = len(near) == 1 and _fits(vague, product, others)
        return product.id if alone else None

    def days(self) -> list[date]:
        """The days of its orders."""
        return sorted({item.day for item in self.own})


def _twins(
    buyer: Buyer,
    rng: Random,
    vague: str,
    first: Candidate,
) -> TwinGroup | Dropped:
    """The question and the same one about another day, on which the name means another product;
    the question alone where there is no such day, but another product that the name could mean.
    """
    days = buyer.days()
    rng.shuffle(days)
    for day in days:
        product = buyer.meant_on(vague, day)
        if product and product != first.answer[0]:
            asked = _asked_like(buyer.story, rng, day, first)
            if asked is not None:
                return first, ordered_ago(buyer.contact, vague, asked, day, (product,))
    return (first,)


def _with_nothing(
    buyer: Buyer,
    rng: Random,
    vague: str,
    first: Candidate,
) -> TwinGroup | Dropped:
    """The question and the same one about a day on which nothing has that name: a third of them
    about the day before or after, the others about one with other orders.
    """
    day = date.fromisoformat(str(first.parameters["date"]))
    if rng.random() < WITHOUT_ORDER:
        days = [day + timedelta(days=rng.choice((-1, 1)))]
    else:
        days = buyer.days()
        rng.shuffle(days)
    for other in days:
        known = buyer.story.first <= other <= buyer.story.last
        if known and buyer.meant_on(vague, other) == "":
            asked = _asked_like(buyer.story, rng, other, first)
            if asked is not None:
                return first, ordered_ago(buyer.contact, vague, asked, other, NOTHING)
    return NO_OTHER


def closeness(vague: str, product: Product) -> float:
    """From 0 to 100: how many of the vague name's words the product's name and family share,
    plurals aside.
    """
    return fuzz.token_set_ratio(stems(vague), stems(f"{product.name} {product.family}"))


def stems(text: str) -> str:
    """The text in small letters, without marks, plural endings cut."""
    words = utils.default_process(text).split()
    return " ".join(word.removesuffix("s") if len(word) > 3 else word for word in words)


def asked_on(
    story: Story,
    rng: Random,
    day: date,
) -> tuple[str, date] | None:
    """An interval and the day on which that much earlier is `day`; None where it is not in the
    period.
    """
    unit = rng.choice(sorted(SPANS))
    low, high = SPANS[unit]
    count = rng.randint(low, high)
    today = before(day, unit, -count)
    if day.day > LAST_SAFE_DAY or today > story.last:
        return None
    plural = "s" if count > 1 else ""
    return f"{count} {unit}{plural}", today


def _asked_like(
    story: Story,
    rng: Random,
    day: date,
    first: Candidate,
) -> tuple[str, date] | None:
    """The interval from another day to the day on which the first question was asked, or the first
    question's interval with the day on which it leads to that day; None where neither is possible.
    """
    interval = str(first.parameters["interval"])
    today = date.fromisoformat(str(first.parameters["today"]))
    units = sorted(SPANS)
    rng.shuffle(units)
    for unit in units:
        low, high = SPANS[unit]
        for count in range(low, high + 1):
            if before(today, unit, count) == day:
                plural = "s" if count > 1 else ""
                return f"{count} {unit}{plural}", today
    number, unit = interval.removesuffix("s").split(" ")
    later = before(day, unit, -int(number))
    leads_back = before(later, unit, int(number)) == day and later.day <= LAST_SAFE_DAY
    return (interval, later) if leads_back and later <= story.last else None


def _vague_name(
    rng: Random,
    meant: Product,
    others: Sequence[Product],
) -> str | None:
    """A way to speak of the product that is not its name, close to it and clearly less so to every
    other one; most often a noun alone.
    """
    forms = _forms(meant)
    rng.shuffle(forms)
    bare = rng.random() < BARE
    forms.sort(key=lambda form: (form in meant.shorts) != bare)
    for form in forms:
        named = form.casefold() in meant.name.casefold()
        loosely = any(_could_mean(form, other) for other in others)
        if not named and not loosely and _fits(form, meant, others):
            return form
    return None


def _fits(
    vague: str,
    meant: Product,
    others: Sequence[Product],
) -> bool:
    """Whether the name is close to the product, and clearly less so to every other one."""
    own = closeness(vague, meant)
    rivals = [closeness(vague, other) for other in others]
    apart = own - max(rivals, default=0.0) >= APART
    return own >= CLOSE and apart and _most_words(vague, meant, others)


def _could_mean(vague: str, product: Product) -> bool:
    """Whether somebody who speaks loosely could mean the product."""
    noun = vague.casefold().split()[-1].removesuffix("s")
    loose = LOOSE.get(noun, set())
    return bool(loose & _stems_of(product))


def _most_words(
    vague: str,
    meant: Product,
    others: Sequence[Product],
) -> bool:
    """Whether more than half of its words stand in the product's name or family, and fewer of them
    in every other one's.
    """
    words = set(stems(vague).split())
    own = len(words & _stems_of(meant))
    if 2 * own <= len(words):
        return False
    rivals = [other for other in others if other.id != meant.id]
    return all(len(words & _stems_of(rival)) < own for rival in rivals)


def _stems_of(product: Product) -> set[str]:
    return set(stems(f"{product.name} {product.family}").split())


def _forms(product: Product) -> list[str]:
    """The vague noun alone, or with the first word of the name before it.

    A noun that has little to do with name and family is left out.
    """
    series = product.name.split()[0]
    known = _stems_of(product)
    nouns = list(_fitting_nouns(product, known))
    if not series.isalpha():
        return nouns
    return [*nouns, *(f"{series} {noun}" for noun in nouns)]


def _fitting_nouns(product: Product, known: set[str]) -> Iterator[str]:
    for noun in product.shorts:
        words = stems(noun).split()
        if 2 * len(set(words) & known) > len(words):
            yield noun


def ordered_ago(
    contact: str,
    vague: str,
    asked: tuple[str, date],
    day: date,
    answer: Answer,
) -> Candidate:
    """A question on what was ordered so long ago; `asked` is an interval and the day from which it
    is counted back.
    """
    interval, today = asked
    return Candidate(
        seed="ordered_ago",
        parameters={
            "contact": contact,
            "vague_name": vague,
            "interval": interval,
            "today": today.isoformat(),
            "date": day.isoformat(),
            "product": answer[0] if answer else None,
        },
        slots={"vague_name": vague, "window": interval},
        must=((vague,), interval_forms(interval)),
        answer=answer,
        fact=f"{contact}|{day}|{vague}",
    )


def judge_reading(
    sources: TaskSources,
    candidate: Candidate,
    peers: Sequence[Candidate],
) -> JudgeReading | None:
    """Which of the customer's products the vague name means."""
    if not candidate.answer:
        return None
    story = sources.story
    accounts = {contact: account for account, contact in story.contacts.items()}
    account = accounts[str(candidate.parameters["contact"])]
    own = {item.product for item in story.bought if item.account == account}
    names = sorted({story.products[product].name for product in own})
    right = story.products[candidate.answer[0]].name
    return shuffled_reading(
        sources.seed,
        candidate,
        text="Products bought:\n" + "\n".join(names),
        asks=MEANS.format(**candidate.slots),
        right=right,
        others=[name for name in names if name != right],
    )


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """Of what the contact's account ordered on that day, the item that shares most words with the
    vague name, if it shares more than half of them.
    """
    asker = SoqlAsker(crm)
    contacts = asker.ask(f"SELECT AccountId FROM Contact WHERE Id = '{wanted['contact']}'")
    items = asker.ask(f"""
        SELECT Product2Id, Product2.Name, Product2.Family
        FROM OrderItem
        WHERE Order.AccountId = '{contacts[0]["AccountId"]}' AND Order.Status = 'Activated'
        AND Order.EffectiveDate = {wanted["date"]}
    """)
    vague = name_words(str(wanted["vague_name"]))
    fitting = {}
    for item in items:
        product = item["Product2"]
        shared = vague & name_words(f"{product['Name']} {product['Family']}")
        if 2 * len(shared) > len(vague):
            fitting[item["Product2Id"]] = len(shared)
    return asker.truth(clear_extreme(fitting, largest=True))


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """What the contact's account bought on the day that long ago, as far as the vague name fits
    it.
    """
    wanted = given.parameters
    count, unit = interval_named(wanted["interval"])
    account = await call("get_account_id_by_contact_id", contact_id=wanted["contact"])
    day = await call(
        "get_start_date",
        end_date=wanted["today"],
        period=unit,
        interval_count=count,
    )
    bought = await call(
        "get_purchase_history",
        account_id=account,
        purchase_date=day[: len("2022-01-01")],
    )
    products = list(dict.fromkeys(item["Product2Id"] for item in bought))
    if not products:
        return NONE
    listed = ", ".join(f"'{product}'" for product in products)
    query = f"SELECT Id, Name, Family FROM Product2 WHERE Id IN ({listed})"
    known = await call("issue_soql_query", query=query)
    return said(_fitting(wanted["vague_name"], known))


def _fitting(vague: str, products: Sequence[Mapping[str, Any]]) -> list[str]:
    """The products that a vague name fits best: two thirds of its words stand in name and family,
    or half of them with the first, which tells most.
    """
    wanted = reading.words(vague)
    first = reading.words(vague.split()[0])
    shared = {}
    for product in products:
        known = reading.words(f"{product['Name']} {product['Family']}")
        shared[str(product["Id"])] = wanted & known
    most = max(len(same) for same in shared.values())
    fitting = {product: same for product, same in shared.items() if len(same) == most}
    needed = 1 / 2 if any(first <= same for same in fitting.values()) else 2 / 3
    return list(fitting) if wanted and most >= needed * len(wanted) else []


def _guess(
    facts: OrgFacts,
    wanted: Parameters,
    any_day: bool = False,
    any_name: bool = False,
    brand: bool = False,
) -> Answer:
    """Of what the contact bought on the day, the product that shares most words with the name.

    The arguments leave out the day, the name, or all of it but a brand.
    """
    own = facts.purchases.get(facts.accounts[str(wanted["contact"])], ())
    vague = str(wanted["vague_name"]).split()
    shares = {}
    for item in own:
        if not any_day and item.day.isoformat() != wanted["date"]:
            continue
        name = facts.products[item.product]
        shared = len(reading.words(" ".join(vague)) & reading.words(name))
        if brand:
            shared = int(vague[0].istitle() and name.split()[0] == vague[0])
        if shared or any_name:
            shares[item.product] = shared
    return top(dict.fromkeys(shares, 0) if any_name else shares)


def _latest(facts: OrgFacts, wanted: Parameters) -> Answer:
    """The product that fits the name and was bought last before today."""
    own = facts.purchases.get(facts.accounts[str(wanted["contact"])], ())
    vague = reading.words(str(wanted["vague_name"]))
    fitting = {}
    for item in own:
        shared = vague & reading.words(facts.products[item.product])
        if 2 * len(shared) > len(vague) and item.day.isoformat() < str(wanted["today"]):
            fitting[item.product] = item.day.toordinal()
    return top(fitting)


TASK = TaskDefinition(
    short="NED",
    persona="service agent",
    answers="id",
    reward_metric="exact_match",
    unanswerable=0.3,
    texts=TaskTexts(
        seeds={"ordered_ago": "Show me the {vague_name} I ordered {window} ago."},
        required=(
            "Only activated orders count, and only those whose EffectiveDate is exactly so long"
            " before today's date. Answer with the Id of the product, or None if the contact"
            " ordered no such product on that day."
        ),
        optional=(
            "Orders belong to the contact's account; a product is reached through"
            " OrderItem.Product2Id."
        ),
    ),
    draws=draws,
    judge_reading=judge_reading,
    soql_truth=soql_truth,
    verify_sql="""
SELECT p.Id, shared(:vague_name, p.Name || ' ' || p.Family)
FROM OrderItem i
JOIN "Order" o ON o.Id = i.OrderId
JOIN Contact t ON t.AccountId = o.AccountId
JOIN Product2 p ON p.Id = i.Product2Id
WHERE t.Id = :contact AND o.Status = 'Activated' AND o.EffectiveDate = :date
AND shared(:vague_name, p.Name || ' ' || p.Family) > 0.5
GROUP BY 1
""",
    oracle=oracle,
    reduced={
        "day: any": partial(_guess, any_day=True),
        "day: the latest that fits": _latest,
        "name: any item of the day": partial(_guess, any_name=True),
        "name: its brand alone": partial(_guess, brand=True),
    },
    first_record=first_record_of(
        "SELECT Product2Id FROM OrderItem WHERE Order.AccountId IN (SELECT AccountId FROM Contact"
        " WHERE Id = '{contact}') AND Order.EffectiveDate = {date} LIMIT 1",
        "Product2Id",
    ),
)
