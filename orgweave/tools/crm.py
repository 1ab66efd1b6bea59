"""The seam to a CRM: a SOQL or SOSL text in, records out; in process over a finished org.

Knows no tool and no HTTP.

Records are as REST gives them, without `attributes` at any depth: `{"Id": "500...", "Owner":
{"Name": "Ann Lee"}}`.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from orgweave.server.served import ServeOptions, served
from orgweave.soql.engine import Engine
from orgweave.soql.sql import FoundRecord

ONLY_COUNTS = re.compile(r"\s*SELECT\s+COUNT\s*\(\s*\)\s+FROM\b", re.IGNORECASE)


class Crm(Protocol):
    """What tools ask; any number of threads may."""

    def query(self, text: str) -> list[FoundRecord]:
        """All records that a SOQL text selects, all pages of them; raises QueryRefused.

        COUNT() is one record, `{"expr0": n}`.
        """
        ...

    def search(self, text: str) -> list[FoundRecord]:
        """All records that a SOSL text finds, the best first; raises QueryRefused."""
        ...


class LocalCrm:
    """A CRM in process.

    Example: `LocalCrm(engine).query("SELECT Name FROM Issue__c LIMIT 1")` is `[{"Name": "Sole
    Separation"}]`.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def query(self, text: str) -> list[FoundRecord]:
        """As Crm.query."""
        found = self.engine.query(text)
        return selected(text, found, found.total)

    def search(self, text: str) -> list[FoundRecord]:
        """As Crm.search."""
        return [bare(one) for one in self.engine.search(text)]


@contextmanager
def local_crm(folder: Path, clock: datetime | None = None) -> Iterator[LocalCrm]:
    """Opens a run's folder; `clock` is now, by default the last day of the org's period.

    Raises BadInput where there is no finished org.
    """
    with served(folder, ServeOptions(clock)) as org:
        yield LocalCrm(org.engine)


def selected(text: str, records: Iterable[FoundRecord], total: int) -> list[FoundRecord]:
    """What a SOQL text selected; COUNT(), which selects no record, gives its number as aggregates
    without a name do.
    """
    return [{"expr0": total}] if ONLY_COUNTS.match(text) else [bare(one) for one in records]


def bare(record: FoundRecord) -> FoundRecord:
    """A record without `attributes`, its parents and children likewise."""
    return {name: _bare(value) for name, value in record.items() if name != "attributes"}


def _bare(value: object) -> object:
    if isinstance(value, dict):
        return bare(value)
    return [_bare(one) for one in value] if isinstance(value, list) else value
