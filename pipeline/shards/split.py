"""The shards of a job: which records each one has, what it has in common with the others, and the
ranges of its numbers.

All of it follows from the request alone. Knows no file and draws nothing.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

from latent.in_common import COMMON_STREAMS, COMMON_TABLES
from pipeline.config import LARGEST_WHOLE, PreparedRun, RunRequest
from pipeline.world.shard import MOST_SHARDS, Shard
from schemas.errors import BadInput
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.sources import SequenceSource

# Of what isn't asked for by number shards have about as many records as the first one; a range has
# room for half as many again.
ROOM = 1.5
LEAST_ROOM = 50
# Numbers are left out by chance; so many standard deviations more than on average are never.
FARTHEST = 8


def common_objects(schema: Schema) -> frozenset[str]:
    """The object types whose records all shards have in common.

    They are those that don't grow with the company, and those that are counted by what all shards
    have in common.
    """
    found: set[str] = set()
    waiting = list(schema.objects)
    while True:
        fresh = [item for item in waiting if _is_common(item, found)]
        if not fresh:
            return frozenset(found)
        found.update(item.name for item in fresh)
        waiting = [item for item in waiting if item not in fresh]


def _is_common(item: ObjectType, known: set[str]) -> bool:
    count = item.count
    if count.parents:
        return known.issuperset(count.parents)
    if count.latent and count.latent.table_name in COMMON_TABLES:
        return True
    return item.scale == "fixed"


def split_counts(schema: Schema, counts: Mapping[str, int], number: int, of: int) -> dict[str, int]:
    """The counts of one shard: together they are exactly those that were asked for."""
    common = common_objects(schema)
    own = {}
    for name, total in counts.items():
        share = total * (number + 1) // of - total * number // of
        own[name] = total if name in common else share
    return own


def number_ranges(job: PreparedRun, sizes: Mapping[str, int]) -> dict[str, int]:
    """How many running numbers of each object type a shard may use; `sizes` are the records that
    the first one has.
    """
    ranges = {}
    for item in job.setting.schema.objects:
        gaps = [f.source.gaps for f in item.fields if isinstance(f.source, SequenceSource)]
        share = max(gaps, default=0.0)
        # Counts that are asked for differ between shards by one.
        size = sizes[item.name] + 1
        left_out = size * share / (1 - share)
        room = size + left_out + FARTHEST * math.sqrt(left_out / (1 - share))
        if item.name not in job.setting.counts:
            room = room * ROOM + LEAST_ROOM
        ranges[item.name] = math.ceil(room)
    return ranges


def measured_shards(ask: RunRequest) -> int:
    """In how many shards a check takes measures: as many as an org has that may be drawn whole; 0
    where it takes them in all.
    """
    size = ask.size_of_shard
    if size is None or ask.scale <= LARGEST_WHOLE:
        return 0
    return max(int(LARGEST_WHOLE / size), 1)


def shard_job(job: PreparedRun, number: int, ranges: Mapping[str, int]) -> PreparedRun:
    """The job of one shard of an org; `ranges` are those of its numbers.

    Raises BadInput for more shards than Ids can tell apart.
    """
    of = job.ask.shards
    if of > MOST_SHARDS:
        raise BadInput(
            f"--shard-size {job.ask.size_of_shard:g}: makes {of:,} shards, and there are at most"
            f" {MOST_SHARDS:,}; make larger ones"
        )
    setting = job.setting
    common = common_objects(setting.schema) | frozenset(COMMON_STREAMS)
    shard = Shard(number, of, setting.seed, common, dict(ranges))
    counts = split_counts(setting.schema, setting.counts, number, of)
    part = replace(setting, counts=counts, seed=shard.own_seed, shard=shard)
    return replace(job, setting=part)
