"""The seam to the CRM that is loaded: what a loader asks of it, in the terms of its REST API.

`client` is the one that calls it.

Records of a type go out as `{"Name": "Hale", …}`, at most 200 a call; results stand in the order of
the records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

CrmJson = Mapping[str, Any]
Body = Mapping[str, object]
JobEnding = Literal["UploadComplete", "Aborted"]
ResultList = Literal["successfulResults", "failedResults"]
BATCH = 200


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
    """A CRM.

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
