"""SOQL and SOSL over a finished org: the seam that servers and tools use.

Knows nothing of HTTP. The file is only read. Any number of threads may share an engine; it keeps
compiled texts and forgets the least used first.

Example: `Engine(RunFolder(folder).org_file, schema, clock).query("SELECT Id FROM Case LIMIT
1").as_json()` is `{"totalSize": 1, "done": True, "records": [{"attributes": {...}, "Id":
"500..."}]}`.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from orgweave.crm.build import crm_objects
from orgweave.crm.field import CrmObject
from orgweave.crm.metadata import metadata_objects
from orgweave.crm.seam import API_VERSION
from orgweave.soql.compile import Compiler
from orgweave.soql.database import Database, group_record, records_of
from orgweave.soql.index import Index
from orgweave.soql.literals import RELATIVE, in_utc
from orgweave.soql.nodes import QueryText
from orgweave.soql.parse import grammar, parse_query
from orgweave.soql.search import Searcher
from orgweave.soql.sql import FoundRecord, GroupShape, QueryPlan, StoredRow
from schemas.model import Schema

KEPT_PLANS = 256
"""Compiled statements that are kept for who asks the same again."""
CHUNK = 2000
"""Records that are made at a time where all are read."""
RELATIVE_WORD = re.compile("|".join(RELATIVE), re.IGNORECASE)
TimeSource = Callable[[], datetime]
"""Tells what is now."""
SECONDS = 20.0
"""The longest a statement may run, by default."""


class QueryResult:
    """What a query found.

    Its rows are at hand; records are made when asked for, children with their page. `total` is how
    many there are, also for COUNT(), which has no records to page through.
    """

    def __init__(
        self,
        database: Database,
        plan: QueryPlan,
        rows: list[StoredRow],
        base: str,
    ) -> None:
        self._database = database
        self.plan = plan
        self._rows = rows if plan.shape is not None else []
        self._base = base
        self.total = len(rows) if plan.shape is not None else int(str(rows[0][0]))

    @property
    def entity(self) -> str:
        """The object type that was asked for."""
        return self.plan.entity

    def __len__(self) -> int:
        """How many records there are to page through."""
        return len(self._rows)

    def page(self, start: int = 0, size: int | None = None) -> list[FoundRecord]:
        """Returns the records from `start` on, at most `size`, as REST's JSON has them."""
        rows = self._rows[start : None if size is None else start + size]
        shape = self.plan.shape
        if isinstance(shape, GroupShape):
            return [group_record(row, shape) for row in rows]
        return (
            []
            if shape is None
            else records_of(
                self._database,
                rows,
                shape,
                self._base,
            )
        )

    def __iter__(self) -> Iterator[FoundRecord]:
        """All records, made page by page."""
        for start in range(0, len(self), CHUNK):
            yield from self.page(start, CHUNK)

    def as_json(self) -> FoundRecord:
        """Returns the whole answer as REST's JSON has it."""
        return {
            "totalSize": self.total,
            "done": True,
            "records": self.page(),
        }


class Engine:
    """Answers SOQL and SOSL about one org.

    Args:
        org_sqlite: the org's file, `RunFolder.org_file` of a finished run.
        schema: the schema the org was made by.
        clock: now, for TODAY and the like, or what tells it; a naive one is in UTC.
        api_version: stands in records' URLs.
        seconds: the longest a statement may run.
        database: an open database to use instead of opening `org_sqlite`.
        company: what the org is called; without it, its Organization has the schema's name.
    Raises BadInput where there is no such file, StorageFailed where it can't be read.
    """

    def __init__(
        self,
        org_sqlite: Path,
        schema: Schema,
        clock: datetime | TimeSource,
        api_version: str = API_VERSION,
        seconds: float = SECONDS,
        database: Database | None = None,
        company: str = "",
    ) -> None:
        self.schema = schema
        self._clock = clock
        objects = crm_objects(schema)
        beside = metadata_objects(objects, company or schema.name, schema.locale)
        self.entities: dict[str, CrmObject] = objects | beside
        self.database = database or Database(org_sqlite, seconds)
        self.base = f"/services/data/v{api_version}"
        self._index = Index(self.database)
        self._searcher = Searcher(
            self.entities,
            self.clock,
            self.database,
            self._index,
            self.base,
        )
        self._plan = lru_cache(KEPT_PLANS)(self._compiled)
        # The parser takes a tenth of a second to make: better now than under the first query.
        grammar()

    @property
    def clock(self) -> datetime:
        """Now, in UTC."""
        now = self._clock if isinstance(self._clock, datetime) else self._clock()
        return in_utc(now)

    def query(
        self,
        text: str,
        all_rows: bool = False,
        base: str = "",
    ) -> QueryResult:
        """Answers a SOQL text; raises QueryRefused.

        `all_rows` changes nothing: an org keeps no deleted records. `base` begins the records'
        URLs where another API version than the engine's is asked for.
        """
        # Only a text with a relative date means something else a moment later.
        plan = self._plan(text, self.clock if RELATIVE_WORD.search(text) else None)
        return QueryResult(
            self.database,
            plan,
            self.database.rows(plan.sql),
            base or self.base,
        )

    def search(self, text: str, base: str = "") -> list[FoundRecord]:
        """Returns the records a SOSL text finds, as REST's `searchRecords`; raises QueryRefused.

        The first search of an object type indexes it.
        """
        searcher = replace(self._searcher, clock=self.clock, base=base or self.base)
        return searcher.search(text)

    def changed(self, entities: Iterable[str]) -> None:
        """Forgets what was indexed of these object types, for their records have changed."""
        self._index.forget(entities)

    def close(self) -> None:
        """Closes the file and forgets the index."""
        self._index.close()
        self.database.close()

    def _compiled(self, text: str, clock: datetime | None) -> QueryPlan:
        compiler = Compiler(self.entities, clock or self.clock, QueryText(text))
        return compiler.plan(parse_query(text))
