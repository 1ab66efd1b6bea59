"""Steps that the scripts of several tasks about agents share."""

from collections.abc import Mapping

from orgweave.benchmark.scripts.script import CallTool, ScriptInput, pairs

FINDERS = {
    "longest": "find_id_with_max_value",
    "most": "find_id_with_max_value",
    "shortest": "find_id_with_min_value",
    "fewest": "find_id_with_min_value",
}
"""The tool that finds each extremum."""


async def qualified_agents(
    given: ScriptInput,
    call: CallTool,
    start: str,
    end: str,
) -> list[str]:
    """Ids of the agents who handled more than n cases."""
    handled = await call(
        "get_agent_handled_cases_by_period",
        start_date=start,
        end_date=end,
    )
    found = await call(
        "get_qualified_agent_ids_by_case_count",
        agent_handled_cases=pairs(handled),
        n_cases=given.parameters["more_than"],
    )
    return [str(agent) for agent in found]


async def extreme(
    given: ScriptInput,
    call: CallTool,
    values: Mapping[str, float],
) -> list[str]:
    """The agents with the largest or smallest value, as the query has it."""
    finder = FINDERS[given.parameters["extremum"]]
    found = await call(finder, values_by_id=pairs(values))
    return [str(agent) for agent in found]
