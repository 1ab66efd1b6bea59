"""The documentation as a site: every page is in it, its links lead somewhere, and it needs no
network.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from docs.site_links import on_page_markdown
from tests.doc_pages import ROOT

MKDOCS = shutil.which("mkdocs") or shutil.which("mkdocs", path=Path(sys.prefix) / "site" / "bin")
SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def pages_in(entry: Any) -> list[str]:
    """The pages of a part of the navigation."""
    if isinstance(entry, str):
        return [entry]
    parts = entry.values() if isinstance(entry, dict) else entry
    found = []
    for part in parts:
        found += pages_in(part)
    return found


def shown(text: str, page: str) -> str:
    """A page's text as the hook leaves it."""
    given = SimpleNamespace(file=SimpleNamespace(src_uri=page))
    return on_page_markdown(text, given, {"repo_url": SITE["repo_url"]}, None)


def test_every_page_stands_in_the_navigation() -> None:
    """A page that nobody can reach from the top would be lost."""
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    listed = pages_in(SITE["nav"])
    assert set(listed) == there
    assert len(listed) == len(set(listed))


def test_links_outside_of_the_pages_lead_to_the_repository() -> None:
    """What the site doesn't hold is shown where it lies; what it holds stays as it is."""
    whole = "https://github.com/orgweave/orgweave/blob/main/CONTRIBUTING.md#a-task"
    assert shown("[how](../../CONTRIBUTING.md#a-task)", "guide/tasks.md") == f"[how]({whole})"
    for text in ("[a](../reference/cli.md)", "![a](../explore.png)", "[a](https://x.example/../y)"):
        assert shown(text, "guide/tasks.md") == text


@pytest.mark.skipif(MKDOCS is None, reason="MkDocs isn't installed; `make docs` installs it")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Strictly: each link and anchor is there; and no page loads anything from another host."""
    words = [str(MKDOCS), "build", "--strict", "--site-dir", str(tmp_path)]
    built = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    for path in tmp_path.rglob("*.html"):
        loaded = re.findall(
            r'<(?:script|link|img)[^>]+(?:src|href)="(http[^"]+)"', path.read_text()
        )
        assert [address for address in loaded if "github.com/orgweave" not in address] == [], path
