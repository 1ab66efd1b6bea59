"""What agents said to each instance, from the logs of their evaluations."""

from collections import defaultdict
from pathlib import Path

from inspect_ai.log import EvalSampleSummary, read_eval_log, read_eval_log_sample_summaries

from orgweave.benchmark.evaluate.results import SCORER, log_files
from orgweave.explore.lessons import ShownAttempt

LONGEST_ANSWER = 2_000
"""Letters of an answer that are kept."""


def read_attempts(
    folder: Path, tasks_sha256: str
) -> tuple[dict[str, list[ShownAttempt]], list[str]]:
    """By instance what each agent said of it, the latest log last, and a note for each log that is
    of other tasks or can't be read.
    """
    found: dict[str, dict[str, ShownAttempt]] = defaultdict(dict)
    notes = []
    for path in log_files(folder):
        name = Path(path).name
        try:
            header = read_eval_log(path, header_only=True)
            summaries = read_eval_log_sample_summaries(path)
        # Reading a damaged log raises whatever its damage meets.
        except Exception as error:  # noqa: BLE001
            notes.append(f"{name}: can't be read ({type(error).__name__})")
            continue
        if (header.eval.metadata or {}).get("tasks_sha256") != tasks_sha256:
            notes.append(f"{name}: is of other tasks than those that lie here, and isn't shown")
            continue
        agent = str(header.eval.task_args.get("agent", "act"))
        if not header.eval.model.startswith("mockllm/"):
            agent = f"{agent} {header.eval.model}"
        for sample in summaries:
            attempt = _attempt(agent, sample)
            if attempt is not None:
                found[str(sample.id)][agent] = attempt
    return {key: list(said.values()) for key, said in found.items()}, notes


def _attempt(agent: str, sample: EvalSampleSummary) -> ShownAttempt | None:
    score = (sample.scores or {}).get(SCORER)
    if score is None or not sample.completed:
        return None
    value = float(score.value) if isinstance(score.value, int | float) else 0.0
    answer = (score.answer or "")[:LONGEST_ANSWER]
    return ShownAttempt(agent, value, answer, score.explanation or "")
