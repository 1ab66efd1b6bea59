"""Best region: the state in which cases are closed fastest, of those created in a window.

A state counts with three such cases at least, and the fastest is so by far: a single chat of ten
minutes says nothing of a state.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import lru_cache, partial
from itertools import chain
from random import Random

from orgweave.benchmark.choice import agreed, best, edges, random_window, twin_windows
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped, OrgTruth, Parameters
from orgweave.benchmark.org_facts import WINDOWS_KEPT, OrgCase, OrgFacts
from orgweave.benchmark.scripts.script import (
    CLOSED,
    CallTool,
    ScriptInput,
    first_record_of,
    ids_of,
    pairs,
    said,
)
from orgweave.benchmark.scripts.windows import window_of
from orgweave.benchmark.shortcuts import in_other_windows, top, window_in
from orgweave.benchmark.soql_truth import (
    SoqlAsker,
    extreme_in_window,
    means,
    minutes_open,
    within,
)
from orgweave.benchmark.story import HiddenCase
from orgweave.benchmark.tally import MeanTally, mean_tally_of
from orgweave.benchmark.task import Draws, TaskDefinition, TaskSources, TaskTexts
from orgweave.benchmark.verify_sql import CREATED_IN_WINDOW, MEAN_HOURS
from orgweave.benchmark.windows import Timeline, TimeWindow
from orgweave.crm.seam import Crm

FAST = (
    "fastest",
    "quickest",
    "shortest",
    "least time",
    "most quickly",
    "lowest",
    "sooner",
    "soonest",
    "quickly",
)
SLOW = ("slowest", "longest", "most time", "highest")
LEAST_CASES = 3
"""A state with fewer cases in the window has no mean worth comparing."""
LEAST_SAID = ("at least three", "three or more", "at least 3", "3 or more", "fewer than three")
"""How a question says so: the answer hangs on it."""
BY_FAR = 0.1
"""The fastest state is ahead by a tenth at least."""
TIED = Dropped("readings of the window disagree, or two states are equally fast")


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Endless draws of twins that differ in the window; there is always an answer."""
    story = sources.story
    # What a stranger sent is of no state.
    closed_cases = [case for case in story.cases if case.closed and case.state]
    cases = Timeline(closed_cases, lambda case: case.created)
    hours = mean_tally_of((case.state, case.hours, True) for case in cases.items)
    while True:
        seed, window = random_window(rng, story, ("named", "rolling"))
        if window is None:
            continue
        answer = _fastest(cases, hours, window)
        if not answer:
            yield TIED
            continue
        group = [_candidate(seed, window, answer)]
        for other in twin_windows(rng, story, window):
            another = _fastest(cases, hours, other)
            if another and another != answer:
                group.append(_candidate(seed, other, another))
                break
        yield tuple(group)


def _fastest(
    cases: Timeline[HiddenCase],
    hours: MeanTally,
    window: TimeWindow,
) -> Answer:
    """The state that is fastest by far on every reading; NOTHING where there is none, or no other
    state.
    """
    # Edges between which nothing happened are one reading, so it is made once.
    distinct = dict.fromkeys(cases.span(each, closed) for each, closed in edges(window))
    readings = (hours.means(*span, LEAST_CASES) for span in distinct)
    plain = next(readings)
    if len(plain) < 2:
        return NOTHING
    # The others are counted only as long as all agree.
    answers = (best(times, False, BY_FAR) for times in chain([plain], readings))
    return agreed(answers) or NOTHING


def _candidate(
    seed: str,
    window: TimeWindow,
    answer: Answer,
) -> Candidate:
    return Candidate(
        seed=seed,
        parameters={"least_cases": LEAST_CASES, **window.parameters},
        slots={"window": window.name},
        must=(FAST, window.forms, LEAST_SAID),
        answer=answer,
        avoid=SLOW,
        fact=f"{window.name} to {window.end.date()}",
    )


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """The mean time to close by the account's shipping state."""
    return extreme_in_window(crm, wanted, _by_soql, largest=False)


