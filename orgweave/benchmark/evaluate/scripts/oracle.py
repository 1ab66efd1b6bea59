"""The oracle: for each task the way from its parameters to its answer, by the tools alone.

It shows that an answer can be found, and proves the tools.

It knows the parameters (for routing and trends the product and issue that agents have to find) and,
for the text tasks, the sentences that prove the
answer and the article of the case's issue; these it looks up again in what the tools return and
goes by what stands there: whether the article was
broken it works out from its text.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from orgweave.benchmark.evaluate.scripts import reading
from orgweave.benchmark.evaluate.scripts.script import NONE, Given, Use, ids_of, pairs, said
from orgweave.benchmark.evaluate.scripts.windows import interval_named, window_of

CLOSED, OPEN = ["Closed"], ["New", "Working", "Waiting on Customer", "Escalated"]
EXTREME = {
    "longest": "find_id_with_max_value",
    "most": "find_id_with_max_value",
    "shortest": "find_id_with_min_value",
    "fewest": "find_id_with_min_value",
}
UNPROVED = "the evidence is not in what the tools return"


async def handle_time(given: Given, use: Use) -> str:
    """Mean times of the qualified agents' closed cases that were never transferred, the greatest or
    least of them.
    """
    start, end = await window_of(given, use)
    qualified = await _qualified(given, use, start, end)
    if not qualified:
        return NONE
    stayed = set(await use("get_non_transferred_case_ids", start_date=start, end_date=end))
    cases = await use(
        "get_cases", start_date=start, end_date=end, agent_ids=qualified, statuses=CLOSED
    )
    times = await use(
        "calculate_average_handle_time", cases=[one for one in ids_of(cases) if one in stayed]
    )
    return said(await _extreme(given, use, times))


async def transfer_count(given: Given, use: Use) -> str:
    """Transfers of the qualified agents who have any, the most or fewest of them."""
    start, end = await window_of(given, use)
    qualified = await _qualified(given, use, start, end)
    if not qualified:
        return NONE
    counts = await use(
        "get_agent_transferred_cases_by_period",
        start_date=start,
        end_date=end,
        qualified_agent_ids=qualified,
    )
    return said(await _extreme(given, use, counts))


async def case_routing(given: Given, use: Use) -> str:
    """Most closed cases of the issue; of those who tie, of the product; of those, fewest open
    cases.
    """
    closed = await use("get_cases", issue_ids=[given.parameters["issue"]], statuses=CLOSED)
    agents = await use("get_agents_with_max_cases", subset_cases=ids_of(closed))
    if len(agents) > 1:
        items = await use("get_order_item_ids_by_product", product_id=given.parameters["product"])
        of_product = await use("get_cases", agent_ids=agents, order_item_ids=items, statuses=CLOSED)
        agents = await use(
            "get_agents_with_max_cases", subset_cases=ids_of(of_product), agent_ids=agents
        )
    if len(agents) > 1:
        pending = await use("get_cases", agent_ids=agents, statuses=OPEN)
        agents = await use(
            "get_agents_with_min_cases", subset_cases=ids_of(pending), agent_ids=agents
        )
    return said(agents)


async def named_entity_disambiguation(given: Given, use: Use) -> str:
    """What the contact's account bought on the day that long ago,
    as far as the vague name fits it.
    """
    count, unit = interval_named(given.parameters["interval"])
    account = await use("get_account_id_by_contact_id", contact_id=given.parameters["contact"])
    day = await use(
        "get_start_date", end_date=given.parameters["today"], period=unit, interval_count=count
    )
    bought = await use(
        "get_purchase_history", account_id=account, purchase_date=day[: len("2022-01-01")]
    )
    products = list(dict.fromkeys(one["Product2Id"] for one in bought))
    if not products:
        return NONE
    listed = ", ".join(f"'{product}'" for product in products)
    known = await use(
        "issue_soql_query", query=f"SELECT Id, Name, Family FROM Product2 WHERE Id IN ({listed})"
    )
    return said(_fitting(given.parameters["vague_name"], known))


async def policy_violation_identification(given: Given, use: Use) -> str:
    """Whether the article of the case's issue lists what the agent granted, and its limit has not
    run out; else that article.
    """
    (case,) = await use("get_cases", case_ids=[given.parameters["case"]])
    mails = await use("get_email_messages_by_case_id", case_id=case["Id"])
    chats = await use("get_livechat_transcript_by_case_id", case_id=case["Id"]) if not mails else []
    grant = str(given.evidence["grant"])
    if grant not in reading.sentences(reading.agents_words(mails, chats)):
        return UNPROVED
    article = await _article(use, case["IssueId__c"], given.evidence)
    if article is None:
        return UNPROVED
    alike = await use("search_knowledge_articles", search_term=grant)
    days = await _days_between(use, case)
    return said([article["Id"]] if _breaks(grant, days, article, alike) else [])


async def top_issue_identification(given: Given, use: Use) -> str:
    """The issue with most cases for the product's order items."""
    start, end = await window_of(given, use)
    items = await use("get_order_item_ids_by_product", product_id=given.parameters["product"])
    counts = await use("get_issue_counts", start_date=start, end_date=end, order_item_ids=items)
    return said(await use("find_id_with_max_value", values_by_id=pairs(counts)))


