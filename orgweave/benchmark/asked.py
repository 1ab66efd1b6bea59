"""The same truths by SOQL over the org alone: a second computation that shares nothing with the
hidden story's.

Each function asks as an agent could, and answers for the window's end open and closed. Knows no
latent variable.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from orgweave.benchmark.instance import NOTHING, Answer, Found, Parameter
from orgweave.crm.seam import Crm

CrmRecord = Mapping[str, Any]
Parameters = Mapping[str, Parameter]
NAMES = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
CLOSER = 1e-3


@dataclass(slots=True)
class Asker:
    """Asks and counts: what a truth takes tells how hard its instance is."""

    crm: Crm
    records: int = 0
    steps: int = 0

    def ask(self, text: str) -> list[dict[str, Any]]:
        """One query."""
        found = self.crm.query(text)
        self.steps += 1
        self.records += len(found)
        return found

    def found(self, answer: Answer, *others: Answer) -> Found:
        """The truth with what it took."""
        return Found((answer, *others), self.records, self.steps)


def _both_ends(
    crm: Crm, wanted: Parameters, truth: Callable[[Asker, Parameters, str], Answer]
) -> Found:
    """The truth with the window's end open, and closed; what the first took is what it takes."""
    asker = Asker(crm)
    return asker.found(truth(asker, wanted, "<"), truth(Asker(crm), wanted, "<="))


def handle_time(crm: Crm, wanted: Parameters) -> Found:
    """Mean handle time of agents handed more than n cases in the window."""
    return _both_ends(crm, wanted, _handle_time)


def _handle_time(asker: Asker, wanted: Parameters, end: str) -> Answer:
    qualified = _qualified(asker, wanted, end)
    cases = asker.ask(
        "SELECT Id, OwnerId, CreatedDate, ClosedDate FROM Case WHERE ClosedDate != null AND"
        f" {_within('CreatedDate', wanted, end)}"
    )
    moved = {
        row["CaseId__c"]
        for row in asker.ask(
            "SELECT CaseId__c FROM CaseHistory__c WHERE Field__c = 'Owner Assignment' AND"
            " OldValue__c != null"
        )
    }
    minutes: dict[str, list[float]] = defaultdict(list)
    for case in cases:
        if case["Id"] not in moved and case["OwnerId"] in qualified:
            minutes[case["OwnerId"]].append(_minutes(case))
    return _extreme(
        {agent: sum(values) / len(values) for agent, values in minutes.items()},
        wanted["extremum"] == "longest",
    )


def transfer_count(crm: Crm, wanted: Parameters) -> Found:
    """Transfers away from agents handed more than n cases in the window."""
    return _both_ends(crm, wanted, _transfer_count)


def _transfer_count(asker: Asker, wanted: Parameters, end: str) -> Answer:
    qualified = _qualified(asker, wanted, end)
    rows = asker.ask(
        "SELECT OldValue__c agent, COUNT(Id) transfers FROM CaseHistory__c WHERE Field__c = 'Owner"
        f" Assignment' AND OldValue__c != null AND {_within('CreatedDate', wanted, end)} GROUP BY"
        " OldValue__c"
    )
    return _extreme(
        {row["agent"]: row["transfers"] for row in rows if row["agent"] in qualified},
        wanted["extremum"] == "most",
    )


def _qualified(asker: Asker, wanted: Parameters, end: str) -> set[str]:
    rows = asker.ask(
        "SELECT NewValue__c agent, COUNT_DISTINCT(CaseId__c) cases FROM CaseHistory__c WHERE"
        f" Field__c = 'Owner Assignment' AND {_within('CreatedDate', wanted, end)} GROUP BY"
        f" NewValue__c HAVING COUNT_DISTINCT(CaseId__c) > {wanted['more_than']}"
    )
    return {row["agent"] for row in rows}


def case_routing(crm: Crm, wanted: Parameters) -> Found:
    """Most closed cases of the issue, then of the product, then fewest not closed."""
    asker = Asker(crm)
    issue = _per_agent(asker, f"IssueId__c = '{wanted['issue']}' AND ClosedDate != null")
    product = _per_agent(
        asker,
        f"OrderItemId__c IN (SELECT Id FROM OrderItem WHERE Product2Id = '{wanted['product']}') AND"
        " ClosedDate != null",
    )
    waiting = _per_agent(asker, "ClosedDate = null")
    left = list(issue)
    for counts, sign in ((issue, 1), (product, 1), (waiting, -1)):
        top = max((sign * counts.get(agent, 0) for agent in left), default=0)
        left = [agent for agent in left if sign * counts.get(agent, 0) == top]
    return asker.found((left[0],) if len(left) == 1 else NOTHING)


