"""The hooks by which Datasette shows an org as a CRM does: start page, search, record pages, cells.

A site that isn't ours is left as it is.
"""

import logging
import sqlite3
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from functools import partial
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from datasette import hookimpl
from datasette.utils import escape_fts, path_with_added_args, path_with_removed_args, tilde_decode
from datasette.utils.asgi import Request, Response
from datasette.views.base import DatasetteError
from jinja2 import Environment
from markupsafe import Markup

from orgweave.explore import teaching
from orgweave.explore.ask_soql import LONGEST_TEXT, answered, examples
from orgweave.explore.captions import initials
from orgweave.explore.cells import DATABASE, Link, cell, ids_in
from orgweave.explore.guide import beginnings
from orgweave.explore.limits import HEAP, limit
from orgweave.explore.views import FieldView, ObjectView, in_list_order
from orgweave.soql.sql import SqlValue
from schemas.errors import BadInput, QueryRefused

if TYPE_CHECKING:
    from orgweave.explore.site import Site

LOG = logging.getLogger(__name__)
OK = 200
ASKED_WRONGLY = 400
FORBIDDEN = 403
SERVERS_FAULT = 500
MOST_EXAMPLES = 4
"""The page on SOQL shows a statement for each of so many object types, the largest ones."""
UrlParameter = SqlValue | Mapping[str, str]
"""What a cell holds: a value, or of a reference that Datasette knows its value and label."""
ALL_COLUMNS = "_all_columns"
WHERE = "_where"
"""Parameters of an address: to show all fields, and a condition in SQL."""
UNSHOWN = Markup(" ")
"""What Datasette takes for a cell that it need not make; an empty text it would not take."""
HIDDEN_SQL = """select c."Id", s.intent, s.cause, s.decided_by, s.ending
from "Case" c join "CaseStory.cases" s on s."Id" = c."Id" limit 50"""
"""A teacher's first question: it needs the tables of the case's story."""
OPERATORS = {
    "": "is",
    "exact": "is",
    "arraycontains": "is",
    "not": "is not",
    "gt": ">",
    "gte": "≥",
    "lt": "<",
    "lte": "≤",
    "isnull": "is empty",
    "notnull": "is not empty",
    "where": "",
}


@hookimpl
def register_routes(datasette: "Site") -> list[tuple[str, Callable[..., Awaitable[Any]]]]:
    """The start page in place of Datasette's list of databases, and the search over all object
    types.
    """
    if not hasattr(datasette, "explored"):
        return []
    routes: list[tuple[str, Callable[..., Awaitable[Any]]]] = [
        (r"^/$", _start),
        (r"^/-/search$", _search),
        (r"^/-/soql$", _soql),
    ]
    if datasette.explored.lessons is not None:
        routes += list(teaching.PAGES.items())
    return routes


@hookimpl
def prepare_jinja2_environment(env: Environment, datasette: "Site") -> None:
    """What templates need to work with. They don't change while the site is open."""
    env.auto_reload = False
    env.filters["initials"] = initials
    env.filters["shares"] = shares


@hookimpl
def extra_template_vars(
    request: Request | None,
    view_name: str | None,
    datasette: "Site",
) -> Callable[[], Awaitable[dict[str, Any]]] | None:
    """The company and its object types on every page; on a list its columns and filters, on a
    record's page the record.
    """
    if not hasattr(datasette, "explored"):
        return None

    async def found() -> dict[str, Any]:
        kinds = datasette.explored.kinds
        common: dict[str, Any] = {
            "company": datasette.explored.profile,
            "kinds": kinds,
            "db": DATABASE,
            "asks": datasette.soql is not None,
            "teacher": datasette.explored.lessons is not None,
        }
        if request is None or not request.scope.get("url_route"):
            return common
        kind = kinds.get(tilde_decode(request.url_vars.get("table", "")))
        if kind and view_name == "table":
            common |= await _list(datasette, request, kind)
            common["shown_cell"] = partial(_cell, datasette)
        elif kind and view_name == "row":
            key = tilde_decode(request.url_vars["pks"])
            common |= {"kind": kind, "page": await datasette.reading.record(kind, key)}
            if datasette.explored.lessons is not None:
                common |= await teaching.of_record(datasette, key)
        return common

    return found


