"""The uploader of a shoe company is killed with -9 and continued.

`python -m tests.bench_upload` does the same with the whole company, forty times the records.
"""

from pathlib import Path

from pipeline.run import FinishedRun
from tests.tiers import tried_on
from tests.upload_kills import killed_and_continued, served
from tests.upload_orgs import differences


@tried_on("seed, more", [(11, ()), (12, ("--external-id", "Synth_Id__c"))])
def test_killed_twice_it_loses_and_doubles_nothing(
    tiny_shoes: FinishedRun,
    tmp_path: Path,
    seed: int,
    more: tuple[str, ...],
) -> None:
    """Killed at two random moments and continued, with an external id field or without, the CRM
    has every record once with every value. Object types of 40 records go by bulk jobs.
    """
    idmap, folder = tmp_path / "idmap.jsonl", tiny_shoes.folder
    records = sum(tiny_shoes.counts.values())
    with served(folder, *more) as crm:
        killed_and_continued(crm, folder, idmap, seed, records, kills=2, bulk_from=40)
        assert differences(crm.client(), folder, idmap) == []
