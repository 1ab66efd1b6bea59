"""Columns of texts in little room: codes of those that come again, and characters side by side.

A text takes some sixty bytes more than its characters as a Python object, and most columns of texts
hold a few of them again and again. Long texts are compressed, some dozens at a time. What comes out
again is what went in. Knows no table.
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from pipeline.world.packed_column import AsIs, ColumnValues, PackedColumn, PickedRows

# Where a text stands four times on average its code takes less room than its characters.
LEAST_REPEATS = 4
# A code and its text take no less than so many characters that are not the same in all texts.
FEW_CHARACTERS = 8
# Bytes compressed together: in more of them more is alike, but to read one text takes all of them.
PRESSED_TOGETHER = 32_768
# Of shorter texts, on average, mostly few are asked for at a time.
WORTH_PRESSING = 100
# A third of the best level's time, at nearly its size.
LEVEL = 3
# Texts that become Python objects together.
CHUNK = 65_536

Characters = npt.NDArray[np.uint8]
"""The ASCII codes of texts of one length, a row a text."""


@dataclass(frozen=True, slots=True)
class CodedTexts:
    """Each text's place among the distinct ones."""

    codes: ColumnValues
    distinct: ColumnValues

    @property
    def nbytes(self) -> int:
        """The bytes of the codes, and of what refers to the distinct texts."""
        return self.codes.nbytes + self.distinct.nbytes

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        """The texts of some rows."""
        return self.distinct[self.codes[rows]]


@dataclass(frozen=True, slots=True)
class OfOneLength:
    """Texts of plain characters, all of one length: those characters that are not always the same,
    their places, and a whole text.
    """

    varying: Characters
    places: npt.NDArray[np.int64]
    example: Characters

    @property
    def nbytes(self) -> int:
        """The bytes of the characters."""
        return self.varying.nbytes

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        """The texts of some rows."""
        varying = self.varying[rows]
        texts: ColumnValues = np.empty(len(varying), dtype=object)
        for start in range(0, len(varying), CHUNK):
            some = varying[start : start + CHUNK]
            whole = np.tile(self.example, (len(some), 1))
            whole[:, self.places] = some
            texts[start : start + CHUNK] = as_texts(whole)
        return texts


def as_texts(characters: Characters) -> ColumnValues:
    """Rows of ASCII codes as texts of numpy's kind."""
    length = characters.shape[1]
    # That kind has four bytes for a character. To widen the codes alone is several times quicker
    # than numpy's way from texts of bytes to texts.
    texts: ColumnValues = characters.astype(np.uint32).view(f"U{length}").ravel()
    return texts


@dataclass(frozen=True, slots=True)
class InARow:
    """The bytes of all texts, and where each ends; `missing` tells which are None."""

    data: bytes
    ends: ColumnValues
    missing: npt.NDArray[np.bool_]

    @property
    def nbytes(self) -> int:
        """The bytes of the texts and of their ends."""
        return len(self.data) + self.ends.nbytes + self.missing.nbytes

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        """The texts of some rows."""
        places = _places(rows, len(self.ends))
        texts: ColumnValues = np.empty(len(places), dtype=object)
        ends = self.ends[places].tolist()
        # The end of the text before each; the first one begins at 0.
        starts = np.where(places == 0, 0, self.ends[places - 1]).tolist()
        for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
            texts[place] = self.data[start:end].decode("utf-8", "surrogatepass")
        texts[self.missing[places]] = None
        return texts


@dataclass(frozen=True, slots=True)
class Pressed:
    """Long texts, compressed some dozens at a time; `firsts` has the first row of each piece."""

    pieces: tuple[bytes, ...]
    firsts: npt.NDArray[np.int64]
    lengths: ColumnValues
    missing: npt.NDArray[np.bool_]

    @property
    def nbytes(self) -> int:
        """The bytes of the pieces and of the texts' lengths."""
        return sum(map(len, self.pieces)) + self.lengths.nbytes + self.missing.nbytes

    def at_rows(self, rows: PickedRows) -> ColumnValues:
        """The texts of some rows."""
        places = _places(rows, len(self.lengths))
        texts: ColumnValues = np.empty(len(places), dtype=object)
        pieces = np.searchsorted(self.firsts, places, side="right") - 1
        for piece in np.unique(pieces).tolist():
            here = np.flatnonzero(pieces == piece)
            whole = self._texts_of(piece)
            first = self.firsts[piece]
            for place in here.tolist():
                texts[place] = whole[places[place] - first]
        texts[self.missing[places]] = None
        return texts

    def _texts_of(self, piece: int) -> list[str]:
        """All texts of a piece."""
        data = zlib.decompress(self.pieces[piece])
        is_last = piece + 1 == len(self.firsts)
        end_row = len(self.lengths) if is_last else self.firsts[piece + 1]
        lengths = self.lengths[self.firsts[piece] : end_row].tolist()
        ends = list(accumulate(lengths, initial=0))
        return [
            data[start:end].decode("utf-8", "surrogatepass")
            for start, end in zip(ends, ends[1:], strict=False)
        ]


