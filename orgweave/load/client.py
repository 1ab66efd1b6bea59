"""The CRM by way of simple-salesforce: the one module that knows the library and HTTP.

Errors are mapped here; reads are tried again.

Writes are never repeated here: whether the CRM took one that failed on the way, only the caller can
find out.
"""

import csv
import io
import json
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import requests
from requests.adapters import HTTPAdapter
from simple_salesforce.api import Salesforce
from simple_salesforce.exceptions import SalesforceAuthenticationFailed, SalesforceError
from simple_salesforce.util import call_salesforce

from orgweave.load.leaks import check_leaks
from orgweave.load.settings import Login
from orgweave.load.target import Body, CrmJson, JobEnding, RecordResult, ResultList
from orgweave.load.values import cell_of
from orgweave.server.tables import write_rows
from schemas.errors import CrmUnreachable, Refused, UploadFailed

Returned = TypeVar("Returned")
TIMEOUT = (10, 180)
PAUSES = (1.0, 3.0, 9.0)
"""Seconds between tries."""
HEADERS = {"Sforce-Auto-Assign": "FALSE", "Sforce-Duplicate-Rule-Header": "allowSave=true"}
"""No assignment rule moves a case, no duplicate rule stops a contact."""
AGAIN = "the same command goes on where it stopped"
TOO_MANY = 429


class CountingSession(HTTPAdapter):
    """Sends with a timeout and counts; with `plain`, the https that simple-salesforce makes of
    every URL becomes http again.
    """

    def __init__(self, plain: bool) -> None:
        super().__init__()
        self.plain = plain
        self.calls = 0

    def send(
        self,
        request: requests.PreparedRequest,
        *args: Any,  # noqa: ANN401
        **kwargs: Any,  # noqa: ANN401
    ) -> requests.Response:
        """One request."""
        self.calls += 1
        if self.plain and request.url:
            request.url = request.url.replace("https://", "http://", 1)
        return super().send(
            request, *args, **{**kwargs, "timeout": kwargs.get("timeout") or TIMEOUT}
        )


class Client:
    """A `Target`; making one raises Refused where the login is refused, CrmUnreachable where nobody
    answers.
    """

    def __init__(self, login: Login, pauses: Sequence[float] = PAUSES) -> None:
        self._pauses = pauses
        self._sending = CountingSession(login.plain)
        session = requests.Session()
        session.trust_env = not login.plain
        session.mount("https://", self._sending)
        self._crm = self._asked(lambda: _logged_in(login, session))
        self._crm.headers.update(HEADERS)

    @property
    def calls(self) -> int:
        """Requests sent so far."""
        return self._sending.calls

    @property
    def instance_url(self) -> str:
        """Where it is."""
        return f"{'http' if self._sending.plain else 'https'}://{self._crm.sf_instance}"

    def object_names(self) -> frozenset[str]:
        """The object types that it has."""
        found = self._asked(lambda: self._rest("GET", "sobjects"))
        return frozenset(str(one["name"]) for one in found["sobjects"])

    def describe(self, name: str) -> CrmJson:
        """An object type's fields."""
        return cast("CrmJson", self._asked(lambda: self._rest("GET", f"sobjects/{name}/describe")))

    def query(self, soql: str) -> list[CrmJson]:
        """All records of an answer."""
        return cast("list[CrmJson]", self._asked(lambda: self._crm.query_all(soql)["records"]))

    def create(self, name: str, bodies: Sequence[Body]) -> list[RecordResult]:
        """New records."""
        return self._collection("POST", name, bodies)

    def update(self, name: str, bodies: Sequence[Body]) -> list[RecordResult]:
        """Changed records; each body has its Id."""
        return self._collection("PATCH", name, bodies)

    def publish(self, ids: Sequence[str]) -> list[RecordResult]:
        """Articles put online."""
        inputs = [{"articleVersionIdList": [key], "pubAction": "PUBLISH_ARTICLE"} for key in ids]
        try:
            found = self._once(
                lambda: self._rest(
                    "POST", "actions/standard/publishKnowledgeArticles", {"inputs": inputs}
                )
            )
        except _PartlyRefused as error:
            found = error.results
        return [
            RecordResult(key) if one["isSuccess"] else _refusal(one["errors"])
            for key, one in zip(ids, found, strict=True)
        ]

    def open_job(self, name: str) -> str:
        """A new bulk job for inserts; its id."""
        asked = {
            "operation": "insert",
            "object": name,
            "contentType": "CSV",
            "columnDelimiter": "COMMA",
            "lineEnding": "LF",
        }
        return str(self._asked(lambda: self._rest("POST", "jobs/ingest", asked))["id"])

    def fill_job(self, job: str, name: str, columns: Sequence[str], bodies: Sequence[Body]) -> None:
        """The job's records, as CSV."""
        check_leaks(name, bodies)
        text = write_rows(
            [columns, *([cell_of(body.get(column)) for column in columns] for body in bodies)]
        )
        self._once(lambda: self._file("PUT", f"jobs/ingest/{job}/batches", text.encode()))

    def end_job(self, job: str, ending: JobEnding) -> None:
        """Starts the job, or aborts it."""
        self._once(lambda: self._rest("PATCH", f"jobs/ingest/{job}", {"state": ending}))

    def job(self, job: str) -> CrmJson | None:
        """How the job stands; None where the CRM no longer knows it."""
        try:
            return cast("CrmJson", self._asked(lambda: self._rest("GET", f"jobs/ingest/{job}")))
        except Refused as error:
            if error.code == "NOT_FOUND":
                return None
            raise

    def rows(self, job: str, outcome: ResultList) -> list[list[str]]:
        """The rows that were taken or refused, the header first."""
        text = self._asked(
            lambda: self._file("GET", f"jobs/ingest/{job}/{outcome}")
        ).content.decode("utf-8-sig")
        csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
        return [row for row in csv.reader(io.StringIO(text, newline="")) if row]

    def _collection(self, method: str, name: str, bodies: Sequence[Body]) -> list[RecordResult]:
        check_leaks(name, bodies)
        records = [{"attributes": {"type": name}, **body} for body in bodies]
        found = self._once(
            lambda: self._rest(
                method, "composite/sobjects", {"allOrNone": False, "records": records}
            )
        )
        if len(found) != len(bodies):
            raise CrmUnreachable(
                f"{name}: {len(bodies)} records were sent and {len(found)} results came back;"
                f" {AGAIN}"
            )
        return [
            RecordResult(str(one["id"])) if one["success"] else _refusal(one["errors"])
            for one in found
        ]

    def _rest(self, method: str, path: str, body: CrmJson | None = None) -> Any:  # noqa: ANN401
        return self._crm.restful(path, None, method, json=body)

    def _file(self, method: str, path: str, data: bytes | None = None) -> requests.Response:
        headers = {
            **self._crm.headers,
            "Content-Type": "text/csv; charset=UTF-8",
            "Accept": "application/json" if data else "text/csv",
        }
        return call_salesforce(
            url=self._crm.base_url + path,
            method=method,
            session=self._crm.session,
            headers=headers,
            data=data,
        )

    def _asked(self, work: Callable[[], Returned]) -> Returned:
        """What may be asked again: the answer, after a few tries if need be."""
        for pause in self._pauses:
            try:
                return self._once(work)
            except CrmUnreachable:
                time.sleep(pause)
        return self._once(work)

    def _once(self, work: Callable[[], Returned]) -> Returned:
        try:
            return work()
        except SalesforceAuthenticationFailed as error:
            raise Refused(
                "INVALID_LOGIN",
                f"the CRM refused the login ({error}); mend SALESFORCE_USERNAME,"
                " SALESFORCE_PASSWORD, SALESFORCE_SECURITY_TOKEN or SALESFORCE_DOMAIN",
            ) from error
        except SalesforceError as error:
            raise _fault(error) from error
        except requests.RequestException as error:
            raise CrmUnreachable(
                f"nothing gets through to the CRM ({type(error).__name__}: {str(error)[:160]});"
                f" check address and network, {AGAIN}"
            ) from error


