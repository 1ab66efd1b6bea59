"""Folders of a process's own in the temp folder, for copies that a person's changes go to.

A folder goes with the process that made it. One that is killed leaves it; the next one sweeps it
away, which it knows by a lock that nobody holds any more. Knows nothing of what lies in a folder.

Example: `with private_folder("serve") as folder: shutil.copyfile(org, folder / "copy")`.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from schemas.errors import StorageFailed

OWN_LOCK = ".orgweave-private.lock"
"""In each folder: its process holds it as long as it lives, so it tells a dead one's folder from a
living one's, and both from somebody's own."""
LONGEST_WAIT = 60.0
"""Seconds until another process that is just sweeping is waited for no longer."""


@contextmanager
def private_folder(use: str) -> Iterator[Path]:
    """An empty folder that nobody else may read, gone afterwards.

    What killed processes left of the same use is swept away first. Raises StorageFailed where the
    temp folder can't be written.
    """
    try:
        folder, lock = _made(use)
    except OSError as error:
        raise StorageFailed(
            f"{tempfile.gettempdir()}: can't be written ({error.strerror}); check space and rights,"
            " or set TMPDIR to another folder"
        ) from error
    try:
        yield folder
    finally:
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)


def _made(use: str) -> tuple[Path, FileLock]:
    """A new folder and its lock, after a sweep."""
    place = Path(tempfile.gettempdir())
    user = os.getuid() if hasattr(os, "getuid") else ""
    try:
        # Until a folder's lock is held, no sweep may meet it.
        with FileLock(place / f"orgweave-private-{user}.lock", timeout=LONGEST_WAIT):
            _sweep(place, use)
            folder = Path(tempfile.mkdtemp(prefix=f"orgweave-{use}-"))
            lock = FileLock(folder / OWN_LOCK)
            lock.acquire(timeout=0)
    except Timeout as error:
        raise StorageFailed(
            f"{error.lock_file}: another program holds it for {LONGEST_WAIT:.0f} seconds; end that"
            " program, or set TMPDIR to another folder"
        ) from error
    return folder, lock


def _sweep(place: Path, use: str) -> None:
    """Removes the folders of processes that live no more."""
    for folder in place.glob(f"orgweave-{use}-*"):
        if folder.is_symlink() or not (folder / OWN_LOCK).is_file():
            continue
        try:
            with FileLock(folder / OWN_LOCK, timeout=0):
                pass
        except (Timeout, OSError):  # a living process's, or another user's
            continue
        shutil.rmtree(folder, ignore_errors=True)
