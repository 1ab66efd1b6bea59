"""The CRM that is loaded, over HTTP: collections of 200 records and bulk jobs.

Every outgoing record is searched for ids of our own. Without a session id a user logs in by name,
password and token, which is what simple-salesforce is needed for.
"""

import csv
import io
from collections.abc import Sequence
from typing import Any

from pydantic import SecretStr

from orgweave.crm.client import AGAIN, CrmConnection, PartlyRefused, fields_of
from orgweave.crm.seam import Body, CrmJson, JobEnding, RecordResult, ResultList
from orgweave.load.leaks import check_leaks
from orgweave.load.settings import Login
from orgweave.load.values import cell_of
from orgweave.server.bulk.tables import write_rows
from schemas.errors import BadInput, CrmUnreachable, Refused

PAUSES = (1.0, 2.0, 4.0)
"""Seconds between tries of a read: a wrong address is told within ten."""
SECONDS = 180.0
"""How long an answer is waited for: 200 records with their triggers may take minutes."""
JOBS = "jobs/ingest"


class Client:
    """A `Target`; making one raises Refused where the login is refused, CrmUnreachable where nobody
    answers.
    """

    def __init__(self, login: Login, pauses: Sequence[float] = PAUSES) -> None:
        session = logged_in(login) if login.username else login
        token = session.session_id.get_secret_value()
        self._crm = CrmConnection(session.instance_url, token, pauses, SECONDS)

    @property
    def calls(self) -> int:
        """Requests sent so far."""
        return self._crm.calls

    @property
    def instance_url(self) -> str:
        """Where it is."""
        return self._crm.url

    def object_names(self) -> frozenset[str]:
        """The object types that it has."""
        found = self._crm.get_listing("sobjects", "sobjects")
        return frozenset(str(told.get("name")) for told in found["sobjects"])

    def describe(self, name: str) -> CrmJson:
        """An object type's fields."""
        return self._crm.get_listing(f"sobjects/{name}/describe", "fields")

    def query(self, soql: str) -> list[CrmJson]:
        """All records of an answer."""
        records, _ = self._crm.query(soql)
        return list(records)

    def create(self, name: str, bodies: Sequence[Body]) -> list[RecordResult]:
        """New records."""
        return self._collection("POST", name, bodies)

    def update(self, name: str, bodies: Sequence[Body]) -> list[RecordResult]:
        """Changed records; each body has its Id."""
        return self._collection("PATCH", name, bodies)

    def publish(self, ids: Sequence[str]) -> list[RecordResult]:
        """Articles put online."""
        inputs = [{"articleVersionIdList": [key], "pubAction": "PUBLISH_ARTICLE"} for key in ids]
        path = "actions/standard/publishKnowledgeArticles"
        try:
            found = self._crm.write("POST", path, {"inputs": inputs})
        except PartlyRefused as error:
            found = error.results
        results: list[RecordResult] = []
        for key, told in zip(ids, _told("articles", len(ids), found), strict=True):
            results.append(RecordResult(key) if told.get("isSuccess") is True else _refusal(told))
        return results

    def open_job(self, name: str) -> str:
        """A new bulk job for inserts; its id."""
        job = {
            "operation": "insert",
            "object": name,
            "contentType": "CSV",
            "columnDelimiter": "COMMA",
            "lineEnding": "LF",
        }
        found = self._crm.write("POST", JOBS, job)
        if not isinstance(found, dict) or not found.get("id"):
            raise CrmUnreachable(f"{name}: the CRM's answer names no bulk job; {AGAIN}")
        return str(found["id"])

    def fill_job(self, job: str, name: str, columns: Sequence[str], bodies: Sequence[Body]) -> None:
        """The job's records, as CSV."""
        check_leaks(name, bodies)
        rows = [list(columns)]
        for body in bodies:
            rows.append([cell_of(body.get(column)) for column in columns])
        self._crm.put_text(f"{JOBS}/{job}/batches", write_rows(rows))

    def end_job(self, job: str, ending: JobEnding) -> None:
        """Starts the job, or aborts it."""
        self._crm.write("PATCH", f"{JOBS}/{job}", {"state": ending})

    def job(self, job: str) -> CrmJson | None:
        """How the job stands; None where the CRM no longer knows it."""
        try:
            return self._crm.get(f"{JOBS}/{job}", "state")
        except Refused as error:
            if error.code == "NOT_FOUND":
                return None
            raise

    def rows(self, job: str, outcome: ResultList) -> list[list[str]]:
        """The rows that were taken or refused, the header first."""
        text = self._crm.get_text(f"{JOBS}/{job}/{outcome}")
        csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
        return [row for row in csv.reader(io.StringIO(text, newline="")) if row]

    def _collection(self, method: str, name: str, bodies: Sequence[Body]) -> list[RecordResult]:
        check_leaks(name, bodies)
        records = [{"attributes": {"type": name}, **body} for body in bodies]
        sent = {"allOrNone": False, "records": records}
        found = self._crm.write(method, "composite/sobjects", sent)
        results: list[RecordResult] = []
        for told in _told(name, len(bodies), found):
            taken = told.get("success") is True and bool(told.get("id"))
            results.append(RecordResult(str(told["id"])) if taken else _refusal(told))
        return results


def logged_in(login: Login) -> Login:
    """The session of a user who logs in by name and password.

    Raises BadInput where simple-salesforce isn't installed, Refused where the CRM refuses the
    login, CrmUnreachable where nobody answers.
    """
    try:
        import requests
        from simple_salesforce.exceptions import SalesforceAuthenticationFailed
        from simple_salesforce.login import SalesforceLogin
    except ImportError as error:
        missing = str(error.name).partition(".")[0]
        raise BadInput(
            f"logging in by name and password needs {missing}, which isn't installed; run: pip"
            " install 'orgweave[upload]', or give --instance-url and --session-id"
        ) from error
    try:
        session, host = SalesforceLogin(
            username=login.username,
            password=login.password.get_secret_value(),
            security_token=login.security_token.get_secret_value(),
            domain=login.domain,
        )
    except SalesforceAuthenticationFailed as error:
        raise Refused(
            "INVALID_LOGIN",
            f"the CRM refused the login ({error}); mend SALESFORCE_USERNAME,"
            " SALESFORCE_PASSWORD, SALESFORCE_SECURITY_TOKEN or SALESFORCE_DOMAIN",
        ) from error
    except requests.RequestException as error:
        raise CrmUnreachable(
            f"nothing gets through to the CRM ({type(error).__name__}: {str(error)[:160]});"
            f" check address and network, {AGAIN}"
        ) from error
    return Login(f"https://{host}", SecretStr(session))


def _told(what: str, sent: int, answer: object) -> list[dict[str, Any]]:
    """A result for each of what was sent.

    Raises CrmUnreachable for any other answer: it tells nothing, and the CRM may have taken all.
    """
    results = answer if isinstance(answer, list) else []
    told = [result for result in results if isinstance(result, dict)]
    if len(told) != sent or len(results) != sent:
        raise CrmUnreachable(
            f"{what}: {sent} were sent and the CRM's answer has {len(told)} results; {AGAIN}"
        )
    return told


def _refusal(told: CrmJson) -> RecordResult:
    errors = told.get("errors")
    listed = errors if isinstance(errors, list) else []
    first: dict[str, Any] = listed[0] if listed and isinstance(listed[0], dict) else {}
    return RecordResult(
        code=str(first.get("statusCode") or first.get("errorCode") or "UNKNOWN_EXCEPTION"),
        message=str(first.get("message", "")),
        fields=fields_of(first),
    )
