"""Busiest region: the state with most cases created in a window."""

from collections import Counter
from random import Random

from orgweave.benchmark.choice import Twins, agreed, best, edges, random_window
from orgweave.benchmark.instance import Answer, Candidate, Dropped, OrgTruth, Parameters
from orgweave.benchmark.scripts.script import (
    CallTool,
    ScriptInput,
    first_record_of,
    ids_of,
    pairs,
    said,
)
from orgweave.benchmark.scripts.windows import window_of
from orgweave.benchmark.soql_truth import SoqlAsker, both_ends, clear_extreme, within
from orgweave.benchmark.task import Draws, TaskDefinition, TaskSources, TaskTexts
from orgweave.benchmark.verify_sql import CREATED_IN_WINDOW
from orgweave.benchmark.windows import Timeline
from orgweave.crm.seam import Crm

TIED = Dropped("the busiest state is not unique, or readings of the window disagree")


def draws(sources: TaskSources, rng: Random, twins: Twins | None) -> Draws:
    """Endless draws; there is always an answer."""
    story = sources.story
    cases = Timeline(story.cases, lambda case: case.created)
    while True:
        seed, window = random_window(rng, story, ("named", "rolling"))
        if window is None:
            continue
        counts = []
        for each, closed in edges(window):
            counts.append(Counter(case.state for case in cases.within(each, closed)))
        answer = agreed(best(count, largest=True) for count in counts)
        if not answer:
            yield TIED
            continue
        yield Candidate(
            seed=seed,
            parameters=window.parameters,
            slots={"window": window.name},
            must=(window.forms,),
            answer=answer,
        )


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """The cases created in the window, by the account's shipping state."""
    return both_ends(crm, wanted, _by_soql)


def _by_soql(asker: SoqlAsker, wanted: Parameters, end: str) -> Answer:
    rows = asker.ask(f"""
        SELECT Account.ShippingState state, COUNT(Id) n
        FROM Case
        WHERE {within("CreatedDate", wanted, end)}
        GROUP BY Account.ShippingState
    """)
    return clear_extreme({row["state"]: row["n"] for row in rows}, largest=True)


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """The state that stands most often among the shipping states of the window's cases."""
    start, end = await window_of(given, call)
    cases = await call("get_cases", start_date=start, end_date=end)
    states = await call("get_shipping_state", cases=ids_of(cases))
    counts = Counter(row["ShippingState"] for row in states)
    return said(await call("find_id_with_max_value", values_by_id=pairs(counts)))


TASK = TaskDefinition(
    short="BUS",
    persona="service analyst",
    answers="state",
    reward_metric="exact_match",
    has_window=True,
    has_extreme=True,
    largest_share=1.0,
    texts=TaskTexts(
        seeds={
            "named": "Which state had the most cases in {window}?",
            "rolling": "Which state has had the most cases in the past {window}?",
        },
        required=(
            "A case counts in the window in which it was created; its state is the ShippingState of"
            " its account. Answer with the two-letter state."
        ),
        optional="Case.Account.ShippingState, Case.CreatedDate.",
    ),
    draws=draws,
    soql_truth=soql_truth,
    verify_sql=f"""
SELECT a.ShippingState, count(*)
FROM "Case" c JOIN Account a ON a.Id = c.AccountId
WHERE {CREATED_IN_WINDOW}
GROUP BY 1
""",
    oracle=oracle,
    first_record=first_record_of(
        "SELECT Account.ShippingState FROM Case WHERE CreatedDate >= {start}"
        " AND CreatedDate < {end} LIMIT 1",
        "Account.ShippingState",
    ),
)
