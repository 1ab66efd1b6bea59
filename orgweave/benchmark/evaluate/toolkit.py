"""The tools of a CRM as Inspect has tools, and their use by an agent; each use stands in the
sample's transcript. Knows no task.

A sample has a Toolbox of its own; the Crm behind them is shared. A call runs in a thread, so that a
slow one holds up nobody else and a time limit can leave it.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from weakref import finalize

import anyio.to_thread
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, execute_tools
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolDef, ToolError, ToolParams
from shortuuid import uuid

from orgweave.benchmark.evaluate.copies import OrgCopy, org_copy
from orgweave.crm.seam import Crm
from orgweave.tools.definitions import definitions_of
from orgweave.tools.toolbox import FUNCTIONS, LIMIT, Toolbox
from orgweave.tools.writing import WRITING
from schemas.errors import ToolRefused

STATE_DIFFERENCE = "state_difference"
"""The metric of tasks that are done by writing."""
EXECUTE = "execute"
SUBMIT = "submit"


@dataclass(frozen=True, slots=True)
class ToolShape:
    """What a model is told of a tool."""

    description: str
    parameters: ToolParams


@dataclass(frozen=True, slots=True)
class ToolKit:
    """A sample's tools, made for Inspect when they are needed.

    `copy` is the org that the agent may change, where its task is done by writing; `close` ends its
    life.
    """

    toolbox: Toolbox
    shapes: Mapping[str, ToolShape]
    copy: OrgCopy | None = None
    close: Callable[[], None] = lambda: None

    def tool(self, name: str) -> ToolDef:
        """The tool of that name."""

        async def call(**kwargs: Any) -> str:  # noqa: ANN401
            work = partial(self.toolbox.call, name, kwargs)
            try:
                found = await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
            except ToolRefused as error:
                raise ToolError(str(error)) from error
            return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)

        shape = self.shapes[name]
        # The Toolbox cuts long results and says so; Inspect would cut them again.
        return ToolDef(
            call,
            name,
            shape.description,
            shape.parameters,
            max_output=0,
        )

    def offered(self) -> list[ToolDef]:
        """The tools that a model calls: all but `execute`, which stands for two of them."""
        return [self.tool(name) for name in self.shapes if name != EXECUTE]


KIT: ContextVar[ToolKit] = ContextVar("kit")
"""The kit of the sample under way."""


@solver
def crm_tools(
    crm: Crm,
    longest: int = LIMIT,
    shown: bool = False,
    folder: Path | None = None,
) -> Solver:
    """Gives a sample its tools; where its task is done by writing, over a copy of its own of the
    folder's org.

    `longest` is the most characters of a result; `shown` tools are those of Inspect's own agents
    too.
    """
    reading, writing = _shapes(FUNCTIONS), _shapes(WRITING)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.metadata["reward_metric"] == STATE_DIFFERENCE and folder is not None:
            stack = ExitStack()
            copy = stack.enter_context(org_copy(folder))
            # Where the agent fails, nobody ends its work, and the copy goes with its last user.
            finalize(copy, stack.close)
            kit = ToolKit(Toolbox(copy, longest, WRITING), writing, copy, stack.close)
        else:
            kit = ToolKit(Toolbox(crm, longest), reading)
        KIT.set(kit)
        if shown:
            state.tools = [tool.as_tool() for tool in kit.offered()]
        return state

    return solve


def _shapes(functions: Mapping[str, Callable[..., object]]) -> dict[str, ToolShape]:
    shapes = {}
    for definition in definitions_of(functions):
        function: Any = definition["function"]
        parameters = _parameters(function["parameters"])
        shapes[function["name"]] = ToolShape(function["description"], parameters)
    return shapes


async def use(name: str, arguments: Mapping[str, object]) -> ChatMessageTool:
    """Calls one of the sample's tools as if a model had asked for it; a refusal is in the message's
    `error`.
    """
    call = ToolCall(
        id=uuid(),
        function=name,
        arguments=dict(arguments),
    )
    message = ChatMessageAssistant(content="", tool_calls=[call])
    done = await execute_tools([message], [KIT.get().tool(name)])
    answer = done.messages[0]
    assert isinstance(answer, ChatMessageTool)
    return answer


def _parameters(schema: Mapping[str, Any]) -> ToolParams:
    """The schema as Inspect takes it: each parameter described (by its first form, else by its
    name), and what may be null not required.
    """
    properties = {}
    required = []
    for name, own in schema["properties"].items():
        forms = own.get("anyOf", [])
        described = [form["description"] for form in forms if "description" in form]
        description = described[0] if described else name.replace("_", " ")
        properties[name] = {"description": description, **own}
        if {"type": "null"} not in forms:
            required.append(name)
    return ToolParams.model_validate({**schema, "properties": properties, "required": required})
