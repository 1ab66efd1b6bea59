"""One run a folder at a time: an exclusive lock on `.lock`.

The system releases it even when the run is killed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from schemas.errors import BadInput, StorageFailed


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Makes and locks a run's folder.

    Raises BadInput where another run holds it, StorageFailed where it can't be made.
    """
    lock = FileLock(folder / ".lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise BadInput(
            f"{folder}: another run works in this folder; wait for it, or choose another folder"
        ) from error
    except (FileExistsError, NotADirectoryError) as error:
        raise BadInput(f"{folder}: is not a folder; choose another one") from error
    except PermissionError as error:
        raise StorageFailed(
            f"{folder}: can't be written (no permission); choose another folder or change its"
            " rights"
        ) from error
    try:
        yield
    finally:
        lock.release()
