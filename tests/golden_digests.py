"""What a seed means: digests of every table of four small companies, kept in `tests/golden`.

`python -m tests.golden_digests` (or `make golden`) makes the four companies, says which tables have
changed since the digests were kept, and keeps the new ones. A test compares.

    {"shoes": {"latent/Skill.agents": "5f0c...", "org/Case": "93ab...", "upload/Case.json": "..."}}

A digest is the SHA-256 of a table's column names and rows in their order, floats to ten digits:
the last bits of a logarithm differ from one processor to another, the data must not.
"""

import hashlib
import json
import sqlite3
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from pipeline.config import RunRequest
from pipeline.run import generate

KEPT = Path(__file__).parent / "golden" / "digests.json"

# Company -> scale: a few seconds each, every object type with records in it.
SCALES = {"shoes": 0.1, "bank": 0.1, "saas": 0.1, "clinic": 0.2}

Digests = Mapping[str, str]


def digests_of_company(company: str, folder: Path) -> dict[str, str]:
    """Makes a small company in a folder; table or file -> digest."""
    generate(RunRequest(company, scale=SCALES[company]), folder)
    return digests_of(folder)


def digests_of(folder: Path) -> dict[str, str]:
    """The digests of a finished run: `org/<table>`, `latent/<table>` and `upload/<file>`."""
    digests: dict[str, str] = {}
    for name in ("org", "latent"):
        path = folder / f"{name}.sqlite"
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            for table in _tables(database):
                digests[f"{name}/{table}"] = _digest(_lines_of(database, table))
    for path in sorted((folder / "upload").iterdir()):
        content = json.loads(path.read_text(encoding="utf-8"))
        digests[f"upload/{path.name}"] = _digest([canonical(content)])
    return digests


def changed(before: Digests, after: Digests) -> list[str]:
    """What is new, gone or different, by name."""
    names = sorted(before.keys() | after.keys())
    return [name for name in names if before.get(name) != after.get(name)]


def kept() -> dict[str, dict[str, str]]:
    """Company -> table -> digest, as last kept."""
    digests: dict[str, dict[str, str]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return digests


def canonical(value: object) -> str:
    """A value as JSON that is the same on every platform: keys sorted, floats to ten digits."""
    return json.dumps(_rounded(value), sort_keys=True, ensure_ascii=False)


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return format(value, ".10g")
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(part) for part in value]
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
        for company in SCALES:
            after[company] = digests_of_company(company, Path(scratch) / company)
            names = changed(before.get(company, {}), after[company])
            print(f"{company}: {len(names)} of {len(after[company])} changed", *names, sep="\n  ")
    KEPT.write_text(json.dumps(after, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
