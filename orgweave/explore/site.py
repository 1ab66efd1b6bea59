"""The site: Datasette over the private copy, with our templates, styles and plugin.

Knows no socket.

Example: `with opened(Path("outputs/shoes")) as site: await site.client.get("/org/Account")`.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasette.app import Datasette
from datasette.database import Database, Results
from datasette.plugins import pm
from markupsafe import Markup

from orgweave.explore import plugin
from orgweave.explore.cells import DATABASE
from orgweave.explore.copy import LABEL, copied, search_table
from orgweave.explore.diagram import diagram
from orgweave.explore.guide import check_tour, general_tour
from orgweave.explore.limits import HEAP
from orgweave.explore.reading import OrgPages, PageRow
from orgweave.explore.views import ObjectView, Relation, relations_of
from orgweave.soql.sql import Sql, SqlValue
from pipeline.run_folder import RunFolder
from schemas.model import Schema
from schemas.profile import Profile
from schemas.tour import Tour, load_tour, tour_file

HERE = Path(__file__).parent
SETTINGS = {
    "sql_time_limit_ms": 5000,
    "facet_time_limit_ms": 2000,
    "suggest_facets": False,
    "allow_download": False,
    "default_page_size": 50,
    "default_cache_ttl": 0,
}

Params = Mapping[str, SqlValue] | Sequence[SqlValue]


@dataclass(frozen=True, slots=True)
class Explored:
    """What all pages know of the org."""

    profile: Profile
    kinds: Mapping[str, ObjectView]
    relations: Mapping[str, Sequence[Relation]]
    tour: Tour
    diagram: Markup


class Site(Datasette):  # type: ignore[misc]
    """Datasette that knows the org it shows; `reading` reads for the pages."""

    def __init__(self, path: Path, explored: Explored, sql: bool) -> None:
        # Datasette asks the plugin for its routes while it is made.
        self.explored = explored
        self.reading = OrgPages(_Copy(self), explored.kinds, explored.relations)
        super().__init__(
            immutables=[str(path)],
            metadata=_metadata(explored),
            template_dir=str(HERE / "templates"),
            static_mounts=[("assets", str(HERE / "static"))],
            settings={**SETTINGS, "default_allow_sql": sql},
        )
        self.remove_database(DATABASE)
        self.add_database(_Quiet(self, str(path), is_mutable=False), name=DATABASE)


class _Quiet(Database):  # type: ignore[misc]
    """The copy as Datasette reads it, without a line on stderr for each statement of a person's
    that can't be: the page says it.
    """

    async def execute(
        self,
        sql: str,
        params: Params | None = None,
        truncate: bool = False,
        **options: bool | int | None,
    ) -> Results:
        """The rows of a statement; raises OperationalError where it is too much, too."""
        quietly = {**options, "log_sql_errors": False}
        try:
            return await super().execute(sql, params, truncate, **quietly)
        except MemoryError as error:
            raise sqlite3.OperationalError(
                f"the statement needs more than {HEAP:,} bytes of memory; select less"
            ) from error


class _Copy:
    """The copy through Datasette's own connections, threads and time limit."""

    def __init__(self, site: Datasette) -> None:
        self._site = site

    async def rows(self, sql: Sql) -> Sequence[PageRow]:
        """All rows of a statement."""
        found = await self._site.get_database(DATABASE).execute(sql.text, sql.params)
        return [dict(row) for row in found.rows]


@contextmanager
def opened(folder: Path, sql: bool = True) -> Iterator[Site]:
    """The site of a finished run; raises BadInput where there is none.

    Reads the org and what it was made from, and no hidden cause. `sql` is whether a person may ask
    by a statement of their own.
    """
    run = RunFolder(folder)
    with ExitStack() as stack:
        with run.steady():
            schema, profile, rules = run.read_schema(), run.read_profile(), run.sources().schema
            tour = load_tour(rules)
            path, kinds = stack.enter_context(copied(run.require_org(), schema))
        check_tour(path, tour or Tour(), tour_file(rules))
        if not pm.has_plugin(plugin.__name__):
            pm.register(plugin, plugin.__name__)
        yield Site(path, _explored(profile, schema, kinds, tour), sql)


def _explored(
    profile: Profile, schema: Schema, kinds: Mapping[str, ObjectView], tour: Tour | None
) -> Explored:
    relations = {name: relations_of(schema, kinds, name) for name in kinds}
    return Explored(
        profile, kinds, relations, tour or general_tour(kinds, relations), diagram(schema, kinds)
    )


def _metadata(explored: Explored) -> dict[str, Any]:
    tables = {kind.name: _table(kind) for kind in explored.kinds.values()}
    queries = {
        query.name: {"sql": query.sql, "title": query.title, "description": query.says}
        for query in explored.tour.queries
    }
    return {
        "title": explored.profile.name,
        "databases": {DATABASE: {"tables": tables, "queries": queries}},
    }


def _table(kind: ObjectView) -> dict[str, Any]:
    """How Datasette lists an object type: label, newest first, facets, search."""
    told: dict[str, Any] = {
        "title": kind.plural,
        "description": kind.says,
        "label_column": LABEL,
        "facets": list(kind.facets),
    }
    if kind.date:
        told["sort_desc"] = kind.date
    if kind.words:
        told |= {"fts_table": search_table(kind), "fts_pk": "rowid"}
    return told
