"""Waiting until the disk has what was written: after a loss of power it is there.

Knows nothing of what the files hold. Example: `sync_tree(draft)`, and then the draft is moved to
its place.
"""

import os
from contextlib import suppress
from pathlib import Path


def sync_tree(folder: Path) -> None:
    """Waits for all files below a folder, and for their names; raises OSError."""
    for path in folder.rglob("*"):
        if path.is_dir():
            sync_folder(path)
        else:
            with path.open("rb+") as file:
                os.fsync(file.fileno())
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Waits for the names of a folder's files, where the system can tell."""
    with suppress(PermissionError):  # Windows opens no folder, and needs no such call.
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
