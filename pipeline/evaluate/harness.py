"""An evaluation run by Inspect, as `inspect eval` runs it. Knows no table."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog

from pipeline.evaluate.build import MODEL_AGENTS
from schemas.errors import BadInput, RunFailed

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
    display: Literal["plain", "none"] = "plain"


def evaluate(made: Task, agent: str, running: Running) -> EvalLog:
    """Puts a task to its agent and gives the log; raises BadInput before anything is asked, RunFailed where the whole run fails."""
    if running.epochs < 1:
        raise BadInput(f"--epochs {running.epochs}: must be at least 1 trial of each instance")
    (log,) = inspect_eval(
        made,
        model=model_of(agent, running.model),
        model_base_url=running.base_url if agent in MODEL_AGENTS else None,
        epochs=running.epochs,
        max_connections=running.max_connections,
        time_limit=running.time_limit,
        log_dir=str(running.log_dir),
        display=running.display,
        log_realtime=False,
    )
    if log.status != "success":
        raise RunFailed(f"{log.location}: the evaluation ended as {log.status} ({log.error.message if log.error else 'see the log'}); for more: inspect view --log-dir {running.log_dir}")
    return log


def model_of(agent: str, model: str | None) -> str:
    """The model that plays the agent; scripted ones are played by none. Raises BadInput where one is needed and none is named."""
    if agent not in MODEL_AGENTS:
        return NO_MODEL
    if not model:
        raise BadInput(f"--agent {agent}: is played by a model; name one in Inspect's form, such as --model openai/gpt-4o-mini")
    return model
