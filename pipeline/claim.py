"""Which folders a run may write into: a new or empty one, or one that a run made before.

A run replaces the manifest, the org and more by their names alone. So it first looks for
the marks of an earlier run: a folder of somebody's own has none of them and stays as it is.
"""

import hashlib
import json

from pipeline.config import PreparedRun
from pipeline.ledger import is_ledger
from pipeline.manifest import Manifest
from pipeline.run_folder import LEDGER_FILE, RunFolder, held_schema
from schemas.errors import BadInput
from schemas.inherit import schema_bytes

# What a run may leave that was killed before it had written anything else.
BEGUN = frozenset(
    {".lock", LEDGER_FILE, f"{LEDGER_FILE}-wal", f"{LEDGER_FILE}-shm", f"{LEDGER_FILE}-journal"}
)


def require_own(run: RunFolder) -> None:
    """Raises BadInput where the folder holds files, and nothing says that a run made it."""
    try:
        names = {path.name for path in run.path.iterdir()}
    except OSError:
        return  # not there yet, or no folder: the lock tells what is wrong with it
    if names <= BEGUN or _is_own(run):
        return
    strangers = sorted(names - BEGUN)
    raise BadInput(
        f"{run.path}: holds {strangers[0]}, and nothing in it says that orgweave made this folder;"
        " name a new or an empty one with --out"
    )


def require_same_org(run: RunFolder, job: PreparedRun) -> None:
    """Raises BadInput where the folder holds a finished org that was asked for in another way.

    A profile, schema or lexicon that was edited since is another way too: with it the same
    command makes another org.
    """
    held = _manifest(run)
    if held is None:
        return
    told = {
        "company": (held.company, job.setting.profile.name),
        "seed": (held.seed, job.setting.seed),
        "--scale": (held.asked.get("scale", 1.0), job.ask.scale),
        "--shard-size": (held.asked.get("shard_size"), job.ask.size_of_shard),
        "--set": (held.asked.get("sets", {}), dict(job.ask.sets)),
    }
    for what, (before, now) in told.items():
        if before != now:
            raise BadInput(
                f"{run.path}: holds a finished org with {what} {_shown(before)}, not"
                f" {_shown(now)}; name another --out, or add --force to replace it"
            )
    changed = _changed_sources(run, job, held)
    if changed:
        raise BadInput(
            f"{run.path}: holds a finished org, and {' and '.join(changed)} changed since it was"
            " made; add --force to make it anew, or name another --out; `regenerate` goes on with"
            " what it was made from"
        )


def _changed_sources(run: RunFolder, job: PreparedRun, held: Manifest) -> list[str]:
    """Which of profile, schema and lexicon aren't those that the finished org was made from.

    They are compared with the manifest, and not with the copies in the folder, which somebody may
    have edited. An org of format 0 doesn't tell of its schema and lexicon.
    """
    changed = []
    if held.profile_sha256 not in ("", job.profile_sha256):
        changed.append(f"the profile {job.sources.profile}")
    prefix = f"{run.made_from.name}/schema/"
    before = {}
    for name, digest in held.files.items():
        if name.startswith(prefix):
            before[name.rsplit("/", 1)[-1]] = digest
    now = {}
    for name, data in schema_bytes(held_schema(job.sources)).items():
        now[name] = hashlib.sha256(data).hexdigest()
    if before and before != now:
        changed.append(f"the schema {job.setting.schema.name}")
    if _lexicon_changed(run, job):
        changed.append(f"the lexicon {job.lexicon.name}")
    return changed


def _lexicon_changed(run: RunFolder, job: PreparedRun) -> bool:
    try:
        return bool(run.lexicon_changes(job.lexicon))
    except BadInput:
        return False  # its damaged stamp is made anew with the org


def _is_own(run: RunFolder) -> bool:
    """Whether the folder has one of a run's marks: its manifest, its ledger, its sources' stamp."""
    if _manifest(run) is not None or is_ledger(run.ledger_file):
        return True
    try:
        run.read_stamp()
    except BadInput:
        return False
    return True


def _manifest(run: RunFolder) -> Manifest | None:
    """The manifest, or None where there is none that this version of orgweave reads."""
    try:
        return run.read_manifest()
    except BadInput:
        return None


def _shown(value: object) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value)
