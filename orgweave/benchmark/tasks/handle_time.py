"""Handle time: the agent with the longest or shortest mean handle time, among those who managed
more than n cases in a window.

Handle time runs from a case's creation to its close. It counts for the owner, over closed cases
that were created in the window and never transferred.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache, partial
from random import Random

from orgweave.benchmark.agent_questions import AgentQuestion, Extremum, Readings, ReadingsIn
from orgweave.benchmark.instance import Answer, OrgTruth, Parameters
from orgweave.benchmark.org_facts import WINDOWS_KEPT, OrgCase, OrgFacts
from orgweave.benchmark.scripts.agents import extreme, qualified_agents
from orgweave.benchmark.scripts.script import (
    CLOSED,
    NONE,
    CallTool,
    ScriptInput,
    first_record_of,
    ids_of,
    said,
)
from orgweave.benchmark.scripts.windows import window_of
from orgweave.benchmark.shortcuts import in_other_windows, top, window_in
from orgweave.benchmark.soql_truth import (
    SoqlAsker,
    agents_with_more,
    extreme_in_window,
    means,
    minutes_open,
    within,
)
from orgweave.benchmark.story import Story
from orgweave.benchmark.tally import MeanTally, mean_tally_of
from orgweave.benchmark.task import Draws, TaskDefinition, TaskSources, TaskTexts
from orgweave.benchmark.verify_sql import CREATED_IN_WINDOW, HANDED_MORE, MEAN_HOURS
from orgweave.benchmark.windows import Timeline, TimeWindow
from orgweave.crm.seam import Crm

LONG = ("longest", "highest", "slowest", "greatest", "most time", "largest")
SHORT = ("shortest", "lowest", "quickest", "fastest", "least time", "smallest")
EXTREMES = (Extremum("longest", True, LONG, SHORT), Extremum("shortest", False, SHORT, LONG))
CLEARLY_SLOWER = 0.05
"""The best mean is ahead by a twentieth at least, so that no rounding of hours changes it."""


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Endless draws of twins; with `nothing` one of them has no answer."""
    question = AgentQuestion(EXTREMES, _mean_hours(sources.story), CLEARLY_SLOWER)
    return question.draws(sources.story, rng, nothing)


def _mean_hours(story: Story) -> ReadingsIn:
    passed_on = story.transferred()
    counted = [case for case in story.cases if case.closed and case.id not in passed_on]
    cases = Timeline(counted, lambda case: case.created)
    hours = mean_tally_of((case.owner, case.hours, True) for case in cases.items)

    def mean_hours(window: TimeWindow, closed: bool) -> Readings:
        return [hours.means(*cases.span(window, closed))]

    return mean_hours


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """The mean handle times of agents who were handed more than n cases in the window."""
    return extreme_in_window(crm, wanted, _by_soql, wanted["extremum"] == "longest")


def _by_soql(
    asker: SoqlAsker,
    wanted: Parameters,
    end: str,
) -> Mapping[str, float]:
    qualified = agents_with_more(asker, wanted, end)
    cases = asker.ask(f"""
        SELECT Id, OwnerId, CreatedDate, ClosedDate
        FROM Case
        WHERE ClosedDate != null AND {within("CreatedDate", wanted, end)}
    """)
    moves = asker.ask("""
        SELECT CaseId__c
        FROM CaseHistory__c
        WHERE Field__c = 'Owner Assignment' AND OldValue__c != null
    """)
    moved = {row["CaseId__c"] for row in moves}
    minutes: dict[str, list[float]] = defaultdict(list)
    for case in cases:
        if case["Id"] not in moved and case["OwnerId"] in qualified:
            minutes[case["OwnerId"]].append(minutes_open(case))
    return means(minutes)


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """The mean times of the qualified agents' closed cases that were never transferred, the
    greatest or least of them.
    """
    start, end = await window_of(given, call)
    qualified = await qualified_agents(given, call, start, end)
    if not qualified:
        return NONE
    stayed = set(
        await call(
            "get_non_transferred_case_ids",
            start_date=start,
            end_date=end,
        )
    )
    cases = await call(
        "get_cases",
        start_date=start,
        end_date=end,
        agent_ids=qualified,
        statuses=CLOSED,
    )
    counted = [case for case in ids_of(cases) if case in stayed]
    times = await call("calculate_average_handle_time", cases=counted)
    return said(await extreme(given, call, times))


