"""`evaluate`: put an org's tasks to an agent, and print what it scored."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from orgweave.commands.common import FOLDER, add_trust, named_path
from orgweave.commands.making import tell_page
from orgweave.commands.options import given_token
from orgweave.crm.seam import TOKEN
from pipeline.progress import tell_begun
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput, RunFailed

EXAMPLES = """\
  orgweave evaluate outputs/shoes --agent oracle
  orgweave evaluate outputs/shoes --agent react --model openai/gpt-4o-mini --limit 5
  orgweave evaluate outputs/shoes --agent fc --model openai/gpt-4o-mini --tasks handle_time
"""
if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog

AGENTS = (
    "act, react or fc, which a model plays; or one that needs no model: oracle, noop, none,"
    " first_record, wrong_window, swapped_extremum, most_frequent, text_only"
)


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    command.add_argument("folder", type=Path, help=FOLDER)
    command.add_argument("--agent", default="act", metavar="NAME", help=f"{AGENTS} (default: act)")
    command.add_argument(
        "--model",
        metavar="PROVIDER/NAME",
        help="the model that plays the agent, named as Inspect names it: openai/gpt-4o-mini",
    )
    command.add_argument(
        "--base-url",
        metavar="URL",
        help="the model's endpoint (default: the provider's)",
    )
    command.add_argument(
        "--tasks",
        default="",
        metavar="NAME,NAME",
        help="only these tasks (default: all)",
    )
    add_trust(command)
    _add_trials(command)
    _add_places(command)


def _add_trials(command: argparse.ArgumentParser) -> None:
    """How often each instance is tried, and within which bounds."""
    command.add_argument(
        "--limit",
        type=int,
        metavar="N",
        help="only the first N instances of each task (default: all)",
    )
    command.add_argument(
        "--epochs",
        type=int,
        default=1,
        metavar="K",
        help="run each instance K times and report pass^1 to pass^K (default: 1)",
    )
    command.add_argument(
        "--actions",
        type=int,
        default=20,
        metavar="N",
        help="give a model at most N turns an instance (default: 20)",
    )
    command.add_argument("--hints", action="store_true", help="show a model the hints of each task")
    command.add_argument(
        "--extractor-model",
        metavar="PROVIDER/NAME",
        help="ask this model for the answer where the rules find none in what an agent submitted",
    )
    command.add_argument(
        "--max-connections",
        type=int,
        metavar="N",
        help="at most N calls at the same time (default: Inspect's for the provider)",
    )
    command.add_argument(
        "--time-limit",
        type=int,
        metavar="SECONDS",
        help="stop an instance after this time (default: none)",
    )


def _add_places(command: argparse.ArgumentParser) -> None:
    """Where the agent works, and where its logs go."""
    command.add_argument(
        "--server",
        metavar="URL",
        help="work in the CRM at this instance URL (default: the folder's org, in process)",
    )
    command.add_argument(
        "--token",
        default="",
        metavar="TEXT",
        help=(
            "the server's bearer token (default: ORGWEAVE_TOKEN from the environment or from a .env"
            " file)"
        ),
    )
    command.add_argument(
        "--log-dir",
        type=named_path,
        metavar="FOLDER",
        help="write logs and scores there (default: evaluations/<agent> in the org's folder)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Runs it, prints the table, keeps scores.json, scores.md and scores.png beside the logs."""
    # Inspect takes seconds to load, and more to draw its first line.
    tell_begun(f"reading the tasks of {arguments.folder}")
    try:
        from orgweave.benchmark.evaluate.harness import Running, evaluate, failures_of, model_of
        from orgweave.benchmark.evaluate.results import read_rows
        from orgweave.benchmark.evaluate.tables import check_scores_place, table_text, write_scores
        from orgweave.benchmark.metrics import LARGEST_K
    except ImportError as error:
        raise BadInput(missing("evaluate", error)) from error
    agent = arguments.agent
    place = arguments.log_dir or RunFolder(arguments.folder).evaluations_folder / "-".join(
        part.replace("/", "_") for part in (agent, arguments.model) if part
    )
    check_scores_place(place, "--log-dir")
    running = Running(
        model_of(agent, arguments.model, arguments.base_url),
        place,
        arguments.base_url,
        arguments.epochs,
        arguments.max_connections,
        arguments.time_limit,
    )
    if arguments.epochs > LARGEST_K:
        print(
            f"orgweave: --epochs {arguments.epochs}: pass^k is shown up to k = {LARGEST_K}",
            file=sys.stderr,
        )
    with _told_by_environment(arguments.token or given_token()):
        log = evaluate(_made(arguments), agent, running, _tell_going_on, _tell)
    tell_failures(*failures_of(log), place)
    rows = read_rows([Path(log.location)])
    write_scores(rows, place)
    print(table_text(rows))
    run = RunFolder(arguments.folder)
    if place.parent == run.evaluations_folder:
        tell_page(run)
    return 0


@contextmanager
def _told_by_environment(token: str) -> Iterator[None]:
    """Lets the tasks find the server's token where no log shows it, as long as they run."""
    before = os.environ.get(TOKEN, "")
    os.environ[TOKEN] = token or before
    try:
        yield
    finally:
        del os.environ[TOKEN]
        if before:
            os.environ[TOKEN] = before


def tell_failures(failures: Sequence[str], samples: int, logs: Path) -> None:
    """Says on stderr how many samples failed or were stopped; raises RunFailed where all were, for
    then nothing was measured.
    """
    if not failures:
        return
    told = (
        f"{len(failures)} of {samples} samples failed or were stopped, such as {failures[0]}; for"
        f" more: inspect view --log-dir {logs}"
    )
    if len(failures) == samples:
        raise RunFailed(f"nothing was measured: {told}")
    print(f"orgweave: {told}", file=sys.stderr)


def _tell(line: str) -> None:
    print(f"orgweave: {line}", file=sys.stderr, flush=True)


def _tell_going_on(log: "EvalLog") -> None:
    """A line on what an evaluation that was broken off had done."""
    from orgweave.benchmark.evaluate.going_on import finished_samples

    kept = finished_samples(log)
    _tell(f"{log.location}: {kept} finished samples are kept")


def missing(command: str, error: ImportError) -> str:
    """What to do where the extra isn't installed."""
    return (
        f"{command} needs {error.name}, which isn't installed; run: pip install"
        " 'orgweave[evaluate]'"
    )


def _made(arguments: argparse.Namespace) -> "Task":
    """The task that Inspect runs.

    What it tells Inspect of as a prerequisite is an error of our own here.
    """
    from inspect_ai._util.error import PrerequisiteError

    from orgweave.inspect_tasks import crm

    try:
        return crm(
            str(arguments.folder),
            arguments.agent,
            arguments.tasks,
            arguments.limit,
            arguments.hints,
            arguments.actions,
            arguments.extractor_model,
            arguments.server,
            arguments.trust,
        )
    except PrerequisiteError as error:
        raise error.__cause__ or error from None
