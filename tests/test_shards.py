"""A very large org, made in shards: the same whoever makes them, and right as a whole."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path

import pytest

from orgweave.cli import run as command
from pipeline.check import check_folder
from pipeline.compute.executor import InProcess
from pipeline.compute.jobs import Workers
from pipeline.config import LARGEST_WHOLE, PreparedRun, RunRequest, load_job
from pipeline.ledger import Ledger
from pipeline.measured_part import measured_part
from pipeline.model.prices import Price
from pipeline.part_files import write_parts
from pipeline.plan import Plan, PlanNode
from pipeline.run import embedded_writers, generate
from pipeline.run_folder import RunFolder
from pipeline.shards.join_uploads import join_uploads
from pipeline.shards.split import (
    common_objects,
    measured_shards,
    number_ranges,
    shard_job,
    split_counts,
)
from pipeline.spread import USUAL_COSTS, play, play_in_shards
from pipeline.world.shard import Shard
from pipeline.write.writer import Writers
from tests.test_kill import ROOT, answers, hashes
from tests.test_kill import command as words_of
from tests.tiers import THOROUGH, tried_on

TOY = RunRequest("shoes", scale=0.09, shard_size=0.03)
WORDS = ["--company", "shoes", "--scale", "0.09", "--shard-size", "0.03", "--no-report"]
UNIQUE = (
    ("Product2", "Name"),
    ("Product2", "ProductCode"),
    ("User", "Name"),
    ("User", "Alias"),
    ("User", "EmployeeNumber"),
    ("Contact", "Email"),
    ("Order", "OrderReferenceNumber"),
    ("Case", "CaseNumber"),
)


def of_org(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file of an org, without what its shards keep."""
    return {name: digest for name, digest in hashes(folder).items() if "shards/" not in name}


def shards_of(folder: Path) -> list[Path]:
    """The folders of the shards."""
    return sorted((folder / "shards").iterdir())


@pytest.fixture(scope="module")
def sharded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A toy company in three shards; no test may write in its folder."""
    out = tmp_path_factory.mktemp("sharded") / "shoes"
    generate(TOY, out)
    return out


@pytest.fixture
def rows(sharded: Path) -> Callable[[str], list[tuple[object, ...]]]:
    """What a query of its org finds, with the hidden causes beside it."""

    def found(query: str) -> list[tuple[object, ...]]:
        run = RunFolder(sharded)
        with closing(run.open_org()) as db:
            run.attach_latent(db, "latent")
            return db.execute(query).fetchall()

    return found


def test_all_invariants_hold_over_the_whole(sharded: Path) -> None:
    """`check` finds nothing broken, and the manifest tells of the shards and their format."""
    report = check_folder(sharded)
    assert report.right and len(report.findings) > 200
    told = json.loads((sharded / "manifest.json").read_text())["shards"]
    assert told == {"format": 1, "size": 0.03, "number": 3, "measured": {}}


def test_there_are_exactly_as_many_records_as_asked_for(sharded: Path) -> None:
    """Counts are those of the same org drawn whole, and grow by nothing that shards share."""
    counts = RunFolder(sharded).read_manifest().counts
    asked = load_job(replace(TOY, shard_size=None)).setting.counts
    assert {name: counts[name] for name in asked} == asked
    assert counts["UserRole"] == 19 and counts["PricebookEntry"] == 44 * counts["Product2"]


@pytest.mark.parametrize(("name", "field"), UNIQUE)
def test_what_is_unique_stays_so_over_shards(
    rows: Callable[[str], list[tuple[object, ...]]], name: str, field: str
) -> None:
    """No value of one shard is one of another's."""
    counts = f'SELECT count("{field}"), count(DISTINCT "{field}") FROM "{name}"'
    ((there, different),) = rows(counts)
    assert there == different and isinstance(there, int) and there > 1


def test_products_of_later_shards_name_their_generation(
    rows: Callable[[str], list[tuple[object, ...]]],
) -> None:
    """A number behind a name tells nothing apart, since names of the first shard have such, too."""
    named = """
        SELECT substr(Id, 9, 3) = '000', substr(Name, -6) IN (' Gen 2', ' Gen 3'), count(*) > 0
        FROM Product2 GROUP BY 1, 2
    """
    assert sorted(rows(named)) == [(0, 1, 1), (1, 0, 1)]


