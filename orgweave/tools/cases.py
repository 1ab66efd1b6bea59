"""Tools on cases, their agents and their histories.

An agent handled a case in a window if the case was assigned to them in it; a transfer is an
assignment away from an agent. The tools' docstrings are what an agent is told of them.
"""

from collections import Counter
from typing import Annotated

from pydantic import Field

from orgweave.crm.seam import Crm
from orgweave.soql.sql import FoundRecord
from orgweave.tools.figures import counted
from orgweave.tools.forms import (
    AgentIds,
    AnyEnd,
    AnyStart,
    End,
    OrderItemIds,
    RecordIds,
    ValuesById,
    WindowStart,
)
from orgweave.tools.soql import existing, ids, rows, window

CASE = "Id, Status, OwnerId, IssueId__c, OrderItemId__c, CreatedDate, ClosedDate"
"""Few fields, for an agent reads hundreds of cases at once; the other tools read what else they
need."""
ASSIGNED = "Field__c = 'Owner Assignment'"
TRANSFERRED = f"SELECT CaseId__c FROM CaseHistory__c WHERE {ASSIGNED} AND OldValue__c != null"
REFERS = {
    "OwnerId": "User",
    "Id": "Case",
    "OrderItemId__c": "OrderItem",
    "IssueId__c": "Issue__c",
}
"""What the ids of a case's field are ids of."""


def get_cases(
    crm: Crm,
    start_date: AnyStart = None,
    end_date: AnyEnd = None,
    agent_ids: AgentIds = None,
    case_ids: Annotated[RecordIds | None, Field(description="Ids of cases; null for all")] = None,
    order_item_ids: OrderItemIds = None,
    issue_ids: Annotated[
        RecordIds | None, Field(description="Ids of issues, as get_issues gives them; null for all")
    ] = None,
    statuses: Annotated[
        list[str] | None,
        Field(
            description=(
                'such as ["Closed"] or ["New", "Working", "Waiting on Customer"]; null for all'
            )
        ),
    ] = None,
) -> list[FoundRecord]:
    """Cases that meet all of the given conditions; null leaves a condition out.

    The window is on the case's CreatedDate, agent_ids on its present owner. Returns a record a
    case, the earliest first:
    Id, Status, OwnerId, IssueId__c, OrderItemId__c, CreatedDate, ClosedDate (null where it isn't
    closed).

    Example: get_cases(start_date="2022-01-01T00:00:00Z", end_date="2022-02-01T00:00:00Z",
    statuses=["Closed"])
    """
    among = {
        "OwnerId": ids(agent_ids),
        "Id": ids(case_ids),
        "OrderItemId__c": ids(order_item_ids),
        "IssueId__c": ids(issue_ids),
    }
    conditions = window("CreatedDate", start_date, end_date)
    found = rows(
        crm,
        CASE,
        "Case",
        conditions,
        {**among, "Status": statuses},
    )
    for field, wanted in among.items():
        seen = {str(row[field]) for row in found}
        existing(crm, REFERS[field], set(wanted or ()) - seen)
    return sorted(found, key=lambda row: (str(row["CreatedDate"]), str(row["Id"])))


def get_non_transferred_case_ids(crm: Crm, start_date: WindowStart, end_date: End) -> list[str]:
    """Ids of the cases that were created in the window and never transferred from one agent to
    another, closed or not.

    Example: get_non_transferred_case_ids("2022-01-01T00:00:00Z", "2022-04-01T00:00:00Z") ->
    ["500zz0000000001AAA", ...]
    """
    conditions = [*window("CreatedDate", start_date, end_date), f"Id NOT IN ({TRANSFERRED})"]
    found = rows(
        crm,
        "Id",
        "Case",
        conditions,
        more="ORDER BY CreatedDate, Id",
    )
    return [str(row["Id"]) for row in found]


def get_agent_handled_cases_by_period(
    crm: Crm,
    start_date: WindowStart,
    end_date: End,
) -> dict[str, int]:
    """How many cases each agent handled in the window: different cases that were assigned to the
    agent in it, as new ones or by transfer.

    Agents without any are left out.

    Example: get_agent_handled_cases_by_period("2022-01-01T00:00:00Z", "2022-04-01T00:00:00Z") ->
    {"005zz0000000001AAA": 7, ...}
    """
    conditions = [ASSIGNED, "NewValue__c != null", *window("CreatedDate", start_date, end_date)]
    found = rows(
        crm,
        "NewValue__c, CaseId__c",
        "CaseHistory__c",
        conditions,
    )
    pairs = {(str(row["NewValue__c"]), row["CaseId__c"]) for row in found}
    return counted(Counter(agent for agent, _ in pairs))


def get_qualified_agent_ids_by_case_count(
    crm: Crm,
    agent_handled_cases: ValuesById,
    n_cases: Annotated[int, Field(description="agents with more cases than this qualify")],
) -> list[str]:
    """Ids of the agents with MORE than n_cases cases; those with exactly n_cases don't qualify.

    agent_handled_cases is what get_agent_handled_cases_by_period gave.

    Example: get_qualified_agent_ids_by_case_count([{"id": "005zz0000000001AAA", "value": 7}], 3) ->
    ["005zz0000000001AAA"]
    """
    return sorted(agent for agent, count in agent_handled_cases.items() if count > n_cases)


def get_agent_transferred_cases_by_period(
    crm: Crm,
    start_date: WindowStart,
    end_date: End,
    qualified_agent_ids: AgentIds = None,
) -> dict[str, int]:
    """How many transfers each of the agents made in the window: how often a case was assigned away
    from the agent in it.

    Agents without any are left out.

    Example: get_agent_transferred_cases_by_period("2022-01-01T00:00:00Z", "2022-04-01T00:00:00Z",
    null) -> {"005zz0000000001AAA": 2, ...}
    """
    agents = ids(qualified_agent_ids)
    conditions = [ASSIGNED, "OldValue__c != null", *window("CreatedDate", start_date, end_date)]
    found = rows(
        crm,
        "OldValue__c",
        "CaseHistory__c",
        conditions,
        {"OldValue__c": agents},
    )
    counts = Counter(str(row["OldValue__c"]) for row in found)
    existing(crm, "User", set(agents or ()) - set(counts))
    return counted(counts)


def get_issue_counts(
    crm: Crm,
    start_date: WindowStart,
    end_date: End,
    order_item_ids: OrderItemIds = None,
) -> dict[str, int]:
    """How many cases each issue has, among the cases created in the window for these order items.
    Issues without any are left out.

    Example: get_issue_counts("2022-01-01T00:00:00Z", "2022-04-01T00:00:00Z",
    ["802zz0000000001AAA"]) -> {"a01zz0000000001AAA": 4}
    """
    items = ids(order_item_ids)
    conditions = ["IssueId__c != null", *window("CreatedDate", start_date, end_date)]
    found = rows(
        crm,
        "IssueId__c, OrderItemId__c",
        "Case",
        conditions,
        {"OrderItemId__c": items},
    )
    seen = {str(row["OrderItemId__c"]) for row in found}
    existing(crm, "OrderItem", set(items or ()) - seen)
    return counted(Counter(str(row["IssueId__c"]) for row in found))
