"""Transfer count: the agent who made the most or fewest transfers, among those who managed more
than n cases in a window.

A transfer is an assignment of a case from one agent to another. It counts for the agent who gave
the case away; agents without a transfer don't enter.
"""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from random import Random

from orgweave.benchmark.agent_questions import AgentQuestion, Extremum, Readings, ReadingsIn
from orgweave.benchmark.choice import CLEARLY
from orgweave.benchmark.instance import Answer, OrgTruth, Parameters
from orgweave.benchmark.org_facts import OrgFacts
from orgweave.benchmark.scripts.agents import extreme, qualified_agents
from orgweave.benchmark.scripts.script import NONE, CallTool, ScriptInput, first_record_of, said
from orgweave.benchmark.scripts.windows import window_of
from orgweave.benchmark.shortcuts import in_other_windows, top, window_in
from orgweave.benchmark.soql_truth import (
    SoqlAsker,
    agents_with_more,
    extreme_in_window,
    within,
)
from orgweave.benchmark.story import Story
from orgweave.benchmark.tally import tally_of
from orgweave.benchmark.task import Draws, TaskDefinition, TaskSources, TaskTexts
from orgweave.benchmark.verify_sql import HANDED_MORE
from orgweave.benchmark.windows import Timeline, TimeWindow
from orgweave.crm.seam import Crm

MOST = (
    "most",
    "highest number",
    "largest number",
    "more often than anyone",
    "highest count",
    "largest count",
    "top",
)
FEWEST = (
    "fewest",
    "lowest number",
    "smallest number",
    "least often",
    "lowest count",
    "smallest count",
    "least",
)
NONE_MADE = " Agents who made no transfer at all don't count."
SAYS_NONE_MADE = ("no transfer", "without a transfer", "at least one transfer", "any transfer")
FEWEST_MADE = Extremum("fewest", False, FEWEST, MOST, NONE_MADE, SAYS_NONE_MADE)
# The fewest twice: who made no transfer at all is no rival for the most.
EXTREMES = (Extremum("most", True, MOST, FEWEST), FEWEST_MADE, FEWEST_MADE)


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Endless draws of twins; with `nothing` one of them has no answer."""
    question = AgentQuestion(EXTREMES, _transfers(sources.story), CLEARLY)
    return question.draws(sources.story, rng, nothing)


def _transfers(story: Story) -> ReadingsIn:
    """The transfers of each agent, by the transfer's own date and by the date of the case."""
    created = {case.id: case.created for case in story.cases}
    passed = [step for step in story.assignments if step.old is not None]
    by_transfer = Timeline(passed, lambda step: step.moment)
    by_case = Timeline(passed, lambda step: created[step.case])
    timelines = []
    for timeline in (by_transfer, by_case):
        timelines.append((timeline, tally_of(str(step.old) for step in timeline.items)))

    def transfers(window: TimeWindow, closed: bool) -> Readings:
        return [made.counted(*timeline.span(window, closed)) for timeline, made in timelines]

    return transfers


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """The transfers away from agents who were handed more than n cases in the window."""
    return extreme_in_window(crm, wanted, _by_soql, wanted["extremum"] == "most")


def _by_soql(
    asker: SoqlAsker,
    wanted: Parameters,
    end: str,
) -> Mapping[str, float]:
    qualified = agents_with_more(asker, wanted, end)
    rows = asker.ask(f"""
        SELECT OldValue__c agent, COUNT(Id) transfers
        FROM CaseHistory__c
        WHERE Field__c = 'Owner Assignment' AND OldValue__c != null
        AND {within("CreatedDate", wanted, end)}
        GROUP BY OldValue__c
    """)
    return {row["agent"]: row["transfers"] for row in rows if row["agent"] in qualified}


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """The transfers of the qualified agents who have any, the most or fewest of them."""
    start, end = await window_of(given, call)
    qualified = await qualified_agents(given, call, start, end)
    if not qualified:
        return NONE
    counts = await call(
        "get_agent_transferred_cases_by_period",
        start_date=start,
        end_date=end,
        qualified_agent_ids=qualified,
    )
    return said(await extreme(given, call, counts))


def _guess(
    facts: OrgFacts,
    wanted: Parameters,
    more_than: int | None = None,
    received: bool = False,
    everybody: bool = False,
) -> Answer:
    """The rule, less what the arguments leave out: n, who it is that transfers, that agents
    without a transfer don't enter.
    """
    window = window_in(wanted)
    least = int(str(wanted["more_than"])) if more_than is None else more_than
    qualified = [agent for agent, count in facts.managed(window).items() if count > least]
    steps = [step for step in facts.assignments.within(window) if step.old]
    made = Counter(step.new if received else step.old for step in steps)
    counted = {agent: made[agent] for agent in qualified if everybody or made[agent]}
    return top(counted, wanted["extremum"] == "most")


def _at_least(facts: OrgFacts, wanted: Parameters) -> Answer:
    """n cases are enough."""
    return _guess(facts, wanted, more_than=int(str(wanted["more_than"])) - 1)


def _busiest(facts: OrgFacts, wanted: Parameters) -> Answer:
    """Who managed most (or fewest) of those who qualify, whatever was transferred."""
    managed = facts.managed(window_in(wanted))
    least = int(str(wanted["more_than"]))
    qualified = {agent: count for agent, count in managed.items() if count > least}
    return top(qualified, wanted["extremum"] == "most")


TASK = TaskDefinition(
    short="TCU",
    persona="service manager",
    answers="id",
    reward_metric="exact_match",
    unanswerable=0.3,
    has_window=True,
    has_extreme=True,
    texts=TaskTexts(
        seeds={
            "named": (
                "Which agent made the {extremum} transfers in {window}, among the agents who"
                " managed more than {more_than} {cases}?{without}"
            ),
            "rolling_find": (
                "Find the agent with the {extremum} transfers in the past {window}, among the"
                " agents who managed more than {more_than} {cases}.{without}"
            ),
            "rolling_average": (
                "Which of the agents who managed more than {more_than} {cases} in the past {window}"
                " made the {extremum} transfers?{without}"
            ),
        },
        required=(
            "An agent has managed the cases that were assigned to the agent within the window. A"
            " transfer is an assignment of a case from one agent to another; it counts for the"
            " agent who gave the case away, on the day of the transfer. Agents without a transfer"
            " don't enter. Answer with the agent's Id, or None if no agent qualifies."
        ),
        optional=(
            "Assignments are in CaseHistory__c: Field__c 'Owner Assignment', OldValue__c the agent"
            " before (empty at first), NewValue__c the agent after."
        ),
    ),
    draws=draws,
    soql_truth=soql_truth,
    verify_sql=f"""
SELECT OldValue__c, CASE :extremum WHEN 'most' THEN 1 ELSE -1 END * count(*)
FROM CaseHistory__c
WHERE Field__c = 'Owner Assignment' AND OldValue__c IN ({HANDED_MORE})
AND substr(CreatedDate, 1, 19) >= :start AND substr(CreatedDate, 1, 19) < :end
GROUP BY 1
""",
    oracle=oracle,
    reduced={
        **in_other_windows(_guess),
        "n: any number": partial(_guess, more_than=-1),
        "n: at least n": _at_least,
        "rule: cases received count": partial(_guess, received=True),
        "rule: agents without a transfer enter": partial(_guess, everybody=True),
        "rule: cases managed, no transfers": _busiest,
    },
    first_record=first_record_of(
        "SELECT OwnerId FROM Case WHERE CreatedDate >= {start} AND CreatedDate < {end} LIMIT 1",
        "OwnerId",
    ),
)
