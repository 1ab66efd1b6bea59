"""Columns that take little room: what went in comes out, whole, by ranges and by rows."""

import pickle
import tracemalloc
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.world.packed import PackedColumns, held, packed
from pipeline.world.packed_column import EVERY_ROW, PackedColumn
from pipeline.world.packed_texts import InARow
from pipeline.world.tables import BLOCK, Array, Table, objects, table
from schemas.errors import RunFailed

T = TypeVar("T")
TEXTS = st.none() | st.text(st.characters(codec=None), max_size=6)
COLUMNS = st.one_of(
    st.lists(TEXTS, max_size=40),
    st.lists(st.sampled_from(["", "Web", "Ärger", None]), max_size=40),
    st.lists(st.from_regex(r"[0-9A-Z]{6}", fullmatch=True), max_size=40),
    st.lists(st.sampled_from([1, True, 1.0, "1", None]), max_size=40),
)
NUMBERS = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 300), max_size=40)


def same(before: Array, after: Array) -> None:
    """Both arrays are of one kind, and so are their values."""
    assert before.dtype == after.dtype
    assert before.tolist() == after.tolist()
    assert list(map(type, before.tolist())) == list(map(type, after.tolist()))


@given(COLUMNS, st.data())
def test_objects_come_out_as_they_went_in(values: list[object], data: st.DataObject) -> None:
    """Texts of every form, none at all, and objects that are equal but of different kinds."""
    column = objects(values)
    kept = packed(column)
    same(column, kept.at_rows(EVERY_ROW))
    same(column[1:3], kept.at_rows(slice(1, 3)))
    if values:
        rows = np.array(data.draw(st.lists(st.integers(0, len(values) - 1))), dtype=np.int64)
        same(column[rows], kept.at_rows(rows))


@given(NUMBERS)
def test_whole_numbers_come_out_as_they_went_in(values: list[int]) -> None:
    """The least and the greatest that a column may hold among them."""
    column = np.array(values, dtype=np.int64)
    same(column, packed(column).at_rows(EVERY_ROW))


SUMS = st.lists(st.integers(-(10**9), 10**9).map(lambda cents: cents / 100))
FRACTIONS = st.lists(st.floats() | st.sampled_from([0.0, -0.0, 99.95, 0.1 + 0.2, 1e300]))
SECONDS = st.lists(st.none() | st.integers(-(2**33), 2**33), max_size=40)


@settings(deadline=None)
@given(SUMS | FRACTIONS)
def test_fractions_come_out_to_the_last_bit(values: list[float]) -> None:
    """Sums of money, which are hundredths, and whatever is none: a minus zero, no number at all."""
    column = np.array(values, dtype=np.float64)
    kept = packed(column).at_rows(EVERY_ROW)
    assert kept.dtype == column.dtype and kept.tobytes() == column.tobytes()


@pytest.mark.parametrize("unit", ["s", "D"])
@settings(deadline=None)
@given(SECONDS)
def test_moments_come_out_as_they_went_in(unit: str, values: list[int | None]) -> None:
    """Also those that are none, alone or among others."""
    found = [np.datetime64("NaT") if value is None else value for value in values]
    column = np.array(found, dtype=f"datetime64[{unit}]")
    kept = packed(column).at_rows(EVERY_ROW)
    assert kept.dtype == column.dtype and kept.tobytes() == column.tobytes()


def test_truths_stay_as_they_are() -> None:
    """Nothing smaller is made of them."""
    column = np.array([True, False, True])
    same(column, packed(column).at_rows(EVERY_ROW))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.none() | st.text(st.characters(codec=None)), min_size=1, max_size=9), st.data())
def test_long_texts_come_out_as_they_went_in(texts: list[str | None], data: st.DataObject) -> None:
    """Texts that are compressed together, by ranges and in any order."""
    column = objects([text and f"{text} {place}" * 200 for place, text in enumerate(texts * 60)])
    kept = packed(column)
    same(column, kept.at_rows(EVERY_ROW))
    same(column[3:9], kept.at_rows(slice(3, 9)))
    rows = np.array(data.draw(st.lists(st.integers(0, len(column) - 1))), dtype=np.int64)
    same(column[rows], kept.at_rows(rows))


@pytest.mark.parametrize(
    "column",
    [
        np.datetime64("2020-01-01T06:00:00") + np.arange(4000) * 3600,
        np.round(np.arange(4000) * 0.05 + 9.95, 2),
        np.arange(4000) % 9 * 1e12,
        np.arange(4000) - 1,
    ],
    ids=["moments", "prices", "few", "rows"],
)
def test_numbers_take_half_the_room_at_most(column: Array) -> None:
    """Moments of some years, prices, a few numbers again and again, and rows of other tables."""
    assert packed(column).nbytes <= column.nbytes / 2


@pytest.mark.parametrize(
    "texts",
    [
        ["Änne", "Zoë!", "Jörg"],
        ["Anne", "Zoe!", "Jörg"],
        ["Anne", "Zoe", "Jorg"],
        ["", "", ""],
        ["Anne", "Zoe!", "Jorg"],
        ["Anne", "Zo\0\0", "\0org"],
    ],
)
def test_texts_of_one_length_come_out_as_they_went_in(texts: list[str]) -> None:
    """Only plain letters stand for themselves in a byte; none at all, and others, do not."""
    same(objects(texts), packed(objects(texts)).at_rows(EVERY_ROW))


