"""A scripted agent as Inspect runs one: a solver that follows the script of the task.

Each tool call stands in the transcript as a model's would.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.solver import Generate, Solver, TaskState

from orgweave.benchmark.evaluate.outcome import count_action, give_up, submit
from orgweave.benchmark.evaluate.scripts.registry import SCRIPTED
from orgweave.benchmark.evaluate.scripts.script import Given
from orgweave.benchmark.evaluate.toolkit import SUBMIT, use
from schemas.errors import ToolRefused

WHOLE_RESULTS = 2**26  # characters: scripts pass on what they get, and must get all of it


def scripted_agent(name: str, usual: Mapping[str, Sequence[str | None]]) -> Solver:
    """Follows a script of SCRIPTED; `usual` is the usual answer of each task."""
    script = SCRIPTED[name].script(usual)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async def called(tool: str, /, **arguments: object) -> Any:  # noqa: ANN401
            count_action(state)
            answer = await use(tool, arguments)
            if answer.error:
                raise ToolRefused(answer.error.message)
            return _value(answer.text)

        given = Given(
            state.metadata["task"],
            state.input_text,
            state.metadata["parameters"],
            state.metadata["evidence"],
        )
        answer = await script(given, called)
        if answer is None:
            return give_up(state, "the agent did nothing")
        await called(SUBMIT, content=answer)
        return submit(state, answer)

    return solve


def _value(text: str) -> Any:  # noqa: ANN401
    """A tool's result again: JSON, or a text as it is."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
