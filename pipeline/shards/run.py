"""An org in shards: made one by one or side by side, joined, and checked as a whole.

The first shard is made before the others, which take from it the words of what all have in common.
What this process holds is a shard at most, whatever the org's size. The bytes hang on the request
alone: who makes a shard, and in which order they come, doesn't matter.
"""

import shutil
from collections.abc import Sequence
from dataclasses import fields, replace

from pipeline.check import OrgCheck
from pipeline.compute.executor import Executor
from pipeline.config import PreparedRun
from pipeline.ledger import Ledger
from pipeline.making import RunObserver
from pipeline.manifest import SHARDS_FORMAT, StoredShards
from pipeline.measured_part import measured_part
from pipeline.run import (
    FinishedRun,
    OrgWords,
    WritersOf,
    begin_folder,
    embedded_writers,
    keep_org,
)
from pipeline.run_folder import RunFolder
from pipeline.shards.join_tables import join_latent, join_org
from pipeline.shards.join_uploads import RowsBefore, join_uploads
from pipeline.shards.make import FinishedShard, make_called, make_shard
from pipeline.shards.split import common_objects, measured_shards, number_ranges, shard_job
from pipeline.unchanged import MADE_BY, program
from pipeline.write.service import Usage


def make_in_shards(
    job: PreparedRun,
    run: RunFolder,
    ledger: Ledger,
    writers_of: WritersOf,
    watch: RunObserver,
    executor: Executor,
) -> FinishedRun:
    """Makes the org of a folder that is locked and whose ledger is open.

    What a model writes is called for by this process, a shard at a time.
    """
    begin_folder(run)
    if writers_of is embedded_writers:
        made = _made(job, run, watch, executor)
    else:
        made = _called(job, run, ledger, writers_of, watch)
    watch.node(run.org_file.name)
    files, measured = _joined(job, run, made, measured_shards(job.ask))
    run.keep_sources(job.sources, job.lexicon, job.setting.world.trade)
    watch.node("check")
    written = OrgWords(made[0].writer, made[0].local, _counts(job, made), _usage(made))
    size = job.ask.size_of_shard or 0.0
    shards = StoredShards(format=SHARDS_FORMAT, size=size, number=len(made), measured=measured)
    with measured_part(run, measured) as part:
        check = OrgCheck(run, job.setting.schema, executor, part)
        check.begin()
        check.begin_hidden()
        report = keep_org(job, run, ledger, written, files, check, executor, shards)
    if writers_of is embedded_writers:
        ledger.set_note(MADE_BY, program())
    _clear(run, made)
    batches = sum(usage.requests for usage in written.usage.values())
    return FinishedRun(run.path, written.counts, report, batches, written.writer, written.usage)


def _made(
    job: PreparedRun, run: RunFolder, watch: RunObserver, executor: Executor
) -> list[FinishedShard]:
    """All shards, whole, in their order."""
    of = job.ask.shards
    watch.node(f"shard 1 of {of}")
    first = executor.submit(make_shard, shard_job(job, 0, {}), run).result()
    ranges = number_ranges(job, first.counts)
    jobs = [shard_job(job, number, ranges) for number in range(1, of)]
    made = [first]
    if executor.workers == 1:
        for number, part in enumerate(jobs, start=2):
            watch.node(f"shard {number} of {of}")
            made.append(make_shard(part, run))
        return made
    under_way = [executor.submit(make_shard, part, run) for part in jobs]
    for number, coming in enumerate(under_way, start=2):
        watch.node(f"shard {number} of {of}")
        made.append(coming.result())
    return made


def _called(
    job: PreparedRun,
    run: RunFolder,
    ledger: Ledger,
    writers_of: WritersOf,
    watch: RunObserver,
) -> list[FinishedShard]:
    """All shards in their order, whose words are called for."""
    made: list[FinishedShard] = []
    ranges: dict[str, int] = {}
    for number in range(job.ask.shards):
        watch.node(f"shard {number + 1} of {job.ask.shards}")
        made.append(make_called(shard_job(job, number, ranges), run, ledger, writers_of))
        if not ranges:
            ranges = number_ranges(job, made[0].counts)
    return made


def _joined(
    job: PreparedRun, run: RunFolder, made: Sequence[FinishedShard], first: int
) -> tuple[dict[str, str], dict[str, int]]:
    """Joins the shards' files; returns the digests of the org's, and the rows of each table that
    the `first` so many shards have.
    """
    schema = job.setting.schema
    common = common_objects(schema)
    folders = [RunFolder(run.shards_folder / shard.name) for shard in made]
    join_org(schema, [folder.org_file for folder in folders], common, run.org_file)
    rows = join_latent([folder.latent_file for folder in folders], run.latent_file, first)
    if first:
        rows |= _counts(job, made[:first])
    uploads = []
    before: RowsBefore = {}
    for folder, shard in zip(folders, made, strict=True):
        uploads.append((folder.upload_folder, before))
        before = {
            name: before.get(name, 0) + number
            for name, number in shard.counts.items()
            if name not in common
        }
    files = join_uploads(schema, uploads, common, run.upload_folder)
    return run.digests([run.org_file, run.latent_file, *files]), rows


def _counts(job: PreparedRun, made: Sequence[FinishedShard]) -> dict[str, int]:
    common = common_objects(job.setting.schema)
    counts = {}
    for name, number in made[0].counts.items():
        own = sum(shard.counts[name] for shard in made)
        counts[name] = number if name in common else own
    return counts


def _usage(made: Sequence[FinishedShard]) -> dict[str, Usage]:
    """What the words of all shards took."""
    total: dict[str, Usage] = {}
    for shard in made:
        for name, usage in shard.usage.items():
            known = total.setdefault(name, Usage())
            sums = {
                each.name: getattr(known, each.name) + getattr(usage, each.name)
                for each in fields(Usage)
            }
            total[name] = replace(known, **sums)
    return total


def _clear(run: RunFolder, made: Sequence[FinishedShard]) -> None:
    """Removes what stands in the whole org by now, and shards of an earlier request; the shards'
    ledgers stay.
    """
    names = {shard.name for shard in made}
    for place in sorted(run.shards_folder.iterdir()):
        folder = RunFolder(place)
        if place.name not in names:
            shutil.rmtree(place, ignore_errors=True)
        for path in (folder.org_file, folder.latent_file):
            path.unlink(missing_ok=True)
        for path in (folder.upload_folder, folder.made_from):
            shutil.rmtree(path, ignore_errors=True)