def test_each_shard_has_a_desk_of_its_own(
    rows: Callable[[str], list[tuple[object, ...]]],
) -> None:
    """Cases go to agents of their shard, about products of it, by issues that all share."""
    mixed = """
        SELECT count(*)
        FROM "Case" c
        JOIN User u ON u.Id = c.OwnerId
        LEFT JOIN OrderItem i ON i.Id = c.OrderItemId__c
        LEFT JOIN Product2 p ON p.Id = i.Product2Id
        WHERE substr(u.Id, 9, 3) <> substr(c.Id, 9, 3)
        OR coalesce(substr(p.Id, 9, 3), substr(c.Id, 9, 3)) <> substr(c.Id, 9, 3)
    """
    assert rows(mixed) == [(0,)]
    assert rows("SELECT DISTINCT substr(Id, 9, 3) FROM Issue__c") == [("000",)]
    assert rows('SELECT count(DISTINCT substr(Id, 9, 3)) FROM "Case"') == [(3,)]


def test_row_numbers_of_hidden_tables_are_counted_on(
    rows: Callable[[str], list[tuple[object, ...]]],
) -> None:
    """What refers to a row by its number finds it in the joined table: a turn its chat."""
    astray = """
        SELECT count(*) FROM latent."CaseStory.turns" t
        LEFT JOIN latent."CaseStory.chats" c ON c.rowid = t.chat + 1
        WHERE substr(t.agent, 9, 3) <> substr(c.owner, 9, 3) OR c.owner IS NULL
    """
    chats = 'SELECT count(*), max(chat) + 1 FROM latent."CaseStory.turns"'
    ((turns, last),) = rows(chats)
    assert isinstance(turns, int) and turns > 0
    assert rows('SELECT count(*) FROM latent."CaseStory.chats"') == [(last,)]
    assert rows(astray) == [(0,)]


def test_what_is_common_stands_once(rows: Callable[[str], list[tuple[object, ...]]]) -> None:
    """Roles, issues and articles are those of one company, in the org and in its hidden causes."""
    assert rows("SELECT count(*), count(DISTINCT Title) FROM Knowledge__kav") == [(45, 45)]
    assert rows("""SELECT count(*) FROM latent."Solution.issues" """) == [(10,)]
    states = """SELECT count(*), count(DISTINCT state) FROM latent."ResponseTime.states" """
    ((number, different),) = rows(states)
    assert number == different


def test_an_upload_names_every_record_by_its_row(sharded: Path) -> None:
    """Records are counted through, and each reference leads to one of them."""
    named: dict[str, int] = {}
    referred: set[str] = set()
    for path in sorted((sharded / "upload").glob("*.json")):
        data = json.loads(path.read_text())
        if path.name == "plan.json" or path.name.endswith(".update.json"):
            continue
        names = [record["attributes"]["referenceId"] for record in data["records"]]
        assert names == [f"{path.stem}Ref{row}" for row in range(1, len(names) + 1)]
        named[path.stem] = len(names)
        for record in data["records"]:
            referred |= {str(value) for value in record.values() if str(value).startswith("@")}
    assert named == RunFolder(sharded).read_manifest().counts
    for name in referred:
        target, _, row = name[1:].rpartition("Ref")
        assert 1 <= int(row) <= named[target]


@tried_on("jobs", [2, 4])
@THOROUGH
def test_any_number_of_workers_makes_the_same_org(sharded: Path, tmp_path: Path, jobs: int) -> None:
    """Who makes a shard changes no byte."""
    generate(TOY, tmp_path / "org", workers=Workers(jobs))
    assert of_org(tmp_path / "org") == of_org(sharded)