def _by_soql(
    asker: SoqlAsker,
    wanted: Parameters,
    end: str,
) -> Mapping[str, float]:
    cases = asker.ask(f"""
        SELECT Account.ShippingState, CreatedDate, ClosedDate
        FROM Case
        WHERE ClosedDate != null AND AccountId != null AND {within("CreatedDate", wanted, end)}
    """)
    minutes: dict[str, list[float]] = defaultdict(list)
    for case in cases:
        minutes[case["Account"]["ShippingState"]].append(minutes_open(case))
    least = int(str(wanted["least_cases"]))
    enough = {state: own for state, own in minutes.items() if len(own) >= least}
    return means(enough)


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """The state with the least mean time from creation to closing, of those with enough cases."""
    start, end = await window_of(given, call)
    closed = await call(
        "get_cases",
        start_date=start,
        end_date=end,
        statuses=CLOSED,
    )
    cases = ids_of(closed)
    own = await call("get_region_case_counts", cases=cases)
    times = await call("calculate_region_average_closure_times", cases=cases)
    least = given.parameters["least_cases"]
    enough = {state: time for state, time in times.items() if own[state] >= least}
    return said(await call("find_id_with_min_value", values_by_id=pairs(enough)))


def _guess(
    facts: OrgFacts,
    wanted: Parameters,
    least: int = LEAST_CASES,
    single: bool = False,
) -> Answer:
    """The rule, less what the arguments leave out: the least number of cases, the mean."""
    if single:
        cases = _closed_in(facts.cases, window_in(wanted))
        fastest = min(cases, key=lambda case: case.hours, default=None)
        return NOTHING if fastest is None else (fastest.state,)
    return top(_mean_times(facts.cases, window_in(wanted), least), largest=False)


@lru_cache(maxsize=WINDOWS_KEPT)
def _mean_times(
    cases: Timeline[OrgCase],
    window: TimeWindow,
    least: int,
) -> Mapping[str, float]:
    """Each state's mean hours over the closed cases of a window, where there are so many."""
    return _times(cases).means(*cases.span(window), least)


@lru_cache(maxsize=1)
def _times(cases: Timeline[OrgCase]) -> MeanTally:
    """The states of all cases with the hours of those that are closed and have one."""
    rows = []
    for case in cases.items:
        counts = case.closed is not None and bool(case.state)
        rows.append((case.state, case.hours, counts))
    return mean_tally_of(rows)


def _closed_in(cases: Timeline[OrgCase], window: TimeWindow) -> list[OrgCase]:
    return [case for case in cases.within(window) if case.closed and case.state]


def _busiest(facts: OrgFacts, wanted: Parameters) -> Answer:
    """The state with most cases, whatever their time."""
    cases = facts.cases.within(window_in(wanted))
    return top(Counter(case.state for case in cases if case.closed and case.state))


TASK = TaskDefinition(
    short="BRI",
    persona="service analyst",
    answers="state",
    reward_metric="exact_match",
    has_window=True,
    has_extreme=True,
    texts=TaskTexts(
        seeds={
            "named": (
                "In which state were cases closed fastest in {window}, among the states with at"
                " least three such cases?"
            ),
            "rolling": (
                "In which state have cases been closed fastest in the past {window}, among the"
                " states with at least three such cases?"
            ),
        },
        required=(
            "Cases are closed fastest where the mean time from creation to close is least, over"
            " closed cases that were created in the period. A case's state is the ShippingState of"
            " its account; a state counts if at least three of these cases are its own. Answer with"
            " the two-letter state."
        ),
        optional="Case.Account.ShippingState, Case.CreatedDate, Case.ClosedDate.",
    ),
    draws=draws,
    soql_truth=soql_truth,
    verify_sql=f"""
SELECT a.ShippingState, -{MEAN_HOURS}
FROM "Case" c JOIN Account a ON a.Id = c.AccountId
WHERE c.ClosedDate IS NOT NULL AND {CREATED_IN_WINDOW}
GROUP BY 1 HAVING count(*) >= :least_cases
""",
    oracle=oracle,
    reduced={
        **in_other_windows(_guess),
        "rule: any number of cases": partial(_guess, least=1),
        "rule: one case, no mean": partial(_guess, single=True),
        "rule: most cases, no time": _busiest,
    },
    first_record=first_record_of(
        "SELECT Account.ShippingState FROM Case WHERE Status = 'Closed'"
        " AND CreatedDate >= {start} AND CreatedDate < {end} LIMIT 1",
        "Account.ShippingState",
    ),
)
