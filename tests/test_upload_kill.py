"""The uploader of a shoe company is killed with -9 and continued.

`python -m tests.bench_upload` does the same with the whole company, four times the records.
"""

from pathlib import Path

import pytest

from pipeline.config import RunRequest
from pipeline.run import FinishedRun, generate
from tests.upload_kills import killed_and_continued, served
from tests.upload_orgs import differences


@pytest.fixture(scope="module")
def shoes(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """The shoe company at a quarter of its size: large enough for several bulk jobs."""
    return generate(RunRequest("shoes", scale=0.25), tmp_path_factory.mktemp("quarter") / "shoes")


@pytest.mark.parametrize(("seed", "more"), [(11, ()), (12, ("--external-id", "Synth_Id__c"))])
def test_killed_three_times_it_loses_and_doubles_nothing(
    shoes: FinishedRun, tmp_path: Path, seed: int, more: tuple[str, ...]
) -> None:
    """Killed at three random moments and continued, with an external id field or without, the CRM
    has every record once with every value.
    """
    idmap = tmp_path / "idmap.jsonl"
    with served(shoes.folder, *more) as crm:
        killed_and_continued(crm, shoes.folder, idmap, seed, sum(shoes.counts.values()))
        assert differences(crm.client(), shoes.folder, idmap) == []
