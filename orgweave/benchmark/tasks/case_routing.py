"""New case routing: who should get a new case of which only subject and description are known.

The best agent has closed most cases of the same issue; of equals the one who closed most of the
product; of those the one with fewest open cases.
"""

from collections import Counter, defaultdict
from functools import partial
from random import Random

from orgweave.benchmark.choice import Twins
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped, OrgTruth, Parameters
from orgweave.benchmark.org_facts import OrgFacts
from orgweave.benchmark.scripts.script import (
    CLOSED,
    OPEN,
    CallTool,
    ScriptInput,
    first_record_of,
    ids_of,
    said,
)
from orgweave.benchmark.soql_truth import SoqlAsker, cases_by_agent
from orgweave.benchmark.story import Story
from orgweave.benchmark.task import Draws, TaskDefinition, TaskSources, TaskTexts
from orgweave.benchmark.verify_sql import OF_PRODUCT
from orgweave.crm.seam import Crm

TIED = Dropped("several agents are equally fit for the case")


def draws(
    sources: TaskSources,
    rng: Random,
    twins: Twins | None,
) -> Draws:
    """Each new case once, in random order; subject and description are written later."""
    new_cases = list(sources.new_cases)
    for new in rng.sample(new_cases, len(new_cases)):
        answer = fittest(sources.story, new.issue, new.product)
        if not answer:
            yield TIED
            continue
        yield Candidate(
            seed="new_case",
            parameters={"issue": new.issue, "product": new.product, "new_case": new.row},
            slots={},
            must=(),
            answer=answer,
        )


def fittest(
    story: Story,
    issue: str,
    product: str,
) -> Answer:
    """The one agent to be given the case; NOTHING where two are equal in everything."""
    done = [case for case in story.cases if case.closed]
    of_issue = Counter(case.owner for case in done if case.issue == issue)
    of_product = Counter(case.owner for case in done if case.product == product)
    open_now = Counter(case.owner for case in story.cases if not case.closed)
    merits = {}
    for agent in of_issue:
        merits[agent] = (of_issue[agent], of_product[agent], -open_now[agent])
    most = max(merits.values(), default=None)
    fitting = [agent for agent, merit in merits.items() if merit == most]
    return (fitting[0],) if len(fitting) == 1 else NOTHING


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """Most closed cases of the issue, then of the product, then fewest not closed."""
    asker = SoqlAsker(crm)
    issue = cases_by_agent(asker, f"IssueId__c = '{wanted['issue']}' AND ClosedDate != null")
    items = f"SELECT Id FROM OrderItem WHERE Product2Id = '{wanted['product']}'"
    product = cases_by_agent(asker, f"OrderItemId__c IN ({items}) AND ClosedDate != null")
    waiting = cases_by_agent(asker, "ClosedDate = null")
    left = list(issue)
    for counts, sign in ((issue, 1), (product, 1), (waiting, -1)):
        top = max((sign * counts.get(agent, 0) for agent in left), default=0)
        left = [agent for agent in left if sign * counts.get(agent, 0) == top]
    return asker.truth((left[0],) if len(left) == 1 else NOTHING)


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """Most closed cases of the issue; of those who tie, of the product; of those, fewest open
    cases.
    """
    wanted = given.parameters
    closed = await call(
        "get_cases",
        issue_ids=[wanted["issue"]],
        statuses=CLOSED,
    )
    agents = await call("get_agents_with_max_cases", subset_cases=ids_of(closed))
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
            subset_cases=ids_of(of_product),
            agent_ids=agents,
        )
    if len(agents) > 1:
        pending = await call("get_cases", agent_ids=agents, statuses=OPEN)
        agents = await call(
            "get_agents_with_min_cases",
            subset_cases=ids_of(pending),
            agent_ids=agents,
        )
    return said(agents)


def _guess(
    facts: OrgFacts,
    wanted: Parameters,
    by_issue: bool = True,
    by_product: bool = True,
    by_load: bool = True,
) -> Answer:
    """The policy, less the steps that the arguments leave out."""
    merits: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for case in facts.every_case:
        merit = merits[case.owner]
        if not case.closed:
            merit[2] -= by_load
            continue
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
            "Case routing policy: a new case goes to the agent who has closed the most cases of the"
            " same issue. Among equals, to the one who has closed the most cases of the product"
            " concerned; among these, to the one with the fewest cases not closed yet. A case"
            " counts for its owner. Answer with the agent's Id."
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
    + (SELECT count(*) FROM {OF_PRODUCT}
        AND c.ClosedDate IS NOT NULL AND c.OwnerId = o.OwnerId) * 1e3
    - (SELECT count(*) FROM "Case" c WHERE c.ClosedDate IS NULL AND c.OwnerId = o.OwnerId)
FROM "Case" o
WHERE o.IssueId__c = :issue AND o.ClosedDate IS NOT NULL
GROUP BY 1
""",
    oracle=oracle,
    reduced={
        "issue: any": partial(_guess, by_issue=False),
        "tie-break: no product": partial(_guess, by_product=False),
        "tie-break: no open cases": partial(_guess, by_load=False),
        "tie-break: none at all": partial(_guess, by_product=False, by_load=False),
    },
    first_record=first_record_of(
        "SELECT OwnerId FROM Case WHERE IssueId__c = '{issue}' AND Status = 'Closed' LIMIT 1",
        "OwnerId",
    ),
)
