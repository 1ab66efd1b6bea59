"""The torture is no part of the suite; what it starts from is."""

import sys
from pathlib import Path

import pytest

from tests.tiers import THOROUGH
from tests.torture_trial import digests


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks and reads /proc")
@THOROUGH
def test_the_torture_has_a_company_with_tasks(tmp_path: Path) -> None:
    """Its company is so small that not every task has an instance; those it asks for have."""
    from tests.torture_orgs import prepared

    made = digests(prepared(tmp_path))
    assert {"org.sqlite", "latent.sqlite", "tasks/tasks.jsonl"} <= set(made)
