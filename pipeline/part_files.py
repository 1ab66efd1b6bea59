"""An org's tables as Parquet files, a part for each so many records.

A part holds a fixed number of records in the org's order, the last one of an object type what is
left. They are written of the org's SQLite file, each by whoever computes; `pipeline.parts` builds
that file of them again. Needs pyarrow.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.atomic import CHECK_DISK
from pipeline.compute.executor import Executor
from pipeline.manifest import PARTS_FORMAT, StoredParts
from pipeline.parts import VERSION_PLACE
from pipeline.run_folder import RunFolder
from pipeline.sql_tables import ColumnValue
from schemas.errors import StorageFailed
from schemas.field import Field
from schemas.model import Schema

if TYPE_CHECKING:
    import pyarrow

# A part of the widest table takes some hundred megabytes while it is written.
PART_ROWS = 100_000

PartName = tuple[str, int]
"""An object type, and the number of a part of it."""


def write_parts(
    run: RunFolder, schema: Schema, executor: Executor, rows: int = PART_ROWS
) -> tuple[list[Path], StoredParts]:
    """Writes the tables of a run's org as parts; returns their files, and what they are.

    Raises StorageFailed where they can't be written.
    """
    sent_schema = executor.share(schema)
    parts: list[Future[Path]] = []
    for name, number in _wanted(run, schema, rows):
        part = (name, number)
        parts.append(executor.submit(_write_part, run, sent_schema, part, rows))
    files = sorted(part.result() for part in parts)
    return files, StoredParts(format=PARTS_FORMAT, rows=rows, sqlite=_written_by(run.org_file))


def _wanted(run: RunFolder, schema: Schema, rows: int) -> Iterator[PartName]:
    """Yields the parts to be written; an object type without records has an empty one."""
    with closing(run.open_org()) as db:
        for item in schema.objects:
            (size,) = db.execute(f'SELECT count(*) FROM "{item.name}"').fetchone()
            for number in range(max(-(-size // rows), 1)):
                yield item.name, number


def _write_part(run: RunFolder, schema: Schema, part: PartName, rows: int) -> Path:
    """Writes one part."""
    import pyarrow
    import pyarrow.parquet as parquet

    name, number = part
    item = schema.object(name)
    path = run.parts_folder / name / f"part-{number:05}.parquet"
    kinds = pyarrow.schema([pyarrow.field(field.name, _kind(field)) for field in item.fields])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".parquet.part")
        with (
            closing(run.open_org()) as db,
            parquet.ParquetWriter(draft, kinds, compression="zstd") as out,
        ):
            found = db.execute(
                f"""
                SELECT * FROM "{name}" WHERE rowid > ? AND rowid <= ? ORDER BY rowid
                """,
                (number * rows, (number + 1) * rows),
            )
            columns = list(zip(*found, strict=True)) or [()] * len(kinds)
            arrays = []
            for kind, values in zip(kinds, columns, strict=True):
                arrays.append(_array(values, kind.type))
            out.write_table(pyarrow.Table.from_arrays(arrays, schema=kinds))
        draft.replace(path)
    except OSError as error:
        raise StorageFailed(f"{path}: can't be written ({error.strerror}); {CHECK_DISK}") from error
    return path


def _kind(field: Field) -> "pyarrow.DataType":
    """What a column holds: numbers, truths, or texts as SQLite has them."""
    import pyarrow

    kinds = {"integer": pyarrow.int64(), "number": pyarrow.float64(), "boolean": pyarrow.bool_()}
    return kinds.get(field.type, pyarrow.string())


def _array(values: Sequence[ColumnValue], kind: "pyarrow.DataType") -> "pyarrow.Array[Any]":
    """A column's values; a truth is 0 or 1 in SQLite."""
    import pyarrow

    if kind == pyarrow.bool_():
        return pyarrow.array(values, pyarrow.int8()).cast(kind)
    return pyarrow.array(values, kind)


def _written_by(path: Path) -> int:
    """The version of SQLite that wrote a file last, as its header tells it."""
    with path.open("rb") as file:
        return int.from_bytes(file.read(VERSION_PLACE + 4)[VERSION_PLACE:])
