"""Query results that are read page by page: 2,000 records each unless the client asks for less,
under a locator. The least used are dropped.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from itertools import count
from threading import Lock

from orgweave.server.call import JsonObject
from orgweave.soql.engine import QueryResult
from pipeline.world.ids import make_ids
from schemas.errors import Refused

PAGE, SMALLEST, KEPT = 2000, 200, 50
PREFIX = "01g"


@dataclass(frozen=True, slots=True)
class Pages:
    """Locators of unfinished results; any number of threads."""

    _results: OrderedDict[str, tuple[QueryResult, int]] = field(default_factory=OrderedDict)
    _numbers: "count[int]" = field(default_factory=lambda: count(1))
    _lock: Lock = field(default_factory=Lock)

    def first(self, result: QueryResult, base: str, size: int = PAGE) -> JsonObject:
        """The first page; its nextRecordsUrl where there are more."""
        if len(result) <= size:
            return result.as_json()
        with self._lock:
            locator = str(make_ids(PREFIX, 1, next(self._numbers))[0])
            self._results[locator] = (result, size)
            while len(self._results) > KEPT:
                self._results.popitem(last=False)
        return self._page(result, locator, base, 0, size)

    def next(self, spelling: str, base: str) -> JsonObject:
        """The page that `<locator>-<offset>` means; raises INVALID_QUERY_LOCATOR."""
        locator, _, offset = spelling.partition("-")
        with self._lock:
            found = self._results.get(locator)
            if found is not None:
                self._results.move_to_end(locator)
        if (
            found is None
            or not (offset.isascii() and offset.isdigit() and len(offset) < 10)
            or int(offset) >= len(found[0])
        ):
            raise Refused("INVALID_QUERY_LOCATOR", "invalid query locator; ask the query anew")
        return self._page(found[0], locator, base, int(offset), found[1])

    def _page(
        self, result: QueryResult, locator: str, base: str, start: int, size: int
    ) -> JsonObject:
        done = start + size >= len(result)
        made: JsonObject = {
            "totalSize": result.total,
            "done": done,
            "records": result.page(start, size),
        }
        return (
            made if done else {**made, "nextRecordsUrl": f"{base}/query/{locator}-{start + size}"}
        )