def test_the_room_that_is_told_is_that_of_all_parts() -> None:
    """The bytes of the texts, the number where each ends, and which of them are missing."""
    kept = InARow(b"abc", np.array([1, 3], dtype=np.int32), np.zeros(2, dtype=bool))
    assert kept.nbytes == 3 + 2 * 4 + 2


def test_a_column_is_packed_from_512_rows_on() -> None:
    """With fewer there is nothing to save that would be worth the time."""
    for rows, is_packed in ((511, False), (512, True)):
        column = np.arange(rows)
        assert (held(column).nbytes < column.nbytes) is is_packed


def test_a_column_is_looked_for_among_equal_ones_from_a_kilobyte_on() -> None:
    """Smaller ones stay each table's own."""
    for size, shared in ((1023, 0), (1024, 1)):
        known: dict[bytes, PackedColumn] = {}
        PackedColumns({"flag": np.zeros(size, dtype=bool)}).share(known)
        assert len(known) == shared


def test_256_numbers_again_and_again_take_a_byte_each() -> None:
    """The first code is 0, so that a byte tells all of them apart; one number more takes two."""
    for kinds, width in ((256, 1), (257, 2)):
        distinct = np.arange(kinds) * 10**15
        assert packed(np.tile(distinct, 100)).nbytes == kinds * (100 * width + 8)


def test_equal_columns_are_held_once() -> None:
    """Those of another table, too: an object type shows what a hidden cause has drawn."""
    known: dict[bytes, PackedColumn] = {}
    at = np.arange(9000) * 70
    names = [f"Case {place}" for place in range(9000)]
    others = [*names[:-1], "Case"]
    drawn = table("Story.cases", at=at, name=objects(names)).packed()
    shown = table("Case", CreatedDate=at, Name=objects(others)).packed()
    drawn.share(known)
    shown.share(known)
    assert len(known) == 3
    same(shown["CreatedDate"], at)
    same(shown["Name"], objects(others))


def test_columns_are_added_to_a_table_of_ones_own() -> None:
    """The table that they were drawn from stays as it is; who asks for some gets them in order."""
    facts = table("Note", {"of": "Case"}, of=np.arange(3)).packed()
    whole = facts.packed_anew()
    whole.put("Body", objects(["a", "b", "c"]))
    assert list(whole.in_order(["Body", "of"]).columns) == ["Body", "of"]
    assert list(facts.columns) == ["of"] and whole.references == {"of": "Case"}
    with pytest.raises(RunFailed, match="Note is not packed"):
        table("Note").put("Body", objects([]))


def test_what_is_sent_to_another_process_is_packed() -> None:
    """A column that somebody looks at takes no more room on the way, and is the same there."""
    columns = PackedColumns({"Status": objects(["New", "Closed"] * 1000)})
    shut = len(pickle.dumps(columns))
    same(columns["Status"], pickle.loads(pickle.dumps(columns))["Status"])
    assert len(pickle.dumps(columns)) == shut


def test_a_column_that_is_looked_at_is_kept_until_the_table_is_closed() -> None:
    """Who asks for a column row by row has it unpacked once."""
    columns = PackedColumns({"Status": objects(["New", "Closed"] * 1000)})
    first = columns["Status"]
    assert columns["Status"] is first
    columns.close()
    assert columns["Status"] is not first
    same(columns["Status"], first)


def test_a_packed_table_is_cut_into_blocks_of_its_rows() -> None:
    """The blocks, one behind the other, are the table, packed or not."""
    whole = table("Note", {"of": "Case"}, of=np.arange(BLOCK + 7), Id=objects(["x"] * (BLOCK + 7)))
    for kept in (whole, whole.packed()):
        blocks = list(kept.blocks())
        assert [block.size for block in blocks] == [BLOCK, 7]
        same(whole["of"], np.concatenate([block["of"] for block in blocks]))
        assert blocks[1].references == {"of": "Case"}
    assert Table("None", 0, {}).packed().size == 0


@pytest.mark.parametrize(
    "texts",
    [
        [f"001zz000{number:07}AAA" for number in range(4000)],
        [f"Waiting on customer {number % 9}" for number in range(4000)],
        [f"Dear {number} — it’s the zip." for number in range(4000)],
    ],
    ids=["ids", "words", "sentences"],
)
def test_texts_take_half_the_room_at_most(texts: list[str]) -> None:
    """Ids, words that come again, and sentences with marks beyond plain ones."""
    # The list goes when the array is there; the texts stay.
    before, column = _held(lambda: objects(_written_again(texts)))
    after, _ = _held(lambda: packed(column))
    assert after < before / 2


def _written_again(texts: list[str]) -> list[object]:
    """Equal texts that are objects of their own, as those that are drawn."""
    return ["".join(list(text)) for text in texts]


def _held(make: Callable[[], T]) -> tuple[int, T]:
    """How many bytes stay in use for what is made."""
    tracemalloc.start()
    try:
        made = make()
        return tracemalloc.get_traced_memory()[0], made
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "kind",
    ["b1", "i1", "i2", "i4", "i8", "u1", "u8", "f2", "f4", "f8", "c8", "M8[D]", "M8[s]", "m8[s]"],
)
def test_a_column_of_every_kind_of_number_comes_out_as_it_went_in(kind: str) -> None:
    """Also those that numpy has and no table uses yet."""
    column = np.resize(np.array([0, 1, 1, 0, 1]), 600).astype(kind)
    same(column, packed(column).at_rows(EVERY_ROW))
    same(column[2:9], packed(column).at_rows(slice(2, 9)))