def _guess(
    facts: OrgFacts,
    wanted: Parameters,
    more_than: int | None = None,
    transfers: bool = False,
    single: bool = False,
) -> Answer:
    """The rule, less what the arguments leave out: n, that transferred cases don't count, the
    mean.
    """
    window = window_in(wanted)
    least = int(str(wanted["more_than"])) if more_than is None else more_than
    managed = facts.managed(window)
    largest = wanted["extremum"] == "longest"
    left_out = frozenset[str]() if transfers else facts.transferred
    if single:
        cases = _by_hours(_counted(facts.cases, left_out, window), largest)
        worth: Mapping[str, float] = {case.owner: case.hours for case in cases}
    else:
        worth = _mean_times(facts.cases, left_out, window)
    qualified = {agent: hours for agent, hours in worth.items() if managed.get(agent, 0) > least}
    return top(qualified, largest)


@lru_cache(maxsize=WINDOWS_KEPT)
def _mean_times(
    cases: Timeline[OrgCase],
    left_out: frozenset[str],
    window: TimeWindow,
) -> Mapping[str, float]:
    """Each owner's mean hours over the closed cases of a window, but for those left out."""
    return _times(cases, left_out).means(*cases.span(window))


@lru_cache(maxsize=2)  # with and without those that were transferred
def _times(
    cases: Timeline[OrgCase],
    left_out: frozenset[str],
) -> MeanTally:
    """The owners of all cases with the hours of those that are closed and not left out."""
    rows = []
    for case in cases.items:
        counts = case.closed is not None and case.id not in left_out
        rows.append((case.owner, case.hours, counts))
    return mean_tally_of(rows)


def _counted(
    cases: Timeline[OrgCase],
    left_out: frozenset[str],
    window: TimeWindow,
) -> list[OrgCase]:
    return [case for case in cases.within(window) if case.closed and case.id not in left_out]


def _by_hours(cases: list[OrgCase], largest: bool) -> list[OrgCase]:
    """The cases, the longest (or shortest) last, so that it stands for its owner."""
    return sorted(cases, key=lambda case: case.hours, reverse=not largest)


def _at_least(facts: OrgFacts, wanted: Parameters) -> Answer:
    """n cases are enough."""
    return _guess(facts, wanted, more_than=int(str(wanted["more_than"])) - 1)


TASK = TaskDefinition(
    short="HTU",
    persona="service manager",
    answers="id",
    reward_metric="exact_match",
    unanswerable=0.3,
    has_window=True,
    has_extreme=True,
    texts=TaskTexts(
        seeds={
            "named": (
                "Which agent had the {extremum} average handle time in {window}, among the agents"
                " who managed more than {more_than} {cases}?"
            ),
            "rolling_find": (
                "Find the agent with the {extremum} average handle time in the past {window}, among"
                " the agents who managed more than {more_than} {cases}."
            ),
            "rolling_average": (
                "Which agent had, on average, the {extremum} handle time in the past {window},"
                " among the agents who managed more than {more_than} {cases}?"
            ),
        },
        required=(
            "An agent has managed the cases that were assigned to the agent within the window."
            " Handle time is the time from a case's creation to its close; it counts for the owner,"
            " over closed cases that were created in the window and never transferred. Answer with"
            " the agent's Id, or None if no agent qualifies."
        ),
        optional=(
            "Assignments are in CaseHistory__c: Field__c 'Owner Assignment', OldValue__c the agent"
            " before (empty at first), NewValue__c the agent after. Case has CreatedDate,"
            " ClosedDate and OwnerId."
        ),
    ),
    draws=draws,
    soql_truth=soql_truth,
    verify_sql=f"""
SELECT c.OwnerId, CASE :extremum WHEN 'longest' THEN 1 ELSE -1 END * {MEAN_HOURS}
FROM "Case" c
WHERE c.ClosedDate IS NOT NULL AND {CREATED_IN_WINDOW}
AND c.OwnerId IN ({HANDED_MORE})
AND c.Id NOT IN (SELECT CaseId__c FROM CaseHistory__c
    WHERE Field__c = 'Owner Assignment' AND OldValue__c IS NOT NULL)
GROUP BY 1
""",
    oracle=oracle,
    reduced={
        **in_other_windows(_guess),
        "n: any number": partial(_guess, more_than=-1),
        "n: at least n": _at_least,
        "rule: transferred cases count": partial(_guess, transfers=True),
        "rule: one case, no mean": partial(_guess, single=True),
    },
    first_record=first_record_of(
        "SELECT OwnerId FROM Case WHERE CreatedDate >= {start} AND CreatedDate < {end} LIMIT 1",
        "OwnerId",
    ),
)
