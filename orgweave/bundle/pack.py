"""A bundle from beginning to end: a folder, or an archive that takes its place whole."""

from dataclasses import dataclass
from pathlib import Path

from orgweave.bundle.archive import ARCHIVES
from orgweave.bundle.make import BundleOptions, write_bundle
from orgweave.bundle.proof import prove
from orgweave.export.folder import ACCOUNT, WaitObserver
from orgweave.export.source import TableObserver
from pipeline.atomic import CHECK_DISK, on_disk, sha256_of
from pipeline.private_folder import private_folder
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput, StorageFailed
from schemas.filters import slug

USE = "bundle"


@dataclass(frozen=True, slots=True)
class MadeBundle:
    """What is to be said of a bundle: notes on what isn't in it, and what it is."""

    notes: tuple[str, ...]
    says: str


def bundled(
    run: Path,
    place: Path,
    kind: str,
    options: BundleOptions,
    say: WaitObserver | None = None,
    watch: TableObserver = lambda table, records: None,
) -> MadeBundle:
    """Writes a run's bundle to `place`, as a folder or as an archive of that kind, such as `zip`.

    Raises BadInput where `place` holds anything but an earlier bundle.
    """
    if not kind:
        notes = write_bundle(run, place, options, say, watch)
        return MadeBundle(tuple(notes), f"{ACCOUNT} has the SHA-256 {sha256_of(place / ACCOUNT)}")
    _check_place(place)
    top = slug(RunFolder(run).read_profile().name)
    with private_folder(USE) as work:
        notes = write_bundle(run, work / top, options, say, watch)
        draft = place.with_name(f"{place.name}.part")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            ARCHIVES[kind](work / top, top, draft)
            on_disk([draft])
            draft.replace(place)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise StorageFailed(
                f"{place}: can't be written ({error.strerror}); {CHECK_DISK}"
            ) from error
    return MadeBundle(tuple(notes), f"has the SHA-256 {sha256_of(place)}")


def _check_place(place: Path) -> None:
    """Nothing, or an earlier bundle; raises BadInput for a file of somebody's own."""
    if place.is_dir():
        raise BadInput(f"{place}: is a folder; name a file with --to")
    if not place.exists():
        return
    try:
        prove(place)
    except BadInput as error:
        raise BadInput(f"{place}: is no bundle; move it away, or name another with --to") from error
