"""The README's claims, tried: its length, table, excerpt and figures, and the package elsewhere.

What all pages have in common, their commands and links, stands in test_docs.py.
"""

import re
import shlex
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from orgweave.cli import COMMANDS, parsed
from pipeline.config import PreparedRun, RunRequest
from pipeline.ledger import Ledger
from pipeline.run import FinishedRun, generate
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.prompt import load_prompts, messages
from pipeline.write.request import WriterAnswer, WriteRequest
from pipeline.write.writer import Writers
from tests.doc_pages import page
from tests.golden_pages import COLUMNS, LATE, LateChat, figures_of, in_columns, late_chats
from tests.tiers import THOROUGH, tried_on

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def excerpt() -> str:
    """The chat that the README shows."""
    blocks = page("README.md").blocks()
    return next(block.text for block in blocks if block.text.startswith("[20")).strip()


def rows() -> list[list[str]]:
    """The cells of the README's table of commands."""
    lines = README.split("|---|---|---|---|\n")[1].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_readme_is_a_door() -> None:
    """The README has at most 150 lines of at most 100 columns, and its two commands are targets of
    the Makefile.
    """
    lines = README.splitlines()
    assert len(lines) <= 150
    assert [line for line in lines if len(line) > COLUMNS] == []
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"^make (\w+)", README, re.MULTILINE)
    assert commands == ["generate", "test"]
    for command in commands:
        assert f"\n{command}:" in makefile


def test_the_table_names_every_command() -> None:
    """The table has a row for each command, in words that the command line takes, with its seconds,
    and its extras are the project's.
    """
    assert all(seconds.isdigit() for *_, seconds in rows())
    shown = [shlex.split(command.strip("`")) for _, command, *_ in rows()]
    assert {words[0] for words in shown} == set(COMMANDS)
    for words in shown:
        assert parsed(words).command == words[0]
    extras = {extra.strip("`") for _, _, extra, _ in rows()} - {""}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert extras <= set(project["optional-dependencies"])


def test_the_excerpt_is_real(whole_shoes: FinishedRun) -> None:
    """The chat that the README shows stands in the generated org, and its case is the breach that
    the README tells of, with the same days.
    """
    found = LATE.search(README)
    assert found
    chats = late_chats(whole_shoes.folder)
    real = [chat._replace(body=in_columns(chat.body)) for chat in chats]
    shown = LateChat(excerpt(), found[1], found[2], int(found[3]), int(found[4]))
    assert shown in real, "renew with `make golden`"


def test_the_readmes_figures_are_the_orgs(whole_shoes: FinishedRun) -> None:
    """The README's numbers of invariants, violations and statistics are the check's, and its number
    of records the manifest's, rounded.
    """
    for figure in figures_of(whole_shoes):
        assert figure in README, "renew with `make golden`"


def test_the_shoe_company_reaches_its_figures(whole_shoes: FinishedRun) -> None:
    """At full scale: 918 of 977 cases closed, 111 transfers, every causal effect present, few
    near duplicates, and none that is exact but for mails of a line.
    """
    with sqlite3.connect(whole_shoes.folder / "org.sqlite") as db:
        closed = db.execute("SELECT count(*) FROM \"Case\" WHERE Status = 'Closed'").fetchone()[0]
        transfers = db.execute(
            "SELECT count(*) FROM CaseHistory__c WHERE OldValue__c IS NOT NULL"
        ).fetchone()[0]
    assert (closed, transfers) == (918, 111)
    assert [effect.says for effect in whole_shoes.report.effects if not effect.present] == []
    assert whole_shoes.report.cells_filled >= 0.95
    alike = {name: one.exact_duplicates for name, one in whole_shoes.report.diversity.items()}
    # "Did you get my email?" is a whole mail, and more than one customer writes it.
    assert alike.pop("EmailMessage.TextBody") <= 30
    assert max(alike.values()) == 0
    assert max(one.near_duplicate_share for one in whole_shoes.report.diversity.values()) <= 0.01
    mails = whole_shoes.report.diversity["EmailMessage.TextBody"]
    assert mails.distinct_2 >= 0.10
    assert mails.gzip_ratio <= 7


@tried_on("company", ["saas", "bank", "clinic", "outdoor", "utility"])
def test_the_other_companies_are_right(
    company: str, shipped: Callable[[str, float], FinishedRun]
) -> None:
    """Each shipped company breaks no invariant at a tenth of its size."""
    outcome = shipped(company, 0.1)
    assert outcome.report.findings
    assert [one.name for one in outcome.report.broken] == []


class OnesOwnWriter:
    """A writer as the guide on models shows one: it gets the prompt and answers through some model
    of its own.
    """

    name = "my-model"
    at_once = 4

    def __init__(self, job: PreparedRun) -> None:
        self.beats = job.setting.schema.beats or {}
        self.model = EmbeddedWriter(job.lexicon, self.beats)
        self.prompts: list[str] = []

    def parameters(self, request: WriteRequest) -> dict[str, str]:
        """Nothing else decides its answers."""
        return {}

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """The guide's method, a stand-in answering for the model."""
        self.prompts.append(messages(request, self.beats, load_prompts())[1]["content"])
        return WriterAnswer(entries=self.model.answer(request).entries)


def test_a_writer_of_ones_own_takes_the_embedded_ones_place(tmp_path: Path) -> None:
    """`generate` takes any writer through `writers_of`, asks it with prompts, and names it in the
    manifest.
    """
    writers: list[OnesOwnWriter] = []

    @asynccontextmanager
    async def writers_of(job: PreparedRun, ledger: Ledger) -> AsyncIterator[Writers]:
        writers.append(OnesOwnWriter(job))
        yield Writers(writers[0])

    outcome = generate(RunRequest("shoes", scale=0.05), tmp_path / "run", writers_of=writers_of)
    assert outcome.report.right
    assert len(writers[0].prompts) == outcome.mini_batches
    assert '"writer": "my-model"' in (tmp_path / "run" / "manifest.json").read_text()


@THOROUGH
def test_it_works_from_a_built_wheel_in_another_folder(tmp_path: Path) -> None:
    """The wheel holds all schemas, lexicons and prompts: a plan made from its unpacked contents
    elsewhere is the checkout's.
    """
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path / "dist"), str(ROOT)],
        check=True,
        capture_output=True,
    )
    wheel = next((tmp_path / "dist").glob("*.whl"))
    subprocess.run(
        [sys.executable, "-m", "zipfile", "-e", str(wheel), str(tmp_path / "site")], check=True
    )
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); sys.argv = ['x', 'plan',"
        " '--company', 'shoes', '--scale', '0.1']; import pipeline.__main__ as m;"
        " print(m.__file__); sys.exit(m.main())"
    )
    ended = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ended.returncode == 0, ended.stderr
    assert str(tmp_path / "site") in ended.stdout
    assert "EmailMessage" in ended.stdout
