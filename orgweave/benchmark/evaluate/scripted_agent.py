"""A scripted agent as Inspect runs one: a solver that follows the script of the task.

Each tool call stands in the transcript as a model's would.
"""

import json
from typing import Any

from inspect_ai.solver import Generate, Solver, TaskState

from orgweave.benchmark.evaluate.outcome import count_action, give_up, submit
from orgweave.benchmark.evaluate.scripted import SCRIPTED, UsualAnswers
from orgweave.benchmark.evaluate.toolkit import SUBMIT, use
from orgweave.benchmark.scripts.script import ScriptInput
from schemas.errors import ToolRefused

WHOLE_RESULTS = 2**26
"""Characters of a tool's result: scripts pass on what they get, and must get all of it."""


def scripted_agent(name: str, usual: UsualAnswers) -> Solver:
    """Follows a script of SCRIPTED; `usual` is the usual answer of each task."""
    script = SCRIPTED[name].script(usual)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async def call(tool: str, /, **arguments: object) -> Any:  # noqa: ANN401
            count_action(state)
            result = await use(tool, arguments)
            if result.error:
                raise ToolRefused(result.error.message)
            return _value(result.text)

        answer = await script(_input_of(state), call)
        if answer is None:
            return give_up(state, "the agent did nothing")
        await call(SUBMIT, content=answer)
        return submit(state, answer)

    return solve


def _input_of(state: TaskState) -> ScriptInput:
    known = state.metadata
    return ScriptInput(
        task=known["task"],
        query=state.input_text,
        parameters=known["parameters"],
        evidence=known["evidence"],
    )


def _value(text: str) -> Any:  # noqa: ANN401
    """A tool's result again: JSON, or a text as it is."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