@hookimpl
def render_cell(
    value: UrlParameter,
    column: str,
    table: str | None,
    datasette: "Site",
) -> Callable[[], Awaitable[Markup | None]] | Markup | None:
    """A value of a query's answer.

    Datasette asks for every field of every record of a list; ours asks for the few that it shows.
    """
    if not hasattr(datasette, "explored"):
        return None
    if table in datasette.explored.kinds:
        return UNSHOWN

    async def rendered() -> Markup | None:
        return await _answer(datasette, value)

    return rendered


@hookimpl(trylast=True)
def prepare_connection(conn: sqlite3.Connection, database: str, datasette: "Site") -> None:
    """Bounds what SQL may do, and lets a list's search take any words, as the search over all
    object types does: Datasette's own fails at a lone quote.
    """
    if hasattr(datasette, "explored") and database == DATABASE:
        conn.create_function("escape_fts", 1, full_text)
        limit(conn)


@hookimpl(hookwrapper=True)
def handle_exception(
    datasette: "Site",
    request: Request,
    exception: Exception,
) -> Generator[None, Any, None]:
    """A page with our head and search in place of Datasette's answer, which isn't even begun: it
    would print the locals of every frame where rich is installed.
    """
    answers = yield
    if hasattr(datasette, "explored"):
        answers.force_result([lambda: _failed(datasette, request, exception)])


def full_text(words: str) -> str:
    """Words as the full-text index takes them, each quoted; what has none finds nothing."""
    return escape_fts(" ".join(words.replace("\0", " ").split())) or '""'


def shares(rows: Sequence[Sequence[SqlValue]]) -> list[float] | None:
    """The last column's values as shares of the largest, for bars;
    None where it holds no amounts.
    """
    amounts = [row[len(row) - 1] for row in rows]
    numbers = [float(amount) for amount in amounts if isinstance(amount, int | float)]
    if len(numbers) < len(amounts) or len(numbers) < 2 or min(numbers) < 0 or not max(numbers):
        return None
    return [number / max(numbers) for number in numbers]


async def _start(request: Request, datasette: "Site") -> Response:
    explored = datasette.explored
    context = {
        "starts": await beginnings(explored.tour, datasette.reading),
        "queries": explored.tour.queries,
        "diagram": explored.diagram,
        "hidden_sql": HIDDEN_SQL,
    }
    return Response.html(
        await datasette.render_template("start.html", context, request=request, view_name="start")
    )


async def _search(request: Request, datasette: "Site") -> Response:
    words = (request.args.get("q") or "").strip()
    exact = await datasette.reading.link(words)
    if exact:
        return Response.redirect(exact.url)
    hits = await datasette.reading.search(words, full_text(words))
    return Response.html(
        await datasette.render_template(
            "search.html",
            {"words": words, "hits": hits},
            request=request,
            view_name="search",
        )
    )


async def _soql(request: Request, datasette: "Site") -> Response:
    """What a person asks in the CRM's own language; a refusal keeps the text."""
    if datasette.soql is None:
        raise DatasetteError("This site takes no statement of your own.", status=FORBIDDEN)
    text = (request.args.get("q") or "").strip()
    context: dict[str, Any] = {"text": text, "error": "", "answer": None}
    try:
        if len(text) > LONGEST_TEXT:
            raise QueryRefused("MALFORMED_QUERY", f"has more than {LONGEST_TEXT:,} letters")
        if text:
            context["answer"] = await answered(datasette.soql, datasette.reading, text)
    except BadInput as error:
        context["error"] = str(error)
    except MemoryError:
        context["error"] = f"The statement needs more than {HEAP:,} bytes of memory; select less."
    kinds = sorted(datasette.explored.kinds.values(), key=lambda kind: -kind.records)
    context["examples"] = examples([kind.name for kind in kinds[:MOST_EXAMPLES]])
    page = await datasette.render_template("soql.html", context, request=request, view_name="soql")
    return Response.html(page, status=ASKED_WRONGLY if context["error"] else OK)


