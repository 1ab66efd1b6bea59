"""An upload over a bad network: nothing is lost, and nothing is there twice without being told."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from orgweave.load.patience import LONGEST_TRANSACTION, QUIET, Patience
from orgweave.load.sender import BULK_FROM
from orgweave.load.tally import LoadTally
from schemas.errors import CrmUnreachable
from tests.server_client import client
from tests.tiers import tried_on
from tests.upload_nemesis import Fate, HeldClock, Nemesis, drawn, once
from tests.upload_orgs import connected, differences, empty, loading, refused, upload

LATE = (25.0, LONGEST_TRANSACTION - 1)
SYNTH = "Synth_Id__c"


def loaded(
    folder: Path,
    idmap: Path,
    external_id: str,
    fate: Callable[[str], Fate],
    delay: float = 0.0,
    seconds: float = QUIET,
    bulk_from: int = BULK_FROM,
) -> tuple[list[str], LoadTally, HeldClock]:
    """An upload over a bad network, given again until it ends: what is wrong in the CRM then, the
    last run's tally, and the clock.
    """
    clock = HeldClock()
    with empty(folder, external_id) as server:
        target = Nemesis(connected(server), clock, fate, delay)
        over = False
        while not over:
            patience = Patience(seconds, clock)
            with (
                suppress(CrmUnreachable),
                loading(target, folder, idmap, bulk_from, patience) as (load, out),
            ):
                load.run(out)
                over = True
        clock.sleep(2 * LONGEST_TRANSACTION)
        return differences(client(server), folder, idmap), load.sender.tally, clock


@tried_on("delay", LATE)
def test_what_is_committed_late_is_waited_for(tiny: Path, tmp_path: Path, delay: float) -> None:
    """Without an external id, a batch that the CRM takes only after the connection has died, up to
    its longest transaction later, is there once.
    """
    wrong, tally, clock = loaded(tiny, tmp_path / "i.jsonl", "", once("Account", "late"), delay)
    assert (wrong, tally.doubled, tally.refused) == ([], 0, 0)
    assert clock.now() >= delay


def test_with_an_external_id_nothing_is_waited_for(tiny: Path, tmp_path: Path) -> None:
    """With a unique external id, a batch that comes late after all is refused by the CRM, and no
    time is spent on waiting for it.
    """
    fate = once("Account", "late")
    wrong, tally, clock = loaded(tiny, tmp_path / "i.jsonl", SYNTH, fate, delay=25.0)
    assert (wrong, tally.doubled) == ([], 0)
    assert clock.now() - 2 * LONGEST_TRANSACTION < 1


@pytest.mark.parametrize("fate", ["twice", "again"])
def test_what_is_doubled_all_the_same_is_told(tiny: Path, tmp_path: Path, fate: Fate) -> None:
    """Without an external id, records that a gateway doubles are told by number and listed by the
    CRM's ids, and the list is right.
    """
    wrong, tally, _ = loaded(tiny, tmp_path / "idmap.jsonl", "", once("Account", fate))
    accounts = json.loads((tiny / "upload" / "Account.json").read_text())["records"]
    listed = [json.loads(line) for line in tally.doubled_path.read_text().splitlines()]
    assert len(listed) == tally.doubled == len(accounts)
    assert {f"Account {line['org_id']}: too much" for line in listed} == set(wrong)


def test_without_patience_what_comes_late_is_told_by_the_next_run(
    tiny: Path, tmp_path: Path
) -> None:
    """Where nobody waits and the batch comes after the upload's end, the same command given again
    counts again, and tells it.
    """
    clock, idmap = HeldClock(), tmp_path / "idmap.jsonl"
    with empty(tiny, "") as server:
        target = Nemesis(connected(server), clock, once("Account", "late"), 25.0)
        doubled = []
        for _ in range(2):
            with loading(target, tiny, idmap, patience=Patience(0.0, clock)) as (load, out):
                load.run(out)
            doubled.append(load.sender.tally.doubled)
            clock.sleep(30.0)
    assert doubled == [
        0,
        len(json.loads((tiny / "upload" / "Account.json").read_text())["records"]),
    ]


@tried_on("name", ["User", "Account", "publish"])
def test_with_an_external_id_a_gateways_retry_does_no_harm(
    tiny: Path,
    tmp_path: Path,
    name: str,
) -> None:
    """A request that a gateway sends on twice is refused the second time; though that answer is the
    one that comes back, every record is there once and known.
    """
    wrong, tally, _ = loaded(tiny, tmp_path / "i.jsonl", SYNTH, once(name, "again"))
    assert (wrong, tally.refused, tally.doubled) == ([], 0, 0)


@tried_on("external_id", ["", SYNTH])
@tried_on("name", ["fill_job", "end_job"])
def test_a_bulk_job_that_is_filled_or_closed_twice_is_done(
    tiny: Path,
    tmp_path: Path,
    name: str,
    external_id: str,
) -> None:
    """The CRM refuses the second of the two requests, and the upload goes by the job's state."""
    fate = once(name, "again")
    wrong, tally, _ = loaded(tiny, tmp_path / "i.jsonl", external_id, fate, bulk_from=1)
    assert (wrong, tally.refused, tally.doubled) == ([], 0, 0)


