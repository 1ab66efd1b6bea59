"""What agents scored, read from Inspect's logs and summed up: by task, answerable and not, pass^k,
turns, tokens, cost.

Example: `summed_up(trials_of(Path("logs/x.eval")))["NCR"].mean` is the share of routing instances
answered rightly.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
)

from orgweave.benchmark.evaluate.metrics import LARGEST_K, mean, pass_hat_k, standard_error
from orgweave.benchmark.registry import TASKS
from pipeline.model.prices import price_of
from schemas.errors import BadInput

ALL = "ALL"
SHORTS = tuple(kind.short for kind in TASKS.values())
SCORER = "answer_score"
Key = tuple[str, str, str]
"""Agent, model and org of a log."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One try at one instance: its score from 0 to 1, whether its score is all or nothing, turns,
    tokens, dollars (None without a known price).
    """

    instance: str
    short: str
    answerable: bool
    binary: bool
    value: float
    turns: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Figures:
    """Of some trials: instances, mean score and its standard error over instances, pass^k by k,
    means of turns, tokens and dollars a trial.
    """

    instances: int
    mean: float
    error: float
    passes: Mapping[int, float]
    turns: float
    tokens_in: float
    tokens_out: float
    cost: float | None
    failed: int


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """What one agent scored with one model, from one or several logs; figures by a task's short
    name and ALL.
    """

    agent: str
    model: str
    org: str
    every: Mapping[str, Figures]
    answerable: Mapping[str, Figures]
    unanswerable: Mapping[str, Figures]

    @property
    def name(self) -> str:
        """`react openai/gpt-4o on shoes`; a scripted agent has no model."""
        player = self.agent if self.model.startswith("mockllm/") else f"{self.agent} {self.model}"
        return f"{player} on {self.org}"


def read_rows(
    places: Sequence[Path], skipped: Callable[[str], None] = lambda reason: None
) -> list[ScoreRow]:
    """A row for each agent, model and org in the logs of these files and folders; raises BadInput
    where there is none.

    Where an instance stands in several logs of a row, the latest log counts. A damaged log in a
    folder is skipped, and `skipped` told why; one that
    is named itself raises BadInput.
    """
    found: dict[Key, dict[str, list[Trial]]] = defaultdict(dict)
    for place in places:
        for path in log_files(place):
            try:
                key, trials = read_log(path)
            except BadInput as error:
                if place.is_file():
                    raise
                skipped(str(error))
            else:
                found[key] |= by_instance(trials)
    if not any(found.values()):
        raise BadInput(
            f"{', '.join(map(str, places))}: holds no finished sample of the task crm; name the"
            " folder of an evaluation's logs"
        )
    return [
        row_of(*key, [one for own in instances.values() for one in own])
        for key, instances in found.items()
        if instances
    ]


def read_log(path: str) -> tuple[Key, list[Trial]]:
    """Whose log it is, and its trials, none where it is of another task; raises BadInput for what
    is no log or a damaged one.
    """
    try:
        header = read_eval_log(path, header_only=True)
        key = (
            str(header.eval.task_args.get("agent", "act")),
            header.eval.model,
            Path(str(header.eval.task_args.get("org", ""))).name,
        )
        return key, trials_of(path, header) if header.eval.task.split("/")[-1] == "crm" else []
    except Exception as error:  # noqa: BLE001 (reading a damaged log raises whatever its damage meets)
        raise BadInput(
            f"{path.removeprefix('file://')}: can't be read as a log of the task crm"
            f" ({_first_line(error)}); name a .eval file of a finished evaluation, or a folder of"
            " them"
        ) from error


def log_files(place: Path) -> list[str]:
    """The logs in a folder, or the one that is named;
    raises BadInput where there is no such place.
    """
    if not place.exists():
        raise BadInput(f"{place}: no such log or folder of logs")
    return (
        [str(place)]
        if place.is_file()
        else [
            log.name
            for log in list_eval_logs(str(place.resolve()), recursive=True, descending=False)
        ]
    )


def trials_of(path: str, header: EvalLog) -> list[Trial]:
    """The trials of one log, from the summaries of its samples; those that an interrupt broke off
    are none.
    """
    interrupted = header.status == "cancelled"
    return [
        _trial(sample, header)
        for sample in read_eval_log_sample_summaries(path)
        if sample.completed and not (interrupted and sample.error is not None)
    ]


def by_instance(trials: Sequence[Trial]) -> dict[str, list[Trial]]:
    """The trials of each instance."""
    tried: dict[str, list[Trial]] = defaultdict(list)
    for one in trials:
        tried[one.instance].append(one)
    return tried


def row_of(agent: str, model: str, org: str, trials: Sequence[Trial]) -> ScoreRow:
    """All that is told of an agent's trials."""
    return ScoreRow(
        agent,
        model,
        org,
        summed_up(trials),
        summed_up([one for one in trials if one.answerable]),
        summed_up([one for one in trials if not one.answerable]),
    )


