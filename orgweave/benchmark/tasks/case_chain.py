"""Chains: one answer behind several questions that were each proved, and are proved again as a
whole.

Three kinds. `covered`: the vague product ordered so long ago, which the customer complained about:
which article did the answer break, if any? `passed_on`: which issue did the agent with most
transfers hand over most? `fast_region`: which issue did the state have most in which cases were
closed fastest?
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain, islice
from random import Random
from typing import Any

from orgweave.benchmark.choice import agreed, best, edges, mixed
from orgweave.benchmark.instance import (
    NOTHING,
    Answer,
    Candidate,
    Dropped,
    OrgTruth,
    Parameter,
    Parameters,
    TwinGroup,
)
from orgweave.benchmark.org_facts import OrgCase, OrgFacts
from orgweave.benchmark.scripts.script import (
    CLOSED,
    UNPROVED,
    CallTool,
    ScriptInput,
    first_record_of,
    first_said,
    ids_of,
    pairs,
    said,
)
from orgweave.benchmark.scripts.windows import window_of
from orgweave.benchmark.shortcuts import elsewhere, mean_hours, top, twelve_months, window_in
from orgweave.benchmark.soql_truth import (
    SoqlAsker,
    agents_with_more,
    clear_extreme,
    means,
    minutes_open,
    name_words,
    within,
)
from orgweave.benchmark.story import HiddenCase, PurchasedItem
from orgweave.benchmark.task import (
    NAMED,
    ROLLING,
    SEASONS,
    Draws,
    TaskDefinition,
    TaskSources,
    TaskTexts,
)
from orgweave.benchmark.tasks import (
    best_region_identification,
    named_entity_disambiguation,
    policy_violation_identification,
    transfer_count,
)
from orgweave.benchmark.vague_names import Buyer, asked_on
from orgweave.benchmark.windows import Timeline, TimeWindow
from orgweave.crm.seam import Crm
from pipeline.world.streams import text_stream

NO_PIECE = Dropped("a piece of the chain has no clear answer")
BREACHES = 8
"""So many pairs of two breaches are drawn where all have answers. Breaches stand beside lawful
grants already: with more of them, the words of the conversations alone told more than two in five
of the answers; with none, half of all questions on what was granted have no answer.
"""
MOST_INTERVALS = 8
"""How often an interval is drawn for a case's order."""
EMPTY: dict[str, Parameter] = {
    "contact": "",
    "vague_name": "none",
    "date": "",
    "case": "",
    "article": None,
    "start": "",
    "end": "",
    "more_than": 0,
    "least_cases": 0,
}
"""What a chain of another kind has in the places of a parameter: the proof's SQL names all."""


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Endless draws of twins; with `nothing` of the kind `covered`, one of them lawful."""
    if nothing:
        yield from _covered(sources, rng, nothing=True)
        return
    breaches = islice(_covered(sources, rng, nothing=False), BREACHES)
    others = {"passed_on": _passed_on(sources, rng), "fast_region": _fast_region(sources, rng)}
    yield from chain(breaches, mixed(rng, others))


def _covered(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """A breach and a lawful grant (or two breaches), each of a product that its customer can name
    vaguely.
    """
    cases = {case.id: case for case in sources.story.cases}
    purchases = sources.story.purchases()
    leading = {}
    for case in sources.story.cases:
        bought = _purchase(sources, purchases, case)
        if bought is not None:
            leading[case.id] = bought
    # Twins are sought among those cases alone: where customers buy little, hardly any pair of all
    # cases has two of them.
    among = [cases[key] for key in leading]
    for group in policy_violation_identification.draws_among(among, sources, rng, nothing):
        if isinstance(group, Dropped):
            yield group
            continue
        found = []
        for piece in group:
            case = cases[str(piece.parameters["case"])]
            found.append(_of_purchase(sources, rng, leading[case.id], case, piece))
        chained = [candidate for candidate in found if candidate is not None]
        complete = len(chained) == len(group)
        yield tuple(chained) if complete and chained else NO_PIECE


@dataclass(frozen=True, slots=True)
class VagueWay:
    """Who bought what a case is about, and the vague name that leads there."""

    buyer: Buyer
    vague: str


def _purchase(
    sources: TaskSources,
    purchases: Mapping[str, list[PurchasedItem]],
    case: HiddenCase,
) -> VagueWay | None:
    """The way to a case over the product that it is about; None where no vague name leads there, or
    to another case too.
    """
    story = sources.story
    own = purchases.get(case.account, [])
    buyer = Buyer(story, story.contacts.get(case.account, ""), own)
    bought = [item for item in own if (item.day, item.product) == (case.ordered, case.product)]
    subject = (case.account, case.product, case.ordered)
    same = []
    for other in story.cases:
        if (other.account, other.product, other.ordered) == subject:
            same.append(other)
    if len(bought) != 1 or len(same) != 1 or not buyer.contact:
        return None
    vague = buyer.vague_name(text_stream(sources.seed, "vague names", case.id), bought[0])
    return None if vague is None else VagueWay(buyer, vague)


def _of_purchase(
    sources: TaskSources,
    rng: Random,
    way: VagueWay,
    case: HiddenCase,
    piece: Candidate,
) -> Candidate | None:
    """The chain that leads to a case; None where no interval leads to its order."""
    for _ in range(MOST_INTERVALS):
        asked = asked_on(sources.story, rng, case.ordered)
        if asked is not None and case.closed and asked[1] > case.closed.date():
            return _covered_candidate(way, case, piece, asked)
    return None


def _covered_candidate(
    way: VagueWay,
    case: HiddenCase,
    piece: Candidate,
    asked: tuple[str, date],
) -> Candidate:
    interval, today = asked
    contact = way.buyer.contact
    found = named_entity_disambiguation.ordered_ago(
        contact,
        way.vague,
        asked,
        case.ordered,
        (case.product,),
    )
    parameters = {
        **EMPTY,
        "chain": "covered",
        "contact": contact,
        "vague_name": way.vague,
        "interval": interval,
        "today": today.isoformat(),
        "date": case.ordered.isoformat(),
        "case": case.id,
        "article": piece.answer[0] if piece.answer else None,
    }
    return Candidate(
        seed="covered",
        parameters=parameters,
        slots=found.slots,
        must=found.must,
        answer=piece.answer,
        evidence=piece.evidence,
        fact=case.id,
    )


def _passed_on(sources: TaskSources, rng: Random) -> Draws:
    """Twins of the transfer count, led on to the issue of the cases that were passed on."""
    story = sources.story
    issues = {case.id: case.issue for case in story.cases}
    moves = [step for step in story.assignments if step.old is not None]
    timeline = Timeline(moves, lambda step: step.moment)

    def handed_over(piece: Candidate, window: TimeWindow, closed: bool) -> Counter[str]:
        steps = timeline.within(window, closed)
        own = [step.case for step in steps if (step.old,) == piece.answer]
        return Counter(issues[case] for case in own if issues[case])

    for group in transfer_count.draws(sources, rng, nothing=False):
        if isinstance(group, Dropped):
            yield group
            continue
        chained = []
        for piece in group:
            window = window_in(piece.parameters)
            counts = [handed_over(piece, each, closed) for each, closed in edges(window)]
            answer = _clear(counts)
            if answer and piece.parameters["extremum"] == "most":
                chained.append(_led_on("passed_on", piece, answer, transfer_count.MOST))
        yield _different(chained)


def _fast_region(sources: TaskSources, rng: Random) -> Draws:
    """Twins of the best region, led on to the issue of its cases."""
    story = sources.story
    closed_cases = [case for case in story.cases if case.closed]
    cases = Timeline(closed_cases, lambda case: case.created)
    for group in best_region_identification.draws(sources, rng, nothing=False):
        if isinstance(group, Dropped):
            yield group
            continue
        chained = []
        for piece in group:
            counts = []
            for each, closed in edges(window_in(piece.parameters)):
                inside = cases.within(each, closed)
                own = [case.issue for case in inside if (case.state,) == piece.answer]
                counts.append(Counter(issue for issue in own if issue))
            answer = _clear(counts)
            if answer:
                fast = best_region_identification.FAST
                chained.append(_led_on("fast_region", piece, answer, fast))
        yield _different(chained)


def _clear(counts: list[Counter[str]]) -> Answer:
    """The issue that is most common on every reading, where there is another one."""
    if len(counts[0]) < 2:
        return NOTHING
    return agreed(best(count, largest=True) for count in counts) or NOTHING


def _different(chained: list[Candidate]) -> TwinGroup | Dropped:
    """Twins with different answers, or the one that is left."""
    if not chained:
        return NO_PIECE
    if len(chained) > 1 and chained[0].answer != chained[1].answer:
        return tuple(chained[:2])
    return (chained[0],)


def _led_on(
    chain: str,
    piece: Candidate,
    answer: Answer,
    words: tuple[str, ...],
) -> Candidate:
    """A chain whose first hop is a question of another task."""
    kept = {name: value for name, value in piece.parameters.items() if name != "extremum"}
    named = "named" if piece.seed == "named" else "rolling"
    return Candidate(
        seed=f"{chain}_{named}",
        parameters={**EMPTY, "chain": chain, **kept},
        slots=piece.slots,
        must=(words, *piece.must[1:]),
        answer=answer,
        subject=chain,
        fact=f"{piece.rests_on}|{','.join(answer)}",
    )


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """The whole chain by SOQL, hop by hop; what a text proves is proved by its evidence."""
    asker = SoqlAsker(crm)
    if wanted["chain"] == "covered":
        return asker.truth(_covered_by_soql(asker, wanted))
    hops = _passed_on_by_soql if wanted["chain"] == "passed_on" else _region_by_soql
    ends_open = clear_extreme(hops(asker, wanted, "<"), largest=True)
    ends_closed = clear_extreme(hops(SoqlAsker(crm), wanted, "<="), largest=True)
    return asker.truth(ends_open, ends_closed)


def _covered_by_soql(asker: SoqlAsker, wanted: Parameters) -> Answer:
    """The article of the candidate, if the chain leads to its case and to no other."""
    contacts = asker.ask(f"SELECT AccountId FROM Contact WHERE Id = '{wanted['contact']}'")
    account = contacts[0]["AccountId"]
    cases = asker.ask(f"""
        SELECT Id, OrderItemId__r.Product2.Name, OrderItemId__r.Product2.Family
        FROM Case
        WHERE AccountId = '{account}' AND OrderItemId__r.Order.EffectiveDate = {wanted["date"]}
    """)
    vague = name_words(str(wanted["vague_name"]))
    fitting = {}
    for case in cases:
        product = case["OrderItemId__r"]["Product2"]
        shared = vague & name_words(f"{product['Name']} {product['Family']}")
        if 2 * len(shared) > len(vague):
            fitting[case["Id"]] = len(shared)
    found = clear_extreme(fitting, largest=True)
    if found != (wanted["case"],):
        return ("another case",)
    return (str(wanted["article"]),) if wanted["article"] else NOTHING


def _passed_on_by_soql(
    asker: SoqlAsker,
    wanted: Parameters,
    end: str,
) -> Mapping[str, float]:
    qualified = agents_with_more(asker, wanted, end)
    given_away = f"""Field__c = 'Owner Assignment' AND OldValue__c != null
        AND {within("CreatedDate", wanted, end)}"""
    rows = asker.ask(f"""
        SELECT OldValue__c agent, COUNT(Id) transfers
        FROM CaseHistory__c
        WHERE {given_away}
        GROUP BY OldValue__c
    """)
    made = {row["agent"]: row["transfers"] for row in rows if row["agent"] in qualified}
    agent = clear_extreme(made, largest=True)
    if not agent:
        return {}
    moved = asker.ask(f"""
        SELECT CaseId__r.IssueId__c
        FROM CaseHistory__c
        WHERE {given_away} AND OldValue__c = '{agent[0]}' AND CaseId__r.IssueId__c != null
    """)
    return Counter(row["CaseId__r"]["IssueId__c"] for row in moved)


def _region_by_soql(
    asker: SoqlAsker,
    wanted: Parameters,
    end: str,
) -> Mapping[str, float]:
    cases = asker.ask(f"""
        SELECT Account.ShippingState, IssueId__c, CreatedDate, ClosedDate
        FROM Case
        WHERE ClosedDate != null AND AccountId != null AND {within("CreatedDate", wanted, end)}
    """)
    minutes: dict[str, list[float]] = {}
    for case in cases:
        minutes.setdefault(case["Account"]["ShippingState"], []).append(minutes_open(case))
    least = int(str(wanted["least_cases"]))
    enough = {state: own for state, own in minutes.items() if len(own) >= least}
    fastest = clear_extreme(means(enough), largest=False)
    issues = [case["IssueId__c"] for case in cases if case["Account"]["ShippingState"] in fastest]
    return Counter(issue for issue in issues if issue)


async def oracle(given: ScriptInput, call: CallTool) -> str | None:
    """The oracles of the pieces, one after the other."""
    chain = given.parameters["chain"]
    if chain == "covered":
        return await _covered_by_tools(given, call)
    hops = _passed_on_by_tools if chain == "passed_on" else _region_by_tools
    cases = await hops(given, call)
    issues = Counter(case["IssueId__c"] for case in cases if case["IssueId__c"])
    return said(await call("find_id_with_max_value", values_by_id=pairs(issues)))


async def _covered_by_tools(given: ScriptInput, call: CallTool) -> str | None:
    """The product, the case about it, the article."""
    wanted = given.parameters
    product = await named_entity_disambiguation.TASK.oracle(given, call)
    account = await call("get_account_id_by_contact_id", contact_id=wanted["contact"])
    query = (
        f"SELECT Id FROM Case WHERE AccountId = '{account}'"
        f" AND OrderItemId__r.Product2Id = '{first_said(product)}'"
        f" AND OrderItemId__r.Order.EffectiveDate = {wanted['date']}"
    )
    found = await call("issue_soql_query", query=query)
    if len(found) != 1:
        return UNPROVED
    about = replace(given, parameters={**wanted, "case": found[0]["Id"]})
    return await policy_violation_identification.TASK.oracle(about, call)


async def _passed_on_by_tools(given: ScriptInput, call: CallTool) -> Sequence[Mapping[str, Any]]:
    """The cases that the agent with most transfers passed on, each as often as it was."""
    most = replace(given, parameters={**given.parameters, "extremum": "most"})
    agent = first_said(await transfer_count.TASK.oracle(most, call))
    start, end = await window_of(given, call)
    query = (
        "SELECT CaseId__c FROM CaseHistory__c WHERE Field__c = 'Owner Assignment'"
        f" AND OldValue__c = '{agent}' AND CreatedDate >= {start} AND CreatedDate < {end}"
    )
    moved = [row["CaseId__c"] for row in await call("issue_soql_query", query=query)]
    cases = await call("get_cases", case_ids=sorted(set(moved)))
    by_id = {case["Id"]: case for case in cases}
    return [by_id[case] for case in moved]


async def _region_by_tools(given: ScriptInput, call: CallTool) -> Sequence[Mapping[str, Any]]:
    """The closed cases of the fastest state."""
    state = first_said(await best_region_identification.TASK.oracle(given, call))
    start, end = await window_of(given, call)
    cases = await call("get_cases", start_date=start, end_date=end, statuses=CLOSED)
    states = await call("get_shipping_state", cases=ids_of(cases))
    there = {row["Id"] for row in states if row["ShippingState"] == state}
    return [case for case in cases if case["Id"] in there]


def _guess(facts: OrgFacts, wanted: Parameters, hops: bool = True) -> Answer:
    """The chain by the org; without `hops` its last question alone, asked of all."""
    if wanted["chain"] == "covered":
        case = facts.case(str(wanted["case"]))
        article = facts.article_of_issue.get(case.issue)
        return (article.id,) if article else NOTHING
    window = window_in(wanted)
    if wanted["chain"] == "fast_region":
        cases = [case for case in facts.cases.within(window) if case.closed]
        cases = [case for case in cases if case.state]
        means_of = mean_hours(cases, lambda case: case.state, int(str(wanted["least_cases"])))
        states = top(means_of, largest=False)
        return _top_issue(case for case in cases if not hops or case.state in states)
    managed = facts.managed(window)
    steps = [step for step in facts.assignments.within(window) if step.old]
    least = int(str(wanted["more_than"]))
    made = Counter(step.old for step in steps if managed.get(step.old, 0) > least)
    agents = top(made)
    moved = {step.case for step in steps if not hops or step.old in agents}
    return _top_issue(case for case in facts.every_case if case.id in moved)


def _top_issue(cases: Iterator[OrgCase]) -> Answer:
    return top(Counter(case.issue for case in cases if case.issue))


def _without_first_hop(facts: OrgFacts, wanted: Parameters) -> Answer:
    return _guess(facts, wanted, hops=False)


def _in_twelve_months(facts: OrgFacts, wanted: Parameters) -> Answer:
    if not wanted["start"]:
        return NOTHING
    return elsewhere(_guess, twelve_months)(facts, wanted)


def _talked_of(facts: OrgFacts, wanted: Parameters) -> Answer:
    """The policy of which the agent told a figure, or else the issue's article, as if each answer
    of ours broke one.
    """
    if wanted["chain"] != "covered":
        return NOTHING
    return policy_violation_identification.policy_talked_of(facts, wanted) or _guess(facts, wanted)


TASK = TaskDefinition(
    short="CHN",
    persona="service manager",
    answers="id",
    reward_metric="exact_match",
    unanswerable=0.3,
    largest_share=0.1,
    texts=TaskTexts(
        seeds={
            "covered": (
                "A customer ordered the {vague_name} {window} ago and complained about it. Which"
                " knowledge article did our answer break, if any?"
            ),
            "passed_on_named": (
                "Which issue did the agent hand over most who made the most transfers in {window},"
                " among the agents who managed more than {more_than} {cases}?"
            ),
            "passed_on_rolling": (
                "Which issue did the agent hand over most who made the most transfers in the past"
                " {window}, among the agents who managed more than {more_than} {cases}?"
            ),
            "fast_region_named": (
                "Which issue did customers have most in the state in which cases were closed"
                " fastest in {window}, among the states with at least three such cases?"
            ),
            "fast_region_rolling": (
                "Which issue did customers have most in the state in which cases were closed"
                " fastest in the past {window}, among the states with at least three such cases?"
            ),
        },
        required=" ".join(
            (
                NAMED,
                ROLLING,
                SEASONS,
                "The question has several steps; the answer is that of the last one. An order is"
                " meant by its EffectiveDate, exactly so long before today's date. An agent has"
                " managed the cases that were assigned to the agent within the window; a transfer"
                " counts for the agent who gave the case away, on its day. Cases are closed fastest"
                " where the mean time from creation to close is least, over closed cases created in"
                " the window, by the ShippingState of their account; its issues are those of the"
                " same cases. An agent breaks the article on the case's issue by granting a remedy"
                " that it does not list or after its limit, and the article on a policy by telling"
                " another figure than it states. Days are counted from the order's EffectiveDate to"
                " the day the case was created. Answer with the Id of the article or the issue, or"
                " None if nothing answers.",
            )
        ),
        optional=(
            "Assignments are in CaseHistory__c (Field__c 'Owner Assignment', OldValue__c,"
            " NewValue__c); a case's product is OrderItemId__r.Product2Id; e-mails are in"
            " EmailMessage, chats in LiveChatTranscript, articles in Knowledge__kav."
        ),
    ),
    draws=draws,
    soql_truth=soql_truth,
    verify_sql="""
