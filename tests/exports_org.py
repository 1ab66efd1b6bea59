"""What the tests of the exports share: a small org to export, one with awkward values, and its
tables as they are stored.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from pipeline.run_folder import RunFolder

AWKWARD = 'He said "no",\nthen\r\nleft; 5 < 6 & 7 \u2028 ✓'
LONG = "long " * 6_600


def copied(run: Path, to: Path) -> Path:
    """A copy of what an export reads of a run."""
    to.mkdir(parents=True)
    for name in ("manifest.json", "org.sqlite"):
        shutil.copyfile(run / name, to / name)
    shutil.copytree(run / "made_from", to / "made_from")
    return to


def changed(run: Path, *statements: str) -> None:
    """Edits an org's file, as if it had been made so."""
    with closing(sqlite3.connect(run / "org.sqlite")) as db, db:
        for statement in statements:
            db.execute(statement)
    sealed(run)


def sealed(run: Path) -> None:
    """Makes an edited org.sqlite the one that the manifest tells of."""
    folder = RunFolder(run)
    manifest = folder.read_manifest()
    files = {**manifest.files, **folder.digests([folder.org_file])}
    folder.write_manifest(manifest.model_copy(update={"files": files}))


def awkward(run: Path, to: Path) -> Path:
    """An org whose first case, article and account hold what formats stumble over."""
    folder = copied(run, to)
    with closing(sqlite3.connect(folder / "org.sqlite")) as db, db:
        db.execute(
            "UPDATE \"Case\" SET Description = ?, Subject = '@AccountRef1' WHERE rowid = 1",
            (AWKWARD,),
        )
        db.execute("UPDATE Knowledge__kav SET FAQ_Answer__c = ? WHERE rowid = 1", (LONG,))
        db.execute("UPDATE Account SET Description = '' WHERE rowid = 1")
        db.execute("UPDATE Account SET Description = '#N/A' WHERE rowid = 2")
        db.execute('UPDATE "Case" SET Priority = NULL, Reason = NULL WHERE rowid = 2')
    sealed(folder)
    return folder


def stored(run: Path, table: str) -> list[dict[str, object]]:
    """A table's rows in their order."""
    with closing(sqlite3.connect(run / "org.sqlite")) as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute(f'SELECT * FROM "{table}" ORDER BY rowid')]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
