"""Top issue: what goes wrong most with a product in a window."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from random import Random

from orgweave.benchmark.choice import Twins, agreed, best, edges, random_window, twin_window
from orgweave.benchmark.instance import NOTHING, Answer, Dropped, OrgTruth, Parameters
from orgweave.benchmark.org_facts import OrgCase, OrgFacts
from orgweave.benchmark.product_questions import cases_by_product, product_candidate
from orgweave.benchmark.scripts.script import CallTool, ScriptInput, first_record_of, pairs, said
from orgweave.benchmark.scripts.windows import window_of
from orgweave.benchmark.shortcuts import ReducedSolver, in_other_windows, top, window_in
from orgweave.benchmark.soql_truth import SoqlAsker, both_ends, clear_extreme, within
from orgweave.benchmark.story import HiddenCase, Story
from orgweave.benchmark.task import Draws, TaskDefinition, TaskSources, TaskTexts
from orgweave.benchmark.verify_sql import CREATED_IN_WINDOW, OF_PRODUCT
from orgweave.benchmark.windows import TimeWindow, rolling_around
from orgweave.crm.seam import Crm

TIED = Dropped("readings of the window disagree, two are equally good, or there is only one")
NOT_EMPTY = Dropped("the product has cases in the window after all")
FEWEST = 3
"""A product with fewer cases has no best issue with a rival."""
LATER = 45
"""A rolling window ends so many days after a case at most, so that it is not mostly empty."""


def draws(
    sources: TaskSources,
    rng: Random,
    twins: Twins | None,
) -> Draws:
    """Endless draws; a product is as likely as it has cases.

    With `twins` its window holds none, though it has some at another time.
    """
    story = sources.story
    cases = cases_by_product(story)
    complaints = story.complaints
    while True:
        own = cases[rng.choice(complaints).product]
        seed, window = _window(story, rng, twins, own)
        if window is None:
            continue
        counts = _counts(own, window)
        if twins is None:
            answer = agreed(best(count, largest=True) for count in counts)
            # With one issue alone in the window there is nothing to compare.
            clear = bool(answer) and len(counts[0]) > 1
        else:
            answer, clear = NOTHING, not any(counts)
        if clear and answer is not None:
            yield product_candidate(story, seed, window, own, answer, _issue)
        else:
            yield TIED if twins is None else NOT_EMPTY


def _window(
    story: Story,
    rng: Random,
    twins: Twins | None,
    own: Sequence[HiddenCase],
) -> tuple[str, TimeWindow | None]:
    if twins is not None:
        return twin_window(rng, story, twins)
    seed, window = random_window(rng, story, ("named", "rolling"))
    if seed == "rolling":
        window = _around_some(rng, story, own)
    return seed, window


def _around_some(
    rng: Random,
    story: Story,
    own: Sequence[HiddenCase],
) -> TimeWindow | None:
    """A rolling window that begins just before one of the cases and ends some days after a later
    one.
    """
    if len(own) < FEWEST:
        return None
    begin, end = sorted(rng.sample(range(len(own)), 2))
    today = own[end].created.date() + timedelta(days=rng.randint(1, LATER))
    if today > story.last:
        return None
    earlier = own[begin - 1].created.date() if begin else story.first
    after = max(earlier, story.first - timedelta(days=1))
    return rolling_around(rng, today, after, own[begin].created.date())


def _counts(own: Sequence[HiddenCase], window: TimeWindow) -> list[Counter[str]]:
    """The cases by issue, for each reading of the window's end."""
    counts = []
    for each, closed in edges(window):
        inside = [case for case in own if each.holds(case.created, closed)]
        counts.append(Counter(_issue(case) for case in inside))
    return counts


def _issue(case: HiddenCase) -> str:
    return case.issue


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """The product's cases in the window, by issue."""
    return both_ends(crm, wanted, _by_soql)


def _by_soql(
    asker: SoqlAsker,
    wanted: Parameters,
    end: str,
) -> Answer:
    rows = asker.ask(f"""
        SELECT IssueId__c issue, COUNT(Id) n
        FROM Case
        WHERE OrderItemId__r.Product2Id = '{wanted["product"]}'
        AND {within("CreatedDate", wanted, end)}
        GROUP BY IssueId__c
    """)
    return clear_extreme({row["issue"]: row["n"] for row in rows}, largest=True)


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
    own = _cases_in(facts, wanted, any_product)
    return top(Counter(case.issue for case in own))


def _cases_in(
    facts: OrgFacts,
    wanted: Parameters,
    any_product: bool = False,
) -> list[OrgCase]:
    inside = [case for case in facts.cases.within(window_in(wanted)) if case.product]
    return [case for case in inside if any_product or case.product == wanted["product"]]


def _case_at(place: float) -> ReducedSolver:
    """Takes one case for all: the first of the window (0), the last (1), or one between."""

    def solve(facts: OrgFacts, wanted: Parameters) -> Answer:
        own = _cases_in(facts, wanted)
        if not own:
            return NOTHING
        case = own[min(int(place * len(own)), len(own) - 1)]
        return (case.issue,)

    return solve


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
        "counting: its first case": _case_at(0),
        "counting: its middle case": _case_at(0.5),
        "counting: its last case": _case_at(1),
    },
    first_record=first_record_of(
        "SELECT IssueId__c FROM Case WHERE OrderItemId__r.Product2Id = '{product}'"
        " AND CreatedDate >= {start} AND CreatedDate < {end} LIMIT 1",
        "IssueId__c",
    ),
)
