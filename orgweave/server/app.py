"""The API on HTTP: token, sizes, threads, and uvicorn's protocol for very long URLs.

Every answer, errors among them, has the CRM's form. Knows no single endpoint; `api` has their
table. Needs Starlette and uvicorn, which only `serve` does; imported when serving begins.

Example: `GET /services/data/v59.0/query?q=SELECT+Id+FROM+Case` with the header `Authorization:
Bearer <token>` becomes `ApiRequest("GET", "/query", "59.0", {"q": "SELECT Id FROM Case"})`.
"""

import json
import logging
import re
import secrets
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from orgweave.server.api import QUOTA, answer, versions
from orgweave.server.call import ApiRequest, ApiResponse, refusal
from orgweave.server.served import Served
from schemas.errors import Refused

LONGEST_URL = 400_000
"""Bytes: the longest statement, 100,000 characters, with each percent-encoded, and some more."""
# The CRM's own bounds, in bytes; only the CSV of a bulk job comes by PUT.
LARGEST_BODY = 50_000_000
LARGEST_UPLOAD = 150_000_000
LONGEST_PATH = 60_000
"""Bytes of a URL that httptools is given: it takes at most 64 KB apart."""
ROOT = re.compile(r"/services/data/?")
PATH = re.compile(r"/services/data/v(\d{2,3}\.\d)(/.*)?", re.DOTALL)
JSON = "application/json;charset=UTF-8"
LOG = logging.getLogger(__name__)


class App:
    """The ASGI application over one org, for whoever has the token."""

    def __init__(self, org: Served, token: str) -> None:
        self._org = org
        self._token = token.encode()

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
            self._check(request)
            body = await _body(request)
        except Refused as error:
            return self._response(refusal(error))
        return await run_in_threadpool(self._worked, request, body)

    def _worked(self, request: Request, body: bytes) -> Response:
        try:
            return self._response(_replied(self._org, request, body))
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
        """Checks the token and the URL's length, before anything is read."""
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        known = kind.lower() in ("bearer", "oauth")
        # A comparison that takes the same time for every token tells nothing about the right one.
        if not known or not secrets.compare_digest(given.strip().encode(), self._token):
            raise Refused("INVALID_SESSION_ID", "Session expired or invalid")
        if len(request.scope["raw_path"]) + len(request.scope["query_string"]) > LONGEST_URL:
            raise Refused(
                "URI_TOO_LONG",
                f"the URL has more than {LONGEST_URL:,} characters; ask for less at a time",
            )

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


class LongUrlProtocol(HttpToolsProtocol):
    """uvicorn's own protocol, but for the length of a URL and the form of its own answers.

    A query with thousands of ids has a URL of more than httptools takes apart; only the part before
    the question mark need be taken apart, so the rest is put by.

    The hooks `on_headers_complete` and `send_400_response` and the attributes `url`, `scope` and
    `transport` are not documented by uvicorn, hence the upper bound of its version in
    pyproject.toml; test_server_load has a test for each hook.
    """

    def on_headers_complete(self) -> None:
        """Hands the request on; the application sees the whole query string."""
        path, _, query = self.url.partition(b"?")
        self.url = path[:LONGEST_PATH]
        super().on_headers_complete()
        # The application's task is made, but doesn't run before this callback returns.
        self.scope["query_string"] = query

    def send_400_response(self, msg: str) -> None:
        """Answers what isn't HTTP with an error body of the CRM's form."""
        fault = {"message": f"{msg} Send HTTP/1.1.", "errorCode": "MALFORMED_REQUEST"}
        body = json.dumps([fault]).encode()
        head = [
            "HTTP/1.1 400 Bad Request",
            "content-type: application/json;charset=UTF-8",
            f"content-length: {len(body)}",
            "connection: close",
        ]
        self.transport.write("\r\n".join([*head, "", ""]).encode() + body)
        self.transport.close()


def _replied(org: Served, request: Request, body: bytes) -> ApiResponse:
    """The API's answer to a request that has been read."""
    path = request.scope["raw_path"].decode("latin-1")
    if ROOT.fullmatch(path) and request.method == "GET":
        return versions()
    found = PATH.fullmatch(path)
    if found is None:
        fault = Refused(
            "NOT_FOUND",
            "The requested resource does not exist; paths begin with /services/data/v59.0/",
        )
        return refusal(fault)
    query = request.scope["query_string"].decode("latin-1")
    call = ApiRequest(
        method=request.method,
        path=found[2] or "",
        version=found[1],
        params=dict(parse_qsl(query, keep_blank_values=True, errors="replace")),
        body=body,
        headers=_headers(request),
    )
    return answer(org, call)


def _headers(request: Request) -> Mapping[str, str]:
    """The request's headers that mean something to the CRM."""
    return {name: value for name, value in request.headers.items() if name.startswith("sforce-")}


async def _body(request: Request) -> bytes:
    """The whole body; refused as soon as it is too large."""
    most = LARGEST_UPLOAD if request.method == "PUT" else LARGEST_BODY
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
