"""The scripted agents by name, each with the tasks that it fits. They need no model, and show what
a score is worth.

The oracle follows each task's way by the tools alone: it shows that an answer can be found, and
proves the tools. It knows the parameters (for routing and trends the product and issue that agents
have to find) and the evidence. The others don't try: they answer by the first record that a query
finds, the words of the query alone, the usual answer; or they go the right way in a wrong window or
to the wrong end.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orgweave.benchmark.evaluate.answers import extract
from orgweave.benchmark.registry import TASKS
from orgweave.benchmark.scripts.script import NONE, CallTool, Script, ScriptInput, said
from orgweave.benchmark.scripts.windows import shifted, window_of

UsualAnswers = Mapping[str, Sequence[str | None]]
"""The usual answer of each task."""
OTHER_END = {
    "find_id_with_max_value": "find_id_with_min_value",
    "find_id_with_min_value": "find_id_with_max_value",
    "get_agents_with_max_cases": "get_agents_with_min_cases",
    "get_agents_with_min_cases": "get_agents_with_max_cases",
}


@dataclass(frozen=True, slots=True)
class ScriptedAgent:
    """A scripted agent: its script, made from the usual answers (which only one of them looks at),
    and the tasks it fits.
    """

    script: Callable[[UsualAnswers], Script]
    tasks: tuple[str, ...] = tuple(TASKS)


async def oracle(given: ScriptInput, call: CallTool) -> str | None:
    """The way of the task."""
    return await TASKS[given.task].oracle(given, call)


async def noop(given: ScriptInput, call: CallTool) -> None:
    """Does nothing and submits nothing."""


async def none(given: ScriptInput, call: CallTool) -> str:
    """Says of everything that nothing answers it."""
    return NONE


async def first_record(given: ScriptInput, call: CallTool) -> str | None:
    """The first record of the query that belongs to the task."""
    return await TASKS[given.task].first_record(given, call)


async def wrong_window(given: ScriptInput, call: CallTool) -> str | None:
    """The right way in the wrong window: the one of the same length that lies before."""
    start, end = shifted(await window_of(given, call))
    parameters = {**given.parameters, "start": start, "end": end}
    # Without its name in words the window is taken as it is.
    parameters.pop("period", None)
    parameters.pop("interval", None)
    return await oracle(replace(given, parameters=parameters), call)


async def swapped_extremum(given: ScriptInput, call: CallTool) -> str | None:
    """The right way to the wrong end: the least in place of the greatest."""

    async def swapped(tool: str, /, **arguments: object) -> Any:  # noqa: ANN401
        return await call(OTHER_END.get(tool, tool), **arguments)

    return await oracle(given, swapped)


async def text_only(given: ScriptInput, call: CallTool) -> str:
    """What the query itself holds of the kind that is asked for; of a free text the query."""
    found = extract(given.query, TASKS[given.task].answers) or []
    return said(value for value in found if value is not None)


def most_frequent(usual: UsualAnswers) -> Script:
    """The usual answer of the task, whatever is asked."""

    async def script(given: ScriptInput, call: CallTool) -> str:
        return said(value for value in usual[given.task] if value is not None)

    return script


def usual_answers(
    golds: Iterable[tuple[str, tuple[str | None, ...]]],
) -> dict[str, list[str | None]]:
    """The commonest gold answer of each task, the first of those as common, from pairs of a task
    and a gold answer.
    """
    by_task: dict[str, Counter[tuple[str | None, ...]]] = defaultdict(Counter)
    for task, answer in golds:
        by_task[task][answer] += 1
    usual = {}
    for task, counts in by_task.items():
        ((answer, _),) = counts.most_common(1)
        usual[task] = list(answer)
    return usual


WITH_WINDOW = tuple(name for name, task in TASKS.items() if task.has_window)
WITH_EXTREME = tuple(name for name, task in TASKS.items() if task.has_extreme)
SCRIPTED: dict[str, ScriptedAgent] = {
    "oracle": ScriptedAgent(lambda usual: oracle),
    "noop": ScriptedAgent(lambda usual: noop),
    "none": ScriptedAgent(lambda usual: none),
    "first_record": ScriptedAgent(lambda usual: first_record),
    "wrong_window": ScriptedAgent(lambda usual: wrong_window, WITH_WINDOW),
    "swapped_extremum": ScriptedAgent(lambda usual: swapped_extremum, WITH_EXTREME),
    "most_frequent": ScriptedAgent(most_frequent),
    "text_only": ScriptedAgent(lambda usual: text_only),
}
