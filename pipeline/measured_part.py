"""The part of a very large org in which measures are taken: its first shards.

Invariants are tried on all records. Effects, statistics and the diversity of texts are measured on
so many as an org that is drawn whole may have, since all shards are drawn alike and more records
would take more room than there is. A shard's rows stand together, so that those of the first shards
are the first rows of each table.
"""

import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from pipeline.atomic import building
from pipeline.run_folder import RunFolder, sqlite_uri, user_version

MADE = "SELECT sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL ORDER BY rowid"


@contextmanager
def measured_part(run: RunFolder, rows: Mapping[str, int]) -> Iterator[RunFolder]:
    """The folder in which measures are taken: the run's own, or one of its first rows, which is
    gone afterwards. `rows` says how many rows of each table it has, nothing that it has all.
    """
    if not rows:
        yield run
        return
    with tempfile.TemporaryDirectory(prefix=".measured.", dir=run.path) as folder:
        part = RunFolder(Path(folder))
        copy_rows(run.require_org(), rows, part.org_file)
        if run.latent_file.is_file():
            copy_rows(run.latent_file, rows, part.latent_file)
        yield part


def copy_rows(source: Path, rows: Mapping[str, int], target: Path) -> None:
    """Writes the first rows of each table into a new SQLite file, with the same indexes."""
    with building(target) as db:
        db.execute("ATTACH DATABASE ? AS whole", (sqlite_uri(source, "ro"),))
        db.execute(f"PRAGMA user_version = {user_version(db, 'whole')}")
        with closing(sqlite3.connect(sqlite_uri(source, "ro"), uri=True)) as whole:
            tables = [sql for (sql,) in whole.execute(MADE, ("table",))]
            indexes = [sql for (sql,) in whole.execute(MADE, ("index",))]
        for made in tables:
            db.execute(made)
        for name, number in rows.items():
            if db.execute("SELECT 1 FROM main.sqlite_master WHERE name = ?", (name,)).fetchone():
                db.execute(
                    f'INSERT INTO main."{name}" SELECT * FROM whole."{name}" WHERE rowid <= ?'
                    " ORDER BY rowid",
                    (number,),
                )
        for made in indexes:
            db.execute(made)
        db.commit()
        db.execute("DETACH DATABASE whole")
