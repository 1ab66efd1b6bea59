"""The site: Datasette over the private copy, with our templates, styles and plugin.

Knows no socket.

Example: `with opened(Path("outputs/shoes")) as site: await site.client.get("/org/Account")`.
"""

import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datasette.app import Datasette
from datasette.database import Database, Results
from datasette.plugins import pm
from markupsafe import Markup

from orgweave.explore import plugin
from orgweave.explore.ask_soql import SECONDS
from orgweave.explore.cells import DATABASE
from orgweave.explore.copy import LABEL, copied, search_table
from orgweave.explore.diagram import boxes_of, diagram
from orgweave.explore.guide import check_tour, general_tour
from orgweave.explore.lessons import Lessons
from orgweave.explore.limits import HEAP
from orgweave.explore.reading import OrgPages, PageRow
from orgweave.explore.views import ObjectView, Relation, relations_of, relations_through
from orgweave.server.served import LAST_SECOND
from orgweave.soql.engine import Engine
from orgweave.soql.sql import Sql, SqlValue
from pipeline.run_folder import RunFolder, unreadable
from schemas.errors import BadInput
from schemas.model import Schema
from schemas.profile import Profile
from schemas.tour import Tour, load_tour, tour_file

if TYPE_CHECKING:
    from orgweave.explore.hidden import HiddenTable

HERE = Path(__file__).parent
SETTINGS = {
    "sql_time_limit_ms": 5000,
    "facet_time_limit_ms": 2000,
    "suggest_facets": False,
    "allow_download": False,
    "default_page_size": 50,
    "default_cache_ttl": 0,
}
SEEING = frozenset({"view-instance", "view-database", "view-table", "view-query"})
"""What Datasette asks about before it shows a page."""

Params = Mapping[str, SqlValue] | Sequence[SqlValue]


@dataclass(frozen=True, slots=True)
class Explored:
    """What all pages know of the org; `lessons` and `hidden` are for a teacher's eyes."""

    profile: Profile
    kinds: Mapping[str, ObjectView]
    relations: Mapping[str, Sequence[Relation]]
    tour: Tour
    diagram: Markup
    lessons: Lessons | None = None
    hidden: "Sequence[HiddenTable]" = ()


class Site(Datasette):  # type: ignore[misc]
    """Datasette that knows the org it shows; `reading` reads for the pages.

    `soql` answers a person's own statements; without it the site takes none, in SQL neither.
    """

    def __init__(self, path: Path, explored: Explored, soql: Engine | None) -> None:
        # Datasette asks the plugin for its routes while it is made.
        self.explored = explored
        self.soql = soql
        sql = soql is not None
        self.reading = OrgPages(_Copy(self), explored.kinds, explored.relations, sql)
        super().__init__(
            immutables=[str(path)],
            metadata=_metadata(explored),
            template_dir=str(HERE / "templates"),
            static_mounts=[("assets", str(HERE / "static"))],
            settings={**SETTINGS, "default_allow_sql": sql},
        )
        self.remove_database(DATABASE)
        self.add_database(_Snapshot(self, str(path), is_mutable=False), name=DATABASE)

    async def permission_allowed(
        self,
        actor: Mapping[str, str] | None,
        action: str,
        resource: str | tuple[str, str] | None = None,
        default: bool | None = False,
    ) -> bool:
        """Whether a visitor may do what Datasette asks about.

        Nobody logs in here, and no table has a rule of its own: whoever has the token sees the
        whole org, and nothing else that Datasette holds. Datasette itself would read the metadata
        of every table anew for each table of each page.
        """
        database = resource[0] if isinstance(resource, tuple) else resource
        if action == "execute-sql":
            return database == DATABASE and self.soql is not None
        return action in SEEING and database in (None, DATABASE)


