"""An evaluation run by Inspect, as `inspect eval orgweave/crm` runs it. Knows no table."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog

from pipeline.evaluate.build import MODEL_AGENTS, TOKEN, Wanted, chosen_instances
from schemas.errors import BadInput, RunFailed

TASK = "orgweave/crm"
NO_MODEL = "mockllm/model"


@dataclass(frozen=True, slots=True)
class Running:
    """How it is run: the model in Inspect's form and its endpoint, trials of each instance, calls at once, seconds a sample may take, where logs go."""

    model: str | None
    log_dir: Path
    base_url: str | None = None
    epochs: int = 1
    max_connections: int | None = None
    time_limit: int | None = None
    extractor: str | None = None
    server: str | None = None
    token: str = ""
    display: str = "plain"


def evaluate(wanted: Wanted, running: Running) -> EvalLog:
    """Puts the tasks to the agent and gives the finished log; raises BadInput before anything is asked, RunFailed where the whole run fails."""
    chosen_instances(wanted)
    if running.epochs < 1:
        raise BadInput(f"--epochs {running.epochs}: must be at least 1 trial of each instance")
    if running.server:
        os.environ[TOKEN] = running.token or os.environ.get(TOKEN, "")
    (log,) = inspect_eval(
        TASK,
        model=_model(wanted, running),
        model_base_url=running.base_url if wanted.agent in MODEL_AGENTS else None,
        task_args=dict(_task_arguments(wanted, running)),
        epochs=running.epochs,
        max_connections=running.max_connections,
        time_limit=running.time_limit,
        log_dir=str(running.log_dir),
        display=running.display,  # type: ignore[arg-type]
        log_realtime=False,
    )
    if log.status != "success":
        raise RunFailed(f"{log.location}: the evaluation ended as {log.status} ({log.error.message if log.error else 'see the log'}); its log tells more: inspect view --log-dir {running.log_dir}")
    return log


def _model(wanted: Wanted, running: Running) -> str:
    if wanted.agent not in MODEL_AGENTS:
        return NO_MODEL
    if not running.model:
        raise BadInput(f"--agent {wanted.agent}: is played by a model; name one in Inspect's form, such as --model openai/gpt-4o-mini")
    return running.model


def _task_arguments(wanted: Wanted, running: Running) -> Mapping[str, object]:
    """The arguments of the task that differ from its defaults."""
    given = {
        "org": str(wanted.folder),
        "agent": wanted.agent,
        "tasks": ",".join(wanted.tasks),
        "limit": wanted.limit,
        "hints": wanted.hints,
        "actions": wanted.actions,
        "extractor": running.extractor,
        "server": running.server,
    }
    return {name: value for name, value in given.items() if value not in (None, "", False)}