SELECT :article, shared(:vague_name, p.Name || ' ' || p.Family)
FROM "Case" c
JOIN OrderItem i ON i.Id = c.OrderItemId__c
JOIN "Order" o ON o.Id = i.OrderId
JOIN Contact t ON t.AccountId = c.AccountId
JOIN Product2 p ON p.Id = i.Product2Id
WHERE :chain = 'covered' AND t.Id = :contact AND o.EffectiveDate = :date AND c.Id = :case
AND shared(:vague_name, p.Name || ' ' || p.Family) > 0.5
UNION ALL
SELECT * FROM (SELECT c.IssueId__c, count(*)
    FROM CaseHistory__c m JOIN "Case" c ON c.Id = m.CaseId__c
    WHERE :chain = 'passed_on' AND m.Field__c = 'Owner Assignment' AND c.IssueId__c IS NOT NULL
    AND substr(m.CreatedDate, 1, 19) >= :start AND substr(m.CreatedDate, 1, 19) < :end
    AND m.OldValue__c = (SELECT OldValue__c FROM CaseHistory__c
        WHERE Field__c = 'Owner Assignment' AND OldValue__c IN (
            SELECT NewValue__c FROM CaseHistory__c WHERE Field__c = 'Owner Assignment'
            AND substr(CreatedDate, 1, 19) >= :start AND substr(CreatedDate, 1, 19) < :end
            GROUP BY 1 HAVING count(DISTINCT CaseId__c) > :more_than)
        AND substr(CreatedDate, 1, 19) >= :start AND substr(CreatedDate, 1, 19) < :end
        GROUP BY 1 ORDER BY count(*) DESC LIMIT 1)
    GROUP BY 1)
