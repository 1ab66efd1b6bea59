"""The id map on a bad disk: whichever write fails and wherever the file is torn, the next run goes
on, and nothing is lost or doubled.
"""

import errno
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orgweave.crm.field import CrmField, CrmObject
from orgweave.load.append_file import AppendFile
from orgweave.load.bodies import Bodies
from orgweave.load.idmap import Identity, opened
from orgweave.load.load import Load, LoadOptions, bodies_of, identity_of, infos_of
from orgweave.load.sender import Sender
from orgweave.load.source import UploadRecord, UploadSource
from orgweave.load.tally import LoadTally
from schemas.errors import BadInput, StorageFailed
from tests.server_client import client
from tests.tiers import THOROUGH, tried_on
from tests.upload_orgs import HASTY, connected, differences, empty

HERE = Identity("http://127.0.0.1:1", "00D", "3f2a")


class FullDisk(AppendFile):
    """A file whose n-th write or sync fails; a failing write leaves half of the piece."""

    def __init__(self, path: Path, after: int, call: str) -> None:
        super().__init__(path)
        self._left, self._call = after, call

    def write(self, piece: memoryview) -> int:
        """Fails in its turn."""
        if self._call == "write" and self._spent():
            super().write(piece[: len(piece) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(piece)

    def sync(self) -> None:
        """Fails in its turn."""
        if self._call == "sync" and self._spent():
            raise OSError(errno.EIO, "Input/output error")
        super().sync()

    def cut(self, size: int) -> None:
        """On a bad disk, nothing is taken away either."""
        if self._left >= 0:
            super().cut(size)

    def _spent(self) -> bool:
        self._left -= 1
        return self._left < 0


@tried_on("call", ["write", "sync"])
@THOROUGH
def test_whichever_write_fails_the_next_run_goes_on(tiny: Path, tmp_path: Path, call: str) -> None:
    """Every write of the id map fails once, its first half on the disk, by bulk and by collections:
    each run ends with one line, the last one has loaded everything once.
    """
    idmap, failures = tmp_path / "idmap.jsonl", 0
    source = UploadSource(tiny)
    with empty(tiny, "") as server:
        target = connected(server)
        identity, infos = identity_of(target, source), infos_of(target, source)
        over = False
        while not over:

            def full(path: Path, after: int = failures % 3) -> AppendFile:
                return FullDisk(path, after, call)

            with suppress(StorageFailed, BadInput), opened(idmap, identity, full) as kept:
                bodies, out = bodies_of(source, kept, infos, LoadOptions())
                tally = LoadTally(tmp_path / "refused.jsonl")
                sender = Sender(
                    target,
                    kept,
                    bodies,
                    tally,
                    lambda name, count: None,
                    30,
                    (),
                    HASTY,
                )
                Load(source, sender, LoadOptions()).run(out)
                over = True
            failures += not over
        assert (tally.refused, tally.doubled) == (0, 0)
        assert differences(client(server), tiny, idmap) == []
    assert failures > 20


@dataclass
class FinishedJob:
    """A CRM that has worked off one bulk job, and takes nothing more."""

    rows_there: Sequence[tuple[str, str]]
    sent: int = 0

    def job(self, job: str) -> dict[str, str]:
        """Over."""
        return {"state": "JobComplete"}

    def rows(self, job: str, outcome: str) -> list[list[str]]:
        """All rows were taken, and stand in another order."""
        if outcome == "failedResults":
            return [["sf__Id", "sf__Error", "Name"]]
        lines = [[org_id, "true", name] for name, org_id in reversed(self.rows_there)]
        return [["sf__Id", "sf__Created", "Name"], *lines]

    def create(self, name: str, bodies: Sequence[Any]) -> Any:
        """Must not be asked."""
        self.sent += len(bodies)
        raise AssertionError("records that the CRM has were sent again")


def test_a_jobs_results_torn_at_any_byte_are_read_again(tiny: Path, tmp_path: Path) -> None:
    """A file cut at every byte of a job's lines: the next run takes the rest of the job's results,
    sends nothing, and has every record once, two alike included.
    """
    path = tmp_path / "idmap.jsonl"
    keys = [f"a01zz000000000{number}AA" for number in range(4)]
    records = [
        UploadRecord("Issue__c", key, {"Name": name})
        for key, name in zip(keys, "wwxy", strict=True)
    ]
    there = [(str(record.values["Name"]), f"a01{number}") for number, record in enumerate(records)]
    info = CrmObject("Issue__c", {"name": CrmField("Name", "string")})
    target: Any = FinishedJob(there)
    with opened(path, HERE) as idmap:
        sending = idmap.send("Issue__c", job="750")
        before = path.stat().st_size
        idmap.sent(sending, zip(keys, (org_id for _, org_id in there), strict=True))
    whole = path.read_bytes()
    source = UploadSource(tiny)
    for size in range(before, len(whole) + 1):
        path.write_bytes(whole[:size])
        with opened(path, HERE) as idmap:
            bodies = Bodies(source, idmap, {"Issue__c": info}, "")
            tally = LoadTally(tmp_path / "refused.jsonl")
            Sender(target, idmap, bodies, tally, lambda name, count: None, 1, (), HASTY).insert(
                "Issue__c", records
            )
            ids = [idmap.org_id(key) for key in keys]
            assert sorted(map(str, ids[:2])) == ["a010", "a011"]
            assert ids[2:] == ["a012", "a013"]
            assert idmap.pending("Issue__c") == []
