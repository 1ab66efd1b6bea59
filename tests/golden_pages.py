"""What the pages tell of the shoe company, and what its plan counts, as the data are today.

`python -m tests.golden_pages` (a part of `make golden`) makes the company with its tasks and brings
up to date: the plan's picture in the architecture, its mini-batches in `tests/golden/plan.json`,
the figures and the chat in the README, and the instance in the guide on tasks. Tests compare, so
that a change of the data is told in one command instead of by hand. Knows no rule of the data.
"""

import json
import re
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

from orgweave.benchmark.held_back import worded
from orgweave.benchmark.run import make_tasks
from pipeline.config import RunRequest, load_job
from pipeline.draw_plan import as_mermaid
from pipeline.plan import Plan, make_plan
from pipeline.run import FinishedRun, generate
from schemas.lexicon import load_lexicon
from schemas.profile import lexicons_folder
from tests.doc_pages import ROOT, page

PLAN = Path(__file__).parent / "golden" / "plan.json"
README = ROOT / "README.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
TASKS_GUIDE = ROOT / "docs" / "guide" / "tasks.md"

# The chat that the README shows is one with answers, and leaves room for the rest of the page: of a
# long one it shows so many lines, and that it goes on.
COLUMNS = 100
FEWEST_LINES = 14
MOST_LINES = 20
GOES_ON = "[…]"

TELLING = 18
"""So many characters of a wording, between its slots and choices, tell it from the others."""

BASE = lexicons_folder() / "base"

GRANTED_TOO_LATE = """
    SELECT t.Body, lower(s.issue_name), s.option_phrase, s."limit", s.days
    FROM LiveChatTranscript t
    JOIN latent."CaseStory.cases" s ON s.Id = t.CaseId
    WHERE s.ending = 'late_grant'
    ORDER BY length(t.Body), t.Id
"""
LATE = re.compile(
    r"By the article on ([\w' ]+), ([\w% ]+) is open for (\d+) days, and this was day (\d+)\."
)
OUTDOOR = re.compile(r"and (\d+ of \d+) statistics in their bands")
SHOES = (
    re.compile(r"[\d,]+ records of \d+ object types"),
    re.compile(r"\d+ violations of \d+ invariants"),
    re.compile(r"\d+ of \d+ statistics(?= lie)"),
)


class LateChat(NamedTuple):
    """A chat in which something was granted too late, the days it is open, and the day it was."""

    body: str
    issue: str
    option: str
    limit: int
    days: int

    @property
    def told(self) -> str:
        """What the README says of it, in one line."""
        open_for = f"{self.option} is open for {self.limit} days"
        return f"By the article on {self.issue}, {open_for}, and this was day {self.days}."


def figures_of(made: FinishedRun) -> tuple[str, str, str]:
    """What the README says of an org: its records, its invariants, its statistics."""
    report = made.report
    inside = sum(1 for found in report.realism if found.inside)
    broken = sum(finding.broken for finding in report.findings)
    records = round(sum(made.counts.values()), -2)
    return (
        f"{records:,} records of {len(made.counts)} object types",
        f"{broken} violations of {len(report.findings)} invariants",
        f"{inside} of {len(report.realism)} statistics",
    )


def late_chats(folder: Path) -> list[LateChat]:
    """The chats of a run that the README could show, the shortest first."""
    with closing(sqlite3.connect(folder / "org.sqlite")) as database:
        database.execute("ATTACH ? AS latent", (str(folder / "latent.sqlite"),))
        return [LateChat(*row) for row in database.execute(GRANTED_TOO_LATE)]


def mini_batches(plan: Plan) -> dict[str, int]:
    """Object type -> its mini-batches, for those that have words."""
    return {node.name: node.mini_batches for node in plan.nodes if node.written}


def kept_mini_batches() -> dict[str, int]:
    """The same for the shoe company, as last kept."""
    kept: dict[str, int] = json.loads(PLAN.read_text(encoding="utf-8"))
    return kept


def rules_of_tasks() -> dict[str, tuple[str, ...]]:
    """The rules of the base lexicon that word seed queries."""
    rules = load_lexicon(BASE, BASE).rules
    return {name: lines for name, lines in rules.items() if name.startswith("task.")}


