"""A CRM over HTTP: the one module that knows its address, its token, timeouts, tries and errors.

Reads are tried again where nothing gets through; writes never are, for whether the CRM took one
that failed on the way, only the caller can find out.

Example: `CrmConnection("http://127.0.0.1:8080", token).query("SELECT Id FROM Case")` is the records
of all pages and their number.
"""

import time
from collections.abc import Mapping, Sequence
from functools import cache
from ssl import SSLContext
from typing import Any

import httpx2

from orgweave.crm.seam import API_VERSION, RestRecord
from schemas.errors import (
    BadInput,
    CrmUnreachable,
    QueryRefused,
    Refused,
    Unreachable,
    UploadFailed,
)
from schemas.regular import json_of

BASE = f"/services/data/v{API_VERSION}/"
PAUSES = (0.0, 0.5, 1.0, 2.0)
"""Seconds before each further try of a read."""
SECONDS = 60.0
"""How long an answer is waited for; a query has 20 seconds in our server, 120 in others."""
CONNECTING = 10.0
"""Seconds to connect; a server that is there answers within one."""
WRITING = {"Sforce-Auto-Assign": "FALSE", "Sforce-Duplicate-Rule-Header": "allowSave=true"}
"""With every write: no assignment rule moves a case, no duplicate rule stops a contact."""
TOO_MANY = 429
AGAIN = "the same command goes on where it stopped"


@cache
def _certificates() -> SSLContext:
    """Whom this machine trusts; kept, since reading it takes longer than most calls."""
    return httpx2.create_ssl_context()


