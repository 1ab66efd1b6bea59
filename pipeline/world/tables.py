"""Records as columns: a Table is a name, a size and numpy arrays of that length.

References are row numbers (-1: none).

Object types are keyed by name (`Case`), latent tables by variable and name (`CaseStory.cases`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from schemas.errors import RunFailed

Array = npt.NDArray[Any]
NONE = -1


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length; `references` says which columns hold row numbers of which object
    type.
    """

    name: str
    size: int
    columns: Mapping[str, Array]
    references: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, column: str) -> Array:
        try:
            return self.columns[column]
        except KeyError:
            raise RunFailed(
                f"table {self.name} has no column {column}; it has {', '.join(self.columns)}"
            ) from None


def table(name: str, references: Mapping[str, str] | None = None, /, **columns: Array) -> Table:
    """A Table of the given columns; raises RunFailed where their lengths differ."""
    sizes = {len(column) for column in columns.values()}
    if len(sizes) > 1:
        raise RunFailed(
            f"table {name}: columns differ in length:"
            f" { {key: len(column) for key, column in columns.items()} }"
        )
    return Table(
        name=name, size=sizes.pop() if sizes else 0, columns=columns, references=references or {}
    )


def strings(values: list[str]) -> Array:
    """Texts as an object array (numpy's own text type would cut or pad them)."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
