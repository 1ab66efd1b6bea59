"""A bundle of a finished run, as a folder: its tables, its run, its tasks, its card, its digests.

The same run and options give the same bytes: nothing tells when or where it was made. Knows no
archive.
"""

import csv
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from orgweave.benchmark.evaluate.instances import check_origin
from orgweave.benchmark.formats import COLUMNS, task_rows, write_task_table
from orgweave.benchmark.store import REPORT_FILE, TASKS_FILE
from orgweave.bundle.card import write_card
from orgweave.bundle.layout import (
    BUNDLE,
    DATA,
    LICENCE,
    OPEN_COLUMNS,
    RUN,
    SUMS,
    TASKS,
    DataFormat,
)
from orgweave.export.csv_files import write_csv
from orgweave.export.folder import WaitObserver, building
from orgweave.export.json_lines import write_json_lines
from orgweave.export.parquet_files import write_parquet
from orgweave.export.registry import FormatWriter
from orgweave.export.source import ExportSource, TableObserver, opened
from orgweave.export.template_files import template
from pipeline.atomic import sha256_of, write_text
from pipeline.run_folder import LATENT_FILE, ORG_FILE, RunFolder
from schemas.errors import BadInput

TABLES: Mapping[DataFormat, FormatWriter] = {
    "parquet": write_parquet,
    "csv": write_csv,
    "jsonl": write_json_lines,
}
PROOF = "verify.py"


@dataclass(frozen=True, slots=True)
class BundleOptions:
    """What goes into a bundle.

    `answers` is whether the tasks' answers do, `hidden` whether the hidden causes do, with the
    verdicts that tell of them, `held_back` whether a set of the wordings may that are held back
    from all examples.
    """

    data: DataFormat = "parquet"
    answers: bool = True
    hidden: bool = False
    held_back: bool = False


def write_bundle(
    run: Path,
    place: Path,
    options: BundleOptions,
    say: WaitObserver | None = None,
    watch: TableObserver = lambda table, records: None,
) -> list[str]:
    """Writes the bundle of a run's folder to `place`; returns what is to be said of it.

    Raises BadInput where there is no finished org, where its tasks were made of another one, or
    where `place` holds anything but an earlier bundle.
    """
    folder = RunFolder(run)
    with opened(run, watch) as source:
        notes, with_tasks = _looked_at(folder, source, options)
        about: dict[str, object] = {
            "format": BUNDLE,
            "company": source.profile.name,
            "schema": source.schema.name,
            "org_sha256": source.sha256,
            "data": options.data,
            "tasks": with_tasks,
            "answers": with_tasks and options.answers,
            "hidden": options.hidden,
        }
        with building(place, about, say) as draft:
            _fill(draft, folder, source, options, with_tasks)
    return notes


def _looked_at(
    run: RunFolder,
    source: ExportSource,
    options: BundleOptions,
) -> tuple[list[str], bool]:
    """Notes on what is missing, and whether there are tasks; raises BadInput for stale ones."""
    if options.hidden:
        run.verify(LATENT_FILE)
    make_tasks = f"orgweave tasks {quote(str(run.path))}"
    if not (run.tasks_folder / TASKS_FILE).is_file():
        return [f"left out: tasks, for there are none; make them: {make_tasks}"], False
    check_origin(run.path, source.profile.name, run.read_manifest().seed, source.sha256)
    if not (run.tasks_folder / REPORT_FILE).is_file():
        raise BadInput(
            f"{run.tasks_folder}: has no {REPORT_FILE}, so nothing tells which org its tasks are"
            f" of; make them anew: {make_tasks}"
        )
    notes = [] if options.answers else ["left out: the answers of the tasks"]
    return [*notes, *_wordings(run, options)], True


def _wordings(run: RunFolder, options: BundleOptions) -> list[str]:
    """A note where some wordings of the tasks are held back from all examples.

    Raises BadInput where all of them are, and nobody said that they may be published.
    """
    wordings = _report(run).get("wordings", "all")
    if wordings == "held-back" and not options.held_back:
        raise BadInput(
            f"{run.tasks_folder}: asks with the wordings alone that are held back from all examples"
            " and that nobody should see before an evaluation; make a set for everybody by `tasks"
            " --wordings public`, or add --held-back to publish this one"
        )
    if wordings == "all":
        return [
            "the tasks ask with the held-back wordings, too, which are published by this; for a set"
            " without them, make the tasks by `tasks --wordings public`"
        ]
    return []


