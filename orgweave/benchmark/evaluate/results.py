"""What agents scored, read from Inspect's logs and summed up: by task, answerable and not, pass^k,
turns, tokens, cost.

Example: `summed_up(trials_of("logs/x.eval", header))["NCR"].mean` is the share of routing instances
answered rightly.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
)

from orgweave.benchmark.metrics import LARGEST_K, clustered_error, mean, pass_hat_k
from orgweave.benchmark.registry import TASKS
from pipeline.model.prices import price_of
from schemas.errors import BadInput

ALL = "ALL"
SHORTS = tuple(task.short for task in TASKS.values())
SCORER = "answer_score"
PROMPT_TOKENS = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
LogOwner = tuple[str, str, str, str, str]
"""Agent, model, org, and the SHA-256 of the org and of the tasks of a log, empty in older logs."""
SHOWN_DIGITS = 8
"""Of a SHA-256, where two orgs have one name."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One try at one instance.

    Args:
        instance: the instance's id.
        short: its task's short name.
        answerable: whether anything answers it.
        binary: whether its score is all or nothing.
        value: its score from 0 to 1.
        turns: turns that the agent took.
        tokens_in: tokens of all prompts.
        tokens_out: tokens that the models wrote.
        cost: dollars, None without a known price.
        failed: whether it was stopped or failed.
        group: the same for twins; the instance's own id in older logs.
        fact: the same for instances that rest on one fact; its own id in older logs.
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
    group: str = ""
    fact: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """What some trials come to: the number of instances, the mean score and its standard error over
    the facts that they rest on, the number of groups of twins and the share of those that are right
    as a whole, pass^k by k, the means of turns, tokens and dollars a trial, the number that failed.
    """

    instances: int
    mean: float
    error: float
    groups: int
    whole: float
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

    `instances` is a digest of the instances that were tried: rows can be compared where it is the
    same. Both SHA-256 are empty for older logs.
    """

    agent: str
    model: str
    org: str
    org_sha256: str
    tasks_sha256: str
    instances: str
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

    Two orgs in folders of the same name are two, by their SHA-256, which their names then show; so
    are two sets of tasks of one org.
    Where an instance stands in several logs of a row, the latest log counts. A damaged log in a
    folder is skipped, and `skipped` told why; one that is named itself raises BadInput.
    """
    found: dict[LogOwner, dict[str, list[Trial]]] = defaultdict(dict)
    for place in places:
        for path in log_files(place):
            try:
                owner, trials = read_log(path)
            except BadInput as error:
                if place.is_file():
                    raise
                skipped(str(error))
            else:
                found[owner] |= by_instance(trials)
    rows = []
    for owner, instances in found.items():
        trials = list(chain.from_iterable(instances.values()))
        if trials:
            rows.append(row_of(owner, _org_name(owner, list(found)), trials))
    if not rows:
        raise BadInput(
            f"{', '.join(map(str, places))}: holds no finished sample of the task crm; name the"
            " folder of an evaluation's logs"
        )
    return rows


def _org_name(owner: LogOwner, owners: Sequence[LogOwner]) -> str:
    """An org's name, with the digests' first digits where another one, or other tasks of it, have
    the same.
    """
    _, _, org, org_sha256, tasks_sha256 = owner
    orgs = {other[3] for other in owners if other[2] == org}
    tasks = {other[4] for other in owners if other[2:4] == owner[2:4]}
    name = f"{org} {org_sha256[:SHOWN_DIGITS]}".strip() if len(orgs) > 1 else org
    if len(tasks) > 1:
        name = f"{name}, tasks {tasks_sha256[:SHOWN_DIGITS] or 'of an older log'}"
    return name


def read_log(path: str) -> tuple[LogOwner, list[Trial]]:
    """Whose log it is, and its trials, none where it is of another task; raises BadInput for what
    is no log or a damaged one.
    """
    try:
        header = read_eval_log(path, header_only=True)
        arguments = header.eval.task_args
        agent = str(arguments.get("agent", "act"))
        org = Path(str(arguments.get("org", ""))).name
        is_ours = header.eval.task.split("/")[-1] == "crm"
        trials = trials_of(path, header) if is_ours else []
        noted = header.eval.metadata or {}
        digests = (str(noted.get("org_sha256", "")), str(noted.get("tasks_sha256", "")))
        return (agent, header.eval.model, org, *digests), trials
    # Reading a damaged log raises whatever its damage meets.
    except Exception as error:  # noqa: BLE001
        raise BadInput(
            f"{path}: can't be read as a log of the task crm"
            f" ({_first_line(error)}); name a .eval file of a finished evaluation, or a folder of"
            " them"
        ) from error


def log_files(place: Path) -> list[str]:
    """The logs in a folder, or the one that is named; raises BadInput where there is no such
    place.
    """
    if not place.exists():
        raise BadInput(f"{place}: no such log or folder of logs")
    if place.is_file():
        return [str(place)]
    logs = list_eval_logs(
        str(place.resolve()),
        recursive=True,
        descending=False,
    )
    return [place_of(log.name) for log in logs]


def place_of(log_name: str) -> str:
    """Where a log lies, without the scheme: behind it a `?` in a folder's name begins a query."""
    return log_name.removeprefix("file://")


def trials_of(path: str, header: EvalLog) -> list[Trial]:
    """The trials of one log, from the summaries of its samples; those that an interrupt broke off
    are none.
    """
    interrupted = header.status == "cancelled"
    trials = []
    for sample in read_eval_log_sample_summaries(path):
        broken_off = interrupted and sample.error is not None
        if sample.completed and not broken_off:
            trials.append(_trial(sample, header))
    return trials


