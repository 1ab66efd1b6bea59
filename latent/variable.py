"""What a latent variable is: what it is drawn from, what it draws and drives, how that shows.

Every variable is one file with one class, named in `latent.registry`; none is ever uploaded.
This file knows no variable.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pipeline.world.org import Org
from pipeline.world.tables import Table

# An org has some 17 effects: at this bound a chance finding is rare even among all of them.
SIGNIFICANT = 0.01


@dataclass(frozen=True, slots=True)
class Effect:
    """One measured consequence of a hidden cause in a finished org.

    `size` is a difference (or correlation) on the scale that `measure` names, `p` its p value over
    `records` records. `seen` is the same as a curve: from the least to the most of the cause, pairs
    of the mean cause and the mean of what is seen; of two groups, those without it and with it.
    """

    variable: str
    says: str
    measure: str
    size: float
    p: float
    records: int
    expected_sign: int = 1
    seen: tuple[tuple[float, float], ...] = ()

    @property
    def present(self) -> bool:
        """Whether the effect has the expected sign and p < 0.01."""
        return self.size * self.expected_sign > 0 and self.p < SIGNIFICANT


class LatentVariable(Protocol):
    """A hidden cause.

    `tables` says what `draw` yields, table -> columns; a table is kept as `<name>.<table>`.

    `reads` names the object types and latent variables it is drawn from. `drives` names the object
    types (`Order`) and fields (`Case.OwnerId`) of the Service Cloud schema that follow from it,
    directly or through other variables; a test holds both against the schema and the plan.

    `references` names the object types that columns of the same name refer to (schemas may follow
    them: `CaseStory.messages.agent.Name`).
    """

    @property
    def name(self) -> str:
        """The variable's name."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The object types and variables it is drawn from."""

    @property
    def tables(self) -> Mapping[str, tuple[str, ...]]:
        """Table -> columns."""

    @property
    def drives(self) -> tuple[str, ...]:
        """The object types and fields that follow from it."""

    @property
    def references(self) -> Mapping[str, str]:
        """Column -> object type."""

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The hidden values; raises BadInput where the counts asked for can't be met."""

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """How it shows in a finished org.

        The org's tables go by their names, the hidden ones by `latent."<Variable>.<table>"`.
        """
