"""The command line: words in, exit code out. 0 done, 1 failed, 2 bad input, 3 answers awaited, 4 budget, 5 check failed, 130 interrupted.

Every error of the project's own is one line without a traceback. Knows no stage but `run`, `plan`, `check`, `trace` and the sandbox.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from pipeline.check import check_folder
from pipeline.config import Ask, load_job
from pipeline.draw_plan import as_dot, as_mermaid, as_table, write_png
from pipeline.model.settings import Given, ModelSettings, choose, environment_with_file
from pipeline.model.staff import check_settings, price_for
from pipeline.plan import Pens, Plan, make_plan
from pipeline.progress import watching
from pipeline.report import report_text, summary_text
from pipeline.run import EMBEDDED as EMBEDDED_NAME
from pipeline.run import Outcome, Watch, generate, look, regenerate, staff_with
from pipeline.sandbox.ask import ask, clock_of
from pipeline.sandbox.listen import serve
from pipeline.sandbox.served import Choice
from pipeline.trace import trace_text
from pipeline.write.prompt import load_prompts
from schemas.errors import BadInput, OrgweaveError

EXAMPLES = """examples:
  python -m pipeline generate --company shoes
  python -m pipeline generate --company shoes --scale 0.1 --seed 7 --out outputs/small
  python -m pipeline generate --company my_company.yaml --set Case=200
  python -m pipeline generate --company bank --limit 2
  python -m pipeline generate --company shoes --model gpt-4o-mini --max-cost 5
  python -m pipeline generate --company shoes --model my-model --base-url http://127.0.0.1:8000/v1
  python -m pipeline plan --company shoes --model gpt-4o-mini
  python -m pipeline plan --company shoes --format mermaid
  python -m pipeline regenerate --company shoes --object Knowledge__kav
  python -m pipeline check outputs/shoes
  python -m pipeline trace outputs/shoes --object Case --failed
  python -m pipeline query outputs/shoes "SELECT Status, COUNT(Id) FROM Case GROUP BY Status"
  python -m pipeline serve outputs/shoes --port 8600
