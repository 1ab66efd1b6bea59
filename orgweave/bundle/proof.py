"""Whether a bundle is as it was made: every file by its SHA-256, none missing, none added."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from orgweave.bundle.archive import CHUNK, members
from orgweave.bundle.layout import is_bundle
from orgweave.export.folder import ACCOUNT
from schemas.errors import BadInput
from schemas.regular import json_of

LARGEST_ACCOUNT = 10_000_000
"""Bytes of `export.json` that are read: a digest takes a hundred."""


@dataclass(frozen=True, slots=True)
class BundleProof:
    """What a bundle's files are, compared with its own account: how many there are, the org's
    SHA-256, and a line on each file that isn't as it was made.
    """

    company: str
    org_sha256: str
    files: int
    faults: tuple[str, ...]


def prove(path: Path) -> BundleProof:
    """Reads all of a bundle, folder or archive, once; raises BadInput for what is none."""
    found: dict[str, str] = {}
    account: object = None
    with members(path) as files:
        for name, read in files:
            if name == ACCOUNT:
                account = _account(path, read)
            else:
                found[name] = _digest(read)
    if not is_bundle(account) or not isinstance(account, dict):
        raise no_bundle(path)
    told = dict(account["files"])
    faults = []
    for name in sorted({*told, *found}):
        if name not in found:
            faults.append(f"{name}: is missing")
        elif name not in told:
            faults.append(f"{name}: was added")
        elif told[name] != found[name]:
            faults.append(f"{name}: was changed")
    return BundleProof(
        str(account.get("company", "")),
        str(account.get("org_sha256", "")),
        len(told),
        tuple(faults),
    )


def _digest(read: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := read.read(CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def no_bundle(path: Path) -> BadInput:
    """The error to raise for what holds no account of a bundle."""
    return BadInput(f"{path}: holds no {ACCOUNT} of a bundle; name what `orgweave bundle` wrote")


def _account(path: Path, read: IO[bytes]) -> object:
    text = read.read(LARGEST_ACCOUNT)
    try:
        account = json_of(text)
    except ValueError as error:
        raise BadInput(f"{path}: its {ACCOUNT} is damaged ({error})") from error
    files = account.get("files") if isinstance(account, dict) else None
    # An account of nothing would prove anything right.
    return account if isinstance(files, dict) and files else None
