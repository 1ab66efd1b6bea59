"""What the tasks' second computations share: asking an org by SOQL, and choosing the best of what
it says.

A second computation knows no hidden variable. It must not use story, choice or windows either: it
is worth something only as long as it shares no code with the first one. So there are two functions
for a clear best, here `clear_extreme` and there `choice.best`, written independently of each other.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from orgweave.benchmark.instance import NOTHING, Answer, OrgTruth, Parameters
from orgweave.crm.seam import Crm

CrmRecord = Mapping[str, Any]
CLOSER = 1e-3
"""Two values that differ by no more than this share of the larger one count as equal."""


@dataclass(slots=True)
class SoqlAsker:
    """Asks an org, and counts queries and records: what a truth takes tells how hard its instance
    is.
    """

    crm: Crm
    records: int = 0
    steps: int = 0

    def ask(self, text: str) -> list[dict[str, Any]]:
        """The records of one query."""
        found = self.crm.query(text)
        self.steps += 1
        self.records += len(found)
        return found

    def truth(self, *answers: Answer) -> OrgTruth:
        """The answers, one a reading, with what they took."""
        return OrgTruth(answers, self.records, self.steps)


ValuesInWindow = Callable[[SoqlAsker, Parameters, str], Mapping[str, float]]
"""The values among which a question chooses; the last argument compares a moment with the window's
end: `<` or `<=`.
"""


def extreme_in_window(
    crm: Crm,
    wanted: Parameters,
    values: ValuesInWindow,
    largest: bool = True,
) -> OrgTruth:
    """The name at one end of the values, with the window's end open, and closed; the first one's
    queries are counted.
    """
    asker = SoqlAsker(crm)
    ends_open = clear_extreme(values(asker, wanted, "<"), largest)
    ends_closed = clear_extreme(values(SoqlAsker(crm), wanted, "<="), largest)
    return asker.truth(ends_open, ends_closed)


def within(
    field: str,
    wanted: Parameters,
    end: str,
) -> str:
    """The condition that a field's moment lies in the window."""
    return f"{field} >= {wanted['start']} AND {field} {end} {wanted['end']}"


def agents_with_more(
    asker: SoqlAsker,
    wanted: Parameters,
    end: str,
) -> set[str]:
    """The agents who were handed more than `more_than` cases in the window."""
    rows = asker.ask(f"""
        SELECT NewValue__c agent, COUNT_DISTINCT(CaseId__c) cases
        FROM CaseHistory__c
        WHERE Field__c = 'Owner Assignment' AND {within("CreatedDate", wanted, end)}
        GROUP BY NewValue__c
        HAVING COUNT_DISTINCT(CaseId__c) > {wanted["more_than"]}
    """)
    return {row["agent"] for row in rows}


def cases_by_agent(asker: SoqlAsker, where: str) -> dict[str, int]:
    """How many cases that fulfil a condition each owner has."""
    rows = asker.ask(f"SELECT OwnerId, COUNT(Id) n FROM Case WHERE {where} GROUP BY OwnerId")
    return {row["OwnerId"]: row["n"] for row in rows}


def minutes_open(case: CrmRecord) -> float:
    """The minutes from a case's creation to its close."""
    lasted = moment(case["ClosedDate"]) - moment(case["CreatedDate"])
    return lasted.total_seconds() / 60


def means(values: Mapping[str, list[float]]) -> dict[str, float]:
    """The mean of each key's values."""
    return {key: sum(own) / len(own) for key, own in values.items()}


def moment(text: str) -> datetime:
    """A field's moment, as REST writes it."""
    return datetime.fromisoformat(text)


def name_words(text: str) -> set[str]:
    """The words of a name in small letters, plurals aside."""
    words = re.findall(r"[a-z]+", text.lower().replace("'", ""))
    return {word[:-1] if word.endswith("s") else word for word in words}


def clear_extreme(values: Mapping[str, float], largest: bool) -> Answer:
    """The key at one end, if it is ahead by more than a thousandth; else NOTHING."""
    order = sorted(
        values,
        key=lambda key: values[key],
        reverse=largest,
    )
    if not order:
        return NOTHING
    if len(order) > 1:
        first, second = values[order[0]], values[order[1]]
        if abs(first - second) <= CLOSER * max(abs(first), abs(second)):
            return NOTHING
    return (order[0],)
