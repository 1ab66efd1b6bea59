"""Random streams and record ids: each depends on its own name alone, none comes twice."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipeline.world.id_column import CHUNK, id_column
from pipeline.world.ids import MARKER, make_ids, to_18
from pipeline.world.org import Org
from pipeline.world.streams import stream, text_stream
from tests.toys import drawn, write_object

NAMES = st.text(st.characters(categories=["L", "N"], include_characters="._"), max_size=12)
SEEDS = st.integers(0, 2**63 - 1)
PREFIXES = st.from_regex(r"[A-Za-z0-9]{3}", fullmatch=True)
NUMBERS = st.integers(1, 62**7 - 2000)

BOX = """
Color: {type: string, x-source: {choice: [red, green, blue]}}
Code: {type: string, x-source: {pattern: "??##**"}}
Name: {type: string, x-source: {faker: first_name}}
City: {type: string, x-source: {place: city}}
Day: {type: string, format: date, x-source: {range: [period.start, period.end]}}
"""


def values(org: Org, name: str) -> dict[str, list[object]]:
    """An object type's columns as lists."""
    made = org.table(name)
    return {column: list(made[column]) for column in made.columns}


@pytest.mark.parametrize(
    "id18",
    [
        "001M000000qfPySIAU",
        "a0FE000000D6r3FMAR",
        "005Wt000003NJ0DIAW",
        "01tWt000006hV6jIAE",
        "0QLWt0000022xB1OAI",
    ],
)
def test_check_characters_are_those_of_real_ids(id18: str) -> None:
    """The check characters of fifteen are the last three of a real id of eighteen."""
    assert to_18(id18[:15]) == id18


@settings(deadline=None)
@given(PREFIXES, st.integers(0, 300), NUMBERS)
def test_ids_are_unique_and_well_formed(prefix: str, count: int, first: int) -> None:
    """Ids have eighteen characters, begin with prefix and marker, end in their check characters,
    and none comes twice.
    """
    ids = list(make_ids(prefix, count, first))
    assert len(ids) == len(set(ids)) == count
    assert all(re.fullmatch(f"{prefix}{MARKER}[0-9A-Za-z]{{7}}[A-Z0-5]{{3}}", text) for text in ids)
    assert all(to_18(text[:15]) == text for text in ids)
    assert list(id_column(prefix, count, first)) == ids


@settings(deadline=None)
@given(PREFIXES, st.integers(1, 300), st.integers(1, 300))
def test_ids_differ_without_regard_to_case(prefix: str, first: int, second: int) -> None:
    """Two ids of a prefix differ even where a program takes capital and small letters for the
    same.
    """
    ids = list(make_ids(prefix, max(first, second)))
    assert (ids[first - 1].lower() == ids[second - 1].lower()) == (first == second)


@settings(deadline=None)
@given(PREFIXES, st.integers(1, 100), st.integers(0, 200))
def test_more_records_leave_earlier_ids_as_they_are(prefix: str, count: int, more: int) -> None:
    """The first ids are the same however many follow."""
    assert list(make_ids(prefix, count + more))[:count] == list(make_ids(prefix, count))


@settings(deadline=None)
@given(SEEDS, NAMES, NAMES)
def test_equal_arguments_give_equal_streams(seed: int, node: str, part: str) -> None:
    """A stream is the same whenever its seed, node and part are."""
    assert list(stream(seed, node, part).integers(2**62, size=8)) == list(
        stream(seed, node, part).integers(2**62, size=8)
    )
    assert text_stream(seed, node, part).getrandbits(256) == text_stream(
        seed,
        node,
        part,
    ).getrandbits(256)


@settings(deadline=None)
@given(st.tuples(SEEDS, NAMES, NAMES), st.tuples(SEEDS, NAMES, NAMES))
def test_other_arguments_give_other_streams(
    one: tuple[int, str, str], other: tuple[int, str, str]
) -> None:
    """A stream of another seed, node or part is another one."""
    assume(one != other)
    assert list(stream(*one).integers(2**62, size=8)) != list(
        stream(*other).integers(2**62, size=8)
    )
    assert text_stream(*one).getrandbits(256) != text_stream(*other).getrandbits(256)


@settings(deadline=None)
@given(SEEDS, st.integers(0, 500))
def test_a_stream_does_not_hear_of_others(seed: int, drawn_before: int) -> None:
    """However much is drawn from other streams, or from numpy's own, a stream gives the same."""
    before = stream(seed, "Order", "date").integers(2**62, size=4)
    np.random.default_rng(seed).random(drawn_before)
    stream(seed, "Order", "amount").random(drawn_before)
    assert list(stream(seed, "Order", "date").integers(2**62, size=4)) == list(before)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_neighboring_streams_do_not_run_together(seed: int) -> None:
    """The values of two parts of a node have nothing to do with one another."""
    one, other = (stream(seed, "Order", part).random(2000) for part in ("date", "amount"))
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.15


def test_another_object_type_reshuffles_none(tmp_path: Path) -> None:
    """A schema with one object type more draws the very same records for all the others."""
    for schema in ("small", "large"):
        write_object(tmp_path / schema / "toy", "Box", BOX, "{number: 40}")
        write_object(
            tmp_path / schema / "toy",
            "Toy",
            "BoxId: {type: string, x-source: {reference: Box}}",
            "{number: 60}",
        )
    write_object(tmp_path / "large" / "toy", "Attic", BOX, "{number: 25}")
    write_object(
        tmp_path / "large" / "toy",
        "Lid",
        "ToyId: {type: string, x-source: {reference: Toy}}",
        "{per: Box}",
    )
    small, large = drawn(tmp_path / "small"), drawn(tmp_path / "large")
    assert set(large.tables) == {*small.tables, "Attic", "Lid"}
    assert all(values(small, name) == values(large, name) for name in small.tables)


def test_another_field_reshuffles_none(tmp_path: Path) -> None:
    """An object type with one field more draws the very same values for all the others."""
    write_object(tmp_path / "small" / "toy", "Box", BOX, "{number: 40}")
    write_object(
        tmp_path / "large" / "toy",
        "Box",
        "Weight: {type: integer, x-source: {range: [1, 9]}}\n" + BOX,
        "{number: 40}",
    )
    small, large = (
        values(drawn(tmp_path / "small"), "Box"),
        values(drawn(tmp_path / "large"), "Box"),
    )
    assert {name: large[name] for name in small} == small


def test_another_seed_draws_another_world(tmp_path: Path) -> None:
    """The same seed draws the same records, another seed others."""
    write_object(tmp_path / "toy", "Box", BOX, "{number: 40}")
    one, again, other = (values(drawn(tmp_path, seed), "Box") for seed in (1, 1, 2))
    assert one == again
    assert [name for name in one if one[name] == other[name]] == ["Id"]


def test_ids_of_a_long_column_are_those_of_short_ones() -> None:
    """They run on where one chunk of them ends and the next begins."""
    ids = id_column("500", CHUNK + 3, first=7)
    assert ids[:2].tolist() == id_column("500", 2, first=7).tolist()
    for row in (CHUNK - 1, CHUNK, CHUNK + 2):
        assert ids[row] == id_column("500", 1, first=7 + row)[0]
