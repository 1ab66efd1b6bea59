"""The seam of a latent variable: what it is drawn from, what it draws, what it drives, and how that
shows in the org.

Every variable is one file with one class, named in `latent.registry`; none is ever uploaded.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pipeline.world.org import Org
from pipeline.world.tables import Table


@dataclass(frozen=True, slots=True)
class Effect:
    """One measured consequence of a hidden cause in a finished org.

    `size` is a difference (or correlation) on the scale that `measure` names, `p` its p value over
    `records` records.
    """

    variable: str
    says: str
    measure: str
    size: float
    p: float
    records: int
    expected_sign: int = 1

    @property
    def present(self) -> bool:
        """Right sign and p < 0.01."""
        return self.size * self.expected_sign > 0 and self.p < 0.01


class LatentVariable(Protocol):
    """A hidden cause.

    `tables` says what `draw` yields, table -> columns; a table is kept as `<name>.<table>`.

    `reads` names the object types and latent variables it is drawn from, `drives` the fields that
    follow from it,
    `references` the object types that columns of the same name refer to (schemas may follow them:
    `CaseStory.messages.agent.Name`).
    """

    @property
    def name(self) -> str:
        """The variable's name."""

    @property
    def reads(self) -> tuple[str, ...]:
        """What it is drawn from."""

    @property
    def tables(self) -> Mapping[str, tuple[str, ...]]:
        """Table -> columns."""

    @property
    def drives(self) -> tuple[str, ...]:
        """What follows from it."""

    @property
    def references(self) -> Mapping[str, str]:
        """Column -> object type."""

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The hidden values; raises BadInput where the counts asked for can't be met."""

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """How it shows in a finished org; the org's tables by name, the hidden ones as
        `latent."<Variable>.<table>"`.
        """
