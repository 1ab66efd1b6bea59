"""What a packed column is: values that can be had again, in some rows or in all. Knows no form."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

ColumnValues = npt.NDArray[Any]
"""The values of a column."""

PickedRows = slice | npt.NDArray[np.int64]
"""Which rows of a column: a range of them, or their numbers in any order."""

EVERY_ROW = slice(None)


class PackedColumn(Protocol):
    """The values of a column, which can be had again."""

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        """The values of some rows, as an array of the kind that was packed."""


@dataclass(frozen=True, slots=True)
class AsIs:
    """Values that nothing smaller stands for."""

    values: ColumnValues

    @property
    def nbytes(self) -> int:
        """The bytes that the array takes."""
        return self.values.nbytes

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        """The values of some rows."""
        return self.values[rows]
