"""What must hold of any query's answers whatever the records are, in the manner of SQLancer: a
condition and its negation part the records (TLP), and a condition answers alike wherever it stands
(NoREC). The texts are in several scripts and cases.
"""

import random
from collections.abc import Iterator

import pytest

from orgweave.soql.engine import Engine
from tests.soql_toys import Rows, ids, toy_engine

TEXTS = (
    *("é", "É", "e", "E", "Zoë", "zOË", "ZOE", "straße", "STRASSE", "STRAßE", "ΟΔΟΣ", "οδοσ"),
    *("οδος", "ЖУК", "жук", "K", "k", "K", "İ", "i", "I", "ı", "Å", "å", "日本", "a b", "%", "_"),
    *("ÀB", "àb", "àB", "ñandú", "ÑANDÚ", "z", "Z"),
)
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine over accounts, a few of them without a name."""
    rng = random.Random(5)
    names = [rng.choice([*TEXTS, None]) for _ in range(200)]
    accounts = [
        {"Id": key, "Name": name, "ShippingState": rng.choice(["é", "É", None])}
        for key, name in zip(ids("001", len(names)), names, strict=True)
    ]
    rows: Rows = {"Account": accounts}
    made = toy_engine(tmp_path_factory.mktemp("lancer"), rows)
    yield made
    made.close()


def quoted(text: str) -> str:
    """A text as SOQL writes it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def found(engine: Engine, where: str) -> set[str]:
    """The ids of the accounts for which a condition holds."""
    answer = engine.query(f"SELECT Id FROM Account WHERE {where}")
    return {str(record["Id"]) for record in answer}


def count(engine: Engine, where: str) -> int:
    """How many they are, by COUNT()."""
    return engine.query(f"SELECT COUNT() FROM Account WHERE {where}").total


def conditions() -> list[str]:
    """A condition for each operator and text, and some of two."""
    rng = random.Random(7)
    plain = [f"Name {sign} {quoted(text)}" for text in TEXTS for sign in OPERATORS]
    plain += [f"Name LIKE {quoted(text[:1])}" for text in TEXTS]
    plain += [f"Name LIKE {quoted('%' + text[-1])}" for text in TEXTS]
    plain += [f"Name IN ({quoted(text)}, {quoted(rng.choice(TEXTS))})" for text in TEXTS]
    mixed: list[str] = []
    for _ in range(60):
        first, second = rng.sample(plain, 2)
        mixed.append(f"({first} {rng.choice(['AND', 'OR'])} (NOT {second}))")
    return plain + mixed


def test_a_condition_and_its_negation_part_the_records(engine: Engine) -> None:
    """TLP: each record is in one of the two, and in one only; a count is that of the records."""
    every = found(engine, "Id != null")
    for condition in conditions():
        right, wrong = found(engine, condition), found(engine, f"(NOT {condition})")
        assert right | wrong == every and not right & wrong, condition
        assert count(engine, condition) == len(right), condition


def test_a_text_is_below_equal_or_above(engine: Engine) -> None:
    """Of the records with a name each is in one of three, and the order agrees."""
    named = found(engine, "Name != null")
    ordered = [
        str(record["Id"])
        for record in engine.query("SELECT Id FROM Account WHERE Name != null ORDER BY Name")
    ]
    for text in TEXTS:
        value = quoted(text)
        below, same, above = (found(engine, f"Name {sign} {value}") for sign in "<=>")
        assert below | same | above == named and len(below) + len(same) + len(above) == len(named)
        assert set(ordered[: len(below)]) == below, text
        assert set(ordered[len(below) : len(below) + len(same)]) == same, text
        assert found(engine, f"Name LIKE '{escaped(text)}'") == same, text


def escaped(text: str) -> str:
    """A text as a pattern of LIKE that means itself."""
    return text.replace("%", "\\%").replace("_", "\\_")


def test_groups_are_what_equality_says(engine: Engine) -> None:
    """Each group has as many records as equal its text, no two groups equal one another, and
    COUNT_DISTINCT counts them.
    """
    groups = list(engine.query("SELECT Name, COUNT(Id) n FROM Account GROUP BY Name"))
    texts = [str(group["Name"]) for group in groups if group["Name"] is not None]
    for group in groups:
        text = group["Name"]
        where = "Name = null" if text is None else f"Name = {quoted(str(text))}"
        assert group["n"] == count(engine, where), text
    distinct = list(engine.query("SELECT COUNT_DISTINCT(Name) n FROM Account"))
    assert distinct[0]["n"] == len(texts)


def test_the_least_and_the_greatest_are_the_orders_ends(engine: Engine) -> None:
    """Nothing is below MIN or above MAX, which are names of the org, also within groups."""
    (ends,) = engine.query("SELECT MIN(Name) low, MAX(Name) high FROM Account")
    assert count(engine, f"Name < {quoted(str(ends['low']))}") == 0
    assert count(engine, f"Name > {quoted(str(ends['high']))}") == 0
    text = "SELECT ShippingState s, MIN(Name) low FROM Account GROUP BY ShippingState"
    states = list(engine.query(text))
    assert len(states) == 2
    for state in states:
        same = "null" if state["s"] is None else quoted(str(state["s"]))
        where = f"ShippingState = {same} AND Name < {quoted(str(state['low']))}"
        assert count(engine, where) == 0


@pytest.mark.parametrize(("one_case", "other"), [("é", "É"), ("жук", "ЖУК"), ("zoë", "ZOË")])
def test_case_is_none_in_any_script(engine: Engine, one_case: str, other: str) -> None:
    """Two spellings of a text find the same records."""
    assert found(engine, f"Name = {quoted(one_case)}") == found(engine, f"Name = {quoted(other)}")
    assert count(engine, f"Name = {quoted(one_case)}") > 0
