"""Where an export goes: built beside its place and moved there whole; an earlier export is
replaced, anything else never.

`export.json` lists the files of an export with their SHA-256; it tells an export from a folder of
somebody's own. Each run builds in a folder of its own, so runs at once don't meet: the last one's
export stays. A run that is killed leaves its folder; the next one for the same place sweeps it
away, which it knows by a lock that nobody holds any more.
"""

import glob
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from pipeline.atomic import write_json
from pipeline.durable import sync_folder, sync_tree
from schemas.errors import BadInput, StorageFailed
from schemas.regular import json_of, regular_text

ACCOUNT = "export.json"
ASIDE = "earlier"
"""Where a run puts the earlier export while it moves in its own."""
RANDOM_PART = "?" * 8
"""What `mkdtemp` puts into a name; `*` would find the folders of a place called `out.csv`, too."""
DRAFT_LOCK = ".orgweave-export.lock"
"""In the folder of a run: the run holds it as long as it lives, so it tells a dead one's folder
from a living one's, and both from somebody's own.
"""
SOON, LONGEST_WAIT = 2.0, 60.0
"""Seconds after which a run says that it waits for another one, and after which it gives up: the
lock is held while a folder is looked at and moved, which takes a moment.
"""
WaitObserver = Callable[[str], None]
"""Is told whom a run waits for."""


@contextmanager
def building(
    place: Path,
    about: dict[str, object],
    say: WaitObserver | None = None,
) -> Iterator[Path]:
    """An empty folder to fill; afterwards it lies at `place` with its account, on the disk.

    Raises BadInput where something else lies there. `say` is told where it has to wait.
    """
    try:
        with _alone(say):
            whole = _resolved(place)
            _sweep(whole)
            _check_own(whole, place)
        with _work_folder(whole, say) as work:
            draft = work / "new"  # not `work` itself, which nobody but its owner may read
            draft.mkdir()
            yield draft
            write_json(draft / ACCOUNT, {**about, "files": _digests(draft)})
            sync_tree(draft)
            with _alone(say):
                _check_own(whole, place)
                _move_in(draft, whole)
            sync_folder(whole.parent)
    except OSError as error:
        raise StorageFailed(
            f"{place}: can't be written ({error.strerror}); check space and rights, or name another"
            " folder with --to"
        ) from error


def _resolved(place: Path) -> Path:
    """The place without links on the way; raises BadInput where no folder can be, or none that may
    be replaced.
    """
    try:
        whole = place.resolve()
    except RuntimeError as error:
        raise BadInput(
            f"{place}: is a link that leads to itself; name a folder with --to"
        ) from error
    file = next(
        (path for path in (whole, *whole.parents) if path.exists() and not path.is_dir()), None
    )
    if file:
        raise BadInput(f"{file}: is a file; name a folder with --to")
    if Path.cwd().is_relative_to(whole):
        raise BadInput(
            f"{place}: is the folder you are in, or holds it, and can't be replaced from inside;"
            " name a new folder with --to"
        )
    return whole


@contextmanager
def _work_folder(place: Path, say: WaitObserver | None) -> Iterator[Path]:
    """A new folder beside a place, gone afterwards."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with _alone(say):  # Until its lock is held, no sweep may meet it.
        made = tempfile.mkdtemp(prefix=f".{place.name}.", suffix=".part", dir=place.parent)
        lock = FileLock(Path(made) / DRAFT_LOCK)
        lock.acquire(timeout=0)
    try:
        yield Path(made)
    finally:
        lock.release()
        shutil.rmtree(made, ignore_errors=True)


def _sweep(place: Path) -> None:
    """Removes what killed runs left beside a place; an export that one of them had put aside comes
    back first, where nothing lies at the place.
    """
    if not place.parent.is_dir():
        return
    for work in place.parent.glob(f".{glob.escape(place.name)}.{RANDOM_PART}.part"):
        if not (work / DRAFT_LOCK).is_file() or work.is_symlink():
            continue
        try:
            with FileLock(work / DRAFT_LOCK, timeout=0):
                if (work / ASIDE).is_dir() and not place.exists():
                    (work / ASIDE).rename(place)
        except (Timeout, OSError):  # a run under way or just at its end, or another user's
            continue
        shutil.rmtree(work, ignore_errors=True)


@contextmanager
def _alone(say: WaitObserver | None) -> Iterator[None]:
    """No other run of this user's looks at a place or moves an export there meanwhile.

    The lock lies in the temp folder: what lies beside a place may be somebody's. Raises
    StorageFailed where another program keeps it.
    """
    user = os.getuid() if hasattr(os, "getuid") else ""
    lock = FileLock(Path(tempfile.gettempdir()) / f"orgweave-export-{user}.lock")
    try:
        _acquire(lock, say)
    except Timeout as error:
        raise StorageFailed(
            f"{lock.lock_file}: another program holds it for {LONGEST_WAIT:.0f} seconds; end that"
            " program, or set TMPDIR to another folder, and run the same command again"
        ) from error
    try:
        yield
    finally:
        lock.release()


def _acquire(lock: BaseFileLock, say: WaitObserver | None) -> None:
    try:
        lock.acquire(timeout=SOON)
    except Timeout:
        if say:
            say(f"waiting for another export, which holds {lock.lock_file}")
        lock.acquire(timeout=LONGEST_WAIT - SOON)


def _check_own(place: Path, named: Path) -> None:
    """Nothing, an empty folder, or an export that nobody added to; raises BadInput, which calls the
    place as the person named it.
    """
    own = _own_files(place)
    stranger = next(
        (path for path in _files(place) if path.relative_to(place).as_posix() not in own), None
    )
    if stranger:
        raise BadInput(
            f"{named}: holds {stranger.relative_to(place)}, which no export wrote; name a new"
            " folder with --to"
        )


def _move_in(draft: Path, place: Path) -> None:
    """An earlier export goes aside first, and comes back where the new one can't follow.

    A kill in between leaves both in the run's folder, from which the next run takes the earlier
    one back.
    """
    aside = draft.with_name(ASIDE)
    try:
        if place.exists():
            place.rename(aside)
        draft.rename(place)
    except BaseException:
        if aside.exists() and not place.exists():
            aside.rename(place)
        raise


def _own_files(place: Path) -> set[str]:
    try:
        return {*json_of(regular_text(place / ACCOUNT))["files"], ACCOUNT}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _files(place: Path) -> Iterator[Path]:
    return (path for path in place.rglob("*") if not path.is_dir())


def _digests(place: Path) -> dict[str, str]:
    return {path.relative_to(place).as_posix(): _sha256(path) for path in sorted(_files(place))}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
