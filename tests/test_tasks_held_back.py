"""Held-back wordings: no example that ships and no development set shows one."""

import json
from pathlib import Path

from orgweave.benchmark.held_back import Wordings, worded
from orgweave.benchmark.run import make_tasks
from pipeline.run import FinishedRun
from tests.golden_pages import held_back_parts, rules_of_tasks
from tests.tiers import tried_on

HOME = Path(__file__).parent.parent


def test_each_wording_is_public_or_held_back() -> None:
    """Every third line is held back; both parts together are all, and no line is in both."""
    rules = {"task.t.seed": ("a", "b", "c", "d"), "task.t.few": ("e", "f"), "other": ("g",) * 3}
    rules["task.t.three"] = ("h", "i", "j")
    public = {"task.t.seed": ("a", "b", "d"), "task.t.three": ("h", "i")}
    held_back = {"task.t.seed": ("c",), "task.t.three": ("j",)}
    assert worded(rules, "all") == rules
    assert worded(rules, "public") == {**rules, **public}
    assert worded(rules, "held-back") == {**rules, **held_back}


def test_every_seed_query_has_wordings_held_back() -> None:
    """A third of the lines, and half of the rules' held-back lines are told by a piece of text."""
    rules = rules_of_tasks()
    for name, lines in rules.items():
        held = worded(rules, "held-back")[name]
        assert len(held) == len(lines) // 3 >= 1, name
    assert len(held_back_parts(rules)) >= len(rules)


@tried_on("wordings", ["public", "held-back"])
def test_a_development_set_shows_no_held_back_wording(
    small_shoes: FinishedRun,
    tmp_path: Path,
    wordings: Wordings,
) -> None:
    """Of the public wordings no piece is a held-back one; the held-back set shows several. Answers
    and parameters are the same in both, and the report says which was asked for.
    """
    names = ("named_entity_disambiguation", "best_region_identification", "case_routing")
    make_tasks(small_shoes.folder, 12, names, out=tmp_path / "set", wordings=wordings)
    lines = (tmp_path / "set" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [json.loads(line)["query"].split("\n\nSubject:")[0] for line in lines]
    report = json.loads((tmp_path / "set" / "report.json").read_text(encoding="utf-8"))
    assert report["wordings"] == wordings
    parts = held_back_parts(rules_of_tasks())
    shown = [query for query in queries if any(part in query for part in parts)]
    assert bool(shown) == (wordings == "held-back")


def test_no_page_of_the_documentation_shows_a_held_back_wording() -> None:
    """The guide's instances and the README's are worded as anybody may see."""
    pages = [HOME / "README.md", *sorted((HOME / "docs").rglob("*.md"))]
    parts = held_back_parts(rules_of_tasks())
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not [part for part in parts if part in text], page
