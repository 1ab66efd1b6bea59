"""Recomputes the answers of the seven query tasks from org.sqlite and compares them with
tasks.jsonl. Standard library alone.

python verify.py                       beside tasks.jsonl, with org.sqlite one folder up
python verify.py ORG_SQLITE [IDMAP]    elsewhere; IDMAP (idmap.jsonl of an upload) where the tasks
carry a real org's ids
"""

import argparse
import json
import re
import sqlite3
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WINDOW = "substr(CreatedDate, 1, 19) >= :start AND substr(CreatedDate, 1, 19) < :end"
HANDED = f"""SELECT NewValue__c FROM CaseHistory__c WHERE Field__c = 'Owner Assignment' AND {WINDOW}
    GROUP BY 1 HAVING count(DISTINCT CaseId__c) > :more_than"""
HOURS = (
    "avg((julianday(substr(c.ClosedDate, 1, 19)) - julianday(substr(c.CreatedDate, 1, 19))) * 24)"
)
CREATED = WINDOW.replace("CreatedDate", "c.CreatedDate")
OF_PRODUCT = '"Case" c JOIN OrderItem i ON i.Id = c.OrderItemId__c WHERE i.Product2Id = :product'
QUERIES = {
    "handle_time": (
        f"""SELECT c.OwnerId, {HOURS} FROM "Case" c WHERE c.ClosedDate IS NOT NULL AND {CREATED} AND c.OwnerId IN ({HANDED})
        AND c.Id NOT IN (SELECT CaseId__c FROM CaseHistory__c WHERE Field__c = 'Owner Assignment' AND OldValue__c IS NOT NULL) GROUP BY 1"""
    ),
    "transfer_count": (
        f"""SELECT OldValue__c, count(*) FROM CaseHistory__c WHERE Field__c = 'Owner Assignment' AND OldValue__c IN ({HANDED})
        AND {WINDOW} GROUP BY 1"""
    ),
    "case_routing": (
        f"""SELECT o.OwnerId, count(*) * 1e6 + (SELECT count(*) FROM {OF_PRODUCT} AND c.ClosedDate IS NOT NULL AND c.OwnerId = o.OwnerId) * 1e3
        - (SELECT count(*) FROM "Case" c WHERE c.ClosedDate IS NULL AND c.OwnerId = o.OwnerId) FROM "Case" o WHERE o.IssueId__c = :issue AND o.ClosedDate IS NOT NULL GROUP BY 1"""
    ),
    "named_entity_disambiguation": (
        """SELECT p.Id, shared(:vague_name, p.Name || ' ' || p.Family) FROM OrderItem i JOIN "Order" o ON o.Id = i.OrderId JOIN Contact t ON t.AccountId = o.AccountId
        JOIN Product2 p ON p.Id = i.Product2Id WHERE t.Id = :contact AND o.Status = 'Activated' AND o.EffectiveDate = :date AND shared(:vague_name, p.Name || ' ' || p.Family) > 0.5 GROUP BY 1"""
    ),
    "top_issue_identification": (
        f"SELECT c.IssueId__c, count(*) FROM {OF_PRODUCT} AND {CREATED} GROUP BY 1"
    ),
    "monthly_trend_analysis": (
        f"SELECT month(c.CreatedDate), count(*) FROM {OF_PRODUCT} AND {CREATED} GROUP BY 1"
    ),
    "best_region_identification": (
        f"""SELECT a.ShippingState, {HOURS} FROM "Case" c JOIN Account a ON a.Id = c.AccountId
        WHERE c.ClosedDate IS NOT NULL AND {CREATED} GROUP BY 1 HAVING count(*) >= :least_cases"""
    ),
}
SMALLEST = {"shortest", "fewest", "best_region_identification"}
MONTHS = (
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


def words(text: str) -> set[str]:
    """The words of a name, plurals aside."""
    return {word.rstrip("s") for word in re.findall("[a-z]+", text.lower().replace("'", ""))}


def answer(db: sqlite3.Connection, task: dict[str, Any]) -> list[str | None]:
    """The one with the largest (or smallest) value, None where there is no such one."""
    wanted = {
        name: value.rstrip("Z") if name in ("start", "end") else value
        for name, value in task["parameters"].items()
    }
    smallest = bool({task["task"], wanted.get("extremum")} & SMALLEST)
    ranked = sorted(
        db.execute(QUERIES[task["task"]], wanted), key=lambda row: row[1], reverse=not smallest
    )
    alone = len(ranked) == 1 or (len(ranked) > 1 and ranked[0][1] != ranked[1][1])
    return [ranked[0][0]] if alone else [None]


def local_ids(text: str, idmap: str) -> str:
    """The tasks' text with the local id in place of each id that an upload was given."""
    rows = [
        json.loads(line) for line in Path(idmap).read_text(encoding="utf-8").split("\n") if line
    ]
    ours = {row["org_id"]: row["id"] for row in rows if "org_id" in row and "id" in row}
    return re.sub(r"\b[0-9A-Za-z]{18}\b", lambda found: ours.get(found[0], found[0]), text)


def main() -> int:
    """Compares all and prints what is wrong; 0 where nothing is, 2 where a file can't be read."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("org", nargs="?", default=HERE.parent / "org.sqlite", type=Path)
    parser.add_argument("idmap", nargs="?", default="")
    given = parser.parse_args()
    try:
        text = (HERE / "tasks.jsonl").read_text(encoding="utf-8")
        lines = (local_ids(text, given.idmap) if given.idmap else text).split("\n")
        db = sqlite3.connect(f"{given.org.resolve().as_uri()}?mode=ro", uri=True)
        db.execute('SELECT Id FROM "Case" LIMIT 1')
    except (OSError, ValueError, sqlite3.Error) as error:
        print(
            f"can't be read: {error}; name the org.sqlite that the tasks were made from, and the"
            " idmap.jsonl of its upload",
            file=sys.stderr,
        )
        return 2
    db.create_function("month", 1, lambda stamp: MONTHS[int(stamp[5:7]) - 1])
    db.create_function(
        "shared", 2, lambda vague, name: len(words(vague) & words(name)) / len(words(vague))
    )
    tasks = [
        task for task in (json.loads(line) for line in lines if line) if task["task"] in QUERIES
    ]
    wrong = [task["id"] for task in tasks if answer(db, task) != task["answer"]]
    print(
        f"{len(tasks) - len(wrong)} of {len(tasks)} answers are right"
        + (f"; wrong: {', '.join(wrong)}" if wrong else "")
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
