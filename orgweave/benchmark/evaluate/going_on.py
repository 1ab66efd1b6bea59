"""An evaluation that was broken off goes on: what its log holds is asked no second time.

A log tells by its metadata which org and which tasks it is about and what was asked for. Only the
newest log for which all of that is the same is gone on with, and none that was finished.
"""

from dataclasses import dataclass, fields
from pathlib import Path

from inspect_ai import Task

# What `inspect eval-retry` makes of a log. No public name leads to it that takes a task which is
# made already; the upper bound of inspect-ai in pyproject.toml keeps it where it is.
from inspect_ai._eval.task.task import PreviousTask
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from orgweave.benchmark.evaluate.build import EvaluationRequest
from orgweave.benchmark.evaluate.results import place_of
from pipeline.atomic import sha256_of
from pipeline.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class LogConditions:
    """What beside the task must be the same: the model and its endpoint, trials, time a sample."""

    model: str
    base_url: str | None
    epochs: int
    time_limit: int | None


def identity_of(wanted: EvaluationRequest) -> dict[str, object]:
    """What a log keeps of an evaluation: the SHA-256 of its org and of its tasks, all options.

    Where the folder lies is none of it, and neither is whether an edited org is taken: then its
    SHA-256 is another.
    """
    run = RunFolder(wanted.folder)
    asked: dict[str, object] = {}
    for field in fields(wanted):
        if field.name not in ("folder", "trust"):
            value = getattr(wanted, field.name)
            asked[field.name] = list(value) if isinstance(value, tuple) else value
    return {
        "org_sha256": sha256_of(run.org_file),
        "tasks_sha256": sha256_of(run.tasks_folder / "tasks.jsonl"),
        "asked": asked,
    }


def broken_off(log_dir: Path, made: Task, running: LogConditions) -> EvalLog | None:
    """The newest log of the same evaluation with its samples, where it was broken off, else None.

    A damaged log is passed over.
    """
    if not log_dir.is_dir():
        return None
    logs = list_eval_logs(str(log_dir.resolve()), recursive=False, descending=True)
    for info in logs:
        place = place_of(info.name)
        header = _readable(place, header_only=True)
        if header is not None and _is_same(header, made, running):
            return None if header.status == "success" else _readable(place, header_only=False)
    return None


def gone_on(made: Task, log: EvalLog) -> PreviousTask:
    """The task as Inspect goes on with it."""
    return PreviousTask(
        id=log.eval.task_id,
        task=made,
        task_args=log.eval.task_args,
        model=None,
        model_roles=None,
        sandbox=None,
        log=log,
        log_info=None,
    )


def finished_samples(log: EvalLog) -> int:
    """How many samples of a log are done and need no second asking."""
    return sum(sample.error is None for sample in log.samples or [])


def _readable(name: str, header_only: bool) -> EvalLog | None:
    try:
        return read_eval_log(name, header_only=header_only)
    except Exception:  # noqa: BLE001 (reading a damaged log raises whatever its damage meets)
        return None


def _is_same(log: EvalLog, made: Task, running: LogConditions) -> bool:
    was, config = log.eval, log.eval.config
    return (
        was.metadata == made.metadata
        and was.model == running.model
        and (was.model_base_url or None) == (running.base_url or None)
        and (config.epochs or 1) == running.epochs
        and config.time_limit == running.time_limit
    )