"""
EMBEDDED = "writing with the embedded writer (no key, no network); for a model: --model NAME with OPENAI_API_KEY set or --base-url URL"
CLOCK = "what now is: a date, whose last second is meant, or a datetime in UTC (default: the last day of the org's period)"
FAILED, INTERRUPTED = 1, 130


def run(words: Sequence[str]) -> int:
    """Runs one command and returns its exit code."""
    arguments = parser().parse_args(words)
    try:
        return int(COMMANDS[arguments.command](arguments))
    except OrgweaveError as error:
        print(f"orgweave: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("orgweave: interrupted; what was written is kept, the same command goes on", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        print(f"orgweave: {error.filename or 'a file'}: {error.strerror}; mend that and run the same command again", file=sys.stderr)
        return FAILED


def parser() -> argparse.ArgumentParser:
    """All commands and options."""
    top = argparse.ArgumentParser(
        prog="orgweave", description="Makes a whole synthetic company from one short profile, and proves the data right.", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    generating = _command(commands, "generate", "make an org, or go on making it")
    _asking(generating)
    generating.add_argument("--limit", type=int, metavar="N", help="only a quick look: the first N records of each object type, on screen and in preview.json")
    _writing(generating)
    again = _command(commands, "regenerate", "make one object type's records anew, and what depends on them")
    _asking(again)
    again.add_argument("--object", required=True, metavar="NAME", help="object type, such as Knowledge__kav")
    _writing(again)
    planning = _command(commands, "plan", "show what a run will do and cost; calls nothing")
    _asking(planning)
    _writing(planning)
    planning.add_argument("--format", choices=("table", "mermaid", "dot", "png"), default="table", help="default: table")
    planning.add_argument("--to", type=Path, default=Path("plan.png"), metavar="FILE", help="where --format png goes (default: plan.png)")
    checking = _command(commands, "check", "prove a finished org right from its files alone")
    checking.add_argument("folder", type=Path, help="such as outputs/shoes")
    tracing = _command(commands, "trace", "show requests, answers, verdicts and cost of a run's mini-batches")
    tracing.add_argument("folder", type=Path, help="such as outputs/shoes")
    tracing.add_argument("--object", metavar="NAME", help="only this object type's")
    tracing.add_argument("--failed", action="store_true", help="only those of which something was refused")
    tracing.add_argument("--judged", action="store_true", help="what a judge was asked and chose, in place of the writer's mini-batches")
    tracing.add_argument("--key", metavar="KEY", help="only the one whose key begins so")
    tracing.add_argument("--last", type=int, default=5, metavar="N", help="the last N (default: 5)")
    querying = _command(commands, "query", "answer a SOQL or SOSL text about a finished org, as JSON")
    querying.add_argument("folder", type=Path, help="such as outputs/shoes")
    querying.add_argument("text", help='"SELECT ... FROM ..." or "FIND {...} ..."')
    querying.add_argument("--clock", metavar="DATE", help=CLOCK)
    serving = _command(commands, "serve", "answer as the CRM's REST API does, over a finished org")
    serving.add_argument("folder", type=Path, help="such as outputs/shoes")
    serving.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="default: 127.0.0.1, which only this machine reaches")
    serving.add_argument("--port", type=int, default=0, metavar="N", help="default: a free one")
    serving.add_argument("--token", default="", metavar="TEXT", help="the bearer token (default: a random one)")
    serving.add_argument("--clock", metavar="DATE", help=CLOCK)
    serving.add_argument("--writable", action="store_true", help="take changes, to a private copy that is gone when serving ends")
    serving.add_argument("--empty", action="store_true", help="the org's schema with empty tables, for a loader to fill")
    serving.add_argument("--external-id", default="", metavar="FIELD", help="with --empty: an external id field for every object type, such as Synth_Id__c")
    return top


def _command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, says: str) -> argparse.ArgumentParser:
    return commands.add_parser(name, help=says, description=says.capitalize() + ".", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)


def _asking(command: argparse.ArgumentParser) -> None:
    command.add_argument("--company", required=True, metavar="NAME", help="a shipped profile (shoes, bank, saas, clinic) or the path of a .yaml file")
    command.add_argument("--seed", type=int, metavar="N", help="another world of the same company (default: the profile's)")
    command.add_argument("--scale", type=float, default=1.0, metavar="X", help="all counts times X (default: 1)")
    command.add_argument("--set", action="append", default=[], metavar="OBJECT=N", help="how many records of one object type; may be given again")
    command.add_argument("--out", type=Path, metavar="FOLDER", help="where the run goes (default: outputs/<company>)")


def _writing(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("writing with a model", "Any OpenAI-compatible endpoint; OPENAI_API_KEY and OPENAI_BASE_URL come from the environment or a .env file.")
    group.add_argument("--model", metavar="NAME", help="the model that writes (default: the embedded writer)")
    group.add_argument("--base-url", metavar="URL", help="the endpoint (default: OPENAI_BASE_URL, else OpenAI's)")
    group.add_argument("--judge-model", metavar="NAME", help="the model that reads the texts against their facts, or none (default: the same)")
    group.add_argument("--judge-share", type=float, metavar="X", help="share of the mini-batches judged that no task depends on (default: 0.05)")
    group.add_argument("--max-cost", type=float, metavar="DOLLARS", help="stop in good order before this much is spent in the folder")
    group.add_argument("--max-tokens", type=int, metavar="N", help="the same in tokens")
    group.add_argument("--max-connections", type=int, metavar="N", help="calls at once (default: 64)")
    group.add_argument("--rpm", type=int, metavar="N", help="requests a minute, where the endpoint's headers don't tell")
    group.add_argument("--tpm", type=int, metavar="N", help="tokens a minute, likewise")
    group.add_argument("--price", metavar="IN,OUT", help="dollars for a million prompt and answer tokens (default: what genai-prices knows)")
    group.add_argument("--prompt-dir", type=Path, metavar="FOLDER", help="templates of your own: system.txt, user.txt, <ObjectType>/user.txt, judge/user.txt")
    group.add_argument("--batch", action="store_true", help="by the endpoint's Batch API: half the price, within a day")
    group.add_argument("--batch-dir", type=Path, metavar="FOLDER", help="only write request files there and read answer files from there")


def _settings(arguments: argparse.Namespace, calls: bool = True) -> ModelSettings | None:
    """The model that was chosen, checked before anything is made; None for the embedded writer."""
    given = Given(**{name: getattr(arguments, name) for name in Given.__slots__})
    settings = choose(given, environment_with_file(Path()), calls)
    if settings is not None:
        check_settings(settings)
    return settings


def _told(settings: ModelSettings | None) -> None:
    """One line on who writes."""
    if settings is None:
        print(EMBEDDED, file=sys.stderr)
        return
    judge = "nobody judges" if not settings.judged else f"{settings.judge_model} judges {settings.judge_share:.0%} and all that tasks depend on"
    place = f"request files in {settings.given.batch_dir}" if settings.offline else settings.base_url
    print(f"writing with {settings.model} ({place}); {judge}", file=sys.stderr)


def _pens(settings: ModelSettings | None) -> Pens | None:
    if settings is None:
        return None
    share = settings.judge_share if settings.judged else None
    return Pens(load_prompts(settings.given.prompt_dir), share, price_for(settings, settings.model), price_for(settings, settings.judge_model))


def _ask(arguments: argparse.Namespace) -> Ask:
    if arguments.seed is not None and not 0 <= arguments.seed < 2**63:
        raise BadInput(f"--seed {arguments.seed}: must be a whole number from 0 to 2^63 - 1")
    return Ask(arguments.company, arguments.seed, arguments.scale, dict(_counted(text) for text in arguments.set))


def _counted(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not re.fullmatch(r"-?[0-9]{1,15}", number):
        raise BadInput(f"--set {text}: write OBJECT=NUMBER, such as Case=200")
    return name, int(number)


def _out(arguments: argparse.Namespace) -> Path:
    return arguments.out or Path("outputs") / Path(arguments.company).stem


def _generate(arguments: argparse.Namespace) -> int:
    ask, out, settings = _ask(arguments), _out(arguments), _settings(arguments)
    if arguments.limit is not None:
        print(json.dumps(look(ask, out, arguments.limit, staff_with(settings)), indent=2, ensure_ascii=False))
        print(f"preview of the first {arguments.limit} of each; saved in {out}/preview.json", file=sys.stderr)
        return 0
    _told(settings)
    return _finished(_watched(ask, settings, lambda watch: generate(ask, out, watch, staff_with(settings))))


def _regenerate(arguments: argparse.Namespace) -> int:
    ask, out, settings = _ask(arguments), _out(arguments), _settings(arguments)
    return _finished(_watched(ask, settings, lambda watch: regenerate(ask, out, arguments.object, watch, staff_with(settings), settings.model if settings else EMBEDDED_NAME)))


def _finished(outcome: Outcome) -> int:
    print(summary_text(outcome))
    if outcome.report.right:
        return 0
    for finding in outcome.report.broken:
        print(f"orgweave: broken: {finding.says} {finding.broken} of {finding.tried}, such as {'; '.join(finding.examples)}", file=sys.stderr)
    return 5


def _watched(ask: Ask, settings: ModelSettings | None, work: Callable[[Watch], Outcome]) -> Outcome:
    """Runs with a progress line; its forecast is planned only where there is a model and somebody looks."""

    def plan() -> Plan:
        return make_plan(load_job(ask), _pens(settings))

    with watching(plan if settings else None) as watch:
        return work(watch)


def _plan(arguments: argparse.Namespace) -> int:
    plan = make_plan(load_job(_ask(arguments)), _pens(_settings(arguments, calls=False)))
    if arguments.format == "png":
        write_png(plan, arguments.to)
        print(arguments.to)
        return 0
    print({"table": as_table, "mermaid": as_mermaid, "dot": as_dot}[arguments.format](plan))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    report = check_folder(arguments.folder)
    try:
        (arguments.folder / "check.json").write_text(json.dumps(report.as_json(), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        print(f"orgweave: {arguments.folder}/check.json: not written ({error.strerror}); the report is below", file=sys.stderr)
    print(report_text(report))
    return 0 if report.right else 5


def _trace(arguments: argparse.Namespace) -> int:
    print(trace_text(arguments.folder, arguments.object, arguments.failed, arguments.key, arguments.last, arguments.judged))
    return 0


def _query(arguments: argparse.Namespace) -> int:
    print(json.dumps(ask(arguments.folder, arguments.text, clock_of(arguments.clock)), indent=2, ensure_ascii=False))
    return 0


def _serve(arguments: argparse.Namespace) -> int:
    choice = Choice(clock_of(arguments.clock), arguments.writable, arguments.empty, arguments.external_id)
    serve(arguments.folder, choice, arguments.host, arguments.port, arguments.token)
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {"generate": _generate, "regenerate": _regenerate, "plan": _plan, "check": _check, "trace": _trace, "query": _query, "serve": _serve}
