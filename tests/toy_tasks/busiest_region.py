"""Busiest region: the state with most cases created in a window."""

from collections import Counter
from collections.abc import Mapping
from random import Random

from orgweave.benchmark.choice import agreed, best, edges, random_window, twin_windows
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped, OrgTruth, Parameters
from orgweave.benchmark.org_facts import OrgFacts
from orgweave.benchmark.scripts.script import (
    CallTool,
    ScriptInput,
    first_record_of,
    ids_of,
    pairs,
    said,
)
from orgweave.benchmark.scripts.windows import window_of
from orgweave.benchmark.shortcuts import in_other_windows, top, window_in
from orgweave.benchmark.soql_truth import SoqlAsker, extreme_in_window, within
from orgweave.benchmark.story import HiddenCase
from orgweave.benchmark.task import Draws, TaskDefinition, TaskSources, TaskTexts
from orgweave.benchmark.verify_sql import CREATED_IN_WINDOW
from orgweave.benchmark.windows import Timeline, TimeWindow
from orgweave.crm.seam import Crm

TIED = Dropped("the busiest state is not unique, or readings of the window disagree")


def draws(sources: TaskSources, rng: Random, nothing: bool) -> Draws:
    """Endless draws of two windows with different answers; there is always an answer."""
    story = sources.story
    cases = Timeline(story.cases, lambda case: case.created)
    while True:
        seed, window = random_window(rng, story, ("named", "rolling"))
        if window is None:
            continue
        answer = _busiest(cases, window)
        if not answer:
            yield TIED
            continue
        group = [_candidate(seed, window, answer)]
        for other in twin_windows(rng, story, window):
            another = _busiest(cases, other)
            if another and another != answer:
                group.append(_candidate(seed, other, another))
                break
        yield tuple(group)


def _busiest(cases: Timeline[HiddenCase], window: TimeWindow) -> Answer:
    """The state with most cases on every reading of the window."""
    counts = []
    for each, closed in edges(window):
        counts.append(Counter(case.state for case in cases.within(each, closed)))
    return agreed(best(count, largest=True) for count in counts) or NOTHING


def _candidate(seed: str, window: TimeWindow, answer: Answer) -> Candidate:
    return Candidate(
        seed=seed,
        parameters=window.parameters,
        slots={"window": window.name},
        must=(window.forms,),
        answer=answer,
    )


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """The cases created in the window, by the account's shipping state."""
    return extreme_in_window(crm, wanted, _by_soql)


def _by_soql(asker: SoqlAsker, wanted: Parameters, end: str) -> Mapping[str, float]:
    rows = asker.ask(f"""
        SELECT Account.ShippingState state, COUNT(Id) n
        FROM Case
        WHERE {within("CreatedDate", wanted, end)}
        GROUP BY Account.ShippingState
    """)
    return {row["state"]: row["n"] for row in rows}


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """The state that stands most often among the shipping states of the window's cases."""
    start, end = await window_of(given, call)
    cases = await call("get_cases", start_date=start, end_date=end)
    states = await call("get_shipping_state", cases=ids_of(cases))
    counts = Counter(row["ShippingState"] for row in states)
    return said(await call("find_id_with_max_value", values_by_id=pairs(counts)))


def _guess(facts: OrgFacts, wanted: Parameters) -> Answer:
    """The rule, to be used in other windows."""
    return top(Counter(case.state for case in facts.cases.within(window_in(wanted))))


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
    reduced=in_other_windows(_guess),
    first_record=first_record_of(
        "SELECT Account.ShippingState FROM Case WHERE CreatedDate >= {start}"
        " AND CreatedDate < {end} LIMIT 1",
        "Account.ShippingState",
    ),
)
