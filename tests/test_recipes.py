"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the tree: their files are
written, their lines put in place, their commands run, and the result is looked at.
"""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.doc_pages import ROOT, Block, commands_in, page
from tests.tiers import tried_on

PARTS = ("docs", "latent", "orgweave", "pipeline", "schemas", "tests", "verifiers")
PLACE = re.compile(r"(?P<file>\S+?), (?:(?P<where>after|before): (?P<text>.+)|end)$")
CONTRIBUTING = page("CONTRIBUTING.md")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the packages, which a recipe may change, with what Python has compiled of them."""
    for part in PARTS:
        shutil.copytree(ROOT / part, tmp_path / part)
    return tmp_path


def python(tree: Path, *words: str) -> str:
    """What Python prints with the copied packages; fails where it fails."""
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    ended = subprocess.run(
        [sys.executable, *words],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, f"{words}: {ended.stdout}{ended.stderr}"
    return ended.stdout


def follow(tree: Path, heading: str) -> dict[str, str]:
    """Does all that the recipe under a heading says; what each of its commands printed."""
    printed = {}
    blocks = [block for block in CONTRIBUTING.blocks() if block.heading == heading]
    assert blocks
    for block in blocks:
        if block.kind == "file":
            put(tree / block.value, block.text)
        elif block.kind == "insert":
            insert(tree, block)
        else:
            assert block.language == "sh", f"{heading}: a block that nobody tries: {block.text}"
            printed |= typed(tree, block.text.splitlines())
    return printed


def typed(tree: Path, lines: Sequence[str]) -> dict[str, str]:
    """Runs the lines of a block; what each printed. Commands of ours that follow one another share
    a process, since all of them import the same.
    """
    printed: dict[str, str] = {}
    ours: list[str] = []
    for line in lines:
        if line.startswith("python -m pipeline"):
            ours.append(line)
            continue
        printed |= commanded(tree, ours)
        ours = []
        printed[line] = obey(tree, line)
    return printed | commanded(tree, ours)


def commanded(tree: Path, lines: Sequence[str]) -> dict[str, str]:
    """Calls commands of ours one after the other; what each printed."""
    if not lines:
        return {}
    words = list(commands_in("\n".join(lines)))
    told = python(tree, "-m", "tests.called", json.dumps(words))
    return dict(zip(lines, json.loads(told.splitlines()[-1]), strict=True))


def put(place: Path, text: str) -> None:
    """A new file."""
    assert not place.exists()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def insert(tree: Path, block: Block) -> None:
    """Puts a block's lines behind (or before) the first line that holds its text, or at the end."""
    found = PLACE.match(block.value)
    assert found, block.value
    place = tree / found["file"]
    lines = place.read_text(encoding="utf-8").splitlines(keepends=True)
    number = len(lines)
    if found["text"]:
        number = next(at for at, line in enumerate(lines) if found["text"] in line)
        number += found["where"] == "after"
    lines.insert(number, block.text)
    place.write_text("".join(lines), encoding="utf-8")


def obey(tree: Path, line: str) -> str:
    """Runs another line of a recipe: a copy, a script in the run, `make docs`."""
    if line == "make docs":
        return python(tree, "-m", "docs.make_reference")
    if line.startswith("cp -r "):
        source, target = line.split()[2:]
        shutil.copytree(tree / source, tree / target)
        return ""
    if line.startswith("cp "):
        source, target = line.split()[1:]
        shutil.copy(tree / source, tree / target)
        return ""
    assert line.startswith("python outputs/"), line
    return python(tree, line.split()[1])


def last(printed: dict[str, str]) -> str:
    """What the last command printed."""
    return list(printed.values())[-1]


def an_object_type(tree: Path, printed: dict[str, str]) -> None:
    """There are surveys, each with a score from 1 to 5 and a comment, and each has its case."""
    records = json.loads(last(printed))["records"]
    assert len(records) == 2
    for record in records:
        assert record["Score__c"] in (1, 3, 4, 5)
        assert len(record["Comment__c"]) >= 20
        assert record["CaseId__r"]["Subject"]


def a_latent_variable(tree: Path, printed: dict[str, str]) -> None:
    """The check tells of the effect, and that it is present."""
    (line,) = [line for line in last(printed).splitlines() if line.strip().startswith("Loyalty")]
    assert "loyal customers are rated higher" in line
    assert line.endswith(" present")


def a_verifier(tree: Path, printed: dict[str, str]) -> None:
    """A text that shouts is refused with the reason, and a calm one is not."""
    code = (
        "from verifiers.material import WrittenText; from verifiers.texts import verify_text;"
        " print(verify_text(WrittenText('I WANT MY MONEY BACK NOW')));"
        " print(verify_text(WrittenText('I want my money back now')).failed)"
    )
    refused, calm = python(tree, "-c", code).splitlines()
    assert "calm: shouts 'WANT MY MONEY BACK NOW'" in refused
    assert calm == "False"


def a_task(tree: Path, printed: dict[str, str]) -> None:
    """The instances are of the new task, the stand-alone proof finds each answer right, and the
    oracle solves them all.
    """
    lines = (tree / "outputs/try/tasks/tasks.jsonl").read_text().splitlines()
    assert [json.loads(line)["task"] for line in lines] == ["busiest_region"] * 6
    assert last(printed).strip() == "6 of 6 answers are right"
    python(tree, "-m", "pipeline", "evaluate", "outputs/try", "--agent", "oracle")
    (scores,) = tree.rglob("outputs/try/**/scores.json")
    (row,) = json.loads(scores.read_text())
    assert row["every"]["BUS"]["mean"] == 1.0


def a_tool(tree: Path, printed: dict[str, str]) -> None:
    """The definitions have the tool, and the page on tools a heading for it."""
    assert "get_products_by_family(family)" in next(iter(printed.values()))
    assert "## get_products_by_family" in (tree / "docs/reference/tools.md").read_text()


def an_export_format(tree: Path, printed: dict[str, str]) -> None:
    """The exported statements make the org's records anew."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript((tree / "outputs/try/export/sql/org.sql").read_text())
        charts = [str(row[0]) for row in db.execute("SELECT ChartNumber FROM Patient")]
    assert len(charts) == 24
    assert all(chart.startswith("P-") for chart in charts)


def an_industry(tree: Path, printed: dict[str, str]) -> None:
    """The company has its name, and breaks no invariant."""
    manifest = json.loads((tree / "outputs/try/manifest.json").read_text())
    assert manifest["company"] == "Tumbletree Toys"
    assert ", 0 violations" in last(printed)


RECIPES: dict[str, Callable[[Path, dict[str, str]], None]] = {
    "An object type": an_object_type,
    "A latent variable": a_latent_variable,
    "A verifier": a_verifier,
    "A task": a_task,
    "A tool": a_tool,
    "An export format": an_export_format,
    "An industry": an_industry,
}


def test_every_recipe_is_tried() -> None:
    """Each heading below "How to add" is a recipe of this file, and each recipe has a heading."""
    below = CONTRIBUTING.text.split("# How to add …")[1]
    assert re.findall(r"^## (.+)$", below, re.MULTILINE) == list(RECIPES)


@tried_on("heading", RECIPES)
def test_a_recipe_works(heading: str, tree: Path) -> None:
    """Whoever follows a recipe gets what it promises."""
    RECIPES[heading](tree, follow(tree, heading))