class CrmConnection:
    """A session with a CRM; close it when done.

    Args:
        url: the instance URL, such as `https://mycompany.my.salesforce.com`.
        token: the session id, sent as bearer token.
        pauses: seconds before each further try of a read.
        seconds: how long an answer is waited for.
    Raises BadInput where the URL isn't one. Its methods raise CrmUnreachable where nothing gets
    through or the CRM can't answer now, Unreachable where something else answers, and Refused,
    which for a query or a search is QueryRefused, where the CRM refuses the call.
    """

    def __init__(
        self,
        url: str,
        token: str,
        pauses: Sequence[float] = PAUSES,
        seconds: float = SECONDS,
    ) -> None:
        self.url = url
        self.calls = 0
        self._pauses = pauses
        try:
            self._client = httpx2.Client(
                base_url=url,
                headers={"Authorization": f"Bearer {token}"},
                timeout=httpx2.Timeout(seconds, connect=CONNECTING),
                verify=_certificates(),
                # A server of one's own on this machine is never behind a proxy.
                trust_env=not url.startswith("http://"),
            )
        except (httpx2.InvalidURL, UnicodeEncodeError) as error:
            raise BadInput(
                f"{url}: not an instance URL, or its token has odd letters; `serve` prints both,"
                " such as http://127.0.0.1:8080"
            ) from error

    def close(self) -> None:
        """Closes its connections."""
        self._client.close()

    def query(self, soql: str) -> tuple[list[RestRecord], int]:
        """The records of all pages as they came, and `totalSize`, which COUNT() gives alone."""
        page = self._found("query", "records", soql)
        records, total = list(page["records"]), int(page["totalSize"])
        while "nextRecordsUrl" in page:
            page = self._found(page["nextRecordsUrl"], "records")
            records += page["records"]
        return records, total

    def search(self, sosl: str) -> list[RestRecord]:
        """The records that a SOSL text finds, as they came."""
        return list(self._found("search", "searchRecords", sosl)["searchRecords"])

    def get(self, path: str, key: str) -> dict[str, Any]:
        """The JSON object under a path behind the version, which must have that key."""
        return self._with_key(self._read(path), key)

    def get_listing(self, path: str, key: str) -> dict[str, Any]:
        """The same, where the key must lead to a list of JSON objects."""
        response = self._read(path)
        body = self._with_key(response, key)
        if not _are_json_objects(body[key]):
            raise self._stranger(response)
        return body

    def get_text(self, path: str) -> str:
        """The CSV under a path."""
        response = self._read(path, headers={"Accept": "text/csv"})
        if not response.is_success:
            raise self._fault(response)
        return response.content.decode("utf-8-sig")

    def write(self, method: str, path: str, body: object) -> Any:  # noqa: ANN401
        """What the CRM answers to JSON; None where it says nothing."""
        return self._json(self._once(method, path, json=body, headers=WRITING))

    def put_text(self, path: str, text: str) -> None:
        """Sends CSV."""
        headers = {**WRITING, "Content-Type": "text/csv; charset=UTF-8"}
        response = self._once("PUT", path, content=text.encode(), headers=headers)
        if not response.is_success:
            raise self._fault(response)

    def _found(self, path: str, key: str, text: str = "") -> dict[str, Any]:
        """A page of a query's or a search's answer."""
        try:
            response = self._read(path, params={"q": text} if text else None)
            page = self._with_key(response, key)
        except _RefusedCall as error:
            raise QueryRefused(error.code, error.says, error.fields) from error
        counted = key != "records" or isinstance(page.get("totalSize"), int)
        if not counted or not _are_json_objects(page[key]):
            raise self._stranger(response)
        return page

    def _with_key(self, response: httpx2.Response, key: str) -> dict[str, Any]:
        body = self._json(response)
        if not isinstance(body, dict) or key not in body:
            raise self._stranger(response)
        return body

    def _read(self, path: str, **options: Any) -> httpx2.Response:  # noqa: ANN401
        """What may be asked again: the answer, after a few tries if need be."""
        for pause in self._pauses:
            try:
                return self._once("GET", path, **options)
            except CrmUnreachable:
                time.sleep(pause)
        return self._once("GET", path, **options)

    def _once(self, method: str, path: str, **options: Any) -> httpx2.Response:  # noqa: ANN401
        """One request; an answer that the CRM can't answer now counts as none."""
        self.calls += 1
        url = path if path.startswith("/") else BASE + path
        try:
            response = self._client.request(method, url, **options)
        except httpx2.UnsupportedProtocol as error:
            raise BadInput(
                f"{self.url}: an instance URL begins with http:// or https://; `serve` prints it"
            ) from error
        except httpx2.LocalProtocolError as error:
            raise BadInput(
                f"{self.url}: the request can't be sent ({str(error)[:80]}); the token may hold no"
                " line break, nor the address"
            ) from error
        except httpx2.HTTPError as error:
            raise CrmUnreachable(
                f"{self.url}: nothing gets through ({type(error).__name__}: {str(error)[:160]});"
                f" is the server running, and the network up? {AGAIN}"
            ) from error
        if response.status_code >= 500 or response.status_code == TOO_MANY:
            raise CrmUnreachable(
                f"{self.url}: the CRM can't answer now (HTTP {response.status_code}:"
                f" {response.text[:200]}); {AGAIN}"
            )
        return response

    def _json(self, response: httpx2.Response) -> Any:  # noqa: ANN401
        if not response.is_success:
            raise self._fault(response)
        if not response.content and response.request.method != "GET":
            return None
        try:
            return json_of(response.content)
        except ValueError as error:
            raise self._stranger(response) from error

    def _fault(self, response: httpx2.Response) -> Exception:
        """The project's own error for an answer that is none."""
        try:
            content = json_of(response.content)
        except ValueError:
            return self._stranger(response)
        if not isinstance(content, list) or not content or not isinstance(content[0], dict):
            return self._stranger(response)
        if "isSuccess" in content[0]:
            return PartlyRefused(content)
        return self._refusal(response, content[0])

    def _refusal(self, response: httpx2.Response, first: Mapping[str, Any]) -> Exception:
        code = str(first.get("errorCode") or f"HTTP_{response.status_code}")
        message = str(first.get("message", ""))
        if code == "REQUEST_LIMIT_EXCEEDED":
            return UploadFailed(
                f"the CRM's calls of the day are used up ({message}); {AGAIN} when it takes calls"
                " again"
            )
        if response.status_code == httpx2.codes.UNAUTHORIZED:
            return Refused(
                code,
                f"{self.url}: the token isn't taken ({message}); log in anew and give its"
                " --session-id, or the token that `serve` prints",
            )
        path = response.request.url.path.removeprefix(BASE)
        return _RefusedCall(code, path, message, fields_of(first))

    def _stranger(self, response: httpx2.Response) -> Unreachable:
        return Unreachable(
            f"{self.url}: answers HTTP {response.status_code}, but not as a CRM does; is it the"
            " instance URL?"
        )


def fields_of(told: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields that an error of the CRM names; none where it names no list."""
    fields = told.get("fields")
    return tuple(str(name) for name in fields) if isinstance(fields, list) else ()


def _are_json_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


class PartlyRefused(Exception):
    """An action's inputs were refused one by one; `results` has an entry for each."""

    def __init__(self, results: list[dict[str, Any]]) -> None:
        super().__init__()
        self.results = results


class _RefusedCall(Refused):
    """A refused call; `says` is the CRM's own message."""

    def __init__(self, code: str, path: str, says: str, fields: tuple[str, ...]) -> None:
        message = f"the CRM refused {path}: {says} ({code}); mend that, {AGAIN}"
        super().__init__(code, message, fields)
        self.says = says