def _fill(
    draft: Path,
    run: RunFolder,
    source: ExportSource,
    options: BundleOptions,
    with_tasks: bool,
) -> None:
    data = draft / DATA
    data.mkdir()
    TABLES[options.data](source, data)
    # An export's own account of itself would be a second card.
    for name in ("README.md", "README.txt", "datapackage.json"):
        (data / name).unlink(missing_ok=True)
    columns: Sequence[str] = ()
    if with_tasks:
        columns = tuple(COLUMNS) if options.answers else OPEN_COLUMNS
        rows = task_rows(run.tasks_folder)
        TASK_TABLES[options.data](rows, columns, data / f"{TASKS}.{options.data}")
    _copy_run(run, draft / RUN, options.hidden)
    if with_tasks and options.answers:
        _copy_tasks(run, draft / RUN / TASKS)
    write_card(source, draft, options.data, columns, _report(run) if with_tasks else {})
    write_text(draft / LICENCE, iter([template("licence.txt")]))
    _write_sums(draft)


def _copy_run(run: RunFolder, target: Path, hidden: bool) -> None:
    """The org and what it was made from, with a manifest of just these files.

    Without the hidden causes there is no `check.json` either, for it measures them. The request's
    company becomes a bare name: the path of somebody's profile is nobody's business.
    """
    files = [run.org_file, *run.source_files()]
    if hidden:
        files += [run.latent_file, run.check_file]
    names = []
    for file in files:
        name = file.relative_to(run.path).as_posix()
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target / name)
        names.append(name)
    manifest = run.read_manifest()
    kept = {name: manifest.files[name] for name in names if name in manifest.files}
    # An org that somebody edited on purpose is bundled as it is.
    kept[ORG_FILE] = sha256_of(target / ORG_FILE)
    asked = {**manifest.asked, "company": Path(manifest.asked["company"]).stem}
    changes = {"files": kept, "asked": asked, "parts": None}
    RunFolder(target).write_manifest(manifest.model_copy(update=changes))


def _copy_tasks(run: RunFolder, target: Path) -> None:
    target.mkdir()
    for name in (TASKS_FILE, REPORT_FILE, PROOF):
        if (run.tasks_folder / name).is_file():
            shutil.copyfile(run.tasks_folder / name, target / name)


def _report(run: RunFolder) -> Mapping[str, Any]:
    text = (run.tasks_folder / REPORT_FILE).read_text(encoding="utf-8")
    return dict(json.loads(text))


def _write_sums(draft: Path) -> None:
    """SHA256SUMS, whose form `sha256sum --check` reads."""
    files = sorted(path for path in draft.rglob("*") if path.is_file())
    lines = []
    for path in files:
        lines.append(f"{sha256_of(path)}  {path.relative_to(draft).as_posix()}\n")
    write_text(draft / SUMS, iter(lines))


TaskRows = Sequence[Mapping[str, Any]]


def _parquet_tasks(rows: TaskRows, columns: Sequence[str], path: Path) -> None:
    write_task_table(rows, path, columns)


def _csv_tasks(rows: TaskRows, columns: Sequence[str], path: Path) -> None:
    """Lists and structures as JSON, as the org's own CSV has them."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        for row in rows:
            writer.writerow([_csv_cell(row.get(name)) for name in columns])


def _csv_cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return value


def _jsonl_tasks(rows: TaskRows, columns: Sequence[str], path: Path) -> None:
    lines = []
    for row in rows:
        shown = {name: row.get(name) for name in columns}
        lines.append(json.dumps(shown, ensure_ascii=False) + "\n")
    write_text(path, iter(lines))


TASK_TABLES: Mapping[DataFormat, Callable[[TaskRows, Sequence[str], Path], None]] = {
    "parquet": _parquet_tasks,
    "csv": _csv_tasks,
    "jsonl": _jsonl_tasks,
}
