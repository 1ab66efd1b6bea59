"""Units made from columns when they are asked for: the same ones, whoever asks and how often."""

from collections.abc import Mapping

import numpy as np

from pipeline.world.packed import packed
from pipeline.world.tables import Array, objects
from pipeline.write.units import (
    BLOCK,
    FactRows,
    Parts,
    UnitTable,
    grouped,
    joined,
    packed_facts,
)
from verifiers.material import Unit

DAYS = np.array(["2024-03-01", "2024-03-02", "2024-03-03"], dtype="datetime64[D]")


def fact_rows(size: int, columns: Mapping[str, Array]) -> FactRows:
    """The facts in these columns."""
    return FactRows(size, {name: packed_facts(values) for name, values in columns.items()})


LINES = fact_rows(4, {"speaker": objects(["Customer", "Agent", "Customer", "Agent"])})


def units(parts: Parts | None = None) -> UnitTable:
    """Three units: a day, a number and a name each; the second must not name two phrases."""
    facts = {"day": DAYS, "nth": np.arange(3), "name": objects(["Ann", None, "Bo"])}
    return UnitTable(fact_rows(3, facts), packed(objects(["", "refund|gift card", ""])), parts)


def test_a_unit_has_its_facts_as_json_has_them() -> None:
    """Days are ISO texts, whole numbers Python's own, and what is missing is None."""
    unit = units()[1]
    facts = {"day": "2024-03-02", "nth": 1, "name": None}
    assert unit == Unit(1, facts, (), ("refund", "gift card"))
    assert type(unit.facts["nth"]) is int


def test_units_are_the_same_one_by_one_and_together() -> None:
    """In their order, in another one, and as a range."""
    held = units()
    assert list(held) == [held[0], held[1], held[2]]
    assert held.taken([2, 0]) == (held[2], held[0])
    assert held[1:] == held.taken([1, 2])
    assert held[-1] == held[2]


def test_more_units_than_are_made_at_once_come_in_order() -> None:
    """None is left out where one block ends."""
    size = BLOCK + 3
    many = UnitTable(fact_rows(size, {}), packed(objects([""] * size)))
    assert [unit.id for unit in many] == list(range(size))


def test_parts_of_a_table_go_to_the_units_that_it_names() -> None:
    """Rows keep their order within a unit; one without rows is a text by itself."""
    held = units(Parts(LINES, grouped(np.array([2, 0, 2, 0]), 3)))
    assert [part["speaker"] for part in held[2].parts] == ["Customer", "Customer"]
    assert held[1].parts == ()
    assert held.texts.tolist() == [2, 1, 2]


def test_a_part_that_stands_already_is_told_and_not_written() -> None:
    """Its text is a fact of the part, and the unit has one text fewer to be written."""
    given = packed(objects(["", "Hello.", "", ""]))
    held = units(Parts(LINES, joined([(0, 1), (2,), (3,)]), given))
    assert held[0].parts == ({"speaker": "Customer"}, {"speaker": "Agent", "given": "Hello."})
    assert held.texts.tolist() == [1, 1, 1]
    assert [len(unit.open_parts) for unit in held] == held.texts.tolist()


def test_units_with_some_facts_alone_keep_what_stands_already() -> None:
    """Other facts are left out, of units and of parts; parts stay in their order."""
    given = packed(objects(["", "Hello.", "", ""]))
    held = units(Parts(LINES, joined([(0, 1), (2,), (3,)]), given))
    assert held.only(("name",), ("speaker",))[0] == Unit(0, {"name": "Ann"}, held[0].parts, ())
    bare = held.only((), ())
    assert [unit.parts for unit in bare] == [({}, {"given": "Hello."}), ({},), ({},)]
    assert bare[1].avoid == held[1].avoid


def test_rows_of_groups_are_looked_up_together() -> None:
    """Each group has the facts of its own rows, and one without rows has none."""
    names = [[row["speaker"] for row in group] for group in LINES.by_group([(1, 0), (), (2,)])]
    assert names == [["Agent", "Customer"], [], ["Customer"]]