UNION ALL
SELECT * FROM (SELECT c.IssueId__c, count(*)
    FROM "Case" c JOIN Account a ON a.Id = c.AccountId
    WHERE :chain = 'fast_region' AND c.ClosedDate IS NOT NULL AND c.IssueId__c IS NOT NULL
    AND substr(c.CreatedDate, 1, 19) >= :start AND substr(c.CreatedDate, 1, 19) < :end
    AND a.ShippingState = (SELECT s.ShippingState
        FROM "Case" d JOIN Account s ON s.Id = d.AccountId
        WHERE d.ClosedDate IS NOT NULL
        AND substr(d.CreatedDate, 1, 19) >= :start AND substr(d.CreatedDate, 1, 19) < :end
        GROUP BY 1 HAVING count(*) >= :least_cases
        ORDER BY avg(julianday(substr(d.ClosedDate, 1, 19))
            - julianday(substr(d.CreatedDate, 1, 19))) LIMIT 1)
    GROUP BY 1)
""",
    oracle=oracle,
    reduced={
        "first hop: none": _without_first_hop,
        "window: always 12 months": _in_twelve_months,
        "last hop: what the agent talked of": _talked_of,
    },
    first_record=first_record_of("SELECT Id FROM Issue__c LIMIT 1", "Id"),
)
