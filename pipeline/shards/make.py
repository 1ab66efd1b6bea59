"""One shard of a very large org: made in a folder of its own, as an org is, but neither checked nor
listed; the org that it becomes a part of is.

A shard that is whole says so in `shard.json`, which is written last, and is not made again. One
that was killed goes on from its ledger. Knows nothing of the other shards but the first one's words
on what all have in common.
"""

import asyncio
import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from pipeline.atomic import write_json
from pipeline.compute.executor import InProcess
from pipeline.config import PreparedRun
from pipeline.filing import Filing
from pipeline.ledger import Ledger
from pipeline.locks import locked
from pipeline.making import GivenWords, RunObserver
from pipeline.run import WritersOf, embedded_writers, make_tables
from pipeline.run_folder import RunFolder
from pipeline.shards.split import common_objects
from pipeline.unchanged import program
from pipeline.world.org import Org
from pipeline.world.tables import Array, objects
from pipeline.write.service import Usage

WHOLE = "shard.json"


@dataclass(frozen=True, slots=True)
class FinishedShard:
    """A whole shard: its folder's name, its records, by whom it was written and what that took.

    `of` is a text that tells the request, the shard and the program; `files` are SHA-256 digests.
    """

    name: str
    of: str
    counts: dict[str, int]
    writer: str
    local: bool
    usage: dict[str, Usage]
    files: dict[str, str]


def shard_folder(run: RunFolder, number: int) -> RunFolder:
    """The folder of a shard: `shards/00007`."""
    return RunFolder(run.shards_folder / f"{number:05d}")


def make_shard(job: PreparedRun, run: RunFolder) -> FinishedShard:
    """Makes a shard of the org in `run`, or goes on making it; a whole one stays as it is.

    The embedded writer writes it, and the shard keeps a ledger of its own.
    """
    shard = job.setting.shard
    assert shard is not None
    own = shard_folder(run, shard.number)
    with locked(own.path):
        held = held_shard(job, own)
        if held is not None:
            return held
        given = {} if shard.first else words_in_common(job, shard_folder(run, 0))
        with Ledger(own.ledger_file) as ledger:
            return _make(job, own, ledger, given, embedded_writers)


def make_called(
    job: PreparedRun,
    run: RunFolder,
    ledger: Ledger,
    writers_of: WritersOf,
) -> FinishedShard:
    """Makes a shard whose words are called for: those that were paid stand in the org's ledger,
    over which a model's limits hold.
    """
    shard = job.setting.shard
    assert shard is not None
    own = shard_folder(run, shard.number)
    with locked(own.path):
        given = {} if shard.first else words_in_common(job, shard_folder(run, 0))
        return _make(job, own, ledger, given, writers_of)


def _make(
    job: PreparedRun,
    own: RunFolder,
    ledger: Ledger,
    given: GivenWords,
    writers_of: WritersOf,
) -> FinishedShard:
    whole = own.path / WHOLE
    whole.unlink(missing_ok=True)
    org = Org(job.setting)
    with Filing(org, own, InProcess()) as filing:
        making = make_tables(
            filing,
            job,
            ledger,
            writers_of,
            RunObserver(),
            given,
        )
        service = asyncio.run(making)
        counts = {item.name: org.table(item.name).size for item in job.setting.schema.objects}
        filing.finish_unchecked()
    finished = FinishedShard(
        name=own.path.name,
        of=_identity(job),
        counts=counts,
        writer=service.writer.name,
        local=service.local,
        usage=service.usage,
        files=own.digests([own.org_file, own.latent_file, *_uploads(own)]),
    )
    write_json(whole, asdict(finished))
    return finished


def held_shard(job: PreparedRun, own: RunFolder) -> FinishedShard | None:
    """The shard that lies in a folder, where it is whole and just the one that is asked for."""
    try:
        held = TypeAdapter(FinishedShard).validate_json((own.path / WHOLE).read_bytes())
        same = held.of == _identity(job) and held.files == own.digests(
            [own.path / name for name in held.files]
        )
    except (OSError, ValidationError):
        return None
    return held if same else None


def words_in_common(job: PreparedRun, first: RunFolder) -> GivenWords:
    """The words of what all shards have in common, which the first shard has written."""
    schema = job.setting.schema
    common = common_objects(schema)
    found: dict[str, Mapping[str, Array]] = {}
    with closing(first.open_org()) as db:
        for item in schema.objects:
            if item.name not in common or not item.written:
                continue
            columns = {}
            for field in item.written:
                rows = db.execute(f'SELECT "{field.name}" FROM "{item.name}" ORDER BY rowid')
                columns[field.name] = objects([text for (text,) in rows])
            found[item.name] = columns
    return found


def _uploads(own: RunFolder) -> list[Path]:
    return sorted(own.upload_folder.glob("*.json"))


def _identity(job: PreparedRun) -> str:
    """What a shard's bytes hang on, as one text."""
    shard = job.setting.shard
    assert shard is not None
    told = {
        "asked": json.loads(job.ask.as_json()),
        "profile": job.profile_sha256,
        "lexicon": job.lexicon.version,
        "shard": shard.number,
        "ranges": dict(shard.ranges),
        "program": program(),
    }
    return json.dumps(told, sort_keys=True)
