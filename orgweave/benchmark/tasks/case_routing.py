"""New case routing: who should get a new case of which only subject and description are known.

The best agent has closed most cases of the same issue in the year before the day on which it is
asked; of equals the one who closed most of the product in it; of those the one with fewest cases
open on that day.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from random import Random
from typing import Any

from orgweave.benchmark.choice import agreed
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped, OrgTruth, Parameters
from orgweave.benchmark.org_facts import OrgFacts
from orgweave.benchmark.scripts.script import (
    CLOSED,
    CallTool,
    ScriptInput,
    first_record_of,
    said,
)
from orgweave.benchmark.soql_truth import SoqlAsker, cases_by_agent
from orgweave.benchmark.story import NewCase, Story
from orgweave.benchmark.task import Draws, TaskDefinition, TaskSources, TaskTexts
from orgweave.benchmark.verify_sql import OF_PRODUCT
from orgweave.benchmark.windows import before
from orgweave.crm.seam import Crm

NEVER = "9999-12-31"
CLOSED_IN_YEAR = """substr(c.ClosedDate, 1, 10) >= :since
    AND substr(c.ClosedDate, 1, 10) < :today"""
TIED = Dropped("several agents are equally fit for the case, or readings of the year disagree")
MONTHS = 12
"""The months before today in which closed cases count."""
TOGETHER = 21
"""Two new cases may both wait for an agent if they came within so many days."""
LATER = 3
"""At most so many days after a case came it is asked who should get it."""


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Twins of one issue: two cases on the same day that another product sets apart, or two that
    the day sets apart; each new case once.

    Subject and description are written later.
    """
    by_issue: dict[str, list[NewCase]] = defaultdict(list)
    for new in rng.sample(list(sources.new_cases), len(sources.new_cases)):
        by_issue[new.issue].append(new)
    while any(by_issue.values()):
        issue = rng.choice([issue for issue, waiting in by_issue.items() if waiting])
        first = by_issue[issue].pop()
        today = first.arrived + timedelta(days=rng.randint(1, LATER))
        answer = fittest(sources.story, first, today)
        if not answer:
            yield TIED
            continue
        group = [_candidate(first, today, answer)]
        twin = _twin(sources.story, by_issue[issue], first, group[0])
        if twin is not None:
            group.append(twin)
        yield tuple(group)


def _twin(
    story: Story,
    waiting: list[NewCase],
    first: NewCase,
    asked: Candidate,
) -> Candidate | None:
    """A case that waits on the same day and goes to somebody else, or the first of another day;
    it waits no longer.
    """
    today = date.fromisoformat(str(asked.parameters["today"]))
    later = None
    for new in waiting:
        together = 0 <= (today - new.arrived).days <= TOGETHER
        other_day = today if together else new.arrived + timedelta(days=1)
        if not together and later is not None:
            continue
        answer = fittest(story, new, other_day)
        if not answer or answer == asked.answer:
            continue
        candidate = _candidate(new, other_day, answer)
        if together:
            waiting.remove(new)
            return candidate
        later = new, candidate
    if later is None:
        return None
    waiting.remove(later[0])
    return later[1]


def _candidate(
    new: NewCase,
    today: date,
    answer: Answer,
) -> Candidate:
    since = before(today, "month", MONTHS)
    return Candidate(
        seed="new_case",
        parameters={
            "issue": new.issue,
            "product": new.product,
            "new_case": new.row,
            "since": since.isoformat(),
            "today": today.isoformat(),
        },
        slots={},
        must=(),
        answer=answer,
        fact=f"{new.issue}|{today:%Y-%m}|{','.join(answer)}",
    )


def fittest(
    story: Story,
    new: NewCase,
    today: date,
) -> Answer:
    """The one agent to be given the case; NOTHING where two are equal in everything, or where it
    hangs on a day at an end of the year.
    """
    since = before(today, "month", MONTHS)
    day = timedelta(days=1)
    ends = ((since, today), (since + day, today), (since - day, today), (since, today + day))
    answers = (_fittest(story, new, start, end) for start, end in ends)
    return agreed(answers) or NOTHING


