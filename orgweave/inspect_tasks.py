"""What Inspect registers through its entry point: the task `crm`, its agents, its scorer.

The work is done in orgweave.benchmark.evaluate. Example:
`inspect eval orgweave/crm -T org=outputs/shoes -T agent=react -T
tasks=handle_time,case_routing -T limit=5 --model openai/gpt-4o-mini`.
"""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from weakref import finalize

from inspect_ai import Task, task

# Inspect shows this error as one line, and no public name leads to it: hence the upper bound of
# inspect-ai in pyproject.toml.
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset
from inspect_ai.scorer import Scorer, scorer
from inspect_ai.solver import Solver, solver
from rich.markup import escape

from orgweave.benchmark.evaluate.build import (
    MODEL_AGENTS,
    EvaluationRequest,
    chosen_instances,
    has_local_ids,
    opened,
    sample_of,
    told_of_objects,
    usual_of,
    wanted_of,
)
from orgweave.benchmark.evaluate.going_on import identity_of
from orgweave.benchmark.evaluate.model_agents import MOST_ACTIONS, calling_agent, text_agent
from orgweave.benchmark.evaluate.scorer import METRICS, answer_scorer
from orgweave.benchmark.evaluate.scripted import UsualAnswers
from orgweave.benchmark.evaluate.scripted_agent import WHOLE_RESULTS, scripted_agent
from orgweave.benchmark.evaluate.toolkit import crm_tools
from orgweave.crm.seam import TOKEN
from orgweave.tools.toolbox import LIMIT
from pipeline.run_folder import RunFolder
from schemas.errors import OrgweaveError


@solver
def act(
    schema: str = "",
    actions: int = MOST_ACTIONS,
    hints: bool = False,
) -> Solver:
    """A query or the answer in every turn, no reasoning.

    `schema` is what it is told of the objects.
    """
    return text_agent("act", schema, actions, hints)


@solver
def react(
    schema: str = "",
    actions: int = MOST_ACTIONS,
    hints: bool = False,
) -> Solver:
    """A thought, and a query or the answer, in every turn."""
    return text_agent("react", schema, actions, hints)


@solver
def fc(actions: int = MOST_ACTIONS, hints: bool = False) -> Solver:
    """A tool call in every turn."""
    return calling_agent(actions, hints)


@solver
def scripted(name: str, usual: UsualAnswers | None = None) -> Solver:
    """An agent that needs no model: oracle, noop, none, first_record, wrong_window,
    swapped_extremum, most_frequent, text_only.
    """
    return scripted_agent(name, usual or {})


@scorer(metrics=METRICS)
def answer_score(extractor: str | None = None) -> Scorer:
    """Exact match or token F1.

    `extractor` names a model that is asked for the answer where rules find none.
    """
    return answer_scorer(extractor)


@task
def crm(
    org: str,
    agent: str = "act",
    tasks: str | Sequence[str] = (),
    limit: int | None = None,
    hints: bool = False,
    actions: int = MOST_ACTIONS,
    extractor: str | None = None,
    server: str | None = None,
    trust: bool = False,
) -> Task:
    """The tasks of an org, put to an agent.

    Args:
        org: the folder of a finished run with its tasks, such as outputs/shoes.
        agent: act, react or fc, played by the model; or a scripted one.
        tasks: some of them, separated by commas (default: all).
        limit: instances of each task (default: all).
        hints: whether a model is told the tasks' hints too.
        actions: turns that a model has.
        extractor: a model that is asked for the answer where rules find none.
        trust: whether an org is taken that was edited since it was made.
        server: the instance URL of a CRM to work in, its bearer token being in the environment as
            ORGWEAVE_TOKEN, so that no log holds it; without one the org is opened in process.

    Raises Inspect's PrerequisiteError, which it shows as one line, where one of them can't be used.
    """
    names = tasks
    if isinstance(tasks, str):
        names = [name.strip() for name in tasks.split(",") if name.strip()]
    given = {
        "folder": org,
        "agent": agent,
        "tasks": names,
        "limit": limit,
        "hints": hints,
        "actions": actions,
        "extractor": extractor,
        "server": server,
        "trust": trust,
    }
    try:
        return _made(wanted_of(given))
    except OrgweaveError as error:
        raise PrerequisiteError(escape(f"orgweave: {error}")) from error


def _made(wanted: EvaluationRequest) -> Task:
    instances = chosen_instances(wanted)
    locale = RunFolder(wanted.folder).read_profile().locale
    samples = [sample_of(instance, locale) for instance in instances]
    stack = ExitStack()
    token = os.environ.get(TOKEN, "")
    shared = stack.enter_context(
        opened(wanted.folder, wanted.server, token, has_local_ids(instances))
    )
    made = Task(
        dataset=MemoryDataset(samples, name=wanted.folder.name),
        setup=crm_tools(
            shared,
            LIMIT if wanted.agent in MODEL_AGENTS else WHOLE_RESULTS,
            shown=wanted.agent == "fc",
            folder=wanted.folder if wanted.server is None else None,
        ),
        solver=_agent(wanted, usual_of(instances)),
        scorer=answer_score(wanted.extractor),
        metadata=identity_of(wanted),
        fail_on_error=False,
        score_on_error=True,
    )
    # Inspect has no hook for a task's end, so the CRM is closed with the task itself.
    finalize(made, stack.close)
    return made


def _agent(wanted: EvaluationRequest, usual: UsualAnswers) -> Solver:
    if wanted.agent == "fc":
        return fc(wanted.actions, wanted.hints)
    if wanted.agent in MODEL_AGENTS:
        return {"act": act, "react": react}[wanted.agent](
            told_of_objects(wanted.folder), wanted.actions, wanted.hints
        )
    return scripted(wanted.agent, usual if wanted.agent == "most_frequent" else None)
