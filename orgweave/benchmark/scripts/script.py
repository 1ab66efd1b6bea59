"""What a script is given and how it acts.

A script never sees an answer; what it knows beyond the query are the instance's parameters.

Example: `async def oracle(given, call): return said(await call("find_id_with_max_value",
values_by_id=counts))`.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

NONE = "None"
UNPROVED = "the evidence is not in what the tools return"
CLOSED = ["Closed"]


@dataclass(frozen=True, slots=True)
class ScriptInput:
    """An instance without its answer: the task's name, what a model is told, and the parameters and
    evidence that only scripts see.
    """

    task: str
    query: str
    parameters: Mapping[str, Any]
    evidence: Mapping[str, Any] = field(default_factory=dict)


CallTool = Callable[..., Awaitable[Any]]
"""Calls a tool: its name first, its arguments by name. Gives the tool's result as JSON has it and
raises ToolRefused where the tool refuses.
"""
Script = Callable[[ScriptInput, CallTool], Awaitable[str | None]]
"""Gives the answer to submit; None submits nothing."""


def said(values: Iterable[object]) -> str:
    """The values as an answer; `None` where there are none."""
    listed = [str(value) for value in values]
    return json.dumps(listed) if listed else NONE


def first_said(answer: str | None) -> str:
    """The first value of an answer; an empty text where it has none."""
    values = json.loads(answer) if answer and answer.startswith("[") else []
    return str(values[0]) if values else ""


def pairs(values: Mapping[str, float]) -> list[dict[str, object]]:
    """Numbers by id as tools take them: `[{"id": "005...", "value": 3}]`."""
    return [{"id": key, "value": value} for key, value in values.items()]


def ids_of(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """The records' ids, in their order."""
    return [str(record["Id"]) for record in records]


def first_record_of(
    query: str,
    path: str,
    as_answer: Callable[[object], object] = str,
) -> Script:
    """The script that answers with a value of the first record that a query finds.

    `query` is filled in with the instance's parameters. `path` leads to the value, such as
    `Account.ShippingState`, and `as_answer` turns the value into what is answered.
    """

    async def script(given: ScriptInput, call: CallTool) -> str:
        found = await call("issue_soql_query", query=query.format(**given.parameters))
        value = _value_behind(found[0], path) if found else None
        return said([as_answer(value)] if value else [])

    return script


def _value_behind(record: object, path: str) -> object:
    for step in path.split("."):
        record = record.get(step) if isinstance(record, Mapping) else None
    return record
