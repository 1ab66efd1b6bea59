"""The command line: words in, exit code out. 0 done, 1 failed, 2 bad input, 4 budget, 5 check failed, 130 interrupted.

Every error of the project's own is one line without a traceback. Knows no stage but `run`, `plan` and `check`.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tqdm import tqdm

from pipeline.check import check_folder
from pipeline.config import Ask, load_job
from pipeline.draw_plan import as_dot, as_mermaid, as_table, write_png
from pipeline.plan import make_plan
from pipeline.report import report_text, summary_text
from pipeline.run import Outcome, Watch, generate, look, regenerate
from schemas.errors import BadInput, OrgweaveError

EXAMPLES = """examples:
  python -m pipeline generate --company shoes
  python -m pipeline generate --company shoes --scale 0.1 --seed 7 --out outputs/small
  python -m pipeline generate --company my_company.yaml --set Case=200
  python -m pipeline generate --company bank --limit 2
  python -m pipeline plan --company shoes --format mermaid
  python -m pipeline regenerate --company shoes --object Knowledge__kav
  python -m pipeline check outputs/shoes
"""
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
    again = _command(commands, "regenerate", "make one object type's records anew, and what depends on them")
    _asking(again)
    again.add_argument("--object", required=True, metavar="NAME", help="object type, such as Knowledge__kav")
    planning = _command(commands, "plan", "show what a run will do; calls nothing")
    _asking(planning)
    planning.add_argument("--format", choices=("table", "mermaid", "dot", "png"), default="table", help="default: table")
    planning.add_argument("--to", type=Path, default=Path("plan.png"), metavar="FILE", help="where --format png goes (default: plan.png)")
    checking = _command(commands, "check", "prove a finished org right from its files alone")
    checking.add_argument("folder", type=Path, help="such as outputs/shoes")
    return top


def _command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, says: str) -> argparse.ArgumentParser:
    return commands.add_parser(name, help=says, description=says.capitalize() + ".", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)


def _asking(command: argparse.ArgumentParser) -> None:
    command.add_argument("--company", required=True, metavar="NAME", help="a shipped profile (shoes, bank, saas, clinic) or the path of a .yaml file")
    command.add_argument("--seed", type=int, metavar="N", help="another world of the same company (default: the profile's)")
    command.add_argument("--scale", type=float, default=1.0, metavar="X", help="all counts times X (default: 1)")
    command.add_argument("--set", action="append", default=[], metavar="OBJECT=N", help="how many records of one object type; may be given again")
    command.add_argument("--out", type=Path, metavar="FOLDER", help="where the run goes (default: outputs/<company>)")


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
    ask, out = _ask(arguments), _out(arguments)
    if arguments.limit is not None:
        print(json.dumps(look(ask, out, arguments.limit), indent=2, ensure_ascii=False))
        print(f"preview of the first {arguments.limit} of each; saved in {out}/preview.json", file=sys.stderr)
        return 0
    print("writing with the embedded writer (no key, no network)", file=sys.stderr)
    return _finished(_watched(lambda watch: generate(ask, out, watch)))


def _regenerate(arguments: argparse.Namespace) -> int:
    ask, out = _ask(arguments), _out(arguments)
    return _finished(_watched(lambda watch: regenerate(ask, out, arguments.object, watch)))


def _finished(outcome: Outcome) -> int:
    print(summary_text(outcome))
    if outcome.report.right:
        return 0
    for finding in outcome.report.broken:
        print(f"orgweave: broken: {finding.says} {finding.broken} of {finding.tried}, such as {'; '.join(finding.examples)}", file=sys.stderr)
    return 5


def _watched(work: Callable[[Watch], Outcome]) -> Outcome:
    """Runs with a progress bar of written units, the node under way beside it; no bar where the output is no terminal."""
    with tqdm(total=0, unit="text", disable=not sys.stderr.isatty(), leave=False, dynamic_ncols=True) as bar:

        def more(units: int) -> None:
            bar.total = (bar.total or 0) + units
            bar.refresh()

        def done(name: str, units: int) -> None:
            bar.update(units)

        return work(Watch(node=bar.set_description, units=done, total=more))


def _plan(arguments: argparse.Namespace) -> int:
    plan = make_plan(load_job(_ask(arguments)))
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


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {"generate": _generate, "regenerate": _regenerate, "plan": _plan, "check": _check}