def by_instance(trials: Sequence[Trial]) -> dict[str, list[Trial]]:
    """The trials of each instance."""
    tried: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        tried[trial.instance].append(trial)
    return tried


def row_of(owner: LogOwner, org: str, trials: Sequence[Trial]) -> ScoreRow:
    """All that is told of an agent's trials; `org` is the name to be shown."""
    agent, model, _, org_sha256, tasks_sha256 = owner
    names = sorted({trial.instance for trial in trials})
    tried = hashlib.sha256("\n".join([org_sha256, tasks_sha256, *names]).encode())
    return ScoreRow(
        agent=agent,
        model=model,
        org=org,
        org_sha256=org_sha256,
        tasks_sha256=tasks_sha256,
        instances=tried.hexdigest(),
        every=summed_up(trials),
        answerable=summed_up([trial for trial in trials if trial.answerable]),
        unanswerable=summed_up([trial for trial in trials if not trial.answerable]),
    )


def summed_up(trials: Sequence[Trial]) -> dict[str, Figures]:
    """Figures by task, for those that have trials, and of all: the means over tasks of their
    figures, as the paper has them.
    """
    figures = {}
    for short in SHORTS:
        own = [trial for trial in trials if trial.short == short]
        if own:
            figures[short] = figures_of(own)
    if not figures:
        return {}
    return {**figures, ALL: _over_tasks(trials, list(figures.values()))}


def figures_of(trials: Sequence[Trial]) -> Figures:
    """Figures of one task's trials; pass^k for what is all or nothing, as far as every instance was
    tried.
    """
    tried = by_instance(trials).values()
    scores = []
    successes = []
    facts = []
    groups: dict[str, list[float]] = defaultdict(list)
    for own in tried:
        scores.append(mean([trial.value for trial in own]))
        successes.append([trial.value == 1.0 for trial in own])
        facts.append(own[0].fact or own[0].instance)
        # A group is right as often as the worst of its instances is.
        groups[own[0].group or own[0].instance].append(mean([float(ok) for ok in successes[-1]]))
    most = 0
    if all(trial.binary for trial in trials):
        most = min(LARGEST_K, *(len(own) for own in successes))
    return Figures(
        instances=len(tried),
        mean=mean(scores),
        error=clustered_error(scores, facts),
        groups=len(groups),
        whole=mean([min(group) for group in groups.values()]),
        passes={k: pass_hat_k(successes, k) for k in range(1, most + 1)},
        turns=mean([trial.turns for trial in trials]),
        tokens_in=mean([trial.tokens_in for trial in trials]),
        tokens_out=mean([trial.tokens_out for trial in trials]),
        cost=_mean_cost(trials),
        failed=sum(trial.failed for trial in trials),
    )


def _over_tasks(trials: Sequence[Trial], tasks: Sequence[Figures]) -> Figures:
    squared_errors = sum(figures.error**2 for figures in tasks)
    return Figures(
        instances=sum(figures.instances for figures in tasks),
        mean=mean([figures.mean for figures in tasks]),
        error=squared_errors**0.5 / len(tasks),
        groups=sum(figures.groups for figures in tasks),
        whole=mean([figures.whole for figures in tasks]),
        passes=_passes_over_tasks(tasks),
        turns=mean([figures.turns for figures in tasks]),
        tokens_in=mean([figures.tokens_in for figures in tasks]),
        tokens_out=mean([figures.tokens_out for figures in tasks]),
        cost=_mean_cost(trials),
        failed=sum(figures.failed for figures in tasks),
    )


def _passes_over_tasks(tasks: Sequence[Figures]) -> dict[int, float]:
    """pass^k over the tasks whose scores are all or nothing, for each k that all of them have."""
    passes = [figures.passes for figures in tasks if figures.passes]
    common = min(passes, key=len, default={})
    return {k: mean([own[k] for own in passes]) for k in common}


def _mean_cost(trials: Sequence[Trial]) -> float | None:
    """Dollars a trial; None where the price of one is not known."""
    costs = [trial.cost for trial in trials if trial.cost is not None]
    return mean(costs) if len(costs) == len(trials) and costs else None


def _trial(sample: EvalSampleSummary, header: EvalLog) -> Trial:
    score = (sample.scores or {}).get(SCORER)
    noted = (score.metadata or {}) if score else {}
    value = score.value if score else 0.0
    usage = {}
    for model, used in sample.model_usage.items():
        usage[model] = (_prompt_tokens(used), used.output_tokens)
    return Trial(
        instance=str(sample.id),
        short=str(sample.metadata["short"]),
        answerable=bool(sample.metadata["answerable"]),
        binary=sample.metadata["reward_metric"] != "token_f1",
        value=float(value) if isinstance(value, int | float) else 0.0,
        turns=int(noted.get("actions", 0)),
        tokens_in=sum(tokens for tokens, _ in usage.values()),
        tokens_out=sum(tokens for _, tokens in usage.values()),
        cost=_cost(usage, header.eval.model_base_url or ""),
        failed=sample.error is not None or sample.limit is not None,
        group=str(sample.metadata.get("group", "")),
        fact=str(sample.metadata.get("fact", "")),
    )


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0] if lines and lines[0] else type(error).__name__


def _prompt_tokens(usage: object) -> int:
    """All tokens of the prompts, read from a cache or not."""
    return sum(int(getattr(usage, name, None) or 0) for name in PROMPT_TOKENS)


def _cost(usage: Mapping[str, tuple[int, int]], base_url: str) -> float | None:
    """Dollars of all models' tokens; None where one has no known price, 0 where none was called."""
    dollars = 0.0
    for model, (tokens_in, tokens_out) in usage.items():
        price = price_of(model.split("/", 1)[-1], base_url)
        if not price.known:
            return None
        dollars += price.of(tokens_in, tokens_out)
    return dollars
