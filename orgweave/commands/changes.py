"""What a regeneration has changed, object type by object type, and what has become stale by it or
by another org in the same folder.

Compares the digests of two manifests. Reads no record.
"""

from collections.abc import Mapping
from shlex import quote

from orgweave.bundle.layout import BUNDLE
from orgweave.export.registry import METADATA
from pipeline.run_folder import ORG_FILE, RunFolder

UPLOADS = "upload/"
PLAN = "plan"
"""`upload/plan.json` holds no records."""


def digests_of(run: RunFolder) -> Mapping[str, str]:
    """The digest of each file of a run's org; none where a killed regeneration left no manifest."""
    return run.read_manifest().files if run.manifest_file.is_file() else {}


def changes_told(run: RunFolder, before: Mapping[str, str]) -> list[str]:
    """What differs from an earlier state of the run, in a line, and what is stale by it."""
    after = digests_of(run)
    if not before:
        return []
    changed, same = _by_object(before, after)
    if not changed:
        return ["nothing has changed: every object type is byte for byte what it was"]
    lines = [
        f"made anew: {', '.join(changed)}; the other {len(same)} object types are byte for byte"
        " what they were"
    ]
    return lines + stale_told(run, before)


def stale_told(run: RunFolder, before: Mapping[str, str]) -> list[str]:
    """A line on what tells of an earlier org in the run's folder; none where it is the same org."""
    if not before or before.get(ORG_FILE) == digests_of(run).get(ORG_FILE):
        return []
    stale = _stale(run)
    if not stale:
        return []
    return [f"stale now, for they tell of the earlier org: {'; '.join(stale)}"]


def _by_object(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The object types whose files differ, and those whose don't."""
    differs: dict[str, bool] = {}
    for path in sorted({*before, *after}):
        if not path.startswith(UPLOADS):
            continue
        name = path.removeprefix(UPLOADS).partition(".")[0]
        unlike = before.get(path) != after.get(path)
        differs[name] = differs.get(name, False) or unlike
    differs.pop(PLAN, None)
    changed = [name for name, unlike in differs.items() if unlike]
    return changed, [name for name, unlike in differs.items() if not unlike]


def _made_by(name: str, folder: str) -> str:
    """The command that made what has this name among the exports of a folder."""
    first, _, archive = name.partition(".")
    if first == BUNDLE:
        return f"orgweave bundle {folder}" + (f" --format {archive}" if archive else "")
    return f"orgweave export {folder} " + (
        f"--{METADATA}" if name == METADATA else f"--format {name}"
    )


def _stale(run: RunFolder) -> list[str]:
    """What was made of the earlier org and lies in the folder, each with what makes it again."""
    folder = quote(str(run.path))
    found = []
    if run.tasks_folder.is_dir():
        found.append(f"{run.tasks_folder.name}/ (orgweave tasks {folder})")
    if run.evaluations_folder.is_dir():
        found.append(f"{run.evaluations_folder.name}/ (orgweave evaluate {folder})")
    for path in sorted(run.exports_folder.glob("*")):
        found.append(f"{path.relative_to(run.path)} ({_made_by(path.name, folder)})")
    if run.idmap_file.is_file():
        found.append(f"{run.idmap_file.name} (upload into an empty CRM: orgweave upload {folder})")
    return found
