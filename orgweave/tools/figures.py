"""Tools that calculate: over cases, whose values they read by Id, and over numbers by Id.

A mean is one division of whole microseconds, so that equal means are equal numbers. The tools'
docstrings are what an agent is told of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field

from orgweave.crm.seam import Crm
from orgweave.soql.sql import FoundRecord
from orgweave.tools.forms import MONTHS, AgentIds, CaseIds, ValuesById
from orgweave.tools.soql import existing, ids

Considered = Annotated[
    AgentIds,
    Field(
        description=(
            "Ids of the users to consider: those without any of the cases count as having 0; null"
            " for the owners of the cases"
        )
    ),
]


def get_agents_with_max_cases(
    crm: Crm,
    subset_cases: CaseIds,
    agent_ids: Considered = None,
) -> list[str]:
    """Ids of the agents who own the most of these cases: one Id, or all that tie.

    Example: get_agents_with_max_cases(["500zz0000000001AAA", "500zz0000000002AAA"], null) ->
    ["005zz0000000001AAA"]
    """
    return find_id_with_max_value(crm, _owned(crm, subset_cases, agent_ids))


def get_agents_with_min_cases(
    crm: Crm,
    subset_cases: CaseIds,
    agent_ids: Considered = None,
) -> list[str]:
    """Ids of the agents who own the fewest of these cases: one Id, or all that tie.

    Give agent_ids where agents with none of the cases are to win.

    Example: get_agents_with_min_cases(["500zz0000000001AAA"], ["005zz0000000001AAA",
    "005zz0000000002AAA"]) -> ["005zz0000000002AAA"]
    """
    return find_id_with_min_value(crm, _owned(crm, subset_cases, agent_ids))


def calculate_average_handle_time(crm: Crm, cases: CaseIds) -> dict[str, float]:
    """The mean time in minutes from creation to closing of each agent's closed cases among these,
    by the agent's Id. Open cases don't count.

    Example: calculate_average_handle_time(["500zz0000000001AAA", "500zz0000000002AAA"]) ->
    {"005zz0000000001AAA": 2880.5}
    """
    fields = "Id, OwnerId, CreatedDate, ClosedDate"
    found = existing(crm, "Case", ids(cases) or (), fields)
    return _mean_minutes((str(row["OwnerId"]), row) for row in found)


def calculate_region_average_closure_times(crm: Crm, cases: CaseIds) -> dict[str, float]:
    """The mean time in minutes from creation to closing of the closed cases among these in each
    state, by the state.

    A case's state is that of its account's shipping address, as get_shipping_state tells it; cases
    without one and open cases don't count.

    Example: calculate_region_average_closure_times(["500zz0000000001AAA", "500zz0000000002AAA"]) ->
    {"CA": 1440.0, "TX": 2880.5}
    """
    return _mean_minutes(_by_state(crm, cases))


def get_region_case_counts(crm: Crm, cases: CaseIds) -> dict[str, int]:
    """How many closed cases among these each state has, by the state: those whose mean time
    calculate_region_average_closure_times tells.

    Example: get_region_case_counts(["500zz0000000001AAA", "500zz0000000002AAA"]) ->
    {"CA": 1, "TX": 1}
    """
    closed = Counter(state for state, row in _by_state(crm, cases) if row["ClosedDate"] is not None)
    return counted(closed)


def get_shipping_state(crm: Crm, cases: CaseIds) -> list[FoundRecord]:
    """The state that the account of each case has in its shipping address: a record a case with Id,
    AccountId, ShippingState (null where there is none).

    Example: get_shipping_state(["500zz0000000001AAA"]) -> [{"Id": "500zz0000000001AAA",
    "AccountId": "001zz0000000004AAA", "ShippingState": "CA"}]
    """
    wanted = ids(cases) or []
    made: dict[str, FoundRecord] = {}
    for row in existing(
        crm,
        "Case",
        wanted,
        "Id, AccountId, Account.ShippingState",
    ):
        made[str(row["Id"])] = {
            "Id": row["Id"],
            "AccountId": row["AccountId"],
            "ShippingState": _state(row),
        }
    return [made[case] for case in dict.fromkeys(wanted)]


def get_month_to_case_count(crm: Crm, cases: CaseIds) -> dict[str, int]:
    """How many of these cases were created in each month (in UTC), by the month's name, January
    first. Months without any are left out.

    A name stands for that month of every year: give cases of at most 12 months.

    Example: get_month_to_case_count(["500zz0000000001AAA", "500zz0000000002AAA"]) -> {"March": 2}
    """
    found = existing(
        crm,
        "Case",
        ids(cases) or (),
        "Id, CreatedDate",
    )
    months = Counter(_moment(row["CreatedDate"]).month for row in found)
    return {MONTHS[month - 1]: months[month] for month in sorted(months)}


def find_id_with_max_value(crm: Crm, values_by_id: ValuesById) -> list[str]:
    """The Id with the greatest number: one, or all that tie.

    Example: find_id_with_max_value([{"id": "a", "value": 3}, {"id": "b", "value": 5}, {"id": "c",
    "value": 5}]) -> ["b", "c"]
    """
    return _with_value(values_by_id, max(values_by_id.values(), default=0))


def find_id_with_min_value(crm: Crm, values_by_id: ValuesById) -> list[str]:
    """The Id with the least number: one, or all that tie.

    Example: find_id_with_min_value([{"id": "a", "value": 3}, {"id": "b", "value": 5}]) -> ["a"]
    """
    return _with_value(values_by_id, min(values_by_id.values(), default=0))


def counted(counts: Mapping[str, int]) -> dict[str, int]:
    """Returns counts with the most first, ties in the order of their ids."""
    by_id = sorted(counts.items())
    return dict(sorted(by_id, key=lambda pair: pair[1], reverse=True))


def _with_value(values_by_id: Mapping[str, float], wanted: float) -> list[str]:
    return sorted(key for key, value in values_by_id.items() if value == wanted)


def _owned(crm: Crm, cases: Iterable[str], agents: Iterable[str] | None) -> dict[str, float]:
    """How many of the cases each agent owns; of the given agents only, where there are some."""
    found = existing(
        crm,
        "Case",
        ids(cases) or (),
        "Id, OwnerId",
    )
    owners = Counter(str(row["OwnerId"]) for row in found)
    considered = ids(agents)
    existing(crm, "User", set(considered or ()) - set(owners))
    return {agent: owners[agent] for agent in (owners if considered is None else considered)}


def _mean_minutes(cases: Iterable[tuple[str, FoundRecord]]) -> dict[str, float]:
    """The mean of the closed cases of each key, by the key."""
    times: defaultdict[str, list[timedelta]] = defaultdict(list)
    for key, row in cases:
        if row["ClosedDate"] is not None:
            times[key].append(_moment(row["ClosedDate"]) - _moment(row["CreatedDate"]))
    means: dict[str, float] = {}
    for key, spent in sorted(times.items()):
        means[key] = sum(spent, timedelta()) / (timedelta(minutes=1) * len(spent))
    return means


def _by_state(crm: Crm, cases: CaseIds) -> list[tuple[str, FoundRecord]]:
    """The cases with a state, each behind it."""
    fields = "Id, Account.ShippingState, CreatedDate, ClosedDate"
    found: list[tuple[str, FoundRecord]] = []
    for row in existing(crm, "Case", ids(cases) or (), fields):
        state = _state(row)
        if state is not None:
            found.append((state, row))
    return found


def _state(row: FoundRecord) -> str | None:
    """The state of a case's account, or None."""
    account = row["Account"]
    return account["ShippingState"] if isinstance(account, dict) else None


def _moment(value: object) -> datetime:
    return datetime.fromisoformat(str(value))