def begun(out: Path, *more: str) -> subprocess.Popen[bytes]:
    """The toy under way, from the moment on at which its second shard has its first answers."""
    process = subprocess.Popen(
        words_of("generate", *WORDS, "--out", str(out), *more),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline and not kept(out, 1):
        time.sleep(0.005)
    return process


def kept(out: Path, number: int) -> dict[str, str]:
    """The answers that a shard's ledger holds so far."""
    folder = out / "shards" / f"{number:05d}"
    try:
        return answers(folder) if (folder / "ledger.sqlite").exists() else {}
    except sqlite3.Error:
        return {}


def memory_of(process: int) -> int:
    """The pages that a process holds: a worker has more than what only looks after others."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1])


@THOROUGH
def test_a_killed_run_keeps_its_shards(sharded: Path, tmp_path: Path) -> None:
    """A whole shard isn't made again, a begun one goes on from its ledger, and the org is the same:
    nothing is lost, and nothing is written twice.
    """
    out = tmp_path / "org"
    process = begun(out, "--jobs", "1")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    first = shards_of(out)[0] / "shard.json"
    before, made_at = kept(out, 1), first.stat().st_mtime_ns
    assert before and not (out / "manifest.json").exists()
    generate(TOY, out)
    assert first.stat().st_mtime_ns == made_at
    assert before.items() <= kept(out, 1).items()
    assert of_org(out) == of_org(sharded)
    for number, folder in enumerate(shards_of(sharded)):
        assert kept(out, number) == answers(folder)


@THOROUGH
def test_a_killed_worker_costs_only_time(sharded: Path, tmp_path: Path) -> None:
    """Its shard is made again by another one."""
    out = tmp_path / "org"
    process = begun(out, "--jobs", "2")
    tasks = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    os.kill(max(map(int, tasks.split()), key=memory_of), signal.SIGKILL)
    assert process.wait() == 0
    assert of_org(out) == of_org(sharded)


def test_commands_work_on_it_as_on_any_other(
    sharded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tasks, queries and exports go through; what can't says so in one line."""
    copy = tmp_path / "org"
    subprocess.run(["cp", "-r", str(sharded), str(copy)], check=True)
    tasks = ["tasks", str(copy), "--tasks", "handle_time", "--per-task", "3", "--jobs", "1"]
    assert command(tasks) in (0, 3)
    assert (copy / "tasks" / "tasks.jsonl").read_text()
    assert command(["export", str(copy), "--format", "csv"]) == 0
    capsys.readouterr()
    assert command(["query", str(copy), "SELECT COUNT() FROM Case"]) == 0
    assert '"totalSize": 88' in capsys.readouterr().out
    asked = ["--company", "shoes", "--out", str(copy)]
    for words in (
        ["regenerate", *asked, "--object", "Case"],
        ["trace", str(copy)],
        ["ledger", "repair", str(copy)],
    ):
        assert command(words) == 2
        assert "shards" in capsys.readouterr().err
    assert command(["trace", str(shards_of(copy)[1]), "--last", "1"]) == 0


@THOROUGH
def test_its_tables_may_lie_in_parquet_files(sharded: Path, tmp_path: Path) -> None:
    """The org's file that is built of them is the one that was joined, byte for byte."""
    copy = tmp_path / "org"
    subprocess.run(["cp", "-r", str(sharded), str(copy)], check=True)
    run = RunFolder(copy)
    files, parts = write_parts(run, run.read_schema(), InProcess())
    manifest = run.read_manifest()
    listed = {**manifest.files, **run.digests(files)}
    run.write_manifest(manifest.model_copy(update={"files": listed, "parts": parts}))
    run.drop_org()
    assert run.require_org().read_bytes() == RunFolder(sharded).org_file.read_bytes()


def test_the_same_command_makes_nothing_anew(sharded: Path) -> None:
    """A finished org in shards stays as it is."""
    made_at = (sharded / "manifest.json").stat().st_mtime_ns
    assert generate(TOY, sharded).counts["Case"] == 88
    assert (sharded / "manifest.json").stat().st_mtime_ns == made_at


@THOROUGH
def test_words_that_are_called_for_stand_in_one_ledger(sharded: Path, tmp_path: Path) -> None:
    """A model's limits hold over the org's ledger, so that all shards keep their words there; the
    org is the same, and is made again of that ledger alone.
    """
    asked = []

    @asynccontextmanager
    async def called(job: PreparedRun, ledger: Ledger) -> AsyncIterator[Writers]:
        asked.append(ledger.size())
        async with embedded_writers(job, ledger) as writers:
            yield writers

    out = tmp_path / "org"
    generate(TOY, out, writers_of=called)
    assert of_org(out) == of_org(sharded)
    words = answers(out)
    assert len(words) == sum(len(answers(folder)) for folder in shards_of(sharded))
    generate(TOY, out, writers_of=called)
    assert answers(out) == words and asked[3:] == [len(words)] * 3


def test_measures_of_a_larger_org_are_taken_in_its_first_shards(
    sharded: Path, tmp_path: Path
) -> None:
    """Their part has just the rows of the first shards, and the folder is as it was afterwards."""
    names = sorted(path.name for path in sharded.iterdir())
    of_first = {"Case": 29, "Workforce.roles": 19}
    with measured_part(RunFolder(sharded), of_first) as part, closing(part.open_org()) as db:
        part.attach_latent(db, "latent")
        assert db.execute('SELECT count(*) FROM "Case"').fetchone() == (29,)
        assert db.execute("SELECT count(*) FROM Contact").fetchone() == (0,)
        roles = db.execute('SELECT count(*) FROM latent."Workforce.roles"')
        assert roles.fetchone() == (19,)
    assert sorted(path.name for path in sharded.iterdir()) == names
    assert measured_shards(RunRequest("shoes", scale=1000.0)) == 10
    assert measured_shards(RunRequest("shoes", scale=LARGEST_WHOLE, shard_size=1.0)) == 0


def test_an_org_up_to_a_hundred_is_drawn_whole() -> None:
    """Its request says nothing of shards, so that its bytes are what they were."""
    whole = RunRequest("shoes", scale=LARGEST_WHOLE)
    assert whole.shards == 1 and "shard_size" not in whole.as_json()
    assert RunRequest("shoes", shard_size=1.0).as_json() == RunRequest("shoes").as_json()
    beyond = RunRequest("shoes", scale=1000.0)
    assert beyond.shards == 100
    assert RunRequest.from_json(beyond.as_json()).shards == 100
    assert RunRequest("shoes", scale=0.3, shard_size=0.1).shards == 3


def test_workers_share_out_whole_shards() -> None:
    """With as many workers as shards the run is little longer than the first shard and another, and
    the command holds no shard.
    """
    node = PlanNode("Case", "object", (), records=1_000_000, mini_batches=1000, tokens_out=10**7)
    plan = Plan("toy", (node,), Price(0.0, 0.0, known=False), Price(0.0, 0.0, known=False))
    alone, one, ten = (play_in_shards(plan, 10, 10, workers) for workers in (0, 1, 10))
    assert alone.wall == pytest.approx(play(plan, 0).wall + 1_000_000 * USUAL_COSTS.a_record_joined)
    assert ten.wall < one.wall / 2
    assert one.megabytes == ten.megabytes < alone.megabytes
    fewer = play_in_shards(plan, 10, 5, 0)
    assert fewer.wall < alone.wall and fewer.megabytes < alone.megabytes


@pytest.mark.parametrize("of", [2, 3, 7])
def test_counts_are_split_exactly(of: int) -> None:
    """Shares differ by one at most, and what doesn't grow is common to all."""
    job = load_job(RunRequest("shoes"))
    schema, counts = job.setting.schema, job.setting.counts
    shares = [split_counts(schema, counts, number, of) for number in range(of)]
    common = common_objects(schema)
    assert {"Issue__c", "UserRole", "RecordType", "Pricebook2"} <= common
    assert not {"User", "Product2", "PricebookEntry", "Case"} & common
    for name, total in counts.items():
        own = [share[name] for share in shares]
        assert max(own) - min(own) <= 1
        assert own == [total] * of if name in common else sum(own) == total


def test_shards_know_nothing_of_one_another() -> None:
    """Seeds, Ids, numbers, marks and names of two shards never meet."""
    common = frozenset({"Issue__c", "Workforce/sites"})
    first, second = (Shard(number, 2, 7, common, {"Case": 100}) for number in (0, 1))
    assert first.own_seed == 7 != second.own_seed
    assert second.seed_of("Workforce", "sites") == second.seed_of("Issue__c", "Name") == 7
    assert second.first_id("Case") > first.first_id("Case") + 10_000_000
    assert second.first_id("Issue__c") == 1
    assert (first.numbers_before("Case"), second.numbers_before("Case")) == (0, 100)
    assert second.mailbox("ann@example.com") == "ann-2@example.com"
    assert second.marked("amiller", 8) == "amille-2" and first.marked("amiller", 8) == "amiller"
    for name in ("Ann Miller", "Ben Moor", "Cy Ott"):
        assert first.owns(name) != second.owns(name)


def test_ranges_hold_what_a_shard_needs() -> None:
    """Of what is asked for little more than that, of the rest half as much again."""
    job = load_job(RunRequest("shoes"))
    ranges = number_ranges(job, {item.name: 1000 for item in job.setting.schema.objects})
    assert 1020 < ranges["Case"] < 1100
    assert ranges["ReturnOrder"] > 1500
    assert shard_job(replace(job, ask=TOY), 2, ranges).setting.numbers_before("Case") == (
        2 * ranges["Case"]
    )


def test_names_of_records_are_counted_on(tmp_path: Path) -> None:
    """Only names are: a text that quotes one stays as it is."""
    schema = load_job(RunRequest("shoes")).setting.schema
    for number, row in enumerate(("1", "1")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "plan.json").write_text("[]\n")
        record = {
            "attributes": {"type": "Case", "referenceId": f"CaseRef{row}"},
            "IssueId__c": "@Issue__cRef1",
            "AccountId": "@AccountRef1",
            "Description": 'a "CaseRef1" and "@AccountRef1"',
        }
        lines = '{"records": [\n' + json.dumps(record) + "\n]}\n"
        (folder / "Case.json").write_text(lines)
    parts = [(tmp_path / "0", {}), (tmp_path / "1", {"Case": 1, "Account": 5})]
    join_uploads(schema, parts, frozenset(), tmp_path / "joined")
    records = json.loads((tmp_path / "joined" / "Case.json").read_text())["records"]
    assert [each["attributes"]["referenceId"] for each in records] == ["CaseRef1", "CaseRef2"]
    assert [each["AccountId"] for each in records] == ["@AccountRef1", "@AccountRef6"]
    assert {each["IssueId__c"] for each in records} == {"@Issue__cRef1"}
    assert {each["Description"] for each in records} == {'a "CaseRef1" and "@AccountRef1"'}