def summed_up(trials: Sequence[Trial]) -> dict[str, Figures]:
    """Figures by task, those that have trials, and of all: the means over tasks of their figures,
    as the paper has them.
    """
    by_task = {short: [one for one in trials if one.short == short] for short in SHORTS}
    figures = {short: figures_of(own) for short, own in by_task.items() if own}
    return {**figures, ALL: _over_tasks(trials, list(figures.values()))} if figures else {}


def figures_of(trials: Sequence[Trial]) -> Figures:
    """Figures of one task's trials; pass^k for what is all or nothing, as far as every instance was
    tried.
    """
    tried = by_instance(trials)
    scores = [mean([one.value for one in own]) for own in tried.values()]
    right = [[one.value == 1.0 for one in own] for own in tried.values()]
    most = min(LARGEST_K, *map(len, right)) if all(one.binary for one in trials) else 0
    return Figures(
        len(tried),
        mean(scores),
        standard_error(scores),
        {k: pass_hat_k(right, k) for k in range(1, most + 1)},
        mean([one.turns for one in trials]),
        mean([one.tokens_in for one in trials]),
        mean([one.tokens_out for one in trials]),
        _mean_cost(trials),
        sum(one.failed for one in trials),
    )


def _over_tasks(trials: Sequence[Trial], tasks: Sequence[Figures]) -> Figures:
    def average(of: Callable[[Figures], float]) -> float:
        return mean([of(one) for one in tasks])

    binary = [one for one in tasks if one.passes]
    errors = [one.error for one in tasks]
    return Figures(
        sum(one.instances for one in tasks),
        average(lambda one: one.mean),
        sum(error**2 for error in errors) ** 0.5 / len(errors),
        {
            k: mean([one.passes[k] for one in binary])
            for k in (min((one.passes for one in binary), key=len) if binary else ())
        },
        average(lambda one: one.turns),
        average(lambda one: one.tokens_in),
        average(lambda one: one.tokens_out),
        _mean_cost(trials),
        sum(one.failed for one in tasks),
    )


def _mean_cost(trials: Sequence[Trial]) -> float | None:
    costs = [one.cost for one in trials if one.cost is not None]
    return mean(costs) if len(costs) == len(trials) and costs else None


def _trial(sample: EvalSampleSummary, header: EvalLog) -> Trial:
    score = (sample.scores or {}).get(SCORER)
    known = (score.metadata or {}) if score else {}
    value = score.value if score else 0.0
    usage = list(sample.model_usage.items())
    return Trial(
        str(sample.id),
        str(sample.metadata["short"]),
        bool(sample.metadata["answerable"]),
        sample.metadata["reward_metric"] == "exact_match",
        float(value) if isinstance(value, int | float) else 0.0,
        int(known.get("actions", 0)),
        sum(_prompt_tokens(one) for _, one in usage),
        sum(one.output_tokens for _, one in usage),
        _cost(
            {name: (_prompt_tokens(one), one.output_tokens) for name, one in usage},
            header.eval.model_base_url or "",
        ),
        sample.error is not None or sample.limit is not None,
    )


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def _prompt_tokens(usage: object) -> int:
    """All tokens of the prompts, read from a cache or not."""
    return sum(
        int(getattr(usage, name, None) or 0)
        for name in ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
    )


def _cost(usage: Mapping[str, tuple[int, int]], base_url: str) -> float | None:
    """Dollars of all models' tokens; None where one has no known price, 0 where none was called."""
    prices = {name: price_of(name.split("/", 1)[-1], base_url) for name in usage}
    return (
        sum(prices[name].of(*tokens) for name, tokens in usage.items())
        if all(price.known for price in prices.values())
        else None
    )
