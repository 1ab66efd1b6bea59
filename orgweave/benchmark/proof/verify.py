"""Recomputes the answers of the query tasks from org.sqlite and compares them with tasks.jsonl.
Standard library alone.

python verify.py                       beside tasks.jsonl, with org.sqlite one folder up
python verify.py ORG_SQLITE [IDMAP]    elsewhere; IDMAP (idmap.jsonl of an upload) where the tasks
carry a real org's ids
python verify.py --trust               also where the tasks were made from another org.sqlite
"""

import argparse
import hashlib
import json
import re
import sqlite3
import sys
from calendar import month_name
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SHOWN = 10
# Each query selects the possible answers with a number. The answer with the largest number is the
# right one; where two have the same, or there is none, nothing answers.
QUERIES: dict[str, str] = {}


def month(moment: str) -> str:
    """The month of a moment such as `2022-01-31T12:00:00`: `January`."""
    return month_name[int(moment[5:7])]


def shared(vague: str, name: str) -> float:
    """The share of a vague name's words that a name has."""
    return len(words(vague) & words(name)) / len(words(vague))


def words(text: str) -> set[str]:
    """The words of a name, plurals aside."""
    return {word.rstrip("s") for word in re.findall("[a-z]+", text.lower().replace("'", ""))}


FUNCTIONS: tuple[tuple[str, int, Callable[..., str | float]], ...] = (
    ("month", 1, month),
    ("shared", 2, shared),
)


def answer(db: sqlite3.Connection, task: dict[str, Any]) -> list[str | None]:
    """The one with the largest number, None where there is no such one."""
    wanted = dict(task["parameters"])
    for end in {"start", "end"} & set(wanted):
        wanted[end] = wanted[end].rstrip("Z")
    rows = db.execute(QUERIES[task["task"]], wanted)
    ranked = sorted(rows, key=lambda row: row[1], reverse=True)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return [None]
    return [ranked[0][0]]


def local_ids(text: str, idmap: str) -> str:
    """The tasks' text with the local id in place of each id that an upload was given."""
    lines = Path(idmap).read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    ours = {row["org_id"]: row["id"] for row in rows if "org_id" in row and "id" in row}
    return re.sub(r"\b[0-9A-Za-z]{18}\b", lambda found: ours.get(found[0], found[0]), text)


def read_tasks(idmap: str) -> list[dict[str, Any]]:
    """The instances beside this script that a query answers."""
    text = (HERE / "tasks.jsonl").read_text(encoding="utf-8")
    if idmap:
        text = local_ids(text, idmap)
    # Only a line feed ends a line: splitlines would cut inside texts too.
    instances = [json.loads(line) for line in text.split("\n") if line]
    return [instance for instance in instances if instance["task"] in QUERIES]


def open_org(path: Path) -> sqlite3.Connection:
    """The org's database, which is only read."""
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    db.execute('SELECT Id FROM "Case" LIMIT 1')
    for name, arguments, function in FUNCTIONS:
        db.create_function(name, arguments, function)
    return db


def main() -> int:
    """Compares all and prints what is wrong; 0: nothing, 2: the files can't be used."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "org",
        nargs="?",
        default=HERE.parent / "org.sqlite",
        type=Path,
    )
    parser.add_argument("idmap", nargs="?", default="")
    parser.add_argument("--trust", action="store_true")
    given = parser.parse_args()
    try:
        tasks = read_tasks(given.idmap)
        db = open_org(given.org)
        stale = not given.trust and is_another(given.org)
    except (OSError, ValueError, sqlite3.Error) as error:
        print(
            f"can't be read: {error}; name the org.sqlite that the tasks were made from, and the"
            " idmap.jsonl of its upload",
            file=sys.stderr,
        )
        return 2
    # Whatever the queries find, the questions may name what that org doesn't hold.
    if stale:
        print(
            f"{given.org} is another file than these tasks were made from, so nothing is proved;"
            " make the tasks again (orgweave tasks), name the org.sqlite that they were made from,"
            " or say --trust",
            file=sys.stderr,
        )
        return 2
    wrong = [task["id"] for task in tasks if answer(db, task) != task["answer"]]
    told = f"{len(tasks) - len(wrong)} of {len(tasks)} answers are right"
    if wrong:
        told += f"; wrong: {shown(wrong)}"
    print(told)
    left = left_out()
    if left:
        print(
            f"{sum(left.values())} more are answered from texts, which this script doesn't read:"
            f" {', '.join(sorted(left))}",
            file=sys.stderr,
        )
    return 1 if wrong else 0


def is_another(org: Path) -> bool:
    """Whether report.json, where it lies beside the tasks, tells of another org than this one."""
    report = HERE / "report.json"
    if not report.is_file():
        return False
    made_from = json.loads(report.read_text(encoding="utf-8")).get("org_sha256")
    return bool(made_from) and made_from != hashlib.sha256(org.read_bytes()).hexdigest()


def shown(wrong: list[str]) -> str:
    """The first of the wrong instances, and how many of each task there are."""
    more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
    by_task = Counter(name.rpartition("-")[0] for name in wrong)
    counts = ", ".join(f"{number} of {task}" for task, number in by_task.most_common())
    return f"{', '.join(wrong[:SHOWN])}{more} ({counts})"


def left_out() -> Counter[str]:
    """How many instances of each task no query answers."""
    text = (HERE / "tasks.jsonl").read_text(encoding="utf-8")
    tasks = [json.loads(line)["task"] for line in text.split("\n") if line]
    return Counter(task for task in tasks if task not in QUERIES)


if __name__ == "__main__":
    sys.exit(main())
