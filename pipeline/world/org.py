"""The org while it comes about: what was asked (Setting) and the tables made so far, objects and
latent variables alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pipeline.world.streams import Stream, stream
from pipeline.world.tables import Table
from schemas.errors import BadInput, RunFailed
from schemas.lexicon import World
from schemas.model import Schema
from schemas.profile import Profile


@dataclass(frozen=True, slots=True)
class RunContext:
    """What was asked for: the profile, its schema and world, how many of each object, the seed and
    each node's salt.
    """

    profile: Profile
    schema: Schema
    world: World
    counts: Mapping[str, int]
    seed: int
    salts: Mapping[str, int] = field(default_factory=dict)

    def stream(self, node: str, part: str = "") -> Stream:
        """The node's stream; another salt (from `regenerate`) gives another one."""
        return stream(self.seed, self.salted(node), part)

    def salted(self, node: str) -> str:
        """The node's name with its salt, where it was regenerated."""
        salt = self.salts.get(node, 0)
        return f"{node}#{salt}" if salt else node

    def count(self, name: str) -> int:
        """How many records were asked for; raises RunFailed where the schema leaves the number to a
        latent variable.
        """
        try:
            return self.counts[name]
        except KeyError:
            raise RunFailed(
                f"no count for {name}; give its x-count a number or set one with --set {name}=N"
            ) from None

    def some(self, name: str) -> int:
        """The same, where an org can't do without; raises BadInput for none at all."""
        number = self.count(name)
        if number < 1:
            raise BadInput(f"{name}={number}: an org needs at least one; ask for more")
        return number

    @property
    def company(self) -> dict[str, str]:
        """What every request tells a writer of the company."""
        return {
            "company": self.profile.name,
            "industry": self.profile.industry,
            "description": self.profile.description,
        }

    @property
    def first_day(self) -> np.datetime64:
        """The period's first day."""
        return np.datetime64(self.profile.period.start, "D")

    @property
    def last_day(self) -> np.datetime64:
        """The period's last day."""
        return np.datetime64(self.profile.period.end, "D")


@dataclass(slots=True)
class Org:
    """The tables made so far, in the order of the plan. `run` adds to it; everyone else reads."""

    setting: RunContext
    tables: dict[str, Table] = field(default_factory=dict)

    def table(self, name: str) -> Table:
        """An object's table or, as `Variable.table`, a latent one; raises RunFailed where it isn't
        made yet.
        """
        try:
            return self.tables[name]
        except KeyError:
            raise RunFailed(
                f"{name} is read before it is made; name it in `reads` or refer to it in the schema"
            ) from None

    def add(self, *tables: Table) -> None:
        """Keeps finished tables."""
        for item in tables:
            self.tables[item.name] = item
