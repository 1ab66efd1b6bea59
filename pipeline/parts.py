"""An org's SQLite file, built of the Parquet files in which the org lies.

    tables/Case/part-00000.parquet, tables/Case/part-00001.parquet, ...

Texts, dates and moments are texts there as in SQLite, so that the file that is built is the one
that was there, byte for byte. `pipeline.part_files` writes the parts. Needs pyarrow.
"""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.atomic import CHECK_DISK
from pipeline.manifest import PARTS_FORMAT, Manifest, check_format
from pipeline.run_folder import RunFolder
from pipeline.sql_tables import ColumnValue, write_tables
from schemas.errors import BadInput, StorageFailed
from schemas.model import Schema
from schemas.object_type import ObjectType

if TYPE_CHECKING:
    import pyarrow

# Rows that become Python objects together.
BATCH = 4096
PART = re.compile(r"part-(\d{5})\.parquet")
# Where a SQLite file says which version of SQLite wrote it last, four bytes, and nothing depends on
# it: with another version the file would be the same but for them.
VERSION_PLACE = 96


def require_pyarrow() -> None:
    """Raises BadInput where pyarrow isn't installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise BadInput(
            "--store parquet needs pyarrow, which isn't installed; run: pip install"
            " 'orgweave[parquet]'"
        ) from error


def build_org(run: RunFolder, manifest: Manifest) -> None:
    """Builds the org's file of the parts that the manifest lists.

    Raises BadInput where one of them is missing or isn't the one that was made, or where a file
    lies among them that is none.
    """
    require_pyarrow()
    stored = manifest.parts
    if stored is None:
        raise BadInput(f"{run.manifest_file}: tells of no parts; {run.path} holds none")
    check_format(run.manifest_file, stored.format, PARTS_FORMAT)
    schema = run.read_schema()
    parts = _listed(run, schema, manifest)
    try:
        # Of its own: another command may build the same meanwhile, and either's file will do.
        with tempfile.TemporaryDirectory(prefix=".org.", dir=run.path) as folder:
            built = Path(folder) / run.org_file.name
            write_tables(schema, lambda item: _rows(run, item, parts[item.name]), built)
            with built.open("r+b") as out:
                out.seek(VERSION_PLACE)
                out.write(stored.sqlite.to_bytes(4))
            built.replace(run.org_file)
    except OSError as error:
        raise StorageFailed(
            f"{run.org_file}: can't be written ({error.strerror}); {CHECK_DISK}"
        ) from error


def _listed(run: RunFolder, schema: Schema, manifest: Manifest) -> Mapping[str, Sequence[Path]]:
    """The files of each object type's parts in their order, every one as it was made."""
    found: dict[str, list[Path]] = {item.name: [] for item in schema.objects}
    listed = [name for name in manifest.files if name.startswith(f"{run.parts_folder.name}/")]
    for name in sorted(listed):
        path = run.path / name
        if path.parent.name not in found or not PART.fullmatch(path.name):
            raise run.damaged(run.manifest_file, f"it lists {name}, which is no part of this org")
        if not path.is_file():
            raise BadInput(f"{path}: is missing; copy the run's folder whole")
        found[path.parent.name].append(path)
    for path in sorted(run.parts_folder.rglob("*.parquet")):
        if path.relative_to(run.path).as_posix() not in manifest.files:
            raise BadInput(f"{path}: is no part of this org; remove it")
    for item in schema.objects:
        numbers = [path.name for path in found[item.name]]
        if numbers != [f"part-{number:05}.parquet" for number in range(max(len(numbers), 1))]:
            raise run.damaged(run.manifest_file, f"it doesn't list every part of {item.name}")
    run.require_unchanged(*listed)
    return found


def _rows(
    run: RunFolder, item: ObjectType, parts: Sequence[Path]
) -> Iterator[tuple[ColumnValue, ...]]:
    """Yields an object type's records; raises BadInput for a part with other columns."""
    import pyarrow
    import pyarrow.parquet as parquet

    names = [field.name for field in item.fields]
    for path in parts:
        try:
            with parquet.ParquetFile(path) as file:
                if file.schema_arrow.names != names:
                    raise run.damaged(path, f"its columns aren't those of {item.name}")
                for batch in file.iter_batches(BATCH):
                    yield from _values(batch)
        except (OSError, pyarrow.ArrowException) as error:
            raise run.damaged(path, error) from error


def _values(batch: "pyarrow.RecordBatch") -> Iterator[tuple[Any, ...]]:
    columns = [column.to_pylist() for column in batch.columns]
    return zip(*columns, strict=True)
