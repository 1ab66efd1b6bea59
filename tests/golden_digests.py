"""What a seed means: digests of every table of small and whole companies, kept in `tests/golden`.

`python -m tests.golden_digests` (or `make golden`) makes the companies, says which tables have
changed since the digests were kept, and keeps the new ones. A test compares.

    {"shoes": {"latent/Skill.agents": "5f0c...", "org/Case": "93ab...", "upload/Case.json": "..."}}

A digest is the SHA-256 of a table's column names and rows in their order, floats to ten digits:
the last bits of a logarithm differ from one processor to another, the data must not. Of the
check's report each section has a digest, of a set of tasks each task.
"""

import hashlib
import json
import sqlite3
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from orgweave.benchmark.run import make_tasks
from pipeline.config import RunRequest
from pipeline.run import generate

KEPT = Path(__file__).parent / "golden" / "digests.json"

DIGITS = 10
CHECK_DIGITS = 6
"""A measured figure sums up many rows, and with them their last bits."""
CHECKED = ("invariants", "filled", "effects", "realism", "conversations", "diversity")
"""The sections of the check's report that tell of the org alone."""
LEARNED = "everything: "
"""How the names of solvers begin that a classifier's library has a part in."""

Digests = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class GoldenRun:
    """A company whose data is kept: its scale, and how many instances of each task, 0 for none."""

    company: str
    scale: float = 1.0
    per_task: int = 0


SMALL = {
    "shoes": GoldenRun("shoes", 0.1),
    "bank": GoldenRun("bank", 0.1),
    "saas": GoldenRun("saas", 0.1),
    "clinic": GoldenRun("clinic", 0.2),
}
"""A few seconds each, every object type with records in it."""
WHOLE = {
    "whole shoes": GoldenRun("shoes", per_task=130),
    "whole bank": GoldenRun("bank", per_task=130),
    "whole saas": GoldenRun("saas"),
    "whole utility": GoldenRun("utility"),
    "whole outdoor": GoldenRun("outdoor"),
}
"""The companies as people make them, where also that happens which is rare."""
RUNS = SMALL | WHOLE


def digests_of_run(run: GoldenRun, folder: Path) -> dict[str, str]:
    """Makes a company in a folder; table, file, section or task -> digest."""
    generate(RunRequest(run.company, scale=run.scale), folder)
    return digests_of(folder) | task_digests(folder, run.per_task)


def digests_of(folder: Path) -> dict[str, str]:
    """The digests of a finished run: `org/<table>`, `latent/<table>`, `upload/<file>` and
    `check/<section>`.
    """
    digests: dict[str, str] = {}
    for name in ("org", "latent"):
        path = folder / f"{name}.sqlite"
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            for table in _tables(database):
                digests[f"{name}/{table}"] = _digest(_lines_of(database, table))
    for path in sorted((folder / "upload").iterdir()):
        content = json.loads(path.read_text(encoding="utf-8"))
        digests[f"upload/{path.name}"] = _digest([canonical(content)])
    report = json.loads((folder / "check.json").read_text(encoding="utf-8"))
    for section in CHECKED:
        if section in report:
            digests[f"check/{section}"] = _digest([canonical(report[section], CHECK_DIGITS)])
    return digests


def task_digests(folder: Path, per_task: int) -> dict[str, str]:
    """Makes so many instances of each task of a finished run; `tasks/<task>` -> digest of its
    instances, `ablation/<task>` -> digest of what reduced solvers make of them.
    """
    if not per_task:
        return {}
    make_tasks(folder, per_task)
    made: dict[str, list[str]] = {}
    for line in (folder / "tasks" / "tasks.jsonl").read_text(encoding="utf-8").splitlines():
        instance = json.loads(line)
        made.setdefault(instance["task"], []).append(canonical(instance))
    digests = {f"tasks/{task}": _digest(lines) for task, lines in made.items()}
    report = json.loads((folder / "tasks" / "report.json").read_text(encoding="utf-8"))
    for task, row in report["tasks"].items():
        passed = row["ablation"]["passed"]
        own = {name: share for name, share in passed.items() if not name.startswith(LEARNED)}
        digests[f"ablation/{task}"] = _digest([canonical(own)])
    return digests


def changed(before: Digests, after: Digests) -> list[str]:
    """What is new, gone or different, by name."""
    names = sorted(before.keys() | after.keys())
    return [name for name in names if before.get(name) != after.get(name)]


def kept() -> dict[str, dict[str, str]]:
    """Company -> table -> digest, as last kept."""
    digests: dict[str, dict[str, str]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return digests


def canonical(value: object, digits: int = DIGITS) -> str:
    """A value as JSON that is the same on every platform: keys sorted, floats to ten digits."""
    return json.dumps(_rounded(value, digits), sort_keys=True, ensure_ascii=False)


def _rounded(value: object, digits: int) -> object:
    if isinstance(value, float):
        return format(value, f".{digits}g")
    if isinstance(value, dict):
        return {key: _rounded(part, digits) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(part, digits) for part in value]
    return value


def _tables(database: sqlite3.Connection) -> list[str]:
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [str(name) for (name,) in rows]


def _lines_of(database: sqlite3.Connection, table: str) -> Iterable[str]:
    rows = database.execute(f'SELECT * FROM "{table}" ORDER BY rowid')
    yield canonical([column[0] for column in rows.description])
    for row in rows:
        yield canonical(row)


def _digest(lines: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def main() -> None:
    """Keeps the digests of today and prints what has changed."""
    before = kept() if KEPT.exists() else {}
    after = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, run in RUNS.items():
            after[name] = digests_of_run(run, Path(scratch) / name)
            names = changed(before.get(name, {}), after[name])
            print(f"{name}: {len(names)} of {len(after[name])} changed", *names, sep="\n  ")
    KEPT.write_text(json.dumps(after, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
