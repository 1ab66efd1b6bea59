"""GROUP BY ROLLUP and CUBE by example; `test_soql_answers` draws many more."""

from collections.abc import Iterator
from typing import Any

import pytest

from orgweave.soql.engine import Engine
from tests.soql_toys import Rows, ids, toy_engine

CASES = ids("500", 5)
KINDS = [("New", 0, 1), ("New", 0, 2), ("Closed", 1, 4), ("Closed", 1, None), (None, 0, 8)]
ROWS: Rows = {
    "Case": [
        {"Id": key, "Status": status, "IsClosed": closed, "Hours": hours}
        for key, (status, closed, hours) in zip(CASES, KINDS, strict=True)
    ]
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine over five cases."""
    made = toy_engine(tmp_path_factory.mktemp("totals"), ROWS)
    yield made
    made.close()


def groups(engine: Engine, text: str) -> list[tuple[Any, ...]]:
    """The values of each group."""
    return [tuple(record.values())[1:] for record in engine.query(text)]


def test_rollup_sums_from_the_right(engine: Engine) -> None:
    """Each subtotal stands behind its groups, the total last; GROUPING tells a subtotal's null
    from a value that is null.
    """
    text = (
        "SELECT Status, IsClosed, SUM(Hours), GROUPING(Status) s, GROUPING(IsClosed) c FROM Case"
        " GROUP BY ROLLUP(Status, IsClosed)"
    )
    assert groups(engine, text) == [
        (None, False, 8, 0, 0),
        (None, None, 8, 0, 1),
        ("Closed", True, 4, 0, 0),
        ("Closed", None, 4, 0, 1),
        ("New", False, 3, 0, 0),
        ("New", None, 3, 0, 1),
        (None, None, 15, 1, 1),
    ]


def test_cube_sums_over_every_set_of_fields(engine: Engine) -> None:
    """CUBE has ROLLUP's groups, and those by the later fields alone."""
    text = "SELECT Status, IsClosed, COUNT(Id) n FROM Case GROUP BY {}(Status, IsClosed)"
    rolled, cubed = (groups(engine, text.format(kind)) for kind in ("ROLLUP", "CUBE"))
    assert sorted(set(cubed) - set(rolled), key=str) == [(None, False, 3), (None, True, 2)]
    assert len(cubed) == len(rolled) + 2


def test_clauses_apply_to_subtotals_too(engine: Engine) -> None:
    """HAVING leaves subtotals out as it does groups; ORDER BY, LIMIT and OFFSET count them all."""
    text = (
        "SELECT Status, COUNT(Id) n FROM Case WHERE Status != null GROUP BY ROLLUP(Status)"
        " HAVING COUNT(Id) > 1 ORDER BY GROUPING(Status) DESC, Status DESC LIMIT 2"
    )
    assert groups(engine, text) == [(None, 4), ("Closed", 2)]
    assert groups(engine, f"{text} OFFSET 2") == [("New", 2)]


def test_the_total_of_nothing(engine: Engine) -> None:
    """No record has no group, but still a total."""
    text = "SELECT Status, COUNT(Id) n FROM Case WHERE Hours > 99 GROUP BY ROLLUP(Status)"
    assert groups(engine, text) == [(None, 0)]


def test_parts_of_a_date_are_summed_over_with_it(engine: Engine) -> None:
    """What is made of a field that a subtotal is over is null in it, as the field is."""
    text = (
        "SELECT CALENDAR_YEAR(Since) y, COUNT(Id) n FROM Account GROUP BY ROLLUP(Since)"
        " ORDER BY CALENDAR_YEAR(Since)"
    )
    assert groups(engine, text) == [(None, 0)]
