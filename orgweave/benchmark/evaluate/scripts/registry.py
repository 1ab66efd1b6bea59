"""The scripted agents by name, each with the tasks that it fits: without a window there is none to
shift, without an extreme no other end.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orgweave.benchmark.evaluate.instances import TASKS
from orgweave.benchmark.evaluate.scripts import baselines, oracle
from orgweave.benchmark.evaluate.scripts.answering import knowledge_qa
from orgweave.benchmark.evaluate.scripts.script import Given, Script, Use
from orgweave.benchmark.evaluate.scripts.windows import shifted, window_of

ORACLE: dict[str, Script] = {
    "case_routing": oracle.case_routing,
    "handle_time": oracle.handle_time,
    "transfer_count": oracle.transfer_count,
    "named_entity_disambiguation": oracle.named_entity_disambiguation,
    "policy_violation_identification": oracle.policy_violation_identification,
    "knowledge_qa": knowledge_qa,
    "top_issue_identification": oracle.top_issue_identification,
    "monthly_trend_analysis": oracle.monthly_trend_analysis,
    "best_region_identification": oracle.best_region_identification,
}
Usual = Mapping[str, Sequence[str | None]]
WINDOWED = (
    "handle_time",
    "transfer_count",
    "top_issue_identification",
    "monthly_trend_analysis",
    "best_region_identification",
)
OTHER_END = {
    "find_id_with_max_value": "find_id_with_min_value",
    "get_agents_with_max_cases": "get_agents_with_min_cases",
}


async def follow_oracle(given: Given, use: Use) -> str | None:
    """The way of the task."""
    return await ORACLE[given.task](given, use)


async def wrong_window(given: Given, use: Use) -> str | None:
    """The right way in the wrong window: the one of the same length that lies before."""
    start, end = shifted(await window_of(given, use))
    rest = {
        name: value
        for name, value in given.parameters.items()
        if name not in ("period", "interval")
    }
    return await ORACLE[given.task](
        replace(given, parameters={**rest, "start": start, "end": end}), use
    )


async def swapped_extremum(given: Given, use: Use) -> str | None:
    """The right way to the wrong end: the least in place of the greatest."""
    other = OTHER_END | {least: greatest for greatest, least in OTHER_END.items()}

    async def swapped(tool: str, /, **arguments: object) -> Any:  # noqa: ANN401
        return await use(other.get(tool, tool), **arguments)

    return await ORACLE[given.task](given, swapped)


@dataclass(frozen=True, slots=True)
class Scripted:
    """A scripted agent: its script, made from the usual answers (which only one of them looks at),
    and the tasks it fits.
    """

    script: Callable[[Usual], Script]
    tasks: tuple[str, ...] = tuple(TASKS)


SCRIPTED: dict[str, Scripted] = {
    "oracle": Scripted(lambda usual: follow_oracle),
    "noop": Scripted(lambda usual: baselines.noop),
    "none": Scripted(lambda usual: baselines.none),
    "first_record": Scripted(lambda usual: baselines.first_record),
    "wrong_window": Scripted(lambda usual: wrong_window, WINDOWED),
    "swapped_extremum": Scripted(lambda usual: swapped_extremum, (*WINDOWED, "case_routing")),
    "most_frequent": Scripted(baselines.most_frequent),
    "text_only": Scripted(lambda usual: baselines.text_only),
}
