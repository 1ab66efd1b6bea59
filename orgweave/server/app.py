"""The API on HTTP: token, sizes, threads.

Every answer, errors among them, has the CRM's form. Knows no single endpoint.

Needs Starlette, which only `serve` does; imported when serving begins.
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

from orgweave.server.actions import QUOTA, versions
from orgweave.server.api import answer
from orgweave.server.call import ApiRequest, ApiResponse, refusal
from orgweave.server.served import Served
from schemas.errors import Refused

LONGEST_URL, LARGEST_BODY, LARGEST_UPLOAD = 400_000, 50_000_000, 150_000_000
ROOT = re.compile(r"/services/data/?")
PATH = re.compile(r"/services/data/v(\d{2,3}\.\d)(/.*)?", re.DOTALL)
JSON = "application/json;charset=UTF-8"
LOG = logging.getLogger(__name__)


class App:
    """The ASGI application over one org, for whoever has the token."""

    def __init__(self, org: Served, token: str) -> None:
        self._org = org
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            response = await self._answered(request)
        except ClientDisconnect:
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
        except Exception as error:  # noqa: BLE001 (a fault of ours is answered in the CRM's form too, and told in the log)
            LOG.exception("%s %s failed", request.method, request.url.path)
            return self._response(
                refusal(
                    Refused(
                        "UNKNOWN_EXCEPTION",
                        f"An unexpected error occurred: {type(error).__name__}; the server's log"
                        " has more",
                    )
                )
            )

    def _check(self, request: Request) -> None:
        """Token and length of the URL, before anything is read."""
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        if kind.lower() not in ("bearer", "oauth") or not secrets.compare_digest(
            given.strip().encode(), self._token
        ):
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
        content = (
            reply.body
            if isinstance(reply.body, str)
            else json.dumps(reply.body, ensure_ascii=False, separators=(",", ":"))
        )
        return Response(
            content.encode(), reply.status, {"content-type": JSON, **reply.headers, **used}
        )


def _replied(org: Served, request: Request, body: bytes) -> ApiResponse:
    path = request.scope["raw_path"].decode("latin-1")
    if ROOT.fullmatch(path) and request.method == "GET":
        return versions()
    found = PATH.fullmatch(path)
    if found is None:
        return refusal(
            Refused(
                "NOT_FOUND",
                "The requested resource does not exist; paths begin with /services/data/v59.0/",
            )
        )
    params = dict(
        parse_qsl(
            request.scope["query_string"].decode("latin-1"),
            keep_blank_values=True,
            errors="replace",
        )
    )
    return answer(
        org, ApiRequest(request.method, found[2] or "", found[1], params, body, _headers(request))
    )


def _headers(request: Request) -> Mapping[str, str]:
    return {name: value for name, value in request.headers.items() if name.startswith("sforce-")}


async def _body(request: Request) -> bytes:
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
