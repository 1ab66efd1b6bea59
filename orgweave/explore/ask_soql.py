"""Answers to SOQL and SOSL as tables of a page: a column for each path, a child query as its count.

The engine reads the private copy, as all pages do. Knows no template.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from orgweave.explore.reading import OrgPages
from orgweave.soql.engine import Engine
from orgweave.soql.sql import FoundRecord

MOST_SHOWN = 200
"""Records of an answer that a page shows: what is more is read by a program."""
SECONDS = 5.0
"""The longest a statement may run, as one in SQL may."""
LONGEST_TEXT = 20_000
"""Letters of a statement, the CRM's own bound being 100,000."""


@dataclass(frozen=True, slots=True)
class SoqlAnswer:
    """How many records were found, and the first of them as lines of a table."""

    total: int
    columns: tuple[str, ...]
    lines: tuple[tuple[Markup, ...], ...]


async def answered(engine: Engine, reading: OrgPages, text: str) -> SoqlAnswer:
    """The answer to a text; raises QueryRefused, whose message says what and where."""
    total, records = await asyncio.to_thread(_found, engine, text)
    flat = [_flat(record) for record in records]
    columns: dict[str, None] = {}
    for line in flat:
        columns.update(dict.fromkeys(line))
    lines = []
    for line in flat:
        cells = [await _cell(reading, line.get(column)) for column in columns]
        lines.append(tuple(cells))
    return SoqlAnswer(total, tuple(columns), tuple(lines))


def examples(names: Sequence[str]) -> list[str]:
    """A question to begin with for each of the object types that have most records."""
    return [f"SELECT FIELDS(STANDARD) FROM {name} LIMIT 20" for name in names]


def _found(engine: Engine, text: str) -> tuple[int, list[FoundRecord]]:
    if text.lstrip().upper().startswith("FIND"):
        records = engine.search(text)
        return len(records), records[:MOST_SHOWN]
    result = engine.query(text)
    return result.total, result.page(0, MOST_SHOWN)


def _flat(record: Mapping[str, object], before: str = "") -> dict[str, object]:
    """A record's values by their paths: `Account.Name`, and of a child query how many it found."""
    found: dict[str, object] = {}
    for name, value in record.items():
        if name == "attributes":
            continue
        if isinstance(value, Mapping) and "totalSize" in value:
            found[f"{before}{name}"] = value["totalSize"]
        elif isinstance(value, Mapping):
            found.update(_flat(value, f"{before}{name}."))
        else:
            found[f"{before}{name}"] = value
    return found


async def _cell(reading: OrgPages, value: object) -> Markup:
    if value is None:
        return Markup('<span class="none">–</span>')
    link = await reading.link(value) if isinstance(value, str) else None
    if link is None:
        return Markup(escape(value))
    return Markup('<a href="{}">{}</a>').format(link.url, link.label)
