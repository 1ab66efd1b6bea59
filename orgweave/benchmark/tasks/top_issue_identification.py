"""Top issue: what goes wrong most with a product in a window."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from random import Random

from orgweave.benchmark.choice import agreed, best
from orgweave.benchmark.instance import NOTHING, Answer, OrgTruth, Parameters
from orgweave.benchmark.org_facts import OrgCase, OrgFacts
from orgweave.benchmark.product_questions import CaseSpan, ProductCases, ProductQuestion
from orgweave.benchmark.scripts.script import CallTool, ScriptInput, first_record_of, pairs, said
from orgweave.benchmark.scripts.windows import window_of
from orgweave.benchmark.shortcuts import (
    answer_of_case,
    in_other_windows,
    product_cases,
    top,
)
from orgweave.benchmark.soql_truth import SoqlAsker, extreme_in_window, within
from orgweave.benchmark.task import Draws, TaskDefinition, TaskSources, TaskTexts
from orgweave.benchmark.verify_sql import CREATED_IN_WINDOW, OF_PRODUCT
from orgweave.benchmark.windows import SPANS, TimeWindow
from orgweave.crm.seam import Crm


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Endless draws of twins; with `nothing` the window of one of them holds no case of the
    product, though it has some at another time.
    """
    question = ProductQuestion(
        seeds=("named", "rolling"),
        label=lambda case: case.issue,
        readings=ProductCases.edge_spans,
        counts=_by_issue,
        choose=_most_common,
        spans=SPANS,
        fact=_product_and_issue,
    )
    return question.draws(sources.story, rng, nothing)


def _by_issue(own: ProductCases, span: CaseSpan) -> Iterator[Counter[str]]:
    """The cases by issue, which can be read in one way only."""
    yield own.counted(span)


def _most_common(counts: Iterator[Counter[str]]) -> Answer:
    """The most common one on every reading; with one issue alone there is nothing to compare."""
    plain = next(counts)
    if len(plain) < 2:
        return NOTHING
    return agreed(best(count, largest=True) for count in chain([plain], counts)) or NOTHING


def _product_and_issue(own: ProductCases, window: TimeWindow, answer: Answer) -> str:
    return "|".join((own.product, *answer))


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """The product's cases in the window, by issue."""
    return extreme_in_window(crm, wanted, _by_soql)


def _by_soql(
    asker: SoqlAsker,
    wanted: Parameters,
    end: str,
) -> Mapping[str, float]:
    rows = asker.ask(f"""
        SELECT IssueId__c issue, COUNT(Id) n
        FROM Case
        WHERE OrderItemId__r.Product2Id = '{wanted["product"]}'
        AND {within("CreatedDate", wanted, end)}
        GROUP BY IssueId__c
    """)
    return {row["issue"]: row["n"] for row in rows}


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """The issue with most cases for the product's order items."""
    start, end = await window_of(given, call)
    items = await call("get_order_item_ids_by_product", product_id=given.parameters["product"])
    counts = await call(
        "get_issue_counts",
        start_date=start,
        end_date=end,
        order_item_ids=items,
    )
    return said(await call("find_id_with_max_value", values_by_id=pairs(counts)))


def _guess(
    facts: OrgFacts,
    wanted: Parameters,
    any_product: bool = False,
) -> Answer:
    """The rule; with `any_product` over the cases of all products."""
    own = product_cases(facts, wanted, any_product)
    return top(Counter(case.issue for case in own))


def _issue_of(case: OrgCase) -> str:
    return case.issue


TASK = TaskDefinition(
    short="TII",
    persona="service analyst",
    answers="id",
    reward_metric="exact_match",
    unanswerable=0.3,
    has_window=True,
    has_extreme=True,
    texts=TaskTexts(
        seeds={
            "named": "What was the most common issue with {product} in {window}?",
            "rolling": "What has been the most common issue with {product} in the past {window}?",
        },
        required=(
            "A case is about the product of its order item and counts in the window in which it was"
            " created. Answer with the Id of the issue, or None if there was no case."
        ),
        optional=(
            "Issues are in Issue__c, a case's issue in Case.IssueId__c; its product is"
            " OrderItemId__r.Product2Id."
        ),
    ),
    draws=draws,
    soql_truth=soql_truth,
    verify_sql=f"""
SELECT c.IssueId__c, count(*)
FROM {OF_PRODUCT} AND {CREATED_IN_WINDOW}
GROUP BY 1
""",
    oracle=oracle,
    reduced={
        **in_other_windows(_guess),
        "product: any": partial(_guess, any_product=True),
        "counting: its first case": answer_of_case(0, _issue_of),
        "counting: its middle case": answer_of_case(0.5, _issue_of),
        "counting: its last case": answer_of_case(1, _issue_of),
    },
    first_record=first_record_of(
        "SELECT IssueId__c FROM Case WHERE OrderItemId__r.Product2Id = '{product}'"
        " AND CreatedDate >= {start} AND CreatedDate < {end} LIMIT 1",
        "IssueId__c",
    ),
)
