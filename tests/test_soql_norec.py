"""NoREC over the whole language of conditions: `tests.torture --only soql` draws many more."""

import random
from collections.abc import Iterator

import pytest

from orgweave.soql.engine import Engine
from tests.soql_model import Rows
from tests.soql_norec import difference, draw_condition, many_scripts
from tests.soql_toys import toy_engine
from tests.tiers import THOROUGH

SEED = 11


@pytest.fixture(scope="module")
def rows() -> Rows:
    """Records of five object types."""
    return many_scripts(SEED)


@pytest.fixture(scope="module")
def engine(rows: Rows, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine over them."""
    made = toy_engine(tmp_path_factory.mktemp("norec"), rows)
    yield made
    made.close()


@pytest.mark.slow
@THOROUGH
def test_a_condition_is_true_for_as_many_records_as_it_finds(engine: Engine, rows: Rows) -> None:
    """Whatever the condition, and wherever it stands: alone, negated, in groups, in a semi-join,
    in a child query, or as a value that filters nothing.
    """
    rng = random.Random(SEED)
    differences = [difference(engine, draw_condition(rng, rows)) for _ in range(500)]
    assert [text for text in differences if text] == []


def test_the_drawn_conditions_part_the_records(engine: Engine, rows: Rows) -> None:
    """At least a third of them find some records and leave others, or nothing would be tried."""
    rng = random.Random(SEED)
    parting = 0
    for _ in range(150):
        drawn = draw_condition(rng, rows)
        found = engine.query(f"SELECT COUNT() FROM {drawn.entity} WHERE {drawn.text}").total
        parting += 0 < found < len(rows[drawn.entity])
    assert parting >= 50
