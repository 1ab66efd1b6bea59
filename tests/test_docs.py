"""The documentation's claims, tried: its commands parse and run, its examples work, its links lead
somewhere, its generated pages are what the models say.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from _pytest.mark import ParameterSet

from docs.make_reference import file_pages
from docs.make_reference.__main__ import PAGES, outdated
from docs.make_reference.models import keys_of
from orgweave.cli import COMMANDS, command_module, command_parser, parsed, run, top_parser
from pipeline.draw_plan import as_mermaid
from pipeline.plan import Plan
from pipeline.run import FinishedRun
from pipeline.write.grammar import parse
from schemas.field import Field, Judging, Question
from schemas.loader import load_object
from schemas.model import Beat
from schemas.object_type import Count, ObjectType, UnitRule
from schemas.profile import Period, Profile, Rates
from schemas.proofs import Invariant
from schemas.sources import SOURCES
from schemas.tour import Tour, TourQuery, TourStart
from schemas.trade import trade_of
from schemas.world import World
from tests.doc_pages import ROOT, Block, Page, commands_in, page, pages, written_pages
from tests.tiers import THOROUGH

LANGUAGES = {"sh", "python", "yaml", "json", "text", "mermaid", "diff"}
UNTRIED = {
    "serve": "it runs until it is interrupted",
    "explore": "it runs until it is interrupted",
    "mcp": "it runs until it is interrupted",
    "upload": "it needs a server",
    "evaluate": "it needs Inspect, and minutes",
    "scores": "it needs logs of evaluations",
}
"""Commands of the guides that are parsed but not run, and why not."""
GUIDES = sorted((ROOT / "docs" / "guide").glob("*.md"))
LONG_GUIDES = frozenset({"generate", "industry", "model", "tasks"})
"""Guides whose commands make several orgs; other tests run the main ones of them."""
PATH = re.compile(r"`((?:schemas|latent|verifiers|pipeline|orgweave|docs|tests)/[\w./]+)`")
PROSE_LIMIT = 100


def tried_guides() -> list[ParameterSet]:
    """The guides, each under its name; the long ones are thorough cases."""
    cases = []
    for guide in GUIDES:
        marks = (THOROUGH,) if guide.stem in LONG_GUIDES else ()
        cases.append(pytest.param(guide, id=guide.stem, marks=marks))
    return cases


def named(pages_: list[Page]) -> dict[str, object]:
    """Keyword arguments of `parametrize`: the pages, each under its path."""
    return {"argvalues": pages_, "ids": [one.name for one in pages_]}


def parts_of(document: Page) -> list[Block]:
    """The blocks of a page that show a part of a file."""
    return [block for block in document.blocks() if block.kind == "part"]


def with_parts() -> list[Page]:
    """The pages that show a part of a file."""
    return [document for document in written_pages() if parts_of(document)]


def parses(words: list[str]) -> bool:
    """Whether the command line takes these words."""
    return bool(parsed(words).command)


@pytest.mark.parametrize("document", **named(pages()))
def test_every_command_on_a_page_parses(document: Page) -> None:
    """Every command line of a page names a command and options that there are."""
    for words in document.commands():
        assert words[0] == "--version" or parses(words), words


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_shows_three_examples_of_its_own(command: str) -> None:
    """A command's help ends with three command lines of that command alone, and each parses."""
    examples = list(commands_in("\n".join(_stripped(command_module(command).EXAMPLES))))
    assert [words[0] for words in examples] == [command] * 3
    for words in examples:
        assert parses(words)
    for line in _stripped(command_module(command).EXAMPLES):
        assert line in command_parser(command).format_help()


