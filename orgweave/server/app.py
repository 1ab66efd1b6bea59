"""The API on HTTP: token, sizes, threads.

Every answer, errors among them, has the CRM's form. Knows no single endpoint; `api` has their
table. Needs Starlette, which only `serve` does; imported when serving begins.

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

from orgweave.server.api import QUOTA, answer, versions
from orgweave.server.call import ApiRequest, ApiResponse, refusal
from orgweave.server.served import Served
from schemas.errors import Refused

# The CRM's own bounds, in bytes; only the CSV of a bulk job comes by PUT.
LARGEST_BODY = 50_000_000
LARGEST_UPLOAD = 150_000_000
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
        """Checks the token, before the body is read."""
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        known = kind.lower() in ("bearer", "oauth")
        # A comparison that takes the same time for every token tells nothing about the right one.
        if not known or not secrets.compare_digest(given.strip().encode(), self._token):
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
