"""The page `report.html` of a run: where it is written, and when it is made anew.

Knows files and not what stands on the page.
"""

from importlib.util import find_spec
from pathlib import Path
from shlex import quote

from orgweave.report.facts import read_facts
from orgweave.report.page import page_of
from pipeline.atomic import write_text
from pipeline.run_folder import RunFolder
from schemas.errors import BadInput
from schemas.regular import regular_bytes

PAGE = "report.html"

GENERATOR = '<meta name="generator" content="orgweave report">'
"""Stands in each page: a file without it is somebody's own and is not replaced."""

OF_RUN = '<meta name="run" content="{}">'
"""Stands in each page too: the digest of the manifest that tells of the page's org."""

NEEDS = ("jinja2", "matplotlib", "networkx")
"""What the extra `report` installs."""


def write_page(run: RunFolder, target: Path) -> str:
    """Writes a run's page to a file, and returns it.

    Raises BadInput for a place that can't be written to, or holds a file of somebody's own.
    """
    if target.is_dir() or not target.parent.is_dir():
        raise BadInput(f"{target}: is no place for a file; name a file in a folder that exists")
    _check_own(target)
    page = page_of(read_facts(run))
    write_text(target, iter([page]))
    return page


def _check_own(target: Path) -> None:
    """Raises BadInput for a file of somebody's own, and for a pipe, which would be waited for."""
    try:
        ours = GENERATOR in _held(target)
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadInput(
            f"{target}: can't be replaced ({error.strerror}); name another file with --to"
        ) from error
    if not ours:
        raise BadInput(f"{target}: is no report of this program; move it away, or use --to")


def page_told(run: RunFolder) -> str:
    """Makes the page of a run that has just been made, and says in a line where it is.

    The line says why there is no page where its extra is missing or its place is taken: the org is
    whole without it. A page that tells of this very org stands as it is.
    """
    target = run.path / PAGE
    if not _installed():
        return (
            f"no {PAGE}, which shows on one page how good it is: that needs the extra report, then"
            f" orgweave report {quote(str(run.path))}"
        )
    of_run = OF_RUN.format(run.read_manifest().sha256)
    refused = ""
    if not (target.is_file() and of_run in _held(target)):
        refused = _made(run, target)
    return refused or f"{target}     how good it is, on one page for a browser"


def renew_page(run: RunFolder) -> str:
    """Makes the page anew where a run has one of ours: its tasks or scores are others now.

    Says in a line why that can't be done, else "".
    """
    target = run.path / PAGE
    if _installed() and target.is_file() and GENERATOR in _held(target):
        return _made(run, target)
    return ""


def _made(run: RunFolder, target: Path) -> str:
    """Writes the page; why it can't be written, else ""."""
    try:
        write_page(run, target)
    except BadInput as error:
        return f"no {PAGE} was made: {error}"
    return ""


def _installed() -> bool:
    return all(find_spec(name) for name in NEEDS)


def _held(file: Path) -> str:
    return regular_bytes(file).decode(errors="replace")
