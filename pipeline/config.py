"""What a person asks for, and the run context that follows from it: profile, schema, lexicon,
counts.

Knows no drawing and no writing.
"""

import json
import math
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.atomic import sha256_of
from pipeline.run_folder import RunFolder, RunSources, sources_of
from pipeline.world.org import RunContext
from pipeline.world.streams import stream
from schemas.capacity import check_capacity, check_size
from schemas.categories import key_of_name
from schemas.country import load_country
from schemas.errors import BadInput
from schemas.in_currency import company_trade, in_currency
from schemas.lexicon import Lexicon, load_lexicon
from schemas.loader import load_schema
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.profile import Profile, lexicons_folder, load_profile
from schemas.trade import CUSTOMERS, Trade
from schemas.world import World

# Up to this scale facts are drawn whole, and beyond it in shards of the usual size.
LARGEST_WHOLE = 100.0
USUAL_SHARD = 10.0
# A thousand times the shoe company is forty million records: more is a slip of the hand.
MAX_SCALE = 1000.0

# Counts that follow from a company's size are up to so much more or fewer than usual, from so many
# records on. Chosen by eye.
UNEVEN = 0.008
FEWEST_UNEVEN = 500

LexiconReader = Callable[[Path, Path], Lexicon]
"""What reads the lexicon in a folder, with the base beneath."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What was asked for on the command line.

    `company` is a shipped profile's name or a profile's path. `sets` are counts set by hand, by
    object type. `salts` tell how often each node was regenerated. `shard_size` is the scale of a
    shard that was asked for, None for the usual one where there are shards.
    """

    company: str
    seed: int | None = None
    scale: float = 1.0
    sets: Mapping[str, int] = field(default_factory=dict)
    salts: Mapping[str, int] = field(default_factory=dict)
    shard_size: float | None = None

    @property
    def size_of_shard(self) -> float | None:
        """The scale of a shard, None for an org that is drawn whole.

        It hangs on the request alone, and never on who computes.
        """
        size = self.shard_size
        if size is None and self.scale > LARGEST_WHOLE:
            size = USUAL_SHARD
        return size if size is not None and size < self.scale else None

    @property
    def shards(self) -> int:
        """How many shards the org is made in; 1 where it is drawn whole."""
        size = self.size_of_shard
        # Three tenths over one tenth are a little less, or more, than three.
        return 1 if size is None else math.ceil(round(self.scale / size, 6))

    def as_json(self) -> str:
        """The request as canonical JSON, as the manifest and the ledger keep it."""
        data: dict[str, object] = {
            "company": self.company,
            "seed": self.seed,
            "scale": self.scale,
            "sets": dict(self.sets),
            "salts": dict(self.salts),
        }
        if self.size_of_shard is not None:
            data["shard_size"] = self.size_of_shard
        return json.dumps(data, sort_keys=True)

    @staticmethod
    def from_json(text: str) -> "RunRequest":
        """A request that `as_json` wrote.

        Raises ValueError, KeyError or TypeError for another text.
        """
        data = json.loads(text)
        return RunRequest(
            data["company"],
            data["seed"],
            data["scale"],
            data["sets"],
            data["salts"],
            data.get("shard_size"),
        )


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A checked request: all that a run draws from, and where the files lie that it was read from.

    `lexicon` is the embedded writer's; `profile_sha256` is the digest of the profile's file.
    """

    ask: RunRequest
    setting: RunContext
    lexicon: Lexicon
    sources: RunSources
    profile_sha256: str

    @property
    def at_once(self) -> dict[str, int]:
        """How many records of an object type are drawn at the same time: those of a shard."""
        schema, shards = self.setting.schema, self.ask.shards
        held = {}
        for name, number in self.setting.counts.items():
            alike = schema.object(name).scale == "fixed"
            held[name] = number if alike else -(-number // shards)
        return held


def load_job(
    ask: RunRequest,
    memory: int | None = None,
    words: LexiconReader = load_lexicon,
) -> PreparedRun:
    """Reads and checks all that a request names, for a machine with so many bytes of memory.

    Without `memory` it is this machine; `words` reads the lexicon, which a check may want as it is.
    Raises BadInput or SchemaError with the file, the path in it and what to mend.
    """
    job = prepare(ask, sources_of(ask.company), words)
    size = memory_size() if memory is None else memory
    check_size(job.setting.schema, job.setting.counts, size, job.at_once)
    return job


def memory_size() -> int:
    """The bytes of memory that this process may use, as far as the system tells."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return sys.maxsize
    return size if size > 0 else sys.maxsize


