"""The list of tasks: the nine of the CRMArena paper (section 3.1, tables 1 and 9) in its order,
then those that go beyond it.

Making, proving, evaluating and `verify.py` go by this list; there is no other. A definition that
lacks a part fails when it is made, so importing this module tells of it.
"""

from collections.abc import Mapping

from orgweave.benchmark.task import TaskDefinition
from orgweave.benchmark.tasks import (
    best_region_identification,
    case_action,
    case_chain,
    case_routing,
    handle_time,
    knowledge_qa,
    monthly_trend_analysis,
    named_entity_disambiguation,
    policy_violation_identification,
    top_issue_identification,
    transfer_count,
)
from schemas.errors import SchemaError

TASKS: dict[str, TaskDefinition] = {
    "case_routing": case_routing.TASK,
    "handle_time": handle_time.TASK,
    "transfer_count": transfer_count.TASK,
    "named_entity_disambiguation": named_entity_disambiguation.TASK,
    "policy_violation_identification": policy_violation_identification.TASK,
    "knowledge_qa": knowledge_qa.TASK,
    "top_issue_identification": top_issue_identification.TASK,
    "monthly_trend_analysis": monthly_trend_analysis.TASK,
    "best_region_identification": best_region_identification.TASK,
    "case_chain": case_chain.TASK,
    "case_action": case_action.TASK,
}


def check_tasks(tasks: Mapping[str, TaskDefinition]) -> None:
    """Raises SchemaError for what no type can see: an empty text, a second computation without the
    third, a short name twice.
    """
    shorts: dict[str, str] = {}
    for name, task in tasks.items():
        place = f"task {name}"
        if not task.texts.seeds:
            raise SchemaError(f"{place}: has no seed query; add one to texts.seeds")
        if not task.texts.required:
            raise SchemaError(f"{place}: tells agents no definition; write texts.required")
        if (task.soql_truth is None) != (task.verify_sql is None):
            raise SchemaError(
                f"{place}: has soql_truth or verify_sql alone; give both, or None for both"
            )
        if task.short in shorts:
            raise SchemaError(
                f"{place}: its short name {task.short} is that of {shorts[task.short]} already;"
                " choose another"
            )
        shorts[task.short] = name


def check_wordings(rules: Mapping[str, object], names: list[str]) -> None:
    """Raises SchemaError where the lexicon has no wording for a seed query of these tasks."""
    for name in names:
        for seed in TASKS[name].texts.seeds:
            rule = f"task.{name}.{seed}"
            if rule not in rules:
                raise SchemaError(
                    f"task {name}: its seed query {seed} has no wording; add the rule {rule} to"
                    " schemas/lexicons/base/tasks.yaml"
                )


check_tasks(TASKS)