async def _failed(datasette: "Site", request: Request, exception: Exception) -> Response:
    """What was asked wrongly or went wrong; our own faults are logged in a line."""
    status, message = _status(exception), str(getattr(exception, "message", "") or exception)
    if status >= SERVERS_FAULT:
        LOG.error(
            "%s", " ".join(f"{request.path} failed: {type(exception).__name__}: {message}".split())
        )
    title = getattr(exception, "title", None)
    if request.path.endswith(".json"):
        return Response.json(
            {"ok": False, "error": message, "status": status, "title": title}, status=status
        )
    shown = Markup(message) if getattr(exception, "message_is_html", False) else message
    return Response.html(
        await datasette.render_template(
            "error.html",
            {"title": title, "error": shown},
            request=request,
        ),
        status=status,
    )


def _status(exception: Exception) -> int:
    """The HTTP status.

    Datasette has 500 for an address that it can't sort or narrow by, and fails at a facet that
    begins like JSON and is none; only what the database failed at is no fault of the address.
    """
    status = int(getattr(exception, "status", SERVERS_FAULT))
    by_address = isinstance(exception, DatasetteError | JSONDecodeError)
    asked_wrongly = by_address and not isinstance(exception.__context__, sqlite3.Error)
    return ASKED_WRONGLY if status == SERVERS_FAULT and asked_wrongly else status


async def _list(datasette: "Site", request: Request, kind: ObjectView) -> dict[str, Any]:
    """A list's fields, without those that it is narrowed by to one value, and its filters."""
    chosen: list[Mapping[str, str]] = []
    for key in request.args:
        # The rest is Datasette's own, such as _sort.
        if "__" in key or key == WHERE or not key.startswith("_"):
            chosen += await _chosen(datasette, request, kind, key)
    if request.args.get(ALL_COLUMNS):
        every = [column for column in kind.columns if column.form != "id"]
        shown = _selected(request, every)
        return {"kind": kind, "shown": shown, "more_columns": None, "chosen": chosen}
    unfiltered = [column for column in kind.shown if not request.args.get(column.name)]
    telling = _selected(request, unfiltered)
    return {
        "kind": kind,
        "shown": in_list_order(kind, telling),
        "more_columns": path_with_added_args(request, {ALL_COLUMNS: "1"}),
        "chosen": chosen,
    }


def _selected(request: Request, columns: Sequence[FieldView]) -> Sequence[FieldView]:
    """Those of a list's columns that its address asks for; the rows have no others."""
    wanted, unwanted = request.args.getlist("_col"), request.args.getlist("_nocol")
    left = [column for column in columns if column.name not in unwanted]
    return [column for column in left if column.name in wanted] if wanted else left


async def _chosen(
    datasette: "Site",
    request: Request,
    kind: ObjectView,
    key: str,
) -> list[Mapping[str, str]]:
    """The filters under a key of the address, each with its value in words and the address without
    it.
    """
    name, _, operator = key.partition("__")
    if key == WHERE:
        name, operator = "where", "where"
    column = kind.column(name)
    links = {value: await datasette.reading.link(value) for value in request.args.getlist(key)}
    return [
        {
            "column": column.caption if column else name,
            "operator": OPERATORS.get(operator, operator),
            "value": link.label if link else value,
            "without": path_with_removed_args(request, {key: value}),
        }
        for value, link in links.items()
    ]


async def _answer(datasette: "Site", value: UrlParameter) -> Markup | None:
    link = await datasette.reading.link(value) if isinstance(value, str) else None
    return Markup('<a href="{}">{}</a>').format(link.url, link.label) if link else None


async def _cell(
    datasette: "Site",
    column: FieldView,
    row: Mapping[str, UrlParameter],
) -> Markup:
    """A value of a list. Ids in lists and of several object types have no label yet: they are
    looked up.
    """
    value = row[column.name]
    if isinstance(value, Mapping):
        return cell(
            column,
            value["value"],
            {value["value"]: Link(column.targets[0], value["value"], value["label"])},
        )
    links = [await datasette.reading.link(key) for key in ids_in(column, value)]
    return cell(column, value, {link.id: link for link in links if link}, short=True)
