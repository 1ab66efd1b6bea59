"""What became of every record: counts an object type, refused and held-back ones in
`refused.jsonl`, doubled ones in `doubled.jsonl`, a table for a person.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orgweave.crm.seam import RecordResult
from pipeline.atomic import CHECK_DISK
from schemas.errors import StorageFailed

HELD_BACK = "HELD_BACK"
"""The code of a record that waits for one that the CRM hasn't got."""
SHOWN = 3
"""Ids of doubled records that the report shows; the file beside it has all."""
HEADER = ("object", "before", "created", "mapped", "updated", "refused", "held back", "left out")


@dataclass(slots=True)
class LoadCount:
    """Records of one object type."""

    before: int = 0
    created: int = 0
    mapped: int = 0
    updated: int = 0
    refused: int = 0
    held_back: int = 0
    left_out: int = 0

    def cells(self) -> list[str]:
        """As a row of the table."""
        numbers = (
            self.before,
            self.created,
            self.mapped,
            self.updated,
            self.refused,
            self.held_back,
            self.left_out,
        )
        return [f"{number:,}" for number in numbers]


@dataclass(slots=True)
class LoadTally:
    """Counts of one upload. `missing` are the keys of refused and held-back records."""

    path: Path
    counts: dict[str, LoadCount] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)
    doubled: int = 0

    def __post_init__(self) -> None:
        for path in (self.path, self.doubled_path):
            path.unlink(missing_ok=True)

    def of(self, name: str) -> LoadCount:
        """An object type's counts."""
        return self.counts.setdefault(name, LoadCount())

    @property
    def refused(self) -> int:
        """Refused and held-back records in all."""
        return sum(count.refused + count.held_back for count in self.counts.values())

    def refuse(self, name: str, refusals: Iterable[tuple[str, RecordResult]]) -> None:
        """Lists records that the CRM refused, or that wait for one that it refused."""
        lines: list[dict[str, object]] = []
        for key, result in refusals:
            if result.code == HELD_BACK:
                self.of(name).held_back += 1
            else:
                self.of(name).refused += 1
            self.missing.add(key)
            lines.append(
                {
                    "type": name,
                    "id": key,
                    "errorCode": result.code,
                    "message": result.message,
                    "fields": list(result.fields),
                }
            )
        if lines:
            self._append(self.path, lines)

    @property
    def doubled_path(self) -> Path:
        """The file beside `path` that lists records of the CRM that are there once too often."""
        return self.path.with_name(self.path.name.replace("refused", "doubled"))

    def double(self, name: str, ids: Sequence[str]) -> None:
        """Lists records, by the CRM's ids, that look like ours and that no answer told of."""
        self.doubled += len(ids)
        shown = ", ".join(ids[:SHOWN]) + (" ..." if len(ids) > SHOWN else "")
        self.notes.append(f"{name}: {len(ids):,} records are doubled: {shown}")
        self._append(self.doubled_path, [{"type": name, "org_id": org_id} for org_id in ids])

    def _append(self, path: Path, lines: Iterable[dict[str, object]]) -> None:
        try:
            with path.open("a", encoding="utf-8") as out:
                out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        except OSError as error:
            raise StorageFailed(
                f"{path}: can't be written ({error.strerror}); {CHECK_DISK}"
            ) from error


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """A row of the report: the first cell to the left, figures to the right."""
    first, *figures = row
    cells = [first.ljust(widths[0])]
    for figure, width in zip(figures, widths[1:], strict=True):
        cells.append(figure.rjust(width + 1))
    return " ".join(cells)


def tally_text(tally: LoadTally, calls: int, seconds: float) -> str:
    """The final report: a row an object type, what was left out, the sum."""
    rows = [HEADER, *((name, *count.cells()) for name, count in tally.counts.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_line(row, widths) for row in rows]
    created = sum(count.created for count in tally.counts.values())
    total = f"{created:,} records created with {calls:,} calls in {seconds:.1f} seconds"
    return "\n".join([*lines, "", *tally.notes, total])