def prepare(
    ask: RunRequest,
    sources: RunSources,
    words: LexiconReader = load_lexicon,
) -> PreparedRun:
    """The run that a request means with these sources; raises BadInput or SchemaError."""
    profile = load_profile(sources.profile)
    schema = load_schema(sources.schema, profile.locale)
    country = load_country(profile.locale)
    lexicon = words(sources.lexicon, lexicons_folder() / "base")
    where = f"{sources.profile}: trade"
    trade = company_trade(lexicon.world.trade, profile.trade, country, where)
    lexicon = in_currency(lexicon, country.currency)
    counts = resolve_counts(
        schema,
        profile,
        ask,
        trade,
        _listed(profile, lexicon.world),
    )
    check_capacity(schema, counts, profile.period)
    setting = RunContext(
        profile=profile,
        schema=schema,
        world=lexicon.world.model_copy(update={"trade": trade}),
        counts=counts,
        seed=profile.seed if ask.seed is None else ask.seed,
        salts=ask.salts,
    )
    return PreparedRun(
        ask,
        setting,
        lexicon,
        sources,
        sha256_of(sources.profile),
    )


def at_scale(job: PreparedRun, scale: float) -> PreparedRun:
    """The same run at another scale, of what was read already; raises BadInput where it has no
    room.
    """
    known = job.setting
    ask = replace(job.ask, scale=scale)
    listed = _listed(known.profile, known.world)
    counts = resolve_counts(known.schema, known.profile, ask, known.world.trade, listed)
    check_capacity(known.schema, counts, known.profile.period)
    return replace(job, ask=ask, setting=replace(known, counts=counts))


def job_of(folder: Path) -> PreparedRun:
    """The run whose finished org a folder holds; raises BadInput where there is none.

    Who needs no lexicon reads `RunFolder.read_schema()`, which does without one.
    """
    run = RunFolder(folder)
    manifest = run.read_manifest()
    try:
        ask = RunRequest.from_json(json.dumps(manifest.asked))
    except (KeyError, TypeError) as error:
        raise run.damaged(run.manifest_file, error) from error
    return prepare(ask, run.sources())


def _listed(profile: Profile, world: World) -> dict[str, int]:
    """How many records of an object type the profile and its world state one by one."""
    stated = [
        key_of_name(item) if isinstance(item, str) else item.key for item in profile.categories
    ]
    categories = stated or [category.key for category in world.categories]
    issues = len(profile.issues or world.issues)
    articles = [item for item in world.articles if item.category in ("", *categories)]
    return {
        "ProductCategory": len(categories),
        "Issue__c": issues,
        "Knowledge__kav": issues + len(world.policies) + len(articles),
    }


