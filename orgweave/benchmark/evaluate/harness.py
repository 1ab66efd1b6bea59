"""An evaluation run by Inspect, as `inspect eval` runs it. Knows no table."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai._eval.task.task import PreviousTask
from inspect_ai.log import EvalLog, EvalSampleSummary, read_eval_log_sample_summaries

from orgweave.benchmark.evaluate.build import MODEL_AGENTS
from orgweave.benchmark.evaluate.checks import check_model, check_positive, check_url
from orgweave.benchmark.evaluate.endpoint import check_endpoint, model_options
from orgweave.benchmark.evaluate.going_on import LogConditions, broken_off, gone_on
from orgweave.benchmark.evaluate.silence import silence_told
from schemas.errors import BadInput, RunFailed

NO_MODEL = "mockllm/model"
LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Running:
    """How it is run: the model as model_of gives it and its endpoint, trials of each instance,
    calls at once, seconds a sample may take, where logs go.

    Raises BadInput for numbers below 1 and for an endpoint that is no URL.
    """

    model: str
    log_dir: Path
    base_url: str | None = None
    epochs: int = 1
    max_connections: int | None = None
    time_limit: int | None = None
    display: Literal["plain", "none"] = "plain"

    def __post_init__(self) -> None:
        check_positive("--epochs", self.epochs)
        check_positive("--max-connections", self.max_connections)
        check_positive("--time-limit", self.time_limit)
        check_url("--base-url", self.base_url)


def evaluate(
    made: Task,
    agent: str,
    running: Running,
    goes_on: Callable[[EvalLog], None] = lambda log: None,
    tell: Callable[[str], None] = lambda line: None,
) -> EvalLog:
    """Puts a task to its agent and gives the log.

    Where the same evaluation was broken off, its finished samples are kept, and `goes_on` is told
    its log. `tell` is given a line where the endpoint falls silent on the way. Raises Unreachable
    where nothing answers at the model's endpoint, RunFailed where the whole run fails,
    KeyboardInterrupt where it was interrupted.
    """
    base_url = running.base_url if agent in MODEL_AGENTS else None
    if agent in MODEL_AGENTS:
        check_endpoint(running.model, base_url)
    conditions = LogConditions(running.model, base_url, running.epochs, running.time_limit)
    before = broken_off(running.log_dir, made, conditions)
    if before is not None:
        goes_on(before)
    going = made if before is None else gone_on(made, before)
    if agent in MODEL_AGENTS:
        with silence_told(running.model, tell):
            logs = _run(going, running, base_url)
    else:
        logs = _run(going, running, base_url)
    if not logs or logs[0].status == "cancelled":
        # Inspect keeps the interrupt to itself; the command line ends by it
        raise KeyboardInterrupt
    (log,) = logs
    if log.status != "success":
        reason = log.error.message if log.error else "see the log"
        raise RunFailed(
            f"{log.location}: the evaluation ended as {log.status} ({reason}); for more: inspect"
            f" view --log-dir {running.log_dir}"
        )
    return log


def _run(made: Task | PreviousTask, running: Running, base_url: str | None) -> list[EvalLog]:
    return inspect_eval(
        made,
        model=running.model,
        model_base_url=base_url,
        model_args=model_options(running.model, base_url),
        epochs=running.epochs,
        max_connections=running.max_connections,
        time_limit=running.time_limit,
        log_dir=str(running.log_dir),
        display=running.display,
        log_realtime=False,
    )


def model_of(
    agent: str,
    model: str | None,
    base_url: str | None = None,
) -> str:
    """The model that plays the agent; scripted ones are played by none.

    Raises BadInput where one is needed, and none is named or it can't be had.
    """
    if agent not in MODEL_AGENTS:
        return NO_MODEL
    if not model:
        raise BadInput(
            f"--agent {agent}: is played by a model; name one in Inspect's form, such as --model"
            " openai/gpt-4o-mini"
        )
    check_model("--model", model, base_url)
    return model


def failures_of(log: EvalLog) -> tuple[list[str], int]:
    """Why samples failed or were stopped, one line each, and how many samples there are."""
    samples = read_eval_log_sample_summaries(log.location)
    failures = []
    for sample in samples:
        if sample.error is not None or sample.limit is not None:
            failures.append(f"{sample.id}: {_reason(sample)}")
    return failures, len(samples)


def _reason(sample: EvalSampleSummary) -> str:
    if sample.error is None:
        return f"stopped by its {sample.limit} limit"
    reason = " ".join(sample.error.split())
    return reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]} ..."
