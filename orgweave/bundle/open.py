"""A bundle as the run's folder that commands read: the folder itself, or one unpacked for a while.

Example: `with run_in(Path("shoes.zip")) as folder: RunFolder(folder).open_org()`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orgweave.bundle.archive import unpack
from orgweave.bundle.layout import RUN, is_bundle
from orgweave.bundle.proof import no_bundle, prove
from orgweave.export.folder import ACCOUNT
from pipeline.private_folder import private_folder
from schemas.errors import BadInput
from schemas.regular import json_of, regular_bytes

USE = "bundle"
"""Tells these private folders from those of other commands."""


@contextmanager
def run_in(path: Path) -> Iterator[Path]:
    """The run's folder that `path` names: itself, or that of a bundle's folder or archive.

    An archive is proved and unpacked to a folder that nobody else may read, gone afterwards. Raises
    BadInput for an archive that is no bundle, or a changed one.
    """
    if path.is_file():
        proof = prove(path)
        if proof.faults:
            raise BadInput(f"{path}: {proof.faults[0]}; get the archive anew")
        with private_folder(USE) as folder:
            unpack(path, RUN, folder)
            if not (folder / RUN).is_dir():
                raise no_bundle(path)
            yield folder / RUN
    else:
        yield path / RUN if _is_bundle_folder(path) else path


def _is_bundle_folder(path: Path) -> bool:
    try:
        return is_bundle(json_of(regular_bytes(path / ACCOUNT)))
    except (OSError, ValueError):
        return False
