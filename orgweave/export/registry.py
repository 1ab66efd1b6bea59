"""The formats by name, and one export from beginning to end: the finished org in, a folder out,
what it cost in notes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orgweave.export.bulk import write_bulk
from orgweave.export.csv_files import write_csv
from orgweave.export.cumulusci import write_cumulusci
from orgweave.export.folder import WaitObserver, building
from orgweave.export.forms import AS_THEY_ARE, OrgForms
from orgweave.export.json_lines import write_json_lines
from orgweave.export.messaging import NOTE
from orgweave.export.metadata import write_metadata
from orgweave.export.parquet_files import write_parquet
from orgweave.export.source import ExportSource, TableObserver, opened
from orgweave.export.tree import write_tree
from pipeline.compute.jobs import ONE_PROCESS, Workers, executor_of
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput

FormatWriter = Callable[[ExportSource, Path], list[str]]
"""Writes an org into an empty folder; returns a line on each thing that it leaves out."""
METADATA = "metadata"
NO_PERSONS = frozenset({"tree", "cumulusci"})
"""The formats that refer to records of their own alone."""

FORMATS: dict[str, FormatWriter] = {
    "tree": write_tree,
    "bulk": write_bulk,
    "cumulusci": write_cumulusci,
    "parquet": write_parquet,
    "csv": write_csv,
    "jsonl": write_json_lines,
}


@dataclass(frozen=True, slots=True)
class Exported:
    """Where an export lies and what it tells of itself."""

    folder: Path
    notes: tuple[str, ...]


def export(
    run: Path,
    name: str,
    to: Path | None = None,
    say: WaitObserver | None = None,
    watch: TableObserver = lambda table, records: None,
    workers: Workers = ONE_PROCESS,
    forms: OrgForms = AS_THEY_ARE,
) -> Exported:
    """Exports the finished org of a run's folder; raises BadInput for an unknown format, an
    unfinished org, a folder in use.

    `say` is called while another export of this folder is waited for, and `watch` with each table
    and the number of records read. `forms` says in which form chats and customers are written. The
    files are the same whatever the number of `workers`.
    """
    writer = write_metadata if name == METADATA else FORMATS.get(name)
    if writer is None:
        raise BadInput(f"--format {name}: there is no such format; use one of {', '.join(FORMATS)}")
    if forms.persons and name in NO_PERSONS:
        raise BadInput(
            f"--accounts person: {name} refers to no record that the CRM makes by itself, as the"
            " contact of a person is; use --format bulk"
        )
    records = sum(RunFolder(run).read_manifest().counts.values())
    with (
        executor_of(workers, records) as executor,
        opened(run, watch, executor, forms) as source,
    ):
        place = to or RunFolder(run).exports_folder / name
        about: dict[str, object] = {
            "format": name,
            "company": source.profile.name,
            "schema": source.schema.name,
            "org_sha256": source.sha256,
            **forms.told,
        }
        with building(place, about, say) as folder:
            notes = writer(source, folder)
            if forms.messaging:
                notes.append(NOTE)
    return Exported(place, tuple(notes))