class _PartlyRefused(Exception):
    """An action's inputs were refused one by one; never leaves this module."""

    def __init__(self, results: list[CrmJson]) -> None:
        super().__init__()
        self.results = results


def _logged_in(login: Login, session: requests.Session) -> Salesforce:
    if login.username:
        return Salesforce(
            username=login.username,
            password=login.password.get_secret_value(),
            security_token=login.security_token.get_secret_value(),
            domain=login.domain,
            session=session,
        )
    return Salesforce(
        instance_url=login.instance_url,
        session_id=login.session_id.get_secret_value(),
        session=session,
    )


def _refusal(errors: Sequence[CrmJson]) -> RecordResult:
    first = errors[0] if errors else {}
    return RecordResult(
        code=str(first.get("statusCode") or first.get("errorCode") or "UNKNOWN_EXCEPTION"),
        message=str(first.get("message", "")),
        fields=tuple(first.get("fields") or ()),
    )


def _fault(error: SalesforceError) -> Exception:
    """The project's own error for one of the library's."""
    content: Any = error.content
    if isinstance(content, list) and content and "isSuccess" in content[0]:
        return _PartlyRefused(content)
    first = (
        content[0] if isinstance(content, list) and content and isinstance(content[0], dict) else {}
    )
    code, message = (
        str(first.get("errorCode", "")),
        str(first.get("message") or json.dumps(content, default=str))[:300],
    )
    if code == "REQUEST_LIMIT_EXCEEDED":
        return UploadFailed(
            f"the CRM's calls of the day are used up ({message}); {AGAIN} when it takes calls again"
        )
    if error.status >= 500 or error.status == TOO_MANY:
        return CrmUnreachable(f"the CRM can't answer now (HTTP {error.status}: {message}); {AGAIN}")
    if error.status == 401:
        return Refused(
            code or "INVALID_SESSION_ID",
            f"the CRM refused the session ({message}); log in anew and give its --session-id,"
            f" {AGAIN}",
        )
    return Refused(
        code or f"HTTP_{error.status}",
        f"the CRM refused {error.resource_name or error.url}: {message} ({code or error.status});"
        f" mend that, {AGAIN}",
    )
