"""Where an export goes: built beside its place and moved there whole; an earlier export is replaced, anything else never.

`export.json` lists the files of an export with their SHA-256; it tells an export from a folder of somebody's own.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.store import write_json
from schemas.errors import BadInput, StorageFailed

ACCOUNT = "export.json"


@contextmanager
def building(place: Path, about: dict[str, object]) -> Iterator[Path]:
    """An empty folder to fill; afterwards it lies at `place` with its account. Raises BadInput where something else lies there."""
    _check_place(place)
    draft = place.resolve().with_name(f".{place.resolve().name}.part")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        try:
            yield draft
            write_json(draft / ACCOUNT, {**about, "files": _digests(draft)})
            shutil.rmtree(place, ignore_errors=True)
            draft.rename(place)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise StorageFailed(f"{place}: can't be written ({error.strerror}); check space and rights, or name another folder with --to") from error


def _check_place(place: Path) -> None:
    """Nothing, an empty folder, or an export that nobody added to."""
    if not place.exists():
        return
    if not place.is_dir():
        raise BadInput(f"{place}: is a file; name a folder with --to")
    own = _own_files(place)
    stranger = next((path for path in _files(place) if path.relative_to(place).as_posix() not in own), None)
    if stranger:
        raise BadInput(f"{place}: holds {stranger.relative_to(place)}, which no export wrote; name a new folder with --to")


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
