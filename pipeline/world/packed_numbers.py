"""Columns of numbers and moments in little room: codes, distances from the least, hundredths.

What comes out is the same to the last bit, also a minus zero and a moment that is none. Knows no
table.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipeline.world.packed_column import AsIs, ColumnValues, PackedColumn, PickedRows

# Whole numbers, moments and fractions alike are compared and coded by their 64 bits.
BITS = np.dtype(np.int64)
MOMENT = "M"
# The bits of a moment that is none.
NO_MOMENT = np.iinfo(BITS).min
FRACTION = "f"
# Prices and sums have two places behind the point.
HUNDRED = 100
# Where so many values in a row hold more than half as many distinct ones, codes save nothing.
LOOKED_AT = 4096


@dataclass(frozen=True, slots=True)
class Narrow:
    """Whole numbers or moments as their distance from the least one, in the bytes that it takes.

    Of moments the distance begins with 1, and 0 is none.
    """

    distances: ColumnValues
    least: int
    kind: np.dtype[np.generic]

    @property
    def nbytes(self) -> int:
        """The bytes that it takes."""
        return self.distances.nbytes

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        """The values of some rows."""
        distances = self.distances[rows]
        values = distances.astype(BITS)
        values += self.least
        if self.kind.kind == MOMENT:
            values[distances == 0] = NO_MOMENT
        return values.view(self.kind)


@dataclass(frozen=True, slots=True)
class Hundredths:
    """Fractions as whole hundredths."""

    hundredths: PackedColumn

    @property
    def nbytes(self) -> int:
        """The bytes that it takes."""
        return self.hundredths.nbytes

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        """The values of some rows."""
        values: ColumnValues = self.hundredths.at_rows(rows) / HUNDRED
        return values


@dataclass(frozen=True, slots=True)
class CodedNumbers:
    """Each value's place among the distinct ones, which stand as bits."""

    codes: ColumnValues
    distinct: npt.NDArray[np.int64]
    kind: np.dtype[np.generic]

    @property
    def nbytes(self) -> int:
        """The bytes that it takes."""
        return self.codes.nbytes + self.distinct.nbytes

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        """The values of some rows."""
        return self.distinct[self.codes[rows]].view(self.kind)


def packed_numbers(values: ColumnValues) -> PackedColumn:
    """A column of 64-bit numbers or moments in the form that takes the least room."""
    bits = values.view(BITS)
    forms: list[PackedColumn] = [AsIs(values)]
    if values.dtype.kind == FRACTION:
        forms += _as_hundredths(values, bits)
    else:
        forms.append(_narrow(bits, values.dtype))
    forms += _coded(bits, values.dtype)
    return min(forms, key=lambda form: form.nbytes)


def _narrow(
    bits: npt.NDArray[np.int64],
    kind: np.dtype[np.generic],
) -> PackedColumn:
    is_moment = kind.kind == MOMENT
    there = bits[bits != NO_MOMENT] if is_moment else bits
    least = int(there.min()) if len(there) else 0
    greatest = int(there.max()) if len(there) else 0
    if is_moment:
        least -= 1
    width = np.min_scalar_type(greatest - least)
    if width.itemsize >= BITS.itemsize:
        return AsIs(bits.view(kind))
    distances = (bits - least).astype(width)
    if is_moment:
        distances[bits == NO_MOMENT] = 0
    return Narrow(
        distances,
        least,
        kind,
    )


def _as_hundredths(
    values: ColumnValues,
    bits: npt.NDArray[np.int64],
) -> list[PackedColumn]:
    """The form for sums of money, where every value is the number nearest to its hundredths."""
    if not np.isfinite(values).all():
        return []
    if (np.abs(values) > 2**50).any():
        return []
    hundredths = np.rint(values * HUNDRED).astype(BITS)
    again = hundredths / HUNDRED
    if (again.view(BITS) != bits).any():
        return []
    return [Hundredths(packed_numbers(hundredths))]


def _coded(bits: npt.NDArray[np.int64], kind: np.dtype[np.generic]) -> list[PackedColumn]:
    """The form for few values that come again and again."""
    some = bits[:: max(len(bits) // LOOKED_AT, 1)]
    if 2 * len(np.unique(some)) > len(some):
        return []
    distinct, codes = np.unique(bits, return_inverse=True)
    width = np.min_scalar_type(len(distinct) - 1)
    return [
        CodedNumbers(
            codes.astype(width),
            distinct,
            kind,
        )
    ]
