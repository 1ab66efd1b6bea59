"""SOQL and SOSL over a finished org: the seam that servers and tools use. Knows nothing of HTTP.

Example: `Engine(RunFolder(folder).org_file, schema, clock).query("SELECT Id FROM Case LIMIT
1").as_json()` is
`{"totalSize": 1, "done": True, "records": [{"attributes": {...}, "Id": "500..."}]}`.

The file is only read. Any number of threads may share an engine; texts compiled once are kept, the
least used go first.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from orgweave.soql.compile import Compiler
from orgweave.soql.database import Database
from orgweave.soql.dates import in_utc
from orgweave.soql.entities import Entity, entities_of
from orgweave.soql.index import Index
from orgweave.soql.parse import grammar, parse_query
from orgweave.soql.places import QueryText
from orgweave.soql.records import records_of
from orgweave.soql.search import Searcher
from orgweave.soql.shapes import FoundRecord, GroupShape, QueryPlan, StoredRow, group_record
from schemas.model import Schema

KEPT_PLANS = 256
API_VERSION = "59.0"
SECONDS = 20.0


class QueryResult:
    """What a query found.

    Rows are at hand; records are made when asked for, children with their page.
    """

    def __init__(
        self, database: Database, plan: QueryPlan, rows: list[StoredRow], base: str
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
        """How many records there are to page through; none for COUNT(), though `total` counts."""
        return len(self._rows)

    def page(self, start: int = 0, size: int | None = None) -> list[FoundRecord]:
        """Records from `start` on, at most `size`, as REST's JSON has them."""
        rows = self._rows[start : None if size is None else start + size]
        shape = self.plan.shape
        if isinstance(shape, GroupShape):
            return [group_record(row, shape) for row in rows]
        return [] if shape is None else records_of(self._database, rows, shape, self._base)

    def __iter__(self) -> Iterator[FoundRecord]:
        """All records, made page by page."""
        for start in range(0, len(self), 2000):
            yield from self.page(start, 2000)

    def as_json(self) -> FoundRecord:
        """The whole answer as REST's JSON has it."""
        return {"totalSize": self.total, "done": True, "records": self.page()}


class Engine:
    """Answers SOQL and SOSL about one org.

    Args:
        org_sqlite: the org's file, `RunFolder.org_file` of a finished run.
        schema: the schema the org was made by.
        clock: now, for TODAY and the like; a naive one is in UTC.
        api_version: stands in records' URLs.
        seconds: the longest a statement may run.
        database: an open database to use instead of opening `org_sqlite`.
    Raises BadInput where there is no such file, StorageFailed where it can't be read.
    """

    def __init__(
        self,
        org_sqlite: Path,
        schema: Schema,
        clock: datetime,
        api_version: str = API_VERSION,
        seconds: float = SECONDS,
        database: Database | None = None,
    ) -> None:
        self.schema = schema
        self.clock = in_utc(clock)
        self.entities: dict[str, Entity] = entities_of(schema)
        self.database = database or Database(org_sqlite, seconds)
        self.base = f"/services/data/v{api_version}"
        self._index = Index(self.database)
        self._searcher = Searcher(self.entities, self.clock, self.database, self._index, self.base)
        self._plan = lru_cache(KEPT_PLANS)(self._compiled)
        grammar()

    def query(self, text: str, all_rows: bool = False, base: str = "") -> QueryResult:
        """The answer to a SOQL text; raises QueryRefused.

        `all_rows` changes nothing: an org keeps no deleted records.

        `base` begins the records' URLs where another API version than the engine's is asked for.
        """
        plan = self._plan(text)
        return QueryResult(self.database, plan, self.database.rows(plan.sql), base or self.base)

    def search(self, text: str, base: str = "") -> list[FoundRecord]:
        """The records a SOSL text finds, as REST's `searchRecords`; raises QueryRefused.

        The first search of an object type indexes it.
        """
        return (replace(self._searcher, base=base) if base else self._searcher).search(text)

    def changed(self, entities: Iterable[str]) -> None:
        """Forgets what was indexed of these object types: their records are others now."""
        self._index.forget(entities)

    def close(self) -> None:
        """Closes the file and forgets the index."""
        self._index.close()
        self.database.close()

    def _compiled(self, text: str) -> QueryPlan:
        return Compiler(self.entities, self.clock, QueryText(text)).plan(parse_query(text))
