"""What the program is built on: its licences, and the lock of CI."""

import tomllib

import pytest

from tests.audit import (
    LOCK,
    ROOT,
    advisories,
    check_licences,
    check_lock,
    closure,
    is_permissive,
    requirements_of,
)

WANTED = requirements_of(
    tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
)
HASH = "    --hash=sha256:00\n"


def test_every_licence_is_permissive_or_allowed_by_name() -> None:
    """Of the base install, of all extras, and of what they need."""
    assert check_licences(closure(WANTED)) == []


def test_the_lock_holds_all_that_is_declared_with_hashes() -> None:
    """And it names no package index, so that it is the same for everybody."""
    assert check_lock(LOCK.read_text(encoding="utf-8"), WANTED) == []


@pytest.mark.parametrize(
    ("licence", "right"),
    [
        ("MIT", True),
        ("MIT License", True),
        ("Apache License, Version 2.0", True),
        ("Apache-2.0 OR GPL-3.0-only", True),
        ("MIT AND PSF-2.0", True),
        ("MIT AND LGPL-3.0", False),
        ("GNU General Public License v3 (GPLv3)", False),
        ("Mozilla Public License 2.0 (MPL 2.0)", False),
        ("", False),
    ],
)
def test_a_licence_is_permissive_in_all_its_parts(licence: str, right: bool) -> None:
    """Of alternatives one will do."""
    assert is_permissive(licence) == right


@pytest.mark.parametrize(
    ("text", "wanted", "faults"),
    [
        (f"a==1.0 \\\n{HASH}b-c==2 \\\n{HASH}", ["a>=1", "B_c<3"], 0),
        (f"a==1.0\nb==2 \\\n{HASH}", ["a"], 1),
        (f"--index-url https://x.example/simple\na==1 \\\n{HASH}", ["a"], 1),
        (f"a @ file:///a.whl \\\n{HASH}a==1 \\\n{HASH}", ["a"], 1),
        (f"a==1.0 \\\n{HASH}", ["a>=2"], 1),
        (f"a==1.0 \\\n{HASH}", ["a", "b"], 1),
    ],
)
def test_a_lock_that_is_wrong_is_told(text: str, wanted: list[str], faults: int) -> None:
    """A pin without a hash, a place of one's own, what is too old and what isn't there."""
    assert len(check_lock(text, wanted)) == faults


def test_without_the_tool_nobody_is_asked() -> None:
    """And that is no clean bill."""
    assert advisories("no-such-tool", LOCK) is None
