"""The tools of a CRM as Inspect has tools, and their use by an agent; each use stands in the sample's transcript. Knows no task.

A sample has a Toolbox of its own; the Crm behind them is shared. A call runs in a thread, so that a slow one holds up nobody else and a time limit
can leave it.
"""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import anyio.to_thread
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, execute_tools
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolCall, ToolDef, ToolError, ToolParams
from shortuuid import uuid

from pipeline.tools.crm import Crm
from pipeline.tools.definitions import definitions_of
from pipeline.tools.toolbox import FUNCTIONS, LIMIT, Toolbox
from schemas.errors import ToolRefused

EXECUTE, SUBMIT = "execute", "submit"


@solver
def crm_tools(crm: Crm, longest: int = LIMIT) -> Solver:
    """Gives a sample its tools: all that the Toolbox has. `longest` is the most characters of a result."""
    shapes: list[Any] = [one["function"] for one in definitions_of(FUNCTIONS)]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        toolbox = Toolbox(crm, longest)
        state.tools = [_tool(toolbox, shape) for shape in shapes]
        return state

    return solve


async def use(state: TaskState, name: str, arguments: Mapping[str, object]) -> ChatMessageTool:
    """Calls one of the sample's tools as if a model had asked for it; a refusal is in the message's `error`."""
    asked = ChatMessageAssistant(content="", tool_calls=[ToolCall(id=uuid(), function=name, arguments=dict(arguments))])
    done = await execute_tools([asked], state.tools)
    answer = done.messages[0]
    assert isinstance(answer, ChatMessageTool)
    return answer


def _tool(toolbox: Toolbox, shape: Mapping[str, Any]) -> Tool:
    async def call(**kwargs: Any) -> str:  # noqa: ANN401
        try:
            found = await anyio.to_thread.run_sync(partial(toolbox.call, shape["name"], kwargs), abandon_on_cancel=True)
        except ToolRefused as error:
            raise ToolError(str(error)) from error
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)

    # The Toolbox cuts long results and says so; Inspect would cut them again.
    return ToolDef(call, shape["name"], shape["description"], _parameters(shape["parameters"]), max_output=0).as_tool()


def _parameters(schema: Mapping[str, Any]) -> ToolParams:
    """The schema as Inspect takes it: each parameter described (by its first form, else by its name), and what may be null not required."""
    forms = {name: one.get("anyOf", []) for name, one in schema["properties"].items()}
    properties = {name: {"description": next((form["description"] for form in forms[name] if "description" in form), name.replace("_", " ")), **one} for name, one in schema["properties"].items()}
    return ToolParams.model_validate({**schema, "properties": properties, "required": [name for name in properties if {"type": "null"} not in forms[name]]})
