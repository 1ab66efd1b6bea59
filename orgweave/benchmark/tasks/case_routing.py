"""New case routing: who should get a new case of which only subject and description are known.

The best agent has closed most cases of the same issue in the 3 months before the day on which it
is asked; of equals the one who closed most of the product in them; of those the one with fewest
cases open on that day.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from random import Random
from typing import Any

from orgweave.benchmark.choice import agreed
from orgweave.benchmark.instance import (
    NOTHING,
    Answer,
    Candidate,
    Dropped,
    OrgTruth,
    Parameters,
    TwinGroup,
)
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
from orgweave.benchmark.windows import Timeline, TimeWindow, before
from orgweave.crm.seam import Crm

NEVER = "9999-12-31"
POLICY = (
    "Case routing policy: a new case goes to the agent who closed the most cases of the same issue"
    " in the 3 months before today. Among equals, to the one who closed the most cases of the"
    " product concerned in these 3 months; among these, to the one with the fewest cases that are"
    " open today: created before it, and not closed before it. The 3 months end on today's date at"
    " 00:00 UTC; take the records as they stand, also what happened to a case after today. A case"
    " counts for its owner."
)
"""What an agent is told of routing."""
CLOSED_IN_TIME = """substr(c.ClosedDate, 1, 10) >= :since
    AND substr(c.ClosedDate, 1, 10) < :today"""
# Three counts in one number: no agent has a thousand cases of one product, or a thousand open.
MERITS = f"""
SELECT o.OwnerId AS agent, count(*) * 1e6
    + (SELECT count(*) FROM {OF_PRODUCT} AND {CLOSED_IN_TIME} AND c.OwnerId = o.OwnerId) * 1e3
    - (SELECT count(*) FROM "Case" c WHERE c.OwnerId = o.OwnerId
        AND substr(c.CreatedDate, 1, 10) < :today
        AND (c.ClosedDate IS NULL OR substr(c.ClosedDate, 1, 10) >= :today)) AS merit
