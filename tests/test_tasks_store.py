"""Where tasks may be written: into folders of their own, whatever was written there before."""

import json
from pathlib import Path

import pytest

from orgweave.benchmark.store import REPORT_FILE, check_place
from schemas.errors import BadInput

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("report", "ours"),
    [
        (json.dumps({"company": "a", "seed": 1, "tasks": {}}), True),
        (json.dumps({"company": "a", "seed": 1, "tasks": {}, "files": {}}), True),
        (json.dumps({"company": "a", "seed": 1}), False),
        (json.dumps(["company", "seed", "tasks"]), False),
        ("no report", False),
    ],
)
def test_a_folder_is_ours_where_its_report_tells_of_tasks(
    tmp_path: Path, report: str, ours: bool
) -> None:
    """Whoever says of which company, by which seed, and which tasks, has written it."""
    (tmp_path / REPORT_FILE).write_text(report, encoding="utf-8")
    if ours:
        check_place(tmp_path)
        return
    with pytest.raises(BadInput, match="holds other files"):
        check_place(tmp_path)


def test_a_draft_of_a_report_is_nobodys(tmp_path: Path) -> None:
    """A kill may leave it alone; a file beside it is somebody's."""
    folder = tmp_path / "new"
    check_place(folder)
    (folder / f"{REPORT_FILE}.part").touch()
    check_place(folder)
    (folder / "notes.txt").touch()
    with pytest.raises(BadInput, match="holds other files"):
        check_place(folder)
