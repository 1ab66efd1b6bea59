"""The org while it comes about: what was asked for, and the tables made so far.

Object types and latent variables are tables alike. Knows nothing of how a table is drawn.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pipeline.world.packed_column import PackedColumn
from pipeline.world.pieces import InTurn, Pieces
from pipeline.world.shard import Shard
from pipeline.world.streams import Stream, stream
from pipeline.world.tables import Table
from schemas.country import DEFAULT_LOCALE, Country, load_country
from schemas.errors import BadInput, RunFailed
from schemas.model import Schema
from schemas.profile import Profile
from schemas.world import World

# What was there before is loaded between nine and half past eleven at night, by UTC.
LOADED_SECONDS = (21 * 3600, 23 * 3600 + 1800)


@dataclass(frozen=True, slots=True)
class RunContext:
    """What was asked for.

    `counts` says how many records an object type shall have, where its schema leaves that open.
    `salts` says how often a node was regenerated; a node that never was is not in it. `shard` is
    the part of an org that is drawn, None where it is the whole; `seed` is then the part's own.
    """

    profile: Profile
    schema: Schema
    world: World
    counts: Mapping[str, int]
    seed: int
    salts: Mapping[str, int] = field(default_factory=dict)
    shard: Shard | None = None

    def stream(self, node: str, part: str = "") -> Stream:
        """The random stream of a node's part; another salt gives another one."""
        seed = self.seed if self.shard is None else self.shard.seed_of(node, part)
        return stream(seed, self.salted(node), part)

    def own_stream(self, node: str, part: str) -> Stream:
        """A random stream like no other company's of the same seed: for what people would know
        again, such as names and telephone numbers.
        """
        seed = self.seed if self.shard is None else self.shard.seed_of(node, part)
        return stream(seed, self.salted(node), f"{part} of {self.profile.name}")

    def salted(self, node: str) -> str:
        """The node's name, with its salt where it was regenerated: `Order#1`."""
        salt = self.salts.get(node, 0)
        return f"{node}#{salt}" if salt else node

    def count(self, name: str) -> int:
        """How many records were asked for.

        Raises RunFailed where the schema leaves the number to a latent variable.
        """
        try:
            return self.counts[name]
        except KeyError:
            raise RunFailed(
                f"no count for {name}; give its x-count a number or set one with --set {name}=N"
            ) from None

    def some(self, name: str) -> int:
        """The same for what an org can't do without; raises BadInput where it is none."""
        number = self.count(name)
        if number < 1:
            raise BadInput(
                f"{name}={number}: an org needs at least one; ask for more by the profile's counts,"
                f" --set {name}=N or a larger --scale"
            )
        return number

    def numbers_before(self, name: str) -> int:
        """How many running numbers of an object type other parts of the org may use before it."""
        return 0 if self.shard is None else self.shard.numbers_before(name)

    def mailbox(self, address: str) -> str:
        """A mail address as it is in this part of the org."""
        return address if self.shard is None else self.shard.mailbox(address)

    @property
    def country(self) -> Country:
        """The country of the profile's locale."""
        return load_country(self.profile.locale)

    @property
    def company(self) -> dict[str, str]:
        """What a writer is told of the company, whatever is written.

        It holds the locale where that is another one than the default.
        """
        told = {
            "company": self.profile.name,
            "industry": self.profile.industry,
            "description": self.profile.description,
        }
        if self.profile.locale != DEFAULT_LOCALE:
            told["locale"] = self.profile.locale
        return told

    @property
    def first_day(self) -> np.datetime64:
        """The period's first day."""
        return np.datetime64(self.profile.period.start, "D")

    @property
    def imported(self) -> np.datetime64:
        """The moment at which what was there before was loaded into the CRM: in the night before
        the period's first day, by UTC.
        """
        seconds = self.own_stream("Org", "imported").integers(*LOADED_SECONDS)
        return self.first_day - np.timedelta64(1, "D") + np.timedelta64(int(seconds), "s")

    @property
    def last_day(self) -> np.datetime64:
        """The period's last day."""
        return np.datetime64(self.profile.period.end, "D")


@dataclass(slots=True)
class Org:
    """The tables made so far, by name, in the order of the plan.

    What makes an org adds to them; everyone else reads. `pieces` does what of a table's drawing
    falls into parts that know nothing of one another.
    """

    setting: RunContext
    tables: dict[str, Table] = field(default_factory=dict)
    pieces: Pieces = field(default_factory=InTurn)
    # Equal columns are held once: what a latent variable has drawn an object type shows as it is.
    _columns: dict[bytes, PackedColumn] = field(default_factory=dict)

    def table(self, name: str) -> Table:
        """The table of an object type (`Case`) or of a latent variable (`CaseStory.cases`).

        Raises RunFailed where it isn't made yet.
        """
        try:
            return self.tables[name]
        except KeyError:
            raise RunFailed(
                f"{name} is read before it is made; name it in `reads` or refer to it in the schema"
            ) from None

    def add(self, *tables: Table) -> None:
        """Keeps finished tables, in little room."""
        for made in tables:
            held = made.packed()
            held.share(self._columns)
            self.tables[made.name] = held
        self.close()

    def close(self) -> None:
        """Lets go of the columns that were looked at; those asked for again are unpacked again."""
        for held in self.tables.values():
            held.close()

    def drop(self) -> None:
        """Lets go of all tables, whose records are in files by now."""
        self.tables.clear()
        self._columns.clear()
