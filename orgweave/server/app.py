"""The API on HTTP: token, sizes, threads, and what bounds a connection before a token is shown.

Every answer, errors among them, has the CRM's form. Knows no single endpoint; `api` has their
table. Needs Starlette and uvicorn, which only `serve` does; imported when serving begins.

Example: `GET /services/data/v59.0/query?q=SELECT+Id+FROM+Case` with the header `Authorization:
Bearer <token>` becomes `ApiRequest("GET", "/query", "59.0", {"q": "SELECT Id FROM Case"})`.
"""

import asyncio
import json
import logging
import re
import socket
import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

import uvicorn
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from orgweave.server import login
from orgweave.server.api import NEWEST, OLDEST, QUOTA, answer, versions
from orgweave.server.bulk import async_api
from orgweave.server.call import ApiRequest, ApiResponse, refusal
from orgweave.server.listen import HEAD_SECONDS, MOST_CONNECTIONS
from orgweave.server.served import Served
from schemas.errors import Refused

# The CRM's own bounds, in bytes; only the CSV of a bulk job comes by PUT.
LARGEST_BODY = 50_000_000
LARGEST_UPLOAD = 150_000_000
LARGEST_LOGIN = 64_000
"""Bytes of what is read before a token was shown: a login of a few names."""
LONGEST_URL = 400_000
"""Bytes: the longest statement, 100,000 characters, with each percent-encoded, and some more."""
LONGEST_PATH = 60_000
"""Bytes of a URL that httptools is given: it takes at most 64 KB apart."""
LONGEST_HEADERS = 64_000
"""Bytes of all header lines; common servers take 8,000 to 64,000."""
QUIET_SECONDS = 10
"""Seconds between two lines of the log about connections that can't be accepted."""
ROOT = re.compile(r"/services/data/?")
PATH = re.compile(r"/services/data/v(\d{2,3})\.0(/.*)?", re.DOTALL)
ASYNC = re.compile(r"/services/async/(\d{2,3})\.0(/.*)?", re.DOTALL)
HOST = re.compile(r"[A-Za-z0-9.:\[\]-]{1,255}")
UNKNOWN_VERSION = (
    f"The requested resource does not exist; API versions are {OLDEST}.0 to {NEWEST}.0"
)
ELSEWHERE = (
    "The requested resource does not exist; REST is at /services/data/v59.0/, Bulk API 1.0 at"
    " /services/async/59.0/, logins at /services/oauth2/token and /services/oauth2/userinfo"
)
JSON = "application/json;charset=UTF-8"
LOG = logging.getLogger(__name__)


class App:
    """The ASGI application over one org, for whoever has the token."""

    def __init__(self, org: Served, token: str) -> None:
        self._org = org
        self._token = token

    async def __call__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            response = await self._answered(request)
        except ClientDisconnect:
            # Nobody is there any more to be answered.
            return
        await response(scope, receive, send)

    async def _answered(self, request: Request) -> Response:
        try:
            if _is_login(request):
                body = await _body(request, LARGEST_LOGIN)
            else:
                self._check(request)
                body = await _body(request, _largest(request))
        except Refused as error:
            return self._response(_refused(request, error))
        return await run_in_threadpool(self._worked, request, body)

    def _worked(self, request: Request, body: bytes) -> Response:
        try:
            door = login.LoginDoor(_instance(request), self._token)
            return self._response(_replied(self._org, door, request, body))
        # A fault of ours is answered in the CRM's form too, and told in the log.
        except Exception as error:  # noqa: BLE001
            LOG.exception(
                "%s %s failed",
                request.method,
                request.url.path,
            )
            fault = Refused(
                "UNKNOWN_EXCEPTION",
                f"An unexpected error occurred: {type(error).__name__}; the server's log has more",
            )
            return self._response(refusal(fault))

    def _check(self, request: Request) -> None:
        """Checks the token, before the body is read."""
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        known = kind.lower() in ("bearer", "oauth")
        if ASYNC.fullmatch(_path(request)) and async_api.SESSION in request.headers:
            known, given = True, request.headers[async_api.SESSION]
        if not known or not login.is_token(given.strip(), self._token):
            raise Refused("INVALID_SESSION_ID", "Session expired or invalid")

    def _response(self, reply: ApiResponse) -> Response:
        used = {"Sforce-Limit-Info": f"api-usage={self._org.usage.count()}/{QUOTA}"}
        if reply.body is None:
            return Response(status_code=reply.status, headers=used)
        content = reply.body
        if not isinstance(content, str):
            content = json.dumps(
                content,
                ensure_ascii=False,
                separators=(",", ":"),
            )
        headers = {
            "content-type": JSON,
            **reply.headers,
            **used,
        }
        return Response(content.encode(), reply.status, headers)


