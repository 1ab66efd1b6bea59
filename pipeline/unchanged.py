"""Whether a folder already holds exactly the org that is asked for, so that nothing is to be made.

It does where the same was asked of the same program, with the same sources, and every file is the
one that was made. Whatever is in doubt is made again.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import latent
import pipeline
import schemas
import verifiers
from pipeline.atomic import sha256_of
from pipeline.config import PreparedRun
from pipeline.ledger import Ledger
from pipeline.manifest import Manifest
from pipeline.run_folder import ORG_FILE, OrgStore, RunFolder
from schemas.errors import BadInput

if TYPE_CHECKING:
    from pipeline.check import Report

MADE_BY = "made by"
"""The note on the program that made a folder's org."""

ROOMS = (latent, pipeline, schemas, verifiers)
KINDS = (".py", ".txt", ".yaml")


def held_org(
    job: PreparedRun, run: RunFolder, ledger: Ledger, writer: str, store: OrgStore
) -> "tuple[Manifest, Report] | None":
    """The manifest and the verdict of the org that is asked for, None where it is to be made."""
    if ledger.note("done") != job.ask.as_json() or ledger.note(MADE_BY) != program():
        return None
    try:
        manifest = run.read_manifest()
    except BadInput:
        return None
    same = manifest.writer == writer and manifest.asked == json.loads(job.ask.as_json())
    if not same or not run.holds_trade(job.setting.world.trade):
        return None
    if (manifest.parts is not None) != (store == "parquet"):
        return None
    files = dict(manifest.files)
    if manifest.parts and not run.org_file.is_file():
        # It is built of the parts when something asks for it.
        del files[ORG_FILE]
    if not all(_stands(run.path / name, digest) for name, digest in files.items()):
        return None
    from pipeline.check import report_of

    report = report_of(run.check_file.read_bytes())
    return None if report is None else (manifest, report)


@cache  # the program that runs is the one that was started, whatever becomes of its files
def program() -> str:
    """A digest of all code and data that an org is made with."""
    digest = hashlib.sha256()
    for room in ROOMS:
        folder = Path(room.__path__[0])
        for path in sorted(folder.rglob("*")):
            if path.suffix in KINDS:
                name = f"{room.__name__}/{path.relative_to(folder).as_posix()}"
                digest.update(f"{name} {sha256_of(path)}\n".encode())
    return digest.hexdigest()


def _stands(path: Path, digest: str) -> bool:
    try:
        return sha256_of(path) == digest
    except OSError:
        return False
