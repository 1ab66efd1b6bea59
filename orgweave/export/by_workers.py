"""The files of an export, written one after the other or by several workers.

Each worker opens the org for itself. What it writes depends on the org and its piece of the work
alone, so that the bytes are the same whoever writes them. Knows no format.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from orgweave.export.forms import OrgForms
from orgweave.export.source import ExportSource, FileState, connected, file_state
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput
from schemas.model import Schema
from schemas.profile import Profile

Piece = TypeVar("Piece")
Written = TypeVar("Written")
PieceWork = Callable[[ExportSource, Path, Piece], Written]
"""Writes files of a piece into a folder. A worker imports it by name."""

TablesRead = list[tuple[str, int]]
"""Tables that were read as a whole, each with its records."""


@dataclass(frozen=True, slots=True)
class _ShutSource:
    """What a worker needs to open the org, and the state that its file must be in."""

    run: Path
    profile: Profile
    schema: Schema
    sha256: str
    language: str
    state: FileState
    forms: OrgForms
    own: Schema


def each(
    source: ExportSource,
    work: PieceWork[Piece, Written],
    folder: Path,
    pieces: Sequence[tuple[str, Piece]],
) -> list[Written]:
    """What the work returns for each piece, in their order.

    Beside a piece stands the table that it is made of: where workers write, the largest is begun
    first. Raises BadInput where the org is made anew meanwhile.
    """
    if source.executor.workers == 1:
        return [work(source, folder, piece) for _, piece in pieces]
    sizes = [source.number(table) for table, _ in pieces]
    shut = source.executor.share(_shut(source))
    parts: dict[int, Future[tuple[Written, TablesRead]]] = {}
    for place in sorted(range(len(pieces)), key=lambda place: -sizes[place]):
        piece = pieces[place][1]
        parts[place] = source.executor.submit(_by_worker, shut, work, folder, piece)
    outcomes = []
    for place in range(len(pieces)):
        outcome, read = parts[place].result()
        _tell(source, read)
        outcomes.append(outcome)
    return outcomes


def _by_worker(
    shut: _ShutSource,
    work: PieceWork[Piece, Written],
    folder: Path,
    piece: Piece,
) -> tuple[Written, TablesRead]:
    """What a worker does; also tells which tables it has read as a whole, with their records."""
    run = RunFolder(shut.run)
    read: TablesRead = []
    with closing(connected(run)) as db:
        # A run that makes the org anew puts another file in its place.
        if file_state(run.org_file) != shut.state:
            raise BadInput(
                f"{run.path}: is being made anew; wait for that run, then run the same command"
                " again"
            )
        source = ExportSource(
            shut.profile,
            shut.schema,
            run.org_file,
            shut.sha256,
            db,
            lambda table, records: read.append((table, records)),
            language=shut.language,
            forms=shut.forms,
            own=shut.own,
        )
        shut.forms.add_tables(db, shut.own)
        return work(source, folder, piece), read


def _shut(source: ExportSource) -> _ShutSource:
    return _ShutSource(
        source.path.parent,
        source.profile,
        source.schema,
        source.sha256,
        source.language,
        source.state,
        source.forms,
        source.own or source.schema,
    )


def _tell(source: ExportSource, read: TablesRead) -> None:
    """Tells of tables that workers have read, of each the first time."""
    for table, records in read:
        if table not in source.told:
            source.told.add(table)
            source.watch(table, records)
