"""The script beside the metadata that keeps an org's own values in the value sets of a deploy."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from orgweave.export.metadata_project import write_project
from orgweave.export.registry import export

NAMESPACE = {"m": "http://soap.sforce.com/2006/04/metadata"}
SETS = "force-app/main/default/standardValueSets"
FILE = "CaseStatus.standardValueSet-meta.xml"
THEIRS = """<?xml version="1.0" encoding="UTF-8"?>
<StandardValueSet xmlns="http://soap.sforce.com/2006/04/metadata">
    <sorted>false</sorted>
    <standardValue>
        <fullName>On Hold</fullName><default>true</default><label>Geparkt</label>
        <closed>false</closed>
    </standardValue>
    <standardValue>
        <fullName>closed</fullName><default>false</default><label>Zu</label><closed>true</closed>
    </standardValue>
</StandardValueSet>
"""


@pytest.fixture
def project(odd: Path, tmp_path: Path) -> Path:
    """The metadata of the small company, and an org's own value set retrieved beside it."""
    export(odd, "metadata", tmp_path / "out")
    theirs = tmp_path / "out" / "theirs" / "main" / "default" / "standardValueSets"
    theirs.mkdir(parents=True)
    (theirs / FILE).write_text(THEIRS, encoding="utf-8")
    return tmp_path / "out"


def merged(project: Path, folder: str = "theirs") -> subprocess.CompletedProcess[str]:
    """The script, as the README has it run."""
    return subprocess.run(
        [sys.executable, "merge_value_sets.py", folder],
        cwd=project,
        capture_output=True,
        text=True,
    )


def values(project: Path) -> list[tuple[str, str, str]]:
    """Name, default and label of each value that would be deployed."""
    root = ElementTree.parse(project / SETS / FILE).getroot()
    found = []
    for value in root.findall("m:standardValue", NAMESPACE):
        parts = (value.findtext(f"m:{part}", "", NAMESPACE) for part in LISTED)
        found.append(tuple(parts))
    return found  # type: ignore[return-value]


LISTED = ("fullName", "default", "label")


def test_an_orgs_own_values_and_default_stay(project: Path) -> None:
    """What both have stays as it is there; ours are added, none of them as the default."""
    before = [name for name, _, _ in values(project)]
    ended = merged(project)
    assert ended.returncode == 0, ended.stderr
    assert "CaseStatus: 2 values of the org's own are kept" in ended.stdout
    after = values(project)
    assert after[:2] == [("On Hold", "true", "Geparkt"), ("closed", "false", "Zu")]
    assert [name for name, _, _ in after[2:]] == [name for name in before if name != "Closed"]
    assert {default for _, default, _ in after[2:]} == {"false"}
    assert merged(project).returncode == 0 and values(project) == after


def test_a_wrong_folder_is_told_in_a_line(project: Path) -> None:
    """Neither a folder that isn't there nor one without value sets changes anything."""
    before = values(project)
    for folder in ("nowhere", "config"):
        ended = merged(project, folder)
        assert ended.returncode == 2 and len(ended.stderr.splitlines()) == 1
    assert values(project) == before


def test_the_readme_names_the_value_sets(project: Path) -> None:
    """The command that retrieves them has each by its name."""
    told = (project / "README.md").read_text(encoding="utf-8")
    for path in (project / SETS).iterdir():
        assert f"StandardValueSet:{path.name.partition('.')[0]}" in told


def test_the_readme_has_the_value_sets_merged_before_it_deploys_them(project: Path) -> None:
    """Who follows the numbered steps in their order takes no value away from an org in use."""
    told = (project / "README.md").read_text(encoding="utf-8")
    assert told.index("merge_value_sets.py theirs") < told.index("sf project deploy start")
    steps = [line[0] for line in told.splitlines() if line[1:3] == ". "]
    assert steps == ["1", "2", "3"]


def test_a_readme_without_value_sets_skips_no_number(tmp_path: Path) -> None:
    """Where no value set is replaced, there is nothing to merge, and the deploy is step 2."""
    write_project(tmp_path, ["force-app"], {}, ["Widget__c"], [])
    told = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "merge" not in told and "\n2. Deploy" in told
