"""The pages that people write (README, CONTRIBUTING, docs/), taken apart for tests.

A fenced block may have a marker on the line before it, an HTML comment that readers don't see:

    <!-- file: toys.yaml -->                     the block is this file
    <!-- insert: latent/registry.py, after: X -->  its lines go behind the line that holds X;
                                                 `before: X` and `end` say other places
    <!-- part: world -->                         a part of a file, checked as such
    <!-- needs: ask_my_model -->                 it runs, with these names given by the test
    <!-- not run: it needs a key -->             it is only read, and this is why

Knows no page and runs nothing.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
FENCE = re.compile(
    r"^(?:<!-- (?P<kind>[a-z ]+): (?P<value>[^\n]+) -->\n)?"
    r"```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMAND = re.compile(r"(?:\S*python -m pipeline|^orgweave) (.*)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, its marker's kind and value, the heading above it."""

    language: str
    text: str
    kind: str
    value: str
    heading: str


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file."""

    path: Path

    @property
    def name(self) -> str:
        """Its path from the root: `docs/guide/model.md`."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def text(self) -> str:
        """The whole file."""
        return self.path.read_text(encoding="utf-8")

    @property
    def prose(self) -> str:
        """The file without its fenced blocks."""
        return FENCE.sub("", self.text)

    def blocks(self) -> Iterator[Block]:
        """The fenced blocks, from the first to the last."""
        for found in FENCE.finditer(self.text):
            above = HEADING.findall(FENCE.sub("", self.text[: found.start()]))
            yield Block(
                found["language"],
                found["text"],
                found["kind"] or "",
                found["value"] or "",
                above[-1][1] if above else "",
            )

    def sections(self) -> list[str]:
        """The headings that have blocks below them, in order."""
        return list(dict.fromkeys(block.heading for block in self.blocks()))

    def commands(self) -> Iterator[list[str]]:
        """The words behind `python -m pipeline` or `orgweave`, of every command line."""
        for block in self.blocks():
            if block.language == "sh":
                yield from commands_in(block.text)

    def links(self) -> Iterator[str]:
        """The targets of the links."""
        yield from LINK.findall(self.prose)

    def anchors(self) -> set[str]:
        """What a link to a heading of the page may name behind `#`."""
        return {_anchor(title) for _, title in HEADING.findall(FENCE.sub("", self.text))}


def _anchor(title: str) -> str:
    """A heading's anchor as GitHub makes it: `1. A profile` is `1-a-profile`."""
    plain = re.sub(r"[^\w\- ]", "", title.lower())
    return plain.replace(" ", "-")


def commands_in(text: str) -> Iterator[list[str]]:
    """The words of each of our own command lines in a shell block, comments left out."""
    for line in text.splitlines():
        found = COMMAND.search(line)
        if found:
            yield shlex.split(found.group(1), comments=True)


def pages() -> list[Page]:
    """Every page, the generated references among them."""
    paths = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
    paths += sorted((ROOT / "docs").rglob("*.md"))
    return [Page(path) for path in paths]


def written_pages() -> list[Page]:
    """The pages that people write."""
    return [page for page in pages() if "docs/reference/" not in page.name]


def page(name: str) -> Page:
    """The page of that path from the root."""
    return Page(ROOT / name)