def _stripped(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_says_what_it_does(command: str) -> None:
    """Each option and each command has a line of help, and a command's first letter alone is made a
    capital: `SOQL` stays `SOQL`.
    """
    shown = command_parser(command).format_help()
    assert COMMANDS[command][1:].split("(")[0].split(";")[0] in " ".join(shown.split())
    assert COMMANDS[command] in top_parser().format_help()
    for action in command_parser(command)._actions:
        assert action.help


@pytest.mark.parametrize("document", **named(pages()))
def test_every_link_leads_somewhere(document: Page) -> None:
    """A link to a file names one that is there, and a link to a heading one that the page has."""
    for target in document.links():
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        place = (document.path.parent / file).resolve() if file else document.path
        assert place.exists(), target
        if anchor:
            assert anchor in Page(place).anchors(), target


@pytest.mark.parametrize("document", **named(written_pages()))
def test_every_file_that_a_page_names_is_there(document: Page) -> None:
    """A path in backticks that begins with a package's name is in the tree, or made by the page."""
    made = {block.value for block in document.blocks() if block.kind == "file"}
    for path in PATH.findall(document.prose):
        assert path in made or (ROOT / path).exists(), path


@pytest.mark.parametrize("document", **named(written_pages()))
def test_every_fenced_block_is_of_a_known_kind(document: Page) -> None:
    """A block names its language; code and YAML are run or checked, or a comment says why not."""
    for block in document.blocks():
        assert block.language in LANGUAGES, block.text
        if block.language == "yaml":
            assert block.kind in ("file", "part", "insert", "not run"), block.text
        if block.language == "json":
            for line in block.text.splitlines():
                json.loads(line)


@pytest.mark.parametrize("document", **named(written_pages()))
def test_lines_of_prose_are_short(document: Page) -> None:
    """A line of prose has at most 100 characters; tables and links may be longer."""
    for line in document.prose.splitlines():
        assert len(line) <= PROSE_LIMIT or line.startswith(("|", "![")) or "](" in line, line


@pytest.mark.parametrize("guide", tried_guides())
def test_a_guides_commands_run(guide: Path, small_shoes: FinishedRun, tmp_path: Path) -> None:
    """Whoever follows a guide from its first line to its last gets no error: its files are written,
    its commands and its Python run in the given order.
    """
    shutil.copytree(small_shoes.folder, tmp_path / "outputs" / "shoes")
    for block in Page(guide).blocks():
        if block.kind == "file":
            place = tmp_path / block.value
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block.text, encoding="utf-8")
        elif block.kind == "not run":
            continue
        elif block.language == "python":
            _run_python(f"{_given(block)}{block.text}", tmp_path)
        elif block.language == "sh":
            for words in commands_in(block.text):
                if words[0] not in UNTRIED and not _asks_a_model(words):
                    with contextlib.chdir(tmp_path):
                        assert run(_at_a_tenth(words)) == 0, words


def _run_python(text: str, folder: Path) -> None:
    """A guide's Python, run in a process as a reader runs it."""
    ended = subprocess.run(
        [sys.executable, "-c", text],
        cwd=folder,
        capture_output=True,
        text=True,
        # It may use the tests' own model, which is not installed with the package.
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def _at_a_tenth(words: list[str]) -> list[str]:
    """The command for a company of a tenth of the size at most, which has cases for few
    questions.
    """
    if words[0] == "tasks":
        return [*words, "--per-task", "3"]
    if words[0] == "plan" or "--limit" in words:
        return [*words, "--scale", "0.1"]
    if words[0] in ("generate", "regenerate"):
        # The page beside an org takes as long as a small org, and has tests of its own.
        words = [*words, "--no-report"]
    # What a guide makes at a tenth is as right at a thirtieth, and made in half the time.
    return ["0.03" if word == "0.1" else word for word in words]


def _asks_a_model(words: list[str]) -> bool:
    return "--model" in words and words[0] != "plan"


def _given(block: Block) -> str:
    """The names that a block of Python leaves to its reader."""
    if block.kind != "needs":
        return ""
    return f"from tests.doc_model import {block.value}\n"


@pytest.mark.parametrize("document", **named(with_parts()))
def test_parts_of_files_are_right(document: Page, tmp_path: Path) -> None:
    """A part of a lexicon or of an object type that a page shows is taken by its checker."""
    for number, block in enumerate(parts_of(document)):
        PARTS[block.value](block.text, tmp_path / f"Part{number}.yaml")


def _check_world(text: str, path: Path) -> None:
    world = yaml.safe_load(text)
    trade = trade_of(world.get("trade", "goods"), str(path))
    World.model_validate({**world, "trade": trade})


def _check_rules(text: str, path: Path) -> None:
    for lines in yaml.safe_load(text)["rules"].values():
        for line in lines:
            parse(line)


def _check_fields(text: str, path: Path) -> None:
    """A part of an object type is completed with the keywords that every one has."""
    part = yaml.safe_load(text)
    own_id = {"type": "string", "x-source": {"id": True}}
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": path.stem,
        "description": "A part of a page.",
        "type": "object",
        "x-key-prefix": "000",
        "x-count": {"number": 1},
        **part,
        "properties": {"Id": own_id, **part.get("properties", {})},
    }
    path.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    load_object(path)


