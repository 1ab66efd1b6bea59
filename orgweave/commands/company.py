"""`company`: begin a company of one's own, and see what its files lack."""

import argparse
import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory

from orgweave.commands.common import BROKEN, named_path
from orgweave.commands.options import add_drafting, settings_of
from pipeline.company.check import company_faults, general_words
from pipeline.company.drafting import drafted
from pipeline.company.faults import FileFault
from pipeline.company.starter import LIKE, new_company
from pipeline.config import RunRequest, load_job
from pipeline.run import look
from pipeline.sql_tables import ColumnValue
from schemas.country import DEFAULT_LOCALE
from schemas.errors import BadInput
from schemas.model import Schema
from schemas.profile import find_profile

EXAMPLES = """\
  orgweave company new hotel --like generic --locale fr_FR
  orgweave company check hotel/hotel.yaml
  orgweave company draft "a regional hotel chain with spas" --name spa --model gpt-4o-mini
"""
PART_EXAMPLES = {
    "new": """\
  orgweave company new hotel
  orgweave company new boutique --like shoes --to companies/boutique
  orgweave company new auberge --like generic --locale fr_FR
""",
    "draft": """\
  orgweave company draft "a regional hotel chain with spas" --name spa --model gpt-4o-mini
  orgweave company draft "a vet's practice" --name vet --model gpt-4o-mini --max-cost 2
  orgweave company draft "a law firm" --model qwen3 --base-url http://127.0.0.1:8000/v1
""",
    "check": """\
  orgweave company check hotel/hotel.yaml
  orgweave company check companies/boutique/boutique.yaml
  orgweave company check bank
""",
}

SAMPLES = 10
EACH = 3
"""Records of each object type among which samples are taken."""

FEW_CASES = 40
"""Samples are drawn from a company with about so many cases, however many its profile wants."""

LONGEST_SAMPLE = 700
"""Characters of a sample that are shown."""

Records = Mapping[str, Sequence[Mapping[str, ColumnValue]]]


SHOWN_RULES = 6
"""So many names of rules fit on a line or two."""


def add(command: argparse.ArgumentParser) -> None:
    """Its options."""
    parts = command.add_subparsers(
        dest="part",
        required=True,
        metavar="new|draft|check",
        help="what to do with it",
    )
    new = _part(parts, "new", "write a profile, a world and words to begin with")
    new.add_argument("name", help="the name of the company's folder and profile: hotel")
    new.add_argument(
        "--like",
        choices=LIKE,
        default=LIKE[0],
        help="which company it begins like (default: %(default)s, whose words fit anything)",
    )
    new.add_argument(
        "--to",
        type=named_path,
        metavar="FOLDER",
        help="write it there (default: a folder of that name)",
    )
    new.add_argument(
        "--locale",
        default=DEFAULT_LOCALE,
        metavar="LOCALE",
        help="its country and language, such as de_DE (default: %(default)s)",
    )
    draft = _part(parts, "draft", "have a model write the profile, the world, the words")
    draft.add_argument("told", metavar="DESCRIPTION", help="what the company is, in a sentence")
    draft.add_argument("--name", default="draft", help="the profile's name (default: %(default)s)")
    draft.add_argument(
        "--to",
        type=named_path,
        metavar="FOLDER",
        help="write it there; a draft that is begun goes on (default: a folder of that name)",
    )
    add_drafting(draft)
    check = _part(parts, "check", "list all that is missing, and show ten texts")
    check.add_argument("profile", help="the profile's file, or the name of a company that ships")


def _part(
    parts: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, says: str
) -> argparse.ArgumentParser:
    """The parser of one part, whose help ends with its own examples."""
    return parts.add_parser(
        name,
        help=says,
        description=f"{says[0].upper()}{says[1:]}.",
        epilog=f"examples:\n{PART_EXAMPLES[name]}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes a company's files, or checks them."""
    if arguments.part == "new":
        return _new(arguments)
    if arguments.part == "draft":
        return _draft(arguments)
    return _check(find_profile(arguments.profile))


def _draft(arguments: argparse.Namespace) -> int:
    """Has a model write a company's files, and tells what it took."""
    settings = settings_of(arguments)
    if settings is None:
        raise BadInput("company draft: needs a model; add --model NAME, or begin with company new")
    folder = arguments.to or Path(arguments.name)
    draft = asyncio.run(drafted(arguments.told, arguments.name, folder, settings, _tell_piece))
    print(draft.profile)
    print(f"  {draft.calls} calls, {draft.tokens:,} tokens, ${draft.cost:.4f}")
    print(f"Next: edit it, then orgweave company check {quote(str(draft.profile))}")
    return 0


def _tell_piece(piece: str) -> None:
    print(f"drafted: {piece}", file=sys.stderr)


def _new(arguments: argparse.Namespace) -> int:
    folder = arguments.to or Path(arguments.name)
    written = new_company(arguments.name, arguments.like, folder, arguments.locale)
    for path in written:
        print(path)
    print(f"Next: edit them, then orgweave company check {quote(str(written[0]))}")
    return 0


def _check(path: Path) -> int:
    """Prints all faults, and where there are none that a run would stop at, some texts."""
    faults = company_faults(path)
    for fault in faults:
        print(fault)
    wrong = [fault for fault in faults if not fault.remark]
    if wrong:
        print(f"orgweave: {_told(wrong)} in {_files(wrong)}", file=sys.stderr)
        return BROKEN
    for title, text in _samples(path):
        print(f"\n{title}\n{_indented(text)}")
    command = f"orgweave generate --company {quote(str(path))}"
    print(f"\n{path}: nothing is missing. Next: {command}")
    general = general_words(path)
    if general:
        more = f" and {len(general) - SHOWN_RULES} more" if len(general) > SHOWN_RULES else ""
        print(
            f"General words stand for {', '.join(general[:SHOWN_RULES])}{more}; with rules of these"
            " names the org sounds like its trade"
        )
    return 0


def _told(faults: Sequence[FileFault]) -> str:
    return (
        "one thing is to be mended"
        if len(faults) == 1
        else f"{len(faults)} things are to be mended"
    )


def _files(faults: Sequence[FileFault]) -> str:
    files = {str(fault.file) for fault in faults}
    return f"{len(files)} files" if len(files) > 1 else files.pop()


def _samples(path: Path) -> list[tuple[str, str]]:
    """Ten texts of different fields, each with the name of its field."""
    job = load_job(RunRequest(str(path)))
    cases = job.setting.counts.get("Case", 0)
    scale = min(1.0, FEW_CASES / cases) if cases else 1.0
    with TemporaryDirectory() as folder:
        records = look(RunRequest(str(path), scale=scale), Path(folder), EACH)
    return list(_texts(job.setting.schema, records))[:SAMPLES]


def _texts(schema: Schema, records: Records) -> Iterator[tuple[str, str]]:
    """Yields written texts: one of each field, then another one of each."""
    for row in range(EACH):
        for item in schema.objects:
            found = records.get(item.name, ())
            for written in item.written if row < len(found) else ():
                yield f"{item.name}.{written.name}", str(found[row][written.name])


def _indented(text: str) -> str:
    short = text if len(text) <= LONGEST_SAMPLE else f"{text[:LONGEST_SAMPLE]} …"
    return "\n".join(f"    {line}" for line in short.splitlines())
