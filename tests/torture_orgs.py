"""The small company that the torture works on, made once, and the commands that are tried on it.

Each command knows what it makes, so that what it makes of a damaged folder can be compared with
what it makes of a whole one.
"""

import importlib
import pkgutil
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from orgweave import explore
from orgweave.benchmark import evaluate
from orgweave.cli import COMMANDS, command_module
from tests.torture_trial import ChildEnd, Forked, command, digests

SCALE = "0.02"
ASKED = ["--company", "shoes", "--scale", SCALE]
ORG_FILES = ("org.sqlite", "latent.sqlite", "upload/*.json")
MANY_TASKS = "case_routing,knowledge_qa,monthly_trend_analysis"
TIMES = re.compile(r"\d+(\.\d+)? (s|seconds)\b|token=\S+|:\d{4,5}\b|bearer token.*")


@dataclass(frozen=True, slots=True)
class TriedCommand:
    """A command on a folder: its words, and the files that it makes, by patterns in the folder.

    `serves` marks one that goes on until it is interrupted, once it has said where it is. `tells`
    begins the lines that tell what it found; "" where all do.
    """

    name: str
    words: Callable[[Path], Sequence[str]]
    makes: tuple[str, ...] = ()
    serves: bool = False
    tells: str = ""

    def start(self, folder: Path, file_size: int = 0) -> Forked:
        """Starts it."""
        return command(list(self.words(folder)), folder.parent, file_size)

    def run(self, folder: Path) -> ChildEnd:
        """Runs it to its end."""
        return self.start(folder).end(_has_spoken if self.serves else lambda child: False)

    def made(self, folder: Path, end: ChildEnd) -> object:
        """What it made: its files, or what it printed."""
        if self.makes:
            return digests(folder, self.makes)
        lines = [line for line in end.out.splitlines() if line.startswith(self.tells)]
        return TIMES.sub("", "\n".join(lines).replace(str(folder), "FOLDER"))


def _has_spoken(child: Forked) -> bool:
    """Whether a server has said where it is."""
    return child.out.exists() and b"http" in child.out.read_bytes()


def on(
    *words: str, makes: tuple[str, ...] = (), serves: bool = False, tells: str = ""
) -> TriedCommand:
    """A command whose first argument is the folder."""
    first, *rest = words
    name = " ".join([first, *(word.split()[0] for word in rest)][:3])
    return TriedCommand(name, lambda folder: [first, str(folder), *rest], makes, serves, tells)


GENERATE = TriedCommand(
    "generate",
    lambda folder: ["generate", *ASKED, "--no-report", "--out", str(folder)],
    ORG_FILES,
)
REGENERATE = TriedCommand(
    "regenerate",
    lambda folder: ["regenerate", *ASKED, "--object", "Product2", "--out", str(folder)],
    ORG_FILES,
)
TASKS = on(
    "tasks",
    *("--tasks", MANY_TASKS, "--per-task", "1"),
    makes=("tasks/tasks.jsonl",),
)
EVALUATE = on("evaluate", "--agent", "oracle", tells="| oracle")
REPORT = on("report", makes=("report.html",))
BUNDLE = on("bundle", makes=("export/bundle/**/*",))
EXPORTS = tuple(
    on("export", "--format", name, makes=(f"export/{name}/**/*",))
    for name in ("csv", "tree", "bulk", "cumulusci", "parquet")
)
READING = (
    on("check"),
    on("query", "SELECT Id, Subject, Status, Account.Name FROM Case ORDER BY Id"),
    on("query", "FIND {boot} RETURNING Product2(Id, Name), Knowledge__kav(Title)"),
    on("trace"),
    on("mcp"),
    on("serve", serves=True),
    on("serve", "--writable", serves=True),
    on("explore", serves=True),
)


def preload() -> None:
    """Imports what the commands import, so that a forked process needn't."""
    for name in COMMANDS:
        command_module(name)
    for package in (evaluate, explore):
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")


def prepared(scratch: Path) -> Path:
    """A finished company with tasks; `prepared` is made in processes of their own."""
    folder = scratch / "whole" / "shoes"
    folder.parent.mkdir(parents=True)
    for tried in (GENERATE, TASKS):
        end = tried.run(folder)
        assert end.code == 0, end.err
    return folder


def copied(whole: Path, place: Path) -> Path:
    """A copy of the company under the same name in an empty place."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(whole, place / whole.name)
    return place / whole.name
