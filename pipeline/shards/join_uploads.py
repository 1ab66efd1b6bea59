"""The upload files of all shards as one folder.

A record's name within an upload is its object type and its row: `AccountRef12`. In later shards
rows are counted on by the records of the earlier ones. Files are read and written line by line.
"""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.atomic import CHECK_DISK, write_text
from schemas.errors import StorageFailed
from schemas.model import Schema

PLAN = "plan.json"
RowsBefore = Mapping[str, int]
"""How many records of each object type earlier shards have."""


@dataclass(frozen=True, slots=True)
class UploadForm:
    """How a file of records begins and ends, and what it is where there are none."""

    ending: str
    head: str
    end: str
    empty: str


FORMS = (
    UploadForm(".json", '{"records": [', "]}\n", '{"records": [\n]}\n'),
    UploadForm(".update.json", '{\n  "records": [', "  ]\n}\n", '{\n  "records": []\n}\n'),
)
"""The files of an object type: its records, and their second pass."""


def join_uploads(
    schema: Schema,
    shards: Sequence[tuple[Path, RowsBefore]],
    common: frozenset[str],
    folder: Path,
) -> list[Path]:
    """Writes the upload of the shards' folders; returns its files."""
    try:
        folder.mkdir(exist_ok=True)
        shutil.copyfile(shards[0][0] / PLAN, folder / PLAN)
    except OSError as error:
        raise StorageFailed(
            f"{folder}: can't be written ({error.strerror}); {CHECK_DISK}"
        ) from error
    found = [folder / PLAN]
    for item in schema.objects:
        for form in FORMS:
            name = f"{item.name}{form.ending}"
            parts = [(path / name, before) for path, before in shards if (path / name).is_file()]
            if item.name in common:
                parts = parts[:1]
            if parts:
                write_text(folder / name, _joined(parts, form))
                found.append(folder / name)
    return sorted(found)


def _joined(parts: Sequence[tuple[Path, RowsBefore]], form: UploadForm) -> Iterator[str]:
    """Yields a file in pieces: the records of all parts."""
    begun = False
    for path, before in parts:
        counted = _counting(before)
        first = True
        for line in _body(path, form):
            # The last record of a part has no comma behind it.
            between = "\n" if not first else ",\n" if begun else f"{form.head}\n"
            yield between + counted(line)
            begun, first = True, False
    yield f"\n{form.end}" if begun else form.empty


def _body(path: Path, form: UploadForm) -> Iterator[str]:
    """Yields the lines of a file that hold its records."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        ends = form.end.splitlines()
        head = form.head.splitlines()
        for place, line in enumerate(lines):
            text = line.removesuffix("\n")
            if place < len(head):
                if text != head[place]:
                    return
            elif text == ends[0]:
                return
            else:
                yield text


def _counting(before: RowsBefore) -> Callable[[str], str]:
    """Counts on the names of records that stand in a line."""
    moved = {name: rows for name, rows in before.items() if rows}
    if not moved:
        return str
    # A text can't hold such a name: within it the quotes would have strokes before them.
    named = re.compile(rf'(?<!\\)"(@?)({"|".join(moved)})Ref(\d+)"')

    def name(found: re.Match[str]) -> str:
        row = int(found[3]) + moved[found[2]]
        return f'"{found[1]}{found[2]}Ref{row}"'

    return lambda line: named.sub(name, line)
