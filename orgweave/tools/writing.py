"""Tools that write: for tasks that are done by changing records of a copy of the org.

They stand beside the other tools, which only read. A text agent writes by `execute`:
`UPDATE Case 500zz0000000001AAA {"Status": "Closed"}` and `CREATE CaseComment {"ParentId": "500…"}`.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field

from orgweave.crm.seam import Crm
from orgweave.tools import queries
from orgweave.tools.toolbox import FUNCTIONS
from schemas.errors import Refused, ToolRefused

UPDATE = re.compile(r"\s*UPDATE\s+(\w+)\s+(\w+)\s+(\{.*\})\s*;?\s*", re.IGNORECASE | re.DOTALL)
CREATE = re.compile(r"\s*CREATE\s+(\w+)\s+(\{.*\})\s*;?\s*", re.IGNORECASE | re.DOTALL)
FieldScalar = str | int | float | bool | None


class WritableCrm(Crm, Protocol):
    """A CRM whose records may be created and changed; both raise Refused."""

    def create(self, object_name: str, fields: Mapping[str, object]) -> str:
        """The id of a new record."""
        ...

    def update(
        self,
        object_name: str,
        record_id: str,
        fields: Mapping[str, object],
    ) -> None:
        """Changes some fields of a record."""
        ...


class WrittenValue(BaseModel):
    """A field's name and the value that it gets."""

    model_config = ConfigDict(extra="forbid")

    name: str
    value: FieldScalar


ObjectName = Annotated[str, Field(description="the object's API name, such as Case")]
WrittenValues = Annotated[
    Sequence[WrittenValue],
    Field(description='such as [{"name": "Status", "value": "Closed"}]'),
]


def create_record(
    crm: WritableCrm,
    object_name: ObjectName,
    fields: WrittenValues,
) -> str:
    """Creates a record and returns its Id.

    Example: create_record("CaseComment", [{"name": "ParentId", "value": "500zz0000000001AAA"},
    {"name": "CommentBody", "value": "Called the customer."}])
    """
    with _told():
        return crm.create(object_name, {field.name: field.value for field in fields})


def update_record(
    crm: WritableCrm,
    object_name: ObjectName,
    record_id: Annotated[str, Field(description="the record's Id")],
    fields: WrittenValues,
) -> str:
    """Changes fields of a record; all others stay as they are. Returns the record's Id.

    Example: update_record("Case", "500zz0000000001AAA", [{"name": "Status", "value": "Closed"}])
    """
    with _told():
        crm.update(object_name, record_id, {field.name: field.value for field in fields})
    return record_id


def execute(crm: WritableCrm, query: str) -> object:
    """Runs a SOQL or SOSL query, or writes: UPDATE Case 500zz0000000001AAA {"Status": "Closed"}, or
    CREATE CaseComment {"ParentId": "500zz0000000001AAA", "CommentBody": "Called."}.
    """
    update = UPDATE.fullmatch(query)
    create = CREATE.fullmatch(query)
    with _told():
        if update:
            crm.update(update[1], update[2], _fields_in(update[3]))
            return update[2]
        if create:
            return crm.create(create[1], _fields_in(create[2]))
    return queries.execute(crm, query)


def _fields_in(text: str) -> Mapping[str, object]:
    try:
        return dict(json.loads(text))
    except ValueError as error:
        raise ToolRefused(f"the fields are no JSON object: {error}") from error


@contextmanager
def _told() -> Iterator[None]:
    """What the CRM refuses is told to the agent."""
    try:
        yield
    except Refused as error:
        raise ToolRefused(f"the CRM refused: {error.code}: {error}") from error


WRITING: dict[str, Callable[..., object]] = {
    **FUNCTIONS,
    "create_record": create_record,
    "update_record": update_record,
    "execute": execute,
}
"""All tools of an agent that may write."""
