"""The README's claims, run: its commands, its excerpt, its profile, its module tree, its writer."""

import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from orgweave.cli import parsed
from pipeline.config import PreparedRun, RunRequest, load_job
from pipeline.draw_plan import as_mermaid
from pipeline.ledger import Ledger
from pipeline.plan import make_plan
from pipeline.run import FinishedRun, generate
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.prompt import load_prompts, messages
from pipeline.write.request import WriterAnswer, WriteRequest
from pipeline.write.writer import Writers

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
full = pytest.mark.xdist_group("full")


@pytest.fixture(scope="session")
def shoes(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """The whole shoe company, as `make generate` makes it."""
    return generate(RunRequest("shoes"), tmp_path_factory.mktemp("full") / "shoes")


def blocks(language: str) -> list[str]:
    """The README's fenced blocks of a language."""
    fenced = (block.partition("\n") for block in README.split("```")[1::2])
    return [text for first, _, text in fenced if first == language]


def test_every_command_in_the_readme_is_one() -> None:
    """Each `python -m pipeline` line of the README is a command that the parser takes."""
    lines = [
        line.split("#")[0].strip()
        for block in blocks("sh")
        for line in block.splitlines()
        if "-m pipeline" in line
    ]
    assert len(lines) >= 8
    for line in lines:
        assert parsed(shlex.split(line.split("-m pipeline ")[1])).command


def test_every_module_stands_in_the_tree() -> None:
    """The README's tree has a line for each module of the five packages, and none for a module that
    isn't there.
    """
    tree = README.split("## The tree")[1]
    named = set(re.findall(r"^\s+(\w+\.py)", tree, re.MULTILINE))
    packages = ("orgweave", "pipeline", "latent", "verifiers", "schemas")
    there = {
        path.name
        for package in packages
        for path in (ROOT / package).rglob("*.py")
        if path.name != "__init__.py"
    }
    assert named == there


def test_the_picture_is_the_plan() -> None:
    """The README's Mermaid picture is what `plan --format mermaid` prints for the shoe company."""
    assert (
        blocks("mermaid")[0].strip() == as_mermaid(make_plan(load_job(RunRequest("shoes")))).strip()
    )


@full
def test_the_excerpt_is_real(shoes: FinishedRun) -> None:
    """The chat that the README shows stands in the generated org, and its case is the breach that
    the README tells of.
    """
    excerpt = next(block for block in blocks("") if block.startswith("[20")).strip()
    with sqlite3.connect(shoes.folder / "org.sqlite") as db:
        db.execute("ATTACH ? AS latent", (str(shoes.folder / "latent.sqlite"),))
        query = (
            'SELECT s.ending, s.granted, s."limit" FROM LiveChatTranscript t JOIN'
            ' latent."CaseStory.cases" s ON s.Id = t.CaseId WHERE t.Body = ?'
        )
        assert db.execute(query, (excerpt,)).fetchall() == [("late_grant", "refund", 30)]


@full
def test_the_readmes_figures_are_the_orgs(shoes: FinishedRun) -> None:
    """The README's number of invariants and violations is the check's, and its number of records
    the manifest's, rounded.
    """
    findings = shoes.report.findings
    assert (
        f"{sum(one.broken for one in findings)} violations of {len(findings)} invariants" in README
    )
    assert f"{round(sum(shoes.counts.values()), -2):,} records" in README


@full
def test_the_shoe_company_reaches_its_figures(shoes: FinishedRun) -> None:
    """At full scale: 918 of 977 cases closed, 111 transfers, every causal effect present, no exact
    and few near duplicates.
    """
    with sqlite3.connect(shoes.folder / "org.sqlite") as db:
        closed = db.execute("SELECT count(*) FROM \"Case\" WHERE Status = 'Closed'").fetchone()[0]
        transfers = db.execute(
            "SELECT count(*) FROM CaseHistory__c WHERE OldValue__c IS NOT NULL"
        ).fetchone()[0]
    assert (closed, transfers) == (918, 111)
    assert [effect.says for effect in shoes.report.effects if not effect.present] == []
    assert shoes.report.cells_filled >= 0.95
    assert max(one.exact_duplicates for one in shoes.report.diversity.values()) == 0
    assert max(one.near_duplicate_share for one in shoes.report.diversity.values()) <= 0.01
    mails = shoes.report.diversity["EmailMessage.TextBody"]
    assert mails.distinct_2 >= 0.10
    assert mails.gzip_ratio <= 7


def test_the_readmes_profile_makes_a_company(tmp_path: Path) -> None:
    """The profile in the README, of about 20 lines and without a lexicon, makes an org that is
    right.
    """
    text = blocks("yaml")[0]
    profile = tmp_path / "toys.yaml"
    profile.write_text(text)
    outcome = generate(RunRequest(str(profile)), tmp_path / "run")
    assert len(text.splitlines()) <= 22
    assert outcome.report.right
    with sqlite3.connect(outcome.folder / "org.sqlite") as db:
        assert [row[0] for row in db.execute("SELECT Name FROM ProductCategory")] == [
            "Board Games",
            "Wooden Toys",
            "Puzzles",
            "Craft Kits",
        ]


@pytest.mark.parametrize("company", ["bank", "saas", "clinic"])
def test_the_other_companies_are_right(company: str, tmp_path: Path) -> None:
    """Each shipped company breaks no invariant at a fifth of its size."""
    outcome = generate(RunRequest(company, scale=0.2), tmp_path / company)
    assert outcome.report.findings
    assert [one.name for one in outcome.report.broken] == []


class OnesOwnWriter:
    """A writer as the README shows one: it gets the prompt and answers through some model of its
    own.
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
        """The README's method, a stand-in answering for the model."""
        self.prompts.append(messages(request, self.beats, load_prompts())[1]["content"])
        return WriterAnswer(entries=self.model.answer(request).entries)


def test_a_writer_of_ones_own_takes_the_embedded_ones_place(tmp_path: Path) -> None:
    """`generate` takes any writer through `staff_of`, asks it with prompts, and names it in the
    manifest.
    """
    writers: list[OnesOwnWriter] = []

    @asynccontextmanager
    async def staff_of(job: PreparedRun, ledger: Ledger) -> AsyncIterator[Writers]:
        writers.append(OnesOwnWriter(job))
        yield Writers(writers[0])

    outcome = generate(RunRequest("shoes", scale=0.05), tmp_path / "run", staff_of=staff_of)
    assert outcome.report.right
    assert len(writers[0].prompts) == outcome.mini_batches
    assert '"writer": "my-model"' in (tmp_path / "run" / "manifest.json").read_text()


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
        " '--company', 'shoes']; import pipeline.__main__ as m; print(m.__file__);"
        " sys.exit(m.main())"
    )
    ended = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert ended.returncode == 0, ended.stderr
    assert str(tmp_path / "site") in ended.stdout
    assert "EmailMessage" in ended.stdout