@tried_on("name", ["User", "PricebookEntry"])
def test_a_duplicate_is_looked_up_by_any_key_that_the_crm_keeps(
    tiny: Path,
    tmp_path: Path,
    name: str,
) -> None:
    """Without an external id, too, the second of two answers is no end: a Username and the
    two sides of a price tell which record is meant.
    """
    wrong, tally, _ = loaded(tiny, tmp_path / "i.jsonl", "", once(name, "again"))
    assert (wrong, tally.refused) == ([], 0)


@tried_on("seed", range(2))
@pytest.mark.parametrize("external_id", [SYNTH, ""])
def test_no_history_loses_or_doubles(
    tiny: Path,
    tmp_path: Path,
    external_id: str,
    seed: int,
) -> None:
    """Where every third write is lost, unanswered or late, at random, and the upload is given again
    whenever it stops, the CRM has every record once in the end.
    """
    wrong, tally, _ = loaded(tiny, tmp_path / "i.jsonl", external_id, drawn(seed, 0.3), delay=90.0)
    assert (wrong, tally.refused, tally.doubled) == ([], 0, 0)


def test_what_is_kept_once_and_what_is_not_is_said_at_the_start(
    tiny: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The command names the object types of which the CRM takes a record twice; with an external
    id on all of ours, only visitors, which have no field at all.
    """
    said = {}
    for external_id in ("", SYNTH):
        with empty(tiny, external_id) as server:
            assert upload(server, tiny, tmp_path / f"{external_id}idmap.jsonl") == 0
        said[external_id] = capsys.readouterr().err.partition(". The CRM has")[0]
    assert said[SYNTH] == "orgweave: at least once: LiveChatVisitor"
    assert said[""].startswith("orgweave: at least once: Account, ")
    assert not {"User", "PricebookEntry", "Knowledge__kav"} & set(said[""].split(", "))


def test_doubled_records_end_the_command_with_code_1(
    tiny: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A finished upload given again counts again: a record that has come twice since is told, with
    exit code 1, until it is deleted.
    """
    idmap = tmp_path / "idmap.jsonl"
    with empty(tiny, "") as server:
        assert upload(server, tiny, idmap) == 0
        sf = client(server)
        issue = sf.query("SELECT Name, Description__c FROM Issue__c LIMIT 1")["records"][0]
        made = sf.Issue__c.create({name: issue[name] for name in ("Name", "Description__c")})["id"]
        capsys.readouterr()
        assert upload(server, tiny, idmap) == 1
        said = capsys.readouterr()
        assert f"Issue__c: 1 records are doubled: {made}" in said.out
        assert "doubled.jsonl" in said.err
        sf.Issue__c.delete(made)
        assert upload(server, tiny, idmap) == 0
    assert refused(idmap) == []


def test_somebody_elses_record_with_the_same_username_is_not_taken_for_ours(
    tiny: Path, tmp_path: Path
) -> None:
    """A user whose Username is somebody's who differs in anything else stays refused."""
    user = json.loads((tiny / "upload" / "User.json").read_text())["records"][0]
    with empty(tiny, "") as server:
        sf = client(server)
        theirs = {name: value for name, value in user.items() if name != "attributes"}
        del theirs["UserRoleId"]
        theirs["ProfileId"] = sf.query("SELECT Id FROM Profile")["records"][0]["Id"]
        sf.User.create({**theirs, "LastName": "Somebody"})
        assert upload(server, tiny, tmp_path / "idmap.jsonl") == 1
    codes = [line["errorCode"] for line in refused(tmp_path / "idmap.jsonl")]
    assert codes.count("DUPLICATE_USERNAME") == 1