def _fittest(
    story: Story,
    new: NewCase,
    since: date,
    today: date,
) -> Answer:
    of_issue: Counter[str] = Counter()
    of_product: Counter[str] = Counter()
    open_then: Counter[str] = Counter()
    for case in story.cases:
        closed = case.closed.date() if case.closed else date.max
        if since <= closed < today:
            of_issue[case.owner] += case.issue == new.issue
            of_product[case.owner] += case.product == new.product
        if case.created.date() < today <= closed:
            open_then[case.owner] += 1
    merits = {}
    for agent in of_issue:
        merits[agent] = (of_issue[agent], of_product[agent], -open_then[agent])
    most = max(merits.values(), default=None)
    fitting = [agent for agent, merit in merits.items() if merit == most]
    right = len(fitting) == 1 and most is not None and most[0] > 0
    return (fitting[0],) if right else NOTHING


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """Most cases of the issue closed in the year, then of the product, then fewest open today."""
    asker = SoqlAsker(crm)
    since, today = f"{wanted['since']}T00:00:00Z", f"{wanted['today']}T00:00:00Z"
    year = f"ClosedDate >= {since} AND ClosedDate < {today}"
    issue = cases_by_agent(asker, f"IssueId__c = '{wanted['issue']}' AND {year}")
    items = f"SELECT Id FROM OrderItem WHERE Product2Id = '{wanted['product']}'"
    product = cases_by_agent(asker, f"OrderItemId__c IN ({items}) AND {year}")
    not_closed = f"(ClosedDate = null OR ClosedDate >= {today})"
    waiting = cases_by_agent(asker, f"CreatedDate < {today} AND {not_closed}")
    left = list(issue)
    for counts, sign in ((issue, 1), (product, 1), (waiting, -1)):
        top = max((sign * counts.get(agent, 0) for agent in left), default=0)
        left = [agent for agent in left if sign * counts.get(agent, 0) == top]
    return asker.truth((left[0],) if len(left) == 1 else NOTHING)


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """Most cases of the issue closed in the year; of those who tie, of the product; of those,
    fewest cases open today.
    """
    wanted = given.parameters
    of_issue = await call("get_cases", issue_ids=[wanted["issue"]], statuses=CLOSED)
    counted = _closed_in_year(of_issue, wanted)
    agents = await call("get_agents_with_max_cases", subset_cases=counted)
    if len(agents) > 1:
        items = await call("get_order_item_ids_by_product", product_id=wanted["product"])
        of_product = await call(
            "get_cases",
            agent_ids=agents,
            order_item_ids=items,
            statuses=CLOSED,
        )
        agents = await call(
            "get_agents_with_max_cases",
            subset_cases=_closed_in_year(of_product, wanted),
            agent_ids=agents,
        )
    if len(agents) > 1:
        today = f"{wanted['today']}T00:00:00Z"
        created = await call("get_cases", agent_ids=agents, end_date=today)
        still_open = [case["Id"] for case in created if _closing_day(case) >= wanted["today"]]
        agents = await call(
            "get_agents_with_min_cases",
            subset_cases=still_open,
            agent_ids=agents,
        )
    return said(agents)


def _closed_in_year(cases: Sequence[Mapping[str, Any]], wanted: Parameters) -> list[str]:
    """The ids of those that were closed in the year before today."""
    since, today = str(wanted["since"]), str(wanted["today"])
    return [case["Id"] for case in cases if since <= _closing_day(case) < today]


def _closing_day(case: Mapping[str, Any]) -> str:
    """The day of a case's close; one that never comes where it is open."""
    return str(case["ClosedDate"] or NEVER)[: len(NEVER)]


def _guess(
    facts: OrgFacts,
    wanted: Parameters,
    by_issue: bool = True,
    by_product: bool = True,
    by_load: bool = True,
    any_day: bool = False,
) -> Answer:
    """The policy, less what the arguments leave out: its steps, the year before today."""
    since, today = str(wanted["since"]), str(wanted["today"])
    merits: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for case in facts.every_case:
        merit = merits[case.owner]
        closed = case.closed.date().isoformat() if case.closed else NEVER
        if by_load and case.created.date().isoformat() < today <= closed:
            merit[2] -= 1
        if since <= closed < today or (any_day and case.closed):
            merit[0] += by_issue and case.issue == wanted["issue"]
            merit[1] += by_product and case.product == wanted["product"]
    ranked = sorted(merits, key=lambda agent: ([-count for count in merits[agent]], agent))
    return tuple(ranked[:1])


TASK = TaskDefinition(
    short="NCR",
    persona="service manager",
    answers="id",
    reward_metric="exact_match",
    has_extreme=True,
    texts=TaskTexts(
        seeds={"new_case": "Which agent should get this new case?"},
        required=(
            "Case routing policy: a new case goes to the agent who closed the most cases of the same"
            " issue in the 12 months before today. Among equals, to the one who closed the most"
            " cases of the product concerned in these 12 months; among these, to the one with the"
            " fewest cases that are open today: created before it, and not closed before it. The"
            " 12 months end on today's date at 00:00 UTC; take the records as they stand, also what"
            " happened to a case after today. A case counts for its owner. Answer with the agent's"
            " Id."
        ),
        optional=(
            "Issues are in Issue__c, a case's issue in Case.IssueId__c; its product is"
            " OrderItemId__r.Product2Id."
        ),
    ),
    draws=draws,
    soql_truth=soql_truth,
    # Three counts in one number: no agent has a thousand cases of one product, or a thousand open.
    verify_sql=f"""
SELECT o.OwnerId, count(*) * 1e6
    + (SELECT count(*) FROM {OF_PRODUCT} AND {CLOSED_IN_YEAR} AND c.OwnerId = o.OwnerId) * 1e3
    - (SELECT count(*) FROM "Case" c WHERE c.OwnerId = o.OwnerId
        AND substr(c.CreatedDate, 1, 10) < :today
        AND (c.ClosedDate IS NULL OR substr(c.ClosedDate, 1, 10) >= :today))
FROM "Case" o
WHERE o.IssueId__c = :issue AND {CLOSED_IN_YEAR.replace("c.", "o.")}
GROUP BY 1
""",
    oracle=oracle,
    reduced={
        "issue: any": partial(_guess, by_issue=False),
        "date: all years": partial(_guess, any_day=True),
        "tie-break: no product": partial(_guess, by_product=False),
        "tie-break: no open cases": partial(_guess, by_load=False),
        "tie-break: none at all": partial(_guess, by_product=False, by_load=False),
    },
    first_record=first_record_of(
        "SELECT OwnerId FROM Case WHERE IssueId__c = '{issue}' AND Status = 'Closed' LIMIT 1",
        "OwnerId",
    ),
)