FROM "Case" o
WHERE o.IssueId__c = :issue AND {CLOSED_IN_TIME.replace("c.", "o.")}
GROUP BY 1
"""
TIED = Dropped("several agents are equally fit for the case, or readings of the months disagree")
MONTHS = 3
"""The months before today in which closed cases count: in a year one agent leads on nearly every
issue, in a quarter several are often equal, and the rest of the policy decides.
"""
LONGEST = 40
"""So many days after it came a case is no longer new."""
MOST_CASES = 500
"""So many new cases are looked at, on each of their days; more bring nothing but more time."""


@dataclass(frozen=True, slots=True)
class RoutedTo:
    """Who should get a case, by how many steps of the policy that was found, and whether who stops
    after the first step and takes the first of equals finds the same.
    """

    answer: Answer
    steps: int = 0
    by_chance: bool = True


@dataclass(frozen=True, slots=True)
class RoutingQuestion:
    """A new case with who should get it on some days."""

    new: NewCase
    routing: RoutedTo
    days: tuple[date, ...]

    def apart(self, other: "RoutingQuestion") -> tuple[int, int]:
        """How little another question is a twin: first those on the same day, then the same case on
        other days, then those of near days.
        """
        apart = abs((other.days[0] - self.days[0]).days)
        if set(self.days) & set(other.days):
            return 0, apart
        return (1 if other.new == self.new else 2), apart

    def asked_on(self, today: date) -> Candidate:
        """The question on one of its days."""
        return _candidate(self.new, today, self.routing.answer)


class CasesSoFar:
    """The org's cases as they stood on a day."""

    def __init__(self, story: Story) -> None:
        self._cases = story.cases
        closed = [case for case in story.cases if case.closed]
        self._closed = Timeline(closed, lambda case: case.closed or datetime.max)
        self._open_on: dict[date, Counter[str]] = {}

    def fittest(self, new: NewCase, today: date) -> RoutedTo:
        """The one agent to be given the case; NOTHING where two are equal in everything, or where
        it hangs on whether today counts.
        """
        since = before(today, "month", MONTHS)
        found = [self._fittest(new, since, end) for end in (today, today + timedelta(days=1))]
        answer = agreed(routing.answer for routing in found) or NOTHING
        return replace(found[0], answer=answer)

    def _fittest(self, new: NewCase, since: date, today: date) -> RoutedTo:
        window = TimeWindow(_midnight(since), _midnight(today))
        of_issue: Counter[str] = Counter()
        of_product: Counter[str] = Counter()
        for case in self._closed.within(window):
            if case.issue == new.issue:
                of_issue[case.owner] += 1
            if case.product == new.product:
                of_product[case.owner] += 1
        left = _with_most(sorted(of_issue), of_issue)
        first = left[:1]
        if len(left) == 1:
            return RoutedTo((left[0],), 1)
        left = _with_most(left, of_product)
        if len(left) == 1:
            return RoutedTo((left[0],), 2, left == first)
        spare = Counter({agent: -number for agent, number in self._open(today).items()})
        left = _with_most(left, spare)
        return RoutedTo((left[0],), 3, left == first) if len(left) == 1 else RoutedTo(NOTHING)

    def _open(self, today: date) -> Counter[str]:
        """How many cases each agent has open on a day."""
        if today not in self._open_on:
            day = _midnight(today)
            waiting = []
            for case in self._cases:
                if case.created < day and (case.closed is None or case.closed >= day):
                    waiting.append(case.owner)
            self._open_on[today] = Counter(waiting)
        return self._open_on[today]


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Twins of one issue: two cases on the same day that another product sets apart, else one case
    on two days. Those come first whose answer nobody finds by the issue alone.

    Subject and description are written later.
    """
    so_far = CasesSoFar(sources.story)
    hard: dict[str, list[RoutingQuestion]] = defaultdict(list)
    easy: dict[str, list[RoutingQuestion]] = defaultdict(list)
    number = min(len(sources.new_cases), MOST_CASES)
    for new in rng.sample(list(sources.new_cases), number):
        found = _questions(so_far, new)
        for question in found:
            kind = easy if question.routing.by_chance else hard
            kind[new.issue].append(question)
        if not found:
            yield TIED
    for waiting in (hard, easy):
        while any(waiting.values()):
            issue = rng.choice([issue for issue, asked in waiting.items() if asked])
            yield _with_twin(rng, waiting[issue])


def _questions(so_far: CasesSoFar, new: NewCase) -> list[RoutingQuestion]:
    """What may be asked about a case: each answer that it has on some days while it is new."""
    days: dict[RoutedTo, list[date]] = defaultdict(list)
    for later in range(1, LONGEST):
        today = new.arrived + timedelta(days=later)
        routing = so_far.fittest(new, today)
        if routing.answer:
            days[routing].append(today)
    return [RoutingQuestion(new, routing, tuple(found)) for routing, found in days.items()]


def _with_twin(rng: Random, waiting: list[RoutingQuestion]) -> TwinGroup:
    """The last of the waiting questions with a twin that has another answer, where there is one: a
    case that waits on the same day, else the same case on another day, else the one of the nearest
    day.
    """
    first = waiting.pop()
    others = [other for other in waiting if other.routing.answer != first.routing.answer]
    if not others:
        return (first.asked_on(rng.choice(first.days)),)
    twin = min(others, key=first.apart)
    waiting.remove(twin)
    together = sorted(set(first.days) & set(twin.days))
    if together:
        today = rng.choice(together)
        return first.asked_on(today), twin.asked_on(today)
    return first.asked_on(rng.choice(first.days)), twin.asked_on(rng.choice(twin.days))


def _with_most(agents: list[str], counts: Mapping[str, int]) -> list[str]:
    """Of some agents those who have the most."""
    most = max((counts.get(agent, 0) for agent in agents), default=0)
    return [agent for agent in agents if counts.get(agent, 0) == most]


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


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


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """Most cases of the issue closed in the 3 months, then of the product, then fewest open."""
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
    """Most cases of the issue closed in the 3 months; of those who tie, of the product; of those,
    fewest cases open today.
    """
    wanted = given.parameters
    of_issue = await call("get_cases", issue_ids=[wanted["issue"]], statuses=CLOSED)
    counted = _closed_in_time(of_issue, wanted)
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
            subset_cases=_closed_in_time(of_product, wanted),
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


def _closed_in_time(cases: Sequence[Mapping[str, Any]], wanted: Parameters) -> list[str]:
    """The ids of those that were closed in the 3 months before today."""
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
    """The policy, less what the arguments leave out: its steps, the 3 months before today."""
    since, today = [datetime.fromisoformat(str(wanted[name])) for name in ("since", "today")]
    merits: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for case in facts.every_case:
        merit = merits[case.owner]
        closed = case.closed or datetime.max
        if by_load and case.created < today <= closed:
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
    of_new_cases=True,
    texts=TaskTexts(
        seeds={"new_case": "Which agent should get this new case?"},
        required=f"{POLICY} Answer with the agent's Id.",
        optional=(
            "Issues are in Issue__c, a case's issue in Case.IssueId__c; its product is"
            " OrderItemId__r.Product2Id."
        ),
    ),
    draws=draws,
    soql_truth=soql_truth,
    verify_sql=MERITS,
    oracle=oracle,
    reduced={
        "issue: any": partial(_guess, by_issue=False),
        "date: all years": partial(_guess, any_day=True),
        "tie-break: none at all": partial(_guess, by_product=False, by_load=False),
    },
    first_record=first_record_of(
        "SELECT OwnerId FROM Case WHERE IssueId__c = '{issue}' AND Status = 'Closed' LIMIT 1",
        "OwnerId",
    ),
)
