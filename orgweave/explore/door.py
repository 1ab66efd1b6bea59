"""The door of the site: who may ask it at all.

A browser sends its requests to this machine for any page that it shows, so that listening on
127.0.0.1 alone keeps nobody out. Whoever asks needs the token. The printed address carries it once;
then a cookie does, which the browser keeps from other sites. A page of another site or port is
refused even so, and so is a foreign name that leads to this machine. Knows no page.

Example: `GET /?token=2bq...` is sent on to `/` with the cookie `orgweave-40123=2bq...`.
"""

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from datasette.utils.asgi import Request, Response

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, Scope

PARAMETER = "token"
OURS = frozenset({"", "none", "same-origin"})
"""Values of Sec-Fetch-Site: nobody's page (typed, a bookmark, no browser at all), or our own."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
READING = frozenset({"GET", "HEAD"})
"""Nothing can be changed here, and the site's own answer to other methods is an error page."""
LONGEST_NAME = 255
"""Bytes of a part of a path: no file's name is longer, and no record's address."""
SEARCHES = ("_search", "_searchmode")
"""What may begin with `_search` besides `_search_<field>`; the site's own pages break at others."""
SEE_OTHER = 303
BAD_REQUEST = 400
UNAUTHORIZED = 401
FORBIDDEN = 403
NOT_FOUND = 404
NOT_ALLOWED = 405
MISDIRECTED = 421
NO_TOKEN = (
    "This needs the token: open the address that `orgweave explore` printed, or send the header"
    " Authorization: Bearer <token>.\n"
)
FOREIGN_PAGE = "A page of another site may not ask this server; open the address itself.\n"
FOREIGN_HOST = (
    "This server isn't called {name}; open the address that `orgweave explore` printed, or name"
    " this one by --host.\n"
)
UNKNOWN_SEARCH = "A search has the name _search, or _search_ and a field's name.\n"


class Door:
    """The ASGI application before the site's own.

    Args:
        app: the site.
        token: what opens it.
        host: the name or address that it listens on, as the user gave it.
        port: tells its cookie from those of other servers on this machine.
    """

    def __init__(self, app: "ASGI3Application", token: str, host: str, port: int) -> None:
        self._app = app
        self._token = token
        self._host = host.lower()
        self._cookie = f"orgweave-{port}"

    async def __call__(
        self,
        scope: "Scope",
        receive: "ASGIReceiveCallable",
        send: "ASGISendCallable",
    ) -> None:
        """Hands a request on, or answers it."""
        response = self._refused(Request(scope, receive)) if scope["type"] == "http" else None
        if response is None:
            await self._app(scope, receive, send)
        else:
            await response.asgi_send(send)

    def _refused(self, request: Request) -> Response | None:
        """The answer to a request that isn't handed on."""
        headers = request.headers
        name = _name(headers.get("host", ""))
        if name not in self._names(request.scope):
            return Response.text(FOREIGN_HOST.format(name=name[:80]), MISDIRECTED)
        given = request.args.get(PARAMETER)
        if given is not None and self._right(given):
            return self._let_in(request)
        if not _own_page(headers):
            return Response.text(FOREIGN_PAGE, FORBIDDEN)
        kind, _, key = headers.get("authorization", "").partition(" ")
        shown = key.strip()
        if kind.lower() != "bearer":
            shown = _cookie(headers.get("cookie", ""), self._cookie)
        return _unfit(request) if self._right(shown) else Response.text(NO_TOKEN, UNAUTHORIZED)

    def _let_in(self, request: Request) -> Response:
        """Sends on to the same address without the token, which so stays in no history."""
        pairs = parse_qsl(request.query_string, keep_blank_values=True)
        rest = urlencode([pair for pair in pairs if pair[0] != PARAMETER])
        # A path that begins with two slashes would lead to another host.
        path = "/" + request.path.lstrip("/\\")
        response = Response.redirect(f"{path}?{rest}" if rest else path, SEE_OTHER)
        response.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")
        response.headers["referrer-policy"] = "no-referrer"
        return response

    def _names(self, scope: Mapping[str, Any]) -> frozenset[str]:
        """What this server is called in the connection that a request came by."""
        address = str((scope.get("server") or ("",))[0]).lower()
        own = frozenset({address, self._host})
        return own | LOOPBACK if address in LOOPBACK else own

    def _right(self, given: str) -> bool:
        # A comparison that takes the same time for every token tells nothing about the right one.
        return secrets.compare_digest(given.encode(), self._token.encode())


def _unfit(request: Request) -> Response | None:
    """The answer to what no page can be asked for, None for all else."""
    if request.method not in READING:
        headers = {"allow": ", ".join(sorted(READING))}
        return Response.text("This server only shows; ask it by GET.\n", NOT_ALLOWED, headers)
    if "\0" in unquote(request.path) or "%00" in request.query_string:
        return Response.text("The address holds a NUL character; leave it out.\n", BAD_REQUEST)
    if any(_breaks_search(key) for key in request.args):
        return Response.text(UNKNOWN_SEARCH, BAD_REQUEST)
    if any(len(part) > LONGEST_NAME for part in request.path.encode().split(b"/")):
        return Response.text("There is no page with so long a name.\n", NOT_FOUND)
    return None


def _breaks_search(key: str) -> bool:
    """Whether a parameter looks like a search and names none."""
    is_search = key in SEARCHES or key.startswith("_search_")
    return key.startswith("_search") and not is_search


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return host


def _cookie(header: str, name: str) -> str:
    """A cookie's value. Those of other servers on this machine stand beside it, in any form."""
    for pair in header.split(";"):
        key, _, value = pair.strip().partition("=")
        if key == name:
            return value
    return ""


def _own_page(headers: Mapping[str, str]) -> bool:
    """Whether a request comes from our own page, or from none."""
    if headers.get("sec-fetch-site", "") not in OURS:
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host", "")
