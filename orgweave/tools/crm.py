"""A CRM in process, over a finished org: a SOQL or SOSL text in, records out.

Knows no tool and no HTTP.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from orgweave.crm.seam import RestRecord
from orgweave.server.served import ServeClock, ServeOptions, served
from orgweave.soql.engine import Engine

ONLY_COUNTS = re.compile(r"\s*SELECT\s+COUNT\s*\(\s*\)\s+FROM\b", re.IGNORECASE)


class LocalCrm:
    """A `Crm` in process.

    Example: `LocalCrm(engine).query("SELECT Name FROM Issue__c LIMIT 1")` is `[{"Name": "Sole
    Separation"}]`.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def query(self, text: str) -> list[RestRecord]:
        """As Crm.query."""
        found = self.engine.query(text)
        return selected(text, found, found.total)

    def search(self, text: str) -> list[RestRecord]:
        """As Crm.search."""
        return [bare(record) for record in self.engine.search(text)]


@contextmanager
def local_crm(folder: Path, clock: ServeClock | None = None) -> Iterator[LocalCrm]:
    """Opens a run's folder; `clock` is now, by default the last day of the org's period.

    Raises BadInput where there is no finished org.
    """
    with served(folder, ServeOptions(clock)) as org:
        yield LocalCrm(org.engine)


def selected(text: str, records: Iterable[RestRecord], total: int) -> list[RestRecord]:
    """What a SOQL text selected; COUNT(), which selects no record, gives its number as aggregates
    without a name do.
    """
    if ONLY_COUNTS.match(text):
        return [{"expr0": total}]
    return [bare(record) for record in records]


def bare(record: RestRecord) -> RestRecord:
    """A record without `attributes`, its parents and children likewise."""
    return {name: _bare(value) for name, value in record.items() if name != "attributes"}


def _bare(value: object) -> object:
    if isinstance(value, dict):
        return bare(value)
    return [_bare(item) for item in value] if isinstance(value, list) else value
