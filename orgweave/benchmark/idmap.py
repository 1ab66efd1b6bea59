"""Tasks for an uploaded org: ids of the local org become those that the CRM gave its records.

Knows only the lines of `idmap.jsonl`.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from pipeline.manifest import IDMAP_FORMAT, check_format
from pipeline.world.ids import MARKER
from schemas.errors import BadInput
from schemas.regular import json_of, regular_text

LOCAL = re.compile(rf"\b[0-9A-Za-z]{{3}}{MARKER}[0-9A-Za-z]{{10}}\b")
"""An id of a local org: the object type's three characters, the marker, number and check."""


def read_idmap(path: Path, upload: str = "") -> dict[str, str]:
    """The CRM's id of each local one, from the lines of an upload that have both.

    `upload` is the SHA-256 of the manifest of the org whose upload it must be. Raises BadInput
    where there is no pair, or where it is another org's.
    """
    found: dict[str, str] = {}
    try:
        lines = regular_text(path).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"--idmap {path}: can't be read ({error}); name the idmap.jsonl that an upload left"
        ) from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            _check_upload(path, line, upload)
            found |= _pair(path, number, line)
    if not found:
        raise BadInput(f"--idmap {path}: maps no record; name the idmap.jsonl of a finished upload")
    return found


def mapped(text: str, ids: Mapping[str, str]) -> str:
    """The text with every local id replaced; raises BadInput for one that was not uploaded."""

    def replaced(found: "re.Match[str]") -> str:
        local = found.group(0)
        if local not in ids:
            raise BadInput(
                f"--idmap: {local} was not uploaded, but a task names it; let the same upload go on"
                " until all is in"
            )
        return ids[local]

    return LOCAL.sub(replaced, text)


def _check_upload(path: Path, line: str, upload: str) -> None:
    """Raises BadInput for the line of an id map that tells of another org.

    Two orgs of a schema have the same ids, so that a foreign map would name wrong records.
    """
    if not upload or '"upload"' not in line:
        return
    try:
        told = json.loads(line)
    except ValueError:
        return  # refused as damaged by who reads its pair
    if isinstance(told, dict) and told.get("upload", upload) != upload:
        raise BadInput(
            f"--idmap {path}: is of the upload of another org, or of this one before it was made"
            " anew; upload this org and name the idmap.jsonl of that"
        )


def _pair(
    path: Path,
    number: int,
    line: str,
) -> dict[str, str]:
    """The pair of a line that tells of a record; none of one that tells of something else."""
    try:
        row = json_of(line)
        if "format" in row:
            check_format(path, row["format"], IDMAP_FORMAT)
        if "id" not in row or "org_id" not in row:
            return {}
        local, remote = row["id"], row["org_id"]
        if isinstance(local, str) and isinstance(remote, str):
            return {local: remote}
    except (ValueError, TypeError):
        pass  # no JSON, or no object: refused below, as ids that are no texts are
    raise BadInput(
        f"--idmap {path}: line {number} is none of an upload's; name the idmap.jsonl that an upload"
        " left"
    )