async def monthly_trend_analysis(given: Given, use: Use) -> str:
    """The month with most cases for the product's order items."""
    start, end = await window_of(given, use)
    items = await use("get_order_item_ids_by_product", product_id=given.parameters["product"])
    cases = await use("get_cases", start_date=start, end_date=end, order_item_ids=items)
    counts = await use("get_month_to_case_count", cases=ids_of(cases))
    return said(await use("find_id_with_max_value", values_by_id=pairs(counts)))


async def best_region_identification(given: Given, use: Use) -> str:
    """The state with the least mean time from creation to closing, of those with enough cases."""
    start, end = await window_of(given, use)
    cases = ids_of(await use("get_cases", start_date=start, end_date=end, statuses=CLOSED))
    own = Counter(one["ShippingState"] for one in await use("get_shipping_state", cases=cases))
    times = await use("calculate_region_average_closure_times", cases=cases)
    enough = {
        state: time
        for state, time in times.items()
        if own[state] >= given.parameters["least_cases"]
    }
    return said(await use("find_id_with_min_value", values_by_id=pairs(enough)))


async def _qualified(given: Given, use: Use, start: str, end: str) -> list[str]:
    """Ids of the agents who handled more than n cases."""
    handled = await use("get_agent_handled_cases_by_period", start_date=start, end_date=end)
    found = await use(
        "get_qualified_agent_ids_by_case_count",
        agent_handled_cases=pairs(handled),
        n_cases=given.parameters["more_than"],
    )
    return [str(agent) for agent in found]


async def _extreme(given: Given, use: Use, values: Mapping[str, float]) -> list[str]:
    found = await use(EXTREME[given.parameters["extremum"]], values_by_id=pairs(values))
    return [str(agent) for agent in found]


def _fitting(vague: str, products: Sequence[Mapping[str, Any]]) -> list[str]:
    """The products that a vague name fits best: two thirds of its words stand in name and family,
    or half of them with the first, which tells most.
    """
    wanted = reading.words(vague)
    first = reading.words(vague.split()[0])
    shared = {
        str(one["Id"]): wanted & reading.words(f"{one['Name']} {one['Family']}") for one in products
    }
    most = max(len(same) for same in shared.values())
    needed = 1 / 2 if any(first <= same for same in shared.values() if len(same) == most) else 2 / 3
    return (
        [product for product, same in shared.items() if len(same) == most]
        if wanted and most >= needed * len(wanted)
        else []
    )


async def _article(use: Use, issue: str, evidence: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The issue's article: of those found by its name and description that list remedies and hold
    the proving sentences, the one of the evidence.

    What the article doesn't list no sentence of it proves; so the evidence names it. Where it
    doesn't, the best match is taken.
    """
    known = next(one for one in await use("get_issues") if one["Id"] == issue)
    terms = (f"{known['Name']} {known['Description__c']}", known["Name"])
    searches = [await use("search_knowledge_articles", search_term=term) for term in terms]
    listing = [
        [one for one in found if reading.remedies(one["FAQ_Answer__c"])] for found in searches
    ]
    ranks: dict[str, float] = defaultdict(float)
    for found in listing:
        for place, one in enumerate(found, 1):
            ranks[one["Id"]] += 1 / place
    proof, named = (
        set(reading.sentences(str(evidence.get("article_text", "")))),
        evidence.get("article"),
    )
    proving = [
        one
        for found in listing
        for one in found
        if proof.issubset(reading.sentences(one["FAQ_Answer__c"])) and named in (None, one["Id"])
    ]
    return max(proving, key=lambda one: ranks[one["Id"]], default=None)


def _breaks(
    grant: str, days: int, article: Mapping[str, Any], alike: Sequence[Mapping[str, Any]]
) -> bool:
    """Whether what the sentence grants is not among the article's remedies, or its limit has run
    out; `alike` are articles that name other remedies.
    """
    limits = reading.remedies(article["FAQ_Answer__c"])
    others = [name for one in alike for name in reading.remedies(one["FAQ_Answer__c"])]
    granted = reading.meant(grant, [*limits, *others])
    return granted not in limits or days > limits[granted]


async def _days_between(use: Use, case: Mapping[str, Any]) -> int:
    """Days from the order's date to the day on which the customer wrote."""
    (item,) = await use(
        "issue_soql_query",
        query=f"SELECT Order.EffectiveDate FROM OrderItem WHERE Id = '{case['OrderItemId__c']}'",
    )
    return reading.days_between(item["Order"]["EffectiveDate"], case["CreatedDate"])