class BoundedServer(uvicorn.Server):
    """uvicorn's server, which says once, and not thousands of times, that it has no file handle
    left for another connection.
    """

    _said = float("-inf")

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serves until it is ended."""
        asyncio.get_running_loop().set_exception_handler(self.failed)
        await super().serve(sockets)

    def failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """asyncio tries to accept as many as may wait, and tells of each with a traceback."""
        if "socket.accept()" not in str(context.get("message")):
            loop.default_exception_handler(context)
        elif time.monotonic() - self._said > QUIET_SECONDS:
            self._said = time.monotonic()
            LOG.error(
                "connections can't be accepted (%s); those that wait are taken when others end",
                context.get("exception"),
            )


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's own protocol with bounds, and with its own answers in the CRM's form.

    A query with thousands of ids has a URL of more than httptools takes apart; only the part before
    the question mark need be taken apart, so the rest is put by.

    The hooks and the attributes `url`, `headers`, `scope`, `connections` and `transport` are not
    documented by uvicorn, hence the upper bound of its version in pyproject.toml;
    test_server_wire has a test for each bound.
    """

    head_seconds: float = HEAD_SECONDS
    most_connections = MOST_CONNECTIONS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes a connection, or closes it where there are too many."""
        super().connection_made(transport)
        self._refused = False
        self._headers_size = 0
        self._gathered = 0
        self._waiting: asyncio.TimerHandle | None = None
        self._await_head()
        if len(self.connections) > self.most_connections:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        self._head_came()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Begins a request."""
        super().on_message_begin()
        self._headers_size = 0
        self._gathered = 0
        self._await_head()

    def on_url(self, url: bytes) -> None:
        """Takes a part of the URL."""
        super().on_url(url)
        if len(self.url) > LONGEST_URL:
            self._refuse(
                HTTPStatus.REQUEST_URI_TOO_LONG,
                "URI_TOO_LONG",
                f"the URL has more than {LONGEST_URL:,} characters; ask for less at a time",
            )

    def on_header(self, name: bytes, value: bytes) -> None:
        """Takes a header line."""
        self._headers_size += len(name) + len(value)
        if self._headers_size > LONGEST_HEADERS:
            self._refuse_headers()
        else:
            super().on_header(name, value)

    def data_received(self, data: bytes) -> None:
        """Takes bytes off the wire, unless the connection was refused already."""
        if self._refused:
            return
        super().data_received(data)
        # A header line is handed over once it is whole; until then the parser gathers it.
        if self._waiting is not None:
            self._gathered += len(data)
            if self._gathered > LONGEST_URL + LONGEST_HEADERS:
                self._refuse_headers()

    def on_headers_complete(self) -> None:
        """Hands the request on; the application sees the whole query string."""
        self._head_came()
        if self._refused:
            return
        path, _, query = self.url.partition(b"?")
        self.url = path[:LONGEST_PATH]
        super().on_headers_complete()
        # The application's task is made, but doesn't run before this callback returns.
        self.scope["query_string"] = query

    def on_body(self, body: bytes) -> None:
        """Takes a part of the body."""
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Ends a request."""
        if not self._refused:
            super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answers what isn't HTTP with an error body of the CRM's form."""
        self._refuse(HTTPStatus.BAD_REQUEST, "MALFORMED_REQUEST", f"{msg} Send HTTP/1.1.")

    def _await_head(self) -> None:
        self._head_came()
        self._waiting = self.loop.call_later(self.head_seconds, self.timeout_keep_alive_handler)

    def _head_came(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _refuse_headers(self) -> None:
        self._refuse(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            "REQUEST_HEADER_TOO_LARGE",
            f"the headers have more than {LONGEST_HEADERS:,} bytes; send less",
        )

    def _refuse(self, status: HTTPStatus, code: str, message: str) -> None:
        """Answers and closes; nothing that still comes is read."""
        if self._refused:
            return
        self._refused = True
        self._head_came()
        body = json.dumps([{"message": message, "errorCode": code}]).encode()
        head = [
            f"HTTP/1.1 {status.value} {status.phrase}",
            "content-type: application/json;charset=UTF-8",
            f"content-length: {len(body)}",
            "connection: close",
        ]
        self.transport.write("\r\n".join([*head, "", ""]).encode() + body)
        self.transport.close()


def _is_login(request: Request) -> bool:
    """Whether a request shows its token in the body, or needs none to be refused."""
    path = _path(request)
    opens = path in (login.TOKEN_PATH, login.REVOKE_PATH) or login.SOAP_PATH.fullmatch(path)
    return request.method == "POST" and bool(opens)


def _path(request: Request) -> str:
    """The path as it came, still percent-encoded, with one slash before it.

    `sf` puts its paths behind an instance URL that ends in a slash, and so sends two.
    """
    raw: bytes = request.scope["raw_path"]
    return "/" + raw.decode("latin-1").lstrip("/")


def _replied(org: Served, door: login.LoginDoor, request: Request, body: bytes) -> ApiResponse:
    """The answer to a request that has been read."""
    path = _path(request)
    if _is_login(request):
        return _logged_in(org, door, path, body)
    if request.method == "GET" and ROOT.fullmatch(path):
        return versions()
    if request.method in ("GET", "POST") and path == login.USERINFO_PATH:
        return login.userinfo(org, door)
    if request.method == "GET" and login.IDENTITY_PATH.fullmatch(path):
        return login.identity(org, door)
    found = PATH.fullmatch(path) or ASYNC.fullmatch(path)
    if found is None or not OLDEST <= int(found[1]) <= NEWEST:
        return refusal(Refused("NOT_FOUND", ELSEWHERE if found is None else UNKNOWN_VERSION))
    query = request.scope["query_string"].decode("latin-1")
    call = ApiRequest(
        method=request.method,
        path=found[2] or "",
        version=f"{found[1]}.0",
        params=dict(parse_qsl(query, keep_blank_values=True, errors="replace")),
        body=body,
        headers=_headers(request),
        instance=door.instance,
    )
    return answer(org, call) if PATH.fullmatch(path) else async_api.answer(org, call)


def _logged_in(org: Served, door: login.LoginDoor, path: str, body: bytes) -> ApiResponse:
    """The answer to a login."""
    if path == login.TOKEN_PATH:
        return login.token_answer(org, door, body)
    if path == login.REVOKE_PATH:
        return login.revoke_answer()
    found = login.SOAP_PATH.fullmatch(path)
    return login.soap(org, door, found[1] if found else "", body)


def _refused(request: Request, error: Refused) -> ApiResponse:
    """An error in the form of the API that was asked."""
    in_bulk = ASYNC.fullmatch(_path(request))
    return async_api.refusal(request.headers, error) if in_bulk else refusal(error)


def _instance(request: Request) -> str:
    """Where the server was asked, as the client spells it."""
    host = request.headers.get("host", "")
    if not HOST.fullmatch(host):
        name, port = request.scope["server"]
        host = f"{name}:{port}"
    return f"{request.url.scheme}://{host}"


def _headers(request: Request) -> Mapping[str, str]:
    """The request's headers that mean something to the CRM."""
    known = ("sforce-", "accept", "content-type")
    return {name: value for name, value in request.headers.items() if name.startswith(known)}


def _largest(request: Request) -> int:
    """The bytes that a request may have; the CSV of a bulk job comes by PUT."""
    return LARGEST_UPLOAD if request.method == "PUT" else LARGEST_BODY


async def _body(request: Request, most: int) -> bytes:
    """The whole body; refused as soon as it is too large."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise Refused(
                "REQUEST_TOO_LARGE", f"the body has more than {most:,} bytes; send it in parts"
            )
        parts.append(part)
    return b"".join(parts)
