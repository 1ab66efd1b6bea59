"""Where an export goes: built beside its place and moved there whole; an earlier export is
replaced, anything else never.

`export.json` lists the files of an export with their SHA-256; it tells an export from a folder of
somebody's own. Each run builds
in a folder of its own, so runs at once don't meet: the last one's export stays.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from pipeline.atomic import write_json
from schemas.errors import BadInput, StorageFailed

ACCOUNT = "export.json"


@contextmanager
def building(place: Path, about: dict[str, object]) -> Iterator[Path]:
    """An empty folder to fill; afterwards it lies at `place` with its account.

    Raises BadInput where something else lies there.
    """
    try:
        with _alone():
            whole = _resolved(place)
            _check_own(whole, place)
        whole.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{whole.name}.", suffix=".part", dir=whole.parent))
        try:
            draft = work / "new"  # not `work` itself, which nobody but its owner may read
            draft.mkdir()
            yield draft
            write_json(draft / ACCOUNT, {**about, "files": _digests(draft)})
            with _alone():
                _check_own(whole, place)
                _move_in(draft, whole)
        finally:
            shutil.rmtree(work, ignore_errors=True)
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
def _alone() -> Iterator[None]:
    """No other run of this user's looks at a place or moves an export there meanwhile.

    The lock lies in the temp folder: what lies beside a place may be somebody's.
    """
    user = os.getuid() if hasattr(os, "getuid") else ""
    with FileLock(Path(tempfile.gettempdir()) / f"orgweave-export-{user}.lock"):
        yield


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

    A kill in between leaves both in the run's folder.
    """
    aside = draft.with_name("earlier")
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
        return {*json.loads((place / ACCOUNT).read_text(encoding="utf-8"))["files"], ACCOUNT}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _files(place: Path) -> Iterator[Path]:
    return (path for path in place.rglob("*") if not path.is_dir())


def _digests(place: Path) -> dict[str, str]:
    return {path.relative_to(place).as_posix(): _sha256(path) for path in sorted(_files(place))}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