def held_back_parts(rules: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Pieces of text that stand in held-back wordings alone."""
    shown = [line for lines in worded(rules, "public").values() for line in lines]
    parts: set[str] = set()
    for name, lines in worded(rules, "held-back").items():
        if lines != rules[name]:
            for line in lines:
                pieces = (piece.strip(" ,.?:;") for piece in re.split(r"[\[\]{}|]", line))
                parts.update(piece for piece in pieces if len(piece) >= TELLING)
    return {part for part in parts if not any(part in line for line in shown)}


def shown_instance() -> dict[str, object]:
    """The line of `tasks.jsonl` that the guide shows."""
    lines = TASKS_GUIDE.read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith('{"id": "handle_time-')]
    shown: dict[str, object] = json.loads(line)
    return shown


def _replaced(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    if before not in text:
        raise LookupError(f"{path.name} no longer holds {before[:60]!r}: write it there again")
    if before != after:
        path.write_text(text.replace(before, after, 1), encoding="utf-8")
        print(f"{path.name}: renewed from {before[:60]!r}")


def _found(pattern: re.Pattern[str], path: Path) -> str:
    found = pattern.search(" ".join(path.read_text(encoding="utf-8").splitlines()))
    if found is None:
        raise LookupError(f"{path.name} has nothing like {pattern.pattern!r}: write it there again")
    return found[0]


def _renew_plan(plan: Plan) -> None:
    kept = json.dumps(mini_batches(plan), indent=1) + "\n"
    PLAN.write_text(kept, encoding="utf-8")
    blocks = page("docs/architecture.md").blocks()
    (picture,) = [block.text for block in blocks if block.language == "mermaid"]
    _replaced(ARCHITECTURE, picture, as_mermaid(plan).strip() + "\n")


def _renew_figures(shoes: FinishedRun, outdoor: FinishedRun) -> None:
    for pattern, now in zip(SHOES, figures_of(shoes), strict=True):
        _replaced(README, _found(pattern, README), now)
    _, _, statistics = figures_of(outdoor)
    before = OUTDOOR.search(_found(OUTDOOR, README))
    assert before is not None
    _replaced(README, before[1], statistics.removesuffix(" statistics"))


def in_columns(body: str) -> str:
    """A chat as the README shows it: long lines go on in the next one, indented, a long chat ends
    before a line of its own.
    """
    lines: list[str] = []
    for line in body.split("\n"):
        more = wrap(line, COLUMNS, subsequent_indent=" " * 4)
        if len(lines) + len(more) >= MOST_LINES:
            return "\n".join([*lines, GOES_ON])
        lines += more
    return "\n".join(lines)


def _renew_chat(chats: Sequence[LateChat]) -> None:
    blocks = page("README.md").blocks()
    (shown,) = [block.text.strip() for block in blocks if block.text.startswith("[20")]
    if shown in {in_columns(chat.body) for chat in chats}:
        return
    short = (chat for chat in chats if len(chat.told) <= COLUMNS)
    chat = next(chat for chat in short if in_columns(chat.body).count("\n") + 1 >= FEWEST_LINES)
    _replaced(README, shown, in_columns(chat.body))
    _replaced(README, _found(LATE, README), chat.told)


def _renew_instance(folder: Path) -> None:
    shown = shown_instance()
    lines = (folder / "tasks" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    parts = held_back_parts(rules_of_tasks())
    # What is held back is kept from models that are trained on these pages.
    public = (line for line in lines if not any(part in line for part in parts))
    made = next(real for real in map(json.loads, public) if real["task"] == shown["task"])
    now = {name: made[name] for name in shown}
    before = json.dumps(shown, ensure_ascii=False)
    _replaced(TASKS_GUIDE, before, json.dumps(now, ensure_ascii=False))


def main() -> None:
    """Brings the pages up to date and prints what was renewed."""
    _renew_plan(make_plan(load_job(RunRequest("shoes"))))
    with tempfile.TemporaryDirectory() as scratch:
        shoes = generate(RunRequest("shoes"), Path(scratch) / "shoes")
        _renew_figures(shoes, generate(RunRequest("outdoor"), Path(scratch) / "outdoor"))
        _renew_chat(late_chats(shoes.folder))
        make_tasks(shoes.folder)
        _renew_instance(shoes.folder)


if __name__ == "__main__":
    main()