def _asked_once(name: str) -> Callable[..., Awaitable[object]]:
    """A method of Datasette's that tells of the database or of a table, asked once for each.

    Answers about names that no table has are not kept: there is no end of them.
    """
    asked = getattr(Database, name)

    async def told(snapshot: "_Snapshot", *words: str) -> object:
        key = (name, *words)
        if key not in snapshot.told:
            found = await asked(snapshot, *words)
            if words and not await Database.table_exists(snapshot, words[0]):
                return found
            snapshot.told[key] = found
        return copy(snapshot.told[key])

    return told


class _Snapshot(Database):  # type: ignore[misc]
    """The copy as Datasette reads it: what it has of tables and columns never changes.

    A statement of a person's that can't be leaves no line on stderr: the page says it.
    """

    def __init__(self, site: Datasette, path: str, is_mutable: bool) -> None:
        super().__init__(site, path, is_mutable=is_mutable)
        self.told: dict[tuple[str, ...], Any] = {}

    table_names = _asked_once("table_names")
    view_names = _asked_once("view_names")
    hidden_table_names = _asked_once("hidden_table_names")
    attached_databases = _asked_once("attached_databases")
    get_all_foreign_keys = _asked_once("get_all_foreign_keys")
    table_exists = _asked_once("table_exists")
    table_columns = _asked_once("table_columns")
    table_column_details = _asked_once("table_column_details")
    primary_keys = _asked_once("primary_keys")
    fts_table = _asked_once("fts_table")
    label_column_for_table = _asked_once("label_column_for_table")
    foreign_keys_for_table = _asked_once("foreign_keys_for_table")
    get_table_definition = _asked_once("get_table_definition")

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
def opened(folder: Path, sql: bool = True, lessons: Lessons | None = None) -> Iterator[Site]:
    """The site of a finished run; raises BadInput where there is none.

    Reads the org and what it was made from. `sql` is whether a person may ask by a statement of
    their own. The hidden causes are opened with a teacher's `lessons` alone.
    """
    run = RunFolder(folder)
    with ExitStack() as stack:
        with run.steady():
            schema, profile, rules = run.read_schema(), run.read_profile(), run.sources().schema
            tour = load_tour(rules)
            path, kinds = stack.enter_context(copied(run.require_org(), schema))
            hidden: Sequence[HiddenTable] = ()
            if lessons is not None:
                hidden = _hidden(path, run.latent_file, kinds)
        check_tour(path, tour or Tour(), tour_file(rules))
        if not pm.has_plugin(plugin.__name__):
            pm.register(plugin, plugin.__name__)
        explored = _explored(profile, schema, kinds, tour, str(tour_file(rules)))
        end = datetime.combine(profile.period.end, LAST_SECOND, UTC)
        soql = None
        if sql:
            soql = Engine(path, schema, end, seconds=SECONDS, company=profile.name)
            stack.callback(soql.close)
        yield Site(path, replace(explored, lessons=lessons, hidden=hidden), soql)


def _hidden(
    path: Path,
    latent_file: Path,
    kinds: Mapping[str, ObjectView],
) -> "Sequence[HiddenTable]":
    """The latent tables, copied; raises BadInput where they aren't there."""
    from orgweave.explore.hidden import copy_hidden

    if not latent_file.is_file():
        raise BadInput(
            f"{latent_file}: isn't there, and --teacher shows what it holds; leave --teacher out"
        )
    try:
        return copy_hidden(path, latent_file, [kind.prefix for kind in kinds.values()])
    except sqlite3.Error as error:
        raise unreadable(latent_file, error) from error


def _explored(
    profile: Profile,
    schema: Schema,
    kinds: Mapping[str, ObjectView],
    tour: Tour | None,
    file: str,
) -> Explored:
    relations = {}
    for name in kinds:
        through = relations_through(kinds, tour, name, file) if tour else ()
        relations[name] = (*through, *relations_of(schema, kinds, name))
    return Explored(
        profile,
        kinds,
        relations,
        tour or general_tour(kinds, relations),
        diagram(schema, boxes_of(kinds)),
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
