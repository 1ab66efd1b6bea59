"""The seam to a CRM: what tools ask of one, and what a loader asks of it, in the terms of its REST
API.

`tools.crm.LocalCrm` is a CRM in process, over a finished org; `tools.remote.RemoteCrm` and
`load.client.Client` speak to one over HTTP, by way of `crm.client`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

API_VERSION = "59.0"
"""The version of the REST API that we speak."""
TOKEN = "ORGWEAVE_TOKEN"
"""The environment variable with a server's bearer token. A word of the command line stands in every
list of processes; this doesn't.
"""
BATCH = 200
"""Records that one call may hold."""
RestRecord = dict[str, object]
"""A record as REST gives it, without `attributes` at any depth: `{"Id": "500...", "Owner": {"Name":
"Ann Lee"}}`.
"""
CrmJson = Mapping[str, Any]
Body = Mapping[str, object]
"""A record as it is sent: `{"Name": "Hale", …}`."""
JobEnding = Literal["UploadComplete", "Aborted"]
ResultList = Literal["successfulResults", "failedResults"]


class Crm(Protocol):
    """A CRM that is read; any number of threads may ask."""

    def query(self, text: str) -> list[RestRecord]:
        """All records that a SOQL text selects, all pages of them; raises QueryRefused.

        COUNT() is one record, `{"expr0": n}`.
        """
        ...

    def search(self, text: str) -> list[RestRecord]:
        """All records that a SOSL text finds, the best first; raises QueryRefused."""
        ...


@dataclass(frozen=True, slots=True)
class RecordResult:
    """What became of one record: its id in the CRM, or why it was refused."""

    org_id: str = ""
    code: str = ""
    message: str = ""
    fields: tuple[str, ...] = ()

    @property
    def taken(self) -> bool:
        """Whether the CRM has it."""
        return not self.code


class Target(Protocol):
    """A CRM that is loaded: records of a type go out at most 200 a call, and results stand in the
    order of the records.

    Every call raises CrmUnreachable where nothing gets through, Refused where the CRM refuses the
    call as a whole.
    """

    @property
    def calls(self) -> int:
        """Requests sent so far."""
        ...

    @property
    def instance_url(self) -> str:
        """Where it is."""
        ...

    def object_names(self) -> frozenset[str]:
        """The object types that it has."""
        ...

    def describe(self, name: str) -> CrmJson:
        """An object type's fields."""
        ...

    def query(self, soql: str) -> list[CrmJson]:
        """All records of an answer."""
        ...

    def create(self, name: str, bodies: Sequence[Body]) -> list[RecordResult]:
        """New records."""
        ...

    def update(self, name: str, bodies: Sequence[Body]) -> list[RecordResult]:
        """Changed records; each body has its Id."""
        ...

    def publish(self, ids: Sequence[str]) -> list[RecordResult]:
        """Articles put online."""
        ...

    def open_job(self, name: str) -> str:
        """A new bulk job for inserts; its id."""
        ...

    def fill_job(self, job: str, name: str, columns: Sequence[str], bodies: Sequence[Body]) -> None:
        """The job's records, as CSV."""
        ...

    def end_job(self, job: str, ending: JobEnding) -> None:
        """Starts the job, or aborts it."""
        ...

    def job(self, job: str) -> CrmJson | None:
        """How the job stands; None where the CRM no longer knows it."""
        ...

    def rows(self, job: str, outcome: ResultList) -> list[list[str]]:
        """The rows that were taken or refused, the header first: `sf__Id`, then `sf__Created` or
        `sf__Error`, then our columns.
        """
        ...
