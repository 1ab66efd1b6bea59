"""Agents that don't try: the first record that a query finds, the words of the query alone, the
usual answer. What a score above theirs is worth.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from orgweave.benchmark.evaluate.answers import extract
from orgweave.benchmark.evaluate.instances import TASKS
from orgweave.benchmark.evaluate.scripts import reading
from orgweave.benchmark.evaluate.scripts.script import NONE, Given, Script, Use, said

IN_WINDOW = "CreatedDate >= {start} AND CreatedDate < {end}"
OF_PRODUCT = "OrderItemId__r.Product2Id = '{product}' AND " + IN_WINDOW
FIRST: dict[str, tuple[str, str]] = {
    "case_routing": (
        "SELECT OwnerId FROM Case WHERE IssueId__c = '{issue}' AND Status = 'Closed' LIMIT 1",
        "OwnerId",
    ),
    "handle_time": (f"SELECT OwnerId FROM Case WHERE {IN_WINDOW} LIMIT 1", "OwnerId"),
    "transfer_count": (f"SELECT OwnerId FROM Case WHERE {IN_WINDOW} LIMIT 1", "OwnerId"),
    "named_entity_disambiguation": (
        (
            "SELECT Product2Id FROM OrderItem WHERE Order.AccountId IN (SELECT AccountId FROM"
            " Contact WHERE Id = '{contact}') AND Order.EffectiveDate = {date} LIMIT 1"
        ),
        "Product2Id",
    ),
    "policy_violation_identification": ("SELECT Id FROM Knowledge__kav LIMIT 1", "Id"),
    "top_issue_identification": (
        f"SELECT IssueId__c FROM Case WHERE {OF_PRODUCT} LIMIT 1",
        "IssueId__c",
    ),
    "monthly_trend_analysis": (
        f"SELECT CreatedDate FROM Case WHERE {OF_PRODUCT} LIMIT 1",
        "CreatedDate",
    ),
    "best_region_identification": (
        f"SELECT Account.ShippingState FROM Case WHERE Status = 'Closed' AND {IN_WINDOW} LIMIT 1",
        "Account.ShippingState",
    ),
}
"""For each task the query whose first record is taken,
and the path of the value that is answered.
"""


async def noop(given: Given, use: Use) -> None:
    """Does nothing and submits nothing."""


async def none(given: Given, use: Use) -> str:
    """Says of everything that nothing answers it."""
    return NONE


async def first_record(given: Given, use: Use) -> str:
    """The first record of the query that belongs to the task; of articles the first sentence of the
    best match.
    """
    if given.task == "knowledge_qa":
        found = await use("search_knowledge_articles", search_term=given.query)
        return reading.sentences(found[0]["FAQ_Answer__c"])[0] if found else NONE
    query, path = FIRST[given.task]
    found = await use("issue_soql_query", query=query.format(**given.parameters))
    value = _at(found[0], path) if found else None
    return said(
        [value if path != "CreatedDate" else f"{datetime.fromisoformat(str(value)):%B}"]
        if value
        else []
    )


async def text_only(given: Given, use: Use) -> str:
    """What the query itself holds of the kind that is asked for; of a free text the query."""
    found = extract(given.query, TASKS[given.task].answers)
    return said(one for one in found or () if one is not None)


def usual_answers(
    golds: Iterable[tuple[str, tuple[str | None, ...]]],
) -> dict[str, list[str | None]]:
    """The commonest gold answer of each task, the first of those as common, from pairs of a task
    and a gold answer.
    """
    by_task: dict[str, Counter[tuple[str | None, ...]]] = defaultdict(Counter)
    for task, answer in golds:
        by_task[task][answer] += 1
    return {task: list(counts.most_common(1)[0][0]) for task, counts in by_task.items()}


def most_frequent(usual: Mapping[str, Sequence[str | None]]) -> Script:
    """The usual answer of the task, whatever is asked."""

    async def script(given: Given, use: Use) -> str:
        return said(one for one in usual[given.task] if one is not None)

    return script


def _at(record: object, path: str) -> object:
    for step in path.split("."):
        record = record.get(step) if isinstance(record, Mapping) else None
    return record
