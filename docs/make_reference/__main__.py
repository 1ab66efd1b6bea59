"""`python -m docs.make_reference`: writes every reference page; with `--check` it only compares.

Exit code 1 with `--check` where a page is out of date.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from docs.make_reference import (
    command_pages,
    file_pages,
    lexicon_pages,
    schema_pages,
    source_pages,
    tool_pages,
)

FOLDER = Path(__file__).parent.parent / "reference"
NOTE = "<!-- `make docs` writes this page from the program's models. Do not edit it by hand. -->"

PAGES: dict[str, Callable[[], str]] = {
    "profile.md": schema_pages.profile_page,
    "world.md": schema_pages.world_page,
    "schema.md": schema_pages.schema_page,
    "sources.md": source_pages.sources_page,
    "paths.md": source_pages.paths_page,
    "lexicon.md": lexicon_pages.lexicon_page,
    "cli.md": command_pages.commands_page,
    "tools.md": tool_pages.tools_page,
    "files.md": file_pages.files_page,
}
"""A page's file name in docs/reference -> the function that makes its text."""


def page_text(name: str) -> str:
    """The whole text of one page, as it is written to its file."""
    return f"{NOTE}\n\n{PAGES[name]().strip()}\n"


def outdated(folder: Path = FOLDER) -> list[str]:
    """The names of the pages whose files differ from what the models say, or that are missing."""
    found = []
    for name in PAGES:
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != page_text(name):
            found.append(name)
    return found


def main(words: Sequence[str]) -> int:
    """Writes or compares the pages; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m docs.make_reference")
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    if parser.parse_args(words).check:
        old = outdated()
        for name in old:
            print(f"docs/reference/{name} is out of date; run make docs", file=sys.stderr)
        return 1 if old else 0
    FOLDER.mkdir(exist_ok=True)
    for name in PAGES:
        (FOLDER / name).write_text(page_text(name), encoding="utf-8")
        print(f"docs/reference/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
