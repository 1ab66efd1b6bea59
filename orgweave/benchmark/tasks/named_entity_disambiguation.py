"""Named entity disambiguation: which product a contact means by a vague name, ordered so long ago.

What a vague name is stands in `vague_names`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from random import Random
from typing import Any

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
from orgweave.benchmark.story import Story
from orgweave.benchmark.task import (
    Draws,
    JudgeReading,
    TaskDefinition,
    TaskSources,
    TaskTexts,
)
from orgweave.benchmark.vague_names import Buyer, VagueName, asked_like, asked_on
from orgweave.benchmark.windows import interval_forms
from orgweave.crm.seam import Crm

WITHOUT_ORDER = 1 / 3
"""The share of unanswerable questions about the day before or after an order."""
TRIES = 6
"""How many intervals are tried for two days before they are given up."""
HARD = 2
"""Twins are hard where two ways to skip a part of the question fail, of those of `hardness`."""
ROUNDS = 4
"""How often hard twins come first."""
MOST_NAMES = 12
"""So many vague names of a contact are asked about: who bought for years has hundreds."""
NO_DAY = Dropped("no interval leads from one day to both orders")
MEANS = "Which of these products does the customer mean by the words {vague_name!r}?"


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Twins: one contact and one vague name, two days with different products; those first that
    are hard to find where a part of the question is skipped.

    With `nothing` the contact ordered nothing on the other day, or nothing that the name could
    mean.
    """
    twins = []
    for name in _names(sources.story, rng):
        twins += _with_nothing(rng, name, sources.story) if nothing else _twins(rng, name)
    rng.shuffle(twins)
    # Whoever buys little has few names for two things, so that skipping the day is what most often
    # does no harm: of equally hard twins those come first where it does.
    twins.sort(key=NamedDays.order, reverse=True)
    hard = [days for days in twins if days.hardness() >= HARD]
    # A company with few products and orders has few that are hard, so these come again, with other
    # intervals, before the others.
    for days in (*hard * ROUNDS, *twins):
        yield _asked(sources.story, rng, days)


@dataclass(frozen=True, slots=True)
class NamedDays:
    """A vague name, the days on which it means a product, each another one, and a day on which it
    means none.
    """

    name: VagueName
    days: tuple[date, ...]
    nothing: date | None = None

    def hardness(self) -> float:
        """The mean over its days."""
        return sum(map(self.name.hardness, self.days)) / len(self.days)

    def order(self) -> tuple[float, int]:
        """How hard they are, and on how many of the days another day's product is found first."""
        return self.hardness(), sum(map(self.name.is_behind, self.days))


def _names(story: Story, rng: Random) -> Iterator[VagueName]:
    """The vague names of all buyers, of each the few hardest."""
    purchases = story.purchases()
    for account in sorted(purchases):
        if account in story.contacts:
            buyer = Buyer(story, story.contacts[account], purchases[account])
            names = [name for name in buyer.vague_names() if name.meant]
            rng.shuffle(names)
            names.sort(key=lambda name: max(map(name.hardness, name.meant)), reverse=True)
            yield from names[:MOST_NAMES]


def _twins(rng: Random, name: VagueName) -> list[NamedDays]:
    """Each day once, two with different products together as far as there are such, and hidden
    products with hidden ones.
    """
    waiting = rng.sample(sorted(name.meant), len(name.meant))
    waiting.sort(key=lambda day: day in name.hidden)
    pairs = []
    while waiting:
        day = waiting.pop()
        others = [other for other in waiting if name.meant[other] != name.meant[day]]
        for other in others[-1:]:
            waiting.remove(other)
        pairs.append(NamedDays(name, tuple(sorted([day, *others[-1:]]))))
    return pairs


def _with_nothing(rng: Random, name: VagueName, story: Story) -> list[NamedDays]:
    """Each day with one on which nothing has that name: a third of them with the day before or
    after, the others with one of other orders.
    """
    pairs = []
    ordered = name.buyer.days()
    for day in name.meant:
        beside = [day + timedelta(days=move) for move in (-1, 1)]
        free = [other for other in beside if story.first <= other <= story.last]
        unordered = [other for other in free if other not in ordered]
        others = unordered if rng.random() < WITHOUT_ORDER else name.nothing
        if others:
            pairs.append(NamedDays(name, (day,), rng.choice(others)))
    return pairs


def _asked(
    story: Story,
    rng: Random,
    twins: NamedDays,
) -> TwinGroup | Dropped:
    """The twins that ask for each of the days: what did the customer mean by the name then?

    All of them name the same interval, or all are asked on the same day. Where the name came to
    mean another product later, they are asked after that. Dropped where no interval leads to all of
    the days.
    """
    name, (first, *_) = twins.name, twins.days
    for _ in range(TRIES):
        asked = asked_on(story, rng, first, name.outlived(first)) or asked_on(story, rng, first)
        if asked is None:
            break
        ways = [asked_like(story, rng, day, asked) for day in twins.days[1:]]
        nothing = asked_like(story, rng, twins.nothing, asked) if twins.nothing else asked
        if nothing is None or None in ways:
            continue
        group = []
        for day, way in zip(twins.days, [asked, *ways], strict=True):
            if way is not None:
                answer = (name.meant[day],)
                group.append(ordered_ago(name.buyer.contact, name.words, way, day, answer))
        if twins.nothing:
            contact = name.buyer.contact
            group.append(ordered_ago(contact, name.words, nothing, twins.nothing, NOTHING))
        return tuple(group)
    return NO_DAY


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
