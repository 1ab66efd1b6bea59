"""A bundle as one file, zip or tar.gz, and reading one that anybody may have made.

The same folder gives the same bytes: members are sorted, and have no owner and no time of their
own. What is read may be hostile: a member that would lie outside, a link, and more bytes than the
disk has room for are refused. Knows not what the files mean.
"""

import gzip
import lzma
import shutil
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from schemas.errors import BadInput, StorageFailed
from schemas.regular import check_regular

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip file can name."""
MODE = 0o644
LEVEL = 6
CHUNK = 1 << 20
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The packings that are read. Other libraries teach the standard one further ways, whose errors are
their own.
"""
ROOM = 0.5
"""The share of the free disk that an archive may be unpacked to."""
DAMAGES = (
    *(tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, lzma.LZMAError),
    # What the standard library raises for a password, an unknown packing, a header that is cut off
    # and a name in no known letters.
    *(EOFError, RuntimeError, ValueError, IndexError, struct.error),
)
"""The errors by which a damaged or hostile archive is known while it is read."""


def write_zip(folder: Path, top: str, path: Path) -> None:
    """Packs a folder's files under the name `top`."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for name, file in _files(folder, top):
            member = zipfile.ZipInfo(name, EARLIEST)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = MODE << 16
            # The system's own number would tell Windows from Unix: 3 is Unix.
            member.create_system = 3
            with file.open("rb") as read, archive.open(member, "w") as out:
                shutil.copyfileobj(read, out, CHUNK)


def write_tar(folder: Path, top: str, path: Path) -> None:
    """The same as a tar file, packed by gzip."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, file in _files(folder, top):
            member = tarfile.TarInfo(name)
            member.size, member.mode = file.stat().st_size, MODE
            with file.open("rb") as read:
                archive.addfile(member, read)


ARCHIVES: Mapping[str, Callable[[Path, str, Path], None]] = {"zip": write_zip, "tar.gz": write_tar}
"""Each kind of archive and what writes it."""


def _files(folder: Path, top: str) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield f"{top}/{path.relative_to(folder).as_posix()}", path


@contextmanager
def members(path: Path) -> Iterator[Iterator[tuple[str, IO[bytes]]]]:
    """The files of a bundle, folder or archive, each by its path within it and open to be read.

    Each is to be read before the next one is asked for. Raises BadInput for what is no archive and
    for members that may not be unpacked; a pipe or a device is not opened.
    """
    try:
        check_regular(path)
        if path.is_dir():
            yield _of_folder(path)
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                yield _each_once(path, _of_zip(path, archive))
        else:
            with tarfile.open(path, "r:gz") as packed:
                yield _each_once(path, _of_tar(path, packed))
    except DAMAGES as error:
        raise BadInput(
            f"{path}: is no folder, zip or tar.gz of a bundle, or a damaged one ({error}); name"
            " what `bundle` wrote"
        ) from error
    except FileNotFoundError as error:
        raise BadInput(f"{path}: is not there; name what `bundle` wrote") from error
    except OSError as error:
        raise StorageFailed(f"{path}: can't be read ({error.strerror or error})") from error


def _each_once(
    path: Path, files: Iterator[tuple[str, IO[bytes]]]
) -> Iterator[tuple[str, IO[bytes]]]:
    """The same files; raises BadInput where two have one name: no two programs take the same."""
    seen = set()
    for name, read in files:
        if name in seen:
            raise BadInput(f"{path}: holds {name!r:.80} twice; don't use this archive")
        seen.add(name)
        yield name, read


def _of_folder(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    for file in sorted(path.rglob("*")):
        if file.is_symlink() or not (file.is_file() or file.is_dir()):
            raise BadInput(f"{file}: is a link or a device, and no file of a bundle; remove it")
        if file.is_file():
            with file.open("rb") as read:
                yield file.relative_to(path).as_posix(), read


def _of_zip(path: Path, archive: zipfile.ZipFile) -> Iterator[tuple[str, IO[bytes]]]:
    for member in archive.infolist():
        if member.compress_type not in PACKINGS:
            raise zipfile.BadZipFile(f"{member.filename!r:.80} is packed in an unknown way")
        if not member.is_dir():
            # The reader stops at the size that the member tells, so the sizes bound all.
            with archive.open(member) as read:
                yield _inside(path, member.filename), read


def _of_tar(path: Path, archive: tarfile.TarFile) -> Iterator[tuple[str, IO[bytes]]]:
    for member in archive:
        if member.isdir():
            continue
        read = archive.extractfile(member) if member.isreg() else None
        if read is None:
            raise BadInput(f"{path}: {member.name} is a link or a device; don't use this archive")
        yield _inside(path, member.name), read


def _inside(path: Path, name: str) -> str:
    """A member's path without the folder that all lie in; raises BadInput where it leads out."""
    parts = PurePosixPath(name).parts
    # A backslash or a drive's colon would be a way out on Windows.
    bad = name.startswith("/") or ".." in parts or "\\" in name or ":" in name or "\0" in name
    if bad or len(parts) < 2:
        raise BadInput(f"{path}: its member {name!r:.80} lies in no folder; don't use this archive")
    return "/".join(parts[1:])


def unpack(path: Path, below: str, folder: Path) -> None:
    """Unpacks what lies below a folder of the bundle; raises BadInput where it is too much."""
    left = int(shutil.disk_usage(folder).free * ROOM)
    with members(path) as files:
        for name, read in files:
            if not name.startswith(f"{below}/"):
                continue
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as out:
                while chunk := read.read(CHUNK):
                    left -= len(chunk)
                    if left < 0:
                        raise BadInput(
                            f"{path}: unpacks to more than half of the free disk; free some space,"
                            " or set TMPDIR to another folder"
                        )
                    out.write(chunk)