def packed_texts(values: ColumnValues) -> PackedColumn:
    """Texts packed; other objects stay, since equal ones may be of different kinds (1 and True)."""
    listed = values.tolist()
    kinds = set(map(type, listed))
    if not kinds <= {str, type(None)}:
        return AsIs(values)
    one_length = _of_one_length(listed) if kinds == {str} else None
    if one_length is not None and len(one_length.places) <= FEW_CHARACTERS:
        return one_length
    seen = dict.fromkeys(listed)
    if len(seen) * LEAST_REPEATS <= len(listed):
        return _coded(listed, list(seen))
    return one_length or _in_a_row(listed)


def _coded(
    texts: Sequence[str | None],
    distinct: Sequence[str | None],
) -> CodedTexts:
    places = {value: place for place, value in enumerate(distinct)}
    width = np.min_scalar_type(len(places))
    codes = np.fromiter(map(places.__getitem__, texts), dtype=width, count=len(texts))
    kept: ColumnValues = np.empty(len(places), dtype=object)
    kept[:] = distinct
    return CodedTexts(codes, kept)


def _of_one_length(texts: Sequence[str]) -> OfOneLength | None:
    """The texts by their characters, None where they are no plain ones of one length."""
    length = len(texts[0])
    if not length or not all(map(str.isascii, texts)) or set(map(len, texts)) != {length}:
        return None
    data = np.array(texts, dtype=f"S{length}")
    characters = data.view(np.uint8).reshape(len(texts), length)
    if not characters[:, -1].all():
        return None  # numpy takes zeros at the end for no characters
    example = characters[:1].copy()
    places = np.flatnonzero((characters != example).any(axis=0))
    return OfOneLength(characters[:, places], places, example)


def _in_a_row(texts: Sequence[str | None]) -> PackedColumn:
    missing = np.fromiter((text is None for text in texts), dtype=bool, count=len(texts))
    raw = [b"" if text is None else text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.fromiter(map(len, raw), dtype=np.int64, count=len(raw))
    total = int(lengths.sum())
    if total >= max(WORTH_PRESSING * len(raw), PRESSED_TOGETHER):
        return _pressed(raw, lengths, missing)
    ends = np.cumsum(lengths).astype(np.min_scalar_type(total))
    return InARow(
        b"".join(raw),
        ends,
        missing,
    )


def _pressed(
    raw: Sequence[bytes], lengths: npt.NDArray[np.int64], missing: npt.NDArray[np.bool_]
) -> Pressed:
    firsts = []
    pieces = []
    for first, last in _ranges(lengths.tolist()):
        firsts.append(first)
        pieces.append(zlib.compress(b"".join(raw[first:last]), LEVEL))
    width = np.min_scalar_type(int(lengths.max()))
    return Pressed(
        tuple(pieces),
        np.array(firsts),
        lengths.astype(width),
        missing,
    )


def _ranges(lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yields the first row and the end of each piece."""
    first = size = 0
    for row, length in enumerate(lengths):
        size += length
        if size >= PRESSED_TOGETHER:
            yield first, row + 1
            first, size = row + 1, 0
    if first < len(lengths):
        yield first, len(lengths)


def _places(rows: PickedRows, size: int) -> npt.NDArray[np.int64]:
    """The numbers of the rows."""
    if isinstance(rows, slice):
        # Not those of all rows: a table is read in ranges, and there are more of them as it grows.
        return np.arange(*rows.indices(size), dtype=np.int64)
    return rows