PARTS = {"world": _check_world, "rules": _check_rules, "fields": _check_fields}


def test_the_architectures_tree_is_the_tree() -> None:
    """The tree of packages has a line for each folder of the repository, and no other."""
    drawn = _drawn_folders()
    there = {
        path.relative_to(ROOT).as_posix()
        for top in ("schemas", "verifiers", "latent", "pipeline", "orgweave")
        for path in [ROOT / top, *(ROOT / top).rglob("*")]
        if "__pycache__" not in path.parts and path.is_dir() and any(path.rglob("*.*"))
    }
    lexicons = {name for name in there if name.startswith("schemas/lexicons/")}
    templates = {name for name in there if re.match("pipeline/write/prompts/.", name)}
    assert drawn - {"docs", "outputs", "tests"} == there - lexicons - templates


def _drawn_folders() -> set[str]:
    text = next(
        block.text
        for block in page("docs/architecture.md").blocks()
        if block.text.startswith("schemas/")
    )
    found: list[str] = []
    above: list[str] = []
    for line in text.splitlines():
        shown = re.match(r"( *)(\w+)/", line)
        assert shown, line
        depth = len(shown[1]) // 2
        above = [*above[:depth], shown[2]]
        found.append("/".join(above))
    assert len(found) == len(set(found))
    return set(found)


@THOROUGH
def test_the_picture_is_the_plan(shoes_plan: Plan) -> None:
    """The Mermaid picture is what `plan --format mermaid` prints for the shoe company."""
    shown = next(
        block.text for block in page("docs/architecture.md").blocks() if block.language == "mermaid"
    )
    assert shown.strip() == as_mermaid(shoes_plan).strip()


def test_the_public_workflow_tries_every_supported_python() -> None:
    """The versions that the workflow tries on Linux are those that the package names."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    tried = workflow["jobs"]["linux"]["strategy"]["matrix"]["python-version"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    assert tried == names


def test_the_references_are_up_to_date() -> None:
    """Every generated page is what the models say now; if not, run `make docs`."""
    assert outdated() == [], "run make docs"
    assert {path.name for path in (ROOT / "docs" / "reference").iterdir()} == set(PAGES)


@pytest.mark.parametrize(
    "model",
    [
        *(Profile, Period, Rates, World, ObjectType, Field, Count, UnitRule, Judging, Question),
        *(Beat, Invariant, Tour, TourStart, TourQuery),
        *SOURCES.values(),
    ],
)
def test_every_key_that_a_person_writes_says_what_it_means(model: type) -> None:
    """Each key of a profile, a schema, a source or a tour has a description."""
    assert [key.name for key in keys_of(model) if not key.description] == []


def test_every_key_of_a_runs_files_is_explained(small_shoes: FinishedRun) -> None:
    """The page on files has each key that a manifest and a check.json hold."""
    manifest = json.loads((small_shoes.folder / "manifest.json").read_text(encoding="utf-8"))
    check = json.loads((small_shoes.folder / "check.json").read_text(encoding="utf-8"))
    assert set(manifest) <= set(file_pages.MANIFEST)
    for written in manifest["written"].values():
        assert set(written) == set(file_pages.WRITTEN)
    assert set(check) == set(file_pages.CHECK)
    for effect in check["effects"]:
        assert all(f"`{key}`" in file_pages.CHECK["effects"] for key in effect)
    for measured in check["diversity"].values():
        assert all(f"`{key}`" in file_pages.CHECK["diversity"] for key in measured)