def resolve_counts(
    schema: Schema,
    profile: Profile,
    ask: RunRequest,
    trade: Trade,
    listed: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Records per object type.

    What is set by hand goes before the profile's counts, those before what follows from its size by
    the trade's ratios, and these before the schema's; all but the set ones are scaled. The schema's
    number is lowered to the number of records that are `listed` one by one. An object type that
    follows another (x-follows) keeps its ratio to it. Raises BadInput for unknown or negative
    numbers.
    """
    if not 0 < ask.scale <= MAX_SCALE:
        raise BadInput(f"--scale {ask.scale:g}: must be above 0 and at most {MAX_SCALE:g}")
    if ask.shard_size is not None and not 0 < ask.shard_size <= LARGEST_WHOLE:
        raise BadInput(
            f"--shard-size {ask.shard_size:g}: must be above 0 and at most {LARGEST_WHOLE:g}"
        )
    for name, number in {**profile.counts, **ask.sets}.items():
        _check_count(schema, name, number)
    numbers = {**_by_size(schema, profile, trade), **profile.counts}
    base: dict[str, int] = {}
    for item in schema.objects:
        stated = _stated(schema, item, numbers) if _countable(item) else None
        if stated is not None and item.name not in numbers:
            stated = min(stated, (listed or {}).get(item.name, stated))
        if stated is not None:
            base[item.name] = stated
    return {name: _scaled(schema, schema.object(name), base, ask) for name in base}


def _by_size(schema: Schema, profile: Profile, trade: Trade) -> dict[str, int]:
    """The counts that follow from the number of customers; none where the profile gives no size.

    A ratio counts by another object type's number as the profile states it or as it follows itself.
    """
    if profile.size is None:
        return {}
    numbers = {CUSTOMERS: profile.size.customers}
    waiting = {name: ratio for name, ratio in trade.sizes.items() if schema.has(name)}
    while waiting:
        ready = [name for name, ratio in waiting.items() if ratio.per in numbers]
        if not ready:
            name, ratio = next(iter(waiting.items()))
            raise BadInput(
                f"size: {name} is counted by {ratio.per}, of which the trade's sizes say nothing;"
                f" add {ratio.per} to them, or count by {CUSTOMERS}"
            )
        for name in ready:
            ratio = waiting.pop(name)
            number = max(_uneven(profile, name, numbers[ratio.per] * ratio.number), ratio.least)
            numbers[name] = profile.counts.get(name, number)
    del numbers[CUSTOMERS]
    if not numbers:
        raise BadInput(
            f"size: schema {schema.name} has no object type that the trade's sizes name; state"
            " counts instead"
        )
    return numbers


def _uneven(profile: Profile, name: str, usual: float) -> int:
    """The number of records, a few in a thousand more or fewer than usual, as no company is round.

    It is always the same in one company; where it is small it is the usual one.
    """
    if usual < FEWEST_UNEVEN:
        return round(usual)
    points = stream(0, "size", f"{name} of {profile.name}").uniform(-UNEVEN, UNEVEN)
    return round(usual * (1 + points))


def _stated(schema: Schema, item: ObjectType, numbers: Mapping[str, int]) -> int | None:
    """The profile's number, else the schema's.

    A follower keeps the schema's ratio to a leader whose number the profile changed.
    """
    if item.name in numbers:
        return numbers[item.name]
    number = item.count.number
    leader = schema.object(item.follows) if item.follows else None
    if number is None or leader is None or not leader.count.number:
        return number
    leading = _stated(schema, leader, numbers)
    return number if leading is None else round(number * leading / leader.count.number)


def _scaled(schema: Schema, item: ObjectType, base: Mapping[str, int], ask: RunRequest) -> int:
    if item.name in ask.sets:
        return ask.sets[item.name]
    if item.follows and item.follows in base and base[item.follows]:
        leader = _scaled(schema, schema.object(item.follows), base, ask)
        return round(base[item.name] * leader / base[item.follows])
    number = base[item.name]
    factor = ask.scale if item.scale == "linear" else 1.0
    # However small the scale, what there is some of keeps one record: others refer to it.
    return max(round(number * factor), min(number, 1))


def _check_count(schema: Schema, name: str, number: int) -> None:
    if not schema.has(name):
        # A name with a line break or the like would tear the message apart.
        shown = name if name.isprintable() else repr(name)
        raise BadInput(
            f"count {shown}={number}: schema {schema.name} has no object type {shown}; it has"
            f" {', '.join(item.name for item in schema.objects)}"
        )
    if not _countable(schema.object(name)):
        raise BadInput(
            f"count {name}={number}: the number of {name} records follows from other objects; set"
            " those instead"
        )
    if number < 0:
        raise BadInput(f"count {name}={number}: must not be negative")


def _countable(item: ObjectType) -> bool:
    count = item.count
    by_parents = count.cross is not None or count.per is not None
    by_latent = bool(count.latent) and count.number is None
    return not by_parents and not by_latent
