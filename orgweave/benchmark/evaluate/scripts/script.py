"""What a script is given and how it acts.

A script never sees an answer; what it knows beyond the query are the instance's parameters.

Example: `async def script(given, use): return said(await use("find_id_with_max_value",
values_by_id=counts))`.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

NONE = "None"


@dataclass(frozen=True, slots=True)
class Given:
    """An instance without its answer: the task's name, what a model is told, and the parameters and
    evidence that only scripts see.
    """

    task: str
    query: str
    parameters: Mapping[str, Any]
    evidence: Mapping[str, Any] = field(default_factory=dict)


class Use(Protocol):
    """Calls a tool by its name; gives its result as JSON has it, raises ToolRefused where the tool
    refuses.
    """

    def __call__(self, tool: str, /, **arguments: object) -> Awaitable[Any]:
        """The tool's result."""
        ...


Script = Callable[[Given, Use], Awaitable[str | None]]
"""Gives the answer to submit; None submits nothing."""


def said(values: Iterable[object]) -> str:
    """The values as an answer; None where there are none."""
    listed = [str(value) for value in values]
    return json.dumps(listed) if listed else NONE


def pairs(values: Mapping[str, float]) -> list[dict[str, object]]:
    """Numbers by id as tools take them: `[{"id": "005...", "value": 3}]`."""
    return [{"id": one, "value": value} for one, value in values.items()]


def ids_of(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """The records' ids, in their order."""
    return [str(record["Id"]) for record in records]
