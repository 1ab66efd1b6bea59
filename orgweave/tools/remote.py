"""A CRM over its REST API: an org that `serve` serves, or any other that answers as it does.

Knows no tool.

Example: `with RemoteCrm("http://127.0.0.1:8080", token) as crm: crm.query("SELECT Name FROM
Issue__c LIMIT 1")`.
"""

from collections.abc import Mapping
from types import TracebackType
from typing import Any

import httpx2

from orgweave.soql.engine import API_VERSION
from orgweave.soql.parse import check_text
from orgweave.soql.sql import FoundRecord
from orgweave.tools.crm import bare, selected
from schemas.errors import BadInput, QueryRefused, Unreachable

SECONDS = 60.0
RETRIES = 4
"""How often a connection is tried anew, after 0, 0.5, 1 and 2 seconds."""


class RemoteCrm:
    """A CRM elsewhere; close it, or use it in a `with`.

    Args:
        url: the instance URL, such as `http://127.0.0.1:8080`.
        token: the bearer token.
    Raises BadInput where the URL isn't one; its methods, beside QueryRefused, BadInput where the
    token isn't taken and Unreachable where nothing gets through.
    """

    def __init__(self, url: str, token: str) -> None:
        try:
            self._client = httpx2.Client(
                base_url=url,
                headers={"Authorization": f"Bearer {token}"},
                timeout=SECONDS,
                transport=httpx2.HTTPTransport(retries=RETRIES),
            )
        except (httpx2.InvalidURL, UnicodeEncodeError) as error:
            raise BadInput(
                f"{url}: not an instance URL, or its token has odd letters; `serve` prints both,"
                " such as http://127.0.0.1:8080"
            ) from error
        self._url = url
        self._base = f"/services/data/v{API_VERSION}"

    def query(self, text: str) -> list[FoundRecord]:
        """As Crm.query."""
        check_text(text, "SOQL")
        page = self._answer("records", f"{self._base}/query", {"q": text})
        records, total = list(page["records"]), page["totalSize"]
        while "nextRecordsUrl" in page:
            page = self._answer("records", page["nextRecordsUrl"])
            records += page["records"]
        return selected(text, records, total)

    def search(self, text: str) -> list[FoundRecord]:
        """As Crm.search."""
        check_text(text, "SOSL")
        return [
            bare(one)
            for one in self._answer("searchRecords", f"{self._base}/search", {"q": text})[
                "searchRecords"
            ]
        ]

    def close(self) -> None:
        """Closes its connections."""
        self._client.close()

    def __enter__(self) -> "RemoteCrm":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _answer(
        self, key: str, path: str, params: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """The answer's body, which must have that key."""
        response = self._response(path, params)
        try:
            body = response.json()
            if response.is_success and key in body:
                return dict(body)
            code, message, fields = (
                body[0]["errorCode"],
                body[0]["message"],
                tuple(body[0].get("fields", ())),
            )
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise Unreachable(
                f"{self._url}: answers HTTP {response.status_code}, but not as a CRM does; is it"
                " the instance URL?"
            ) from error
        if code == "INVALID_SESSION_ID":
            raise BadInput(
                f"{self._url}: the token isn't taken ({message}); `serve` prints the one to use"
            )
        raise QueryRefused(code, message, fields)

    def _response(self, path: str, params: Mapping[str, str] | None) -> httpx2.Response:
        try:
            return self._client.get(path, params=params)
        except httpx2.UnsupportedProtocol as error:
            raise BadInput(
                f"{self._url}: an instance URL begins with http:// or https://; `serve` prints it"
            ) from error
        except httpx2.HTTPError as error:
            raise Unreachable(
                f"{self._url}: nothing gets through ({error}); is the server running?"
            ) from error
