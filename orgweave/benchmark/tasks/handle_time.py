"""Handle time: the agent with the longest or shortest mean handle time, among those who managed
more than n cases in a window.

Handle time runs from a case's creation to its close. It counts for the owner, over closed cases
that were created in the window and never transferred.
"""

from collections import defaultdict
from random import Random

from orgweave.benchmark.agent_questions import AgentQuestion, Extremum, Readings, ReadingsIn
from orgweave.benchmark.choice import Twins
from orgweave.benchmark.instance import Answer, OrgTruth, Parameters
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
from orgweave.benchmark.soql_truth import (
    SoqlAsker,
    agents_with_more,
    both_ends,
    clear_extreme,
    means,
    minutes_open,
    within,
)
from orgweave.benchmark.story import Story
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
    twins: Twins | None,
) -> Draws:
    """Endless draws; with `twins`, of questions that nothing answers."""
    question = AgentQuestion(EXTREMES, _mean_hours(sources.story), CLEARLY_SLOWER)
    return question.draws(sources.story, rng, twins)


def _mean_hours(story: Story) -> ReadingsIn:
    passed_on = story.transferred()
    counted = [case for case in story.cases if case.closed and case.id not in passed_on]
    cases = Timeline(counted, lambda case: case.created)

    def mean_hours(window: TimeWindow, closed: bool) -> Readings:
        hours: dict[str, list[float]] = defaultdict(list)
        for case in cases.within(window, closed):
            hours[case.owner].append(case.hours)
        return [{agent: sum(own) / len(own) for agent, own in hours.items()}]

    return mean_hours


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """The mean handle times of agents who were handed more than n cases in the window."""
    return both_ends(crm, wanted, _by_soql)


def _by_soql(
    asker: SoqlAsker,
    wanted: Parameters,
    end: str,
) -> Answer:
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
    return clear_extreme(means(minutes), wanted["extremum"] == "longest")


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
    first_record=first_record_of(
        "SELECT OwnerId FROM Case WHERE CreatedDate >= {start} AND CreatedDate < {end} LIMIT 1",
        "OwnerId",
    ),
)