def _per_agent(asker: Asker, where: str) -> dict[str, int]:
    return {
        row["OwnerId"]: row["n"]
        for row in asker.ask(
            f"SELECT OwnerId, COUNT(Id) n FROM Case WHERE {where} GROUP BY OwnerId"
        )
    }


def named_entity(crm: Crm, wanted: Parameters) -> Found:
    """Of what the contact's account ordered on that day, the item that shares most words with the
    vague name, if it shares more than half of them.
    """
    asker = Asker(crm)
    account = asker.ask(f"SELECT AccountId FROM Contact WHERE Id = '{wanted['contact']}'")[0][
        "AccountId"
    ]
    items = asker.ask(
        "SELECT Product2Id, Product2.Name, Product2.Family FROM OrderItem WHERE Order.AccountId ="
        f" '{account}' AND Order.Status = 'Activated' AND Order.EffectiveDate = {wanted['date']}"
    )
    vague = str(wanted["vague_name"])
    shared = {
        row["Product2Id"]: len(
            _words(vague) & _words(f"{row['Product2']['Name']} {row['Product2']['Family']}")
        )
        for row in items
    }
    fitting = {
        product: count for product, count in shared.items() if count * 2 > len(_words(vague))
    }
    return asker.found(_extreme(fitting, largest=True))


def _words(text: str) -> set[str]:
    return {
        word[:-1] if word.endswith("s") else word
        for word in re.findall(r"[a-z]+", text.lower().replace("'", ""))
    }


def top_issue(crm: Crm, wanted: Parameters) -> Found:
    """Cases of the product in the window, by issue."""
    return _both_ends(crm, wanted, _top_issue)


def _top_issue(asker: Asker, wanted: Parameters, end: str) -> Answer:
    rows = asker.ask(
        "SELECT IssueId__c issue, COUNT(Id) n FROM Case WHERE OrderItemId__r.Product2Id ="
        f" '{wanted['product']}' AND {_within('CreatedDate', wanted, end)} GROUP BY IssueId__c"
    )
    return _extreme({row["issue"]: row["n"] for row in rows}, largest=True)


def monthly_trend(crm: Crm, wanted: Parameters) -> Found:
    """Cases of the product in the window, by month."""
    return _both_ends(crm, wanted, _monthly_trend)


def _monthly_trend(asker: Asker, wanted: Parameters, end: str) -> Answer:
    rows = asker.ask(
        f"SELECT CreatedDate FROM Case WHERE OrderItemId__r.Product2Id = '{wanted['product']}' AND"
        f" {_within('CreatedDate', wanted, end)}"
    )
    return _extreme(
        Counter(NAMES[_moment(row["CreatedDate"]).month - 1] for row in rows), largest=True
    )


def best_region(crm: Crm, wanted: Parameters) -> Found:
    """Mean time to close by the account's shipping state."""
    return _both_ends(crm, wanted, _best_region)


def _best_region(asker: Asker, wanted: Parameters, end: str) -> Answer:
    minutes: dict[str, list[float]] = defaultdict(list)
    for row in asker.ask(
        "SELECT Account.ShippingState, CreatedDate, ClosedDate FROM Case WHERE ClosedDate != null"
        f" AND {_within('CreatedDate', wanted, end)}"
    ):
        minutes[row["Account"]["ShippingState"]].append(_minutes(row))
    least = int(str(wanted["least_cases"]))
    return _extreme(
        {
            state: sum(values) / len(values)
            for state, values in minutes.items()
            if len(values) >= least
        },
        largest=False,
    )


def _within(name: str, wanted: Parameters, end: str) -> str:
    return f"{name} >= {wanted['start']} AND {name} {end} {wanted['end']}"


def _minutes(case: CrmRecord) -> float:
    return (_moment(case["ClosedDate"]) - _moment(case["CreatedDate"])).total_seconds() / 60


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z")


def _extreme(values: Mapping[str, float], largest: bool) -> Answer:
    """The key at one end, alone by more than a thousandth; nothing where there is none."""
    order: Sequence[str] = sorted(values, key=lambda key: values[key], reverse=largest)
    if not order:
        return NOTHING
    if len(order) > 1 and abs(values[order[0]] - values[order[1]]) <= CLOSER * max(
        abs(values[order[0]]), abs(values[order[1]])
    ):
        return NOTHING
    return (order[0],)


ASKED: dict[str, Callable[[Crm, Parameters], Found]] = {
    "case_routing": case_routing,
    "handle_time": handle_time,
    "transfer_count": transfer_count,
    "named_entity_disambiguation": named_entity,
    "top_issue_identification": top_issue,
    "monthly_trend_analysis": monthly_trend,
    "best_region_identification": best_region,
}
