"""NoREC for SOQL: a condition finds as many records as it is true for, wherever it stands.

A filter may use an index, turn an outer join into an inner one, or stop early; a condition whose
value is computed for every record can't. `difference` asks for both, and for the same condition in
a negation, in groups, in a semi-join and in a child query. It shares nothing with
`soql_reference`, which knows what the answer should be; here nobody knows it.
"""

import random
from dataclasses import dataclass

from orgweave.soql.engine import Engine
from orgweave.soql.sql import Sql
from tests.soql_draw import draw_query
from tests.soql_model import CHILDREN, TYPES, Rows
from tests.soql_spell import spelled
from tests.soql_toys import random_rows

TEXTS = (
    *("é", "É", "e", "E", "Zoë", "zOË", "ZOE", "straße", "STRASSE", "STRAßE", "ΟΔΟΣ", "οδοσ"),
    *("οδος", "ЖУК", "жук", "K", "k", "\u212a", "İ", "i", "I", "ı", "Å", "å", "\u212b", "日本"),
    *("a b", "%", "_", "ÀB", "àb", "àB", "e\u0301", "ñandú", "ÑANDÚ", "ǅ", "ǆ", "𐐀", "𐐨", "z"),
)
WRITTEN = {"Account": ("Name", "ShippingState", "Note"), "Case": ("Subject",), "User": ("Name",)}
"""The texts of the toy org that anybody may write."""


@dataclass(frozen=True, slots=True)
class DrawnCondition:
    """A condition in SOQL, and the object type of which it is asked."""

    entity: str
    text: str


def many_scripts(seed: int) -> Rows:
    """A toy org whose texts are in several scripts and cases."""
    rng = random.Random(seed)
    rows = random_rows(seed)
    for entity, names in WRITTEN.items():
        for row in rows[entity]:
            for name in names:
                if row[name] is not None:
                    row[name] = rng.choice(TEXTS)
    return rows


def draw_condition(rng: random.Random, rows: Rows) -> DrawnCondition:
    """A random condition of one object type or its parents."""
    while True:
        query = draw_query(rng, rows)
        if query["where"] is not None:
            bare = {**query, "kind": "count", "alias": None, "limit": None, "offset": 0}
            bare |= {"groups": [], "having": [], "sorts": [], "children": {}}
            return DrawnCondition(query["entity"], spelled(bare).partition(" WHERE ")[2])


def difference(engine: Engine, drawn: DrawnCondition) -> str:
    """What the engine says of a condition in one place and not in another; "" for nothing."""
    entity, where = drawn.entity, drawn.text
    filtered = engine.query(f"SELECT COUNT() FROM {entity} WHERE {where}").total
    grouped = f"SELECT Id k FROM {entity} WHERE {where} GROUP BY"
    answers = {
        "its value for each record": _true_values(engine, drawn),
        "the records themselves": len(engine.query(f"SELECT Id FROM {entity} WHERE {where}")),
        "groups of one": len(engine.query(f"{grouped} Id")),
        "groups of one and their total": len(engine.query(f"{grouped} ROLLUP(Id)")) - 1,
        "everybody's": engine.query(
            f"SELECT COUNT() FROM {entity} USING SCOPE everything WHERE {where}"
        ).total,
    }
    if "OwnerId" in TYPES[entity]:
        mine = engine.query(f"SELECT COUNT() FROM {entity} USING SCOPE mine WHERE {where}").total
        others = f"({where}) AND OwnerId != '{_first_user(engine)}'"
        answers["mine and others'"] = (
            mine + engine.query(f"SELECT COUNT() FROM {entity} WHERE {others}").total
        )
    if "(SELECT " not in where:  # SOQL takes no semi-join within NOT, OR or another query.
        every = engine.query(f"SELECT COUNT() FROM {entity}").total
        negated = engine.query(f"SELECT COUNT() FROM {entity} WHERE NOT ({where})").total
        answers["its negation, the other way round"] = every - negated
        filtered_in = _by_parent(engine, drawn)
        for place, (found, wanted) in filtered_in.items():
            if found != wanted:
                return f"{entity} WHERE {where}: {place}: {len(found)}, not {len(wanted)}"
    for place, count in answers.items():
        if count != filtered:
            return f"{entity} WHERE {where}: COUNT() {filtered}, {place} {count}"
    return ""


def _first_user(engine: Engine) -> str:
    return str(engine.query("SELECT Id FROM User ORDER BY Id LIMIT 1").page()[0]["Id"])


def _true_values(engine: Engine, drawn: DrawnCondition) -> int:
    """For how many of all records the condition's own SQL, selected and not filtered by, is true.

    A compiled count is `SELECT COUNT(*) FROM (SELECT 1 FROM tables WHERE condition)`, and its
    tables are joined so that no record of the first one is dropped.
    """
    plan = engine.query(f"SELECT COUNT() FROM {drawn.entity} WHERE {drawn.text}").plan
    inner = plan.sql.text.removeprefix("SELECT COUNT(*) FROM (SELECT 1 FROM ").removesuffix(")")
    tables, _, condition = inner.partition(" WHERE ")
    sql = f"SELECT CAST(total(({condition}) IS TRUE) AS INTEGER) FROM {tables}"
    (row,) = engine.database.rows(Sql(sql, plan.sql.params))
    return int(str(row[0]))


def _by_parent(engine: Engine, drawn: DrawnCondition) -> dict[str, tuple[set[str], set[str]]]:
    """The condition in a semi-join and in a child query, each with what a filter says instead."""
    places = {}
    for parent, children in CHILDREN.items():
        for name, (child, key) in children.items():
            if child != drawn.entity:
                continue
            where = f"WHERE {drawn.text}"
            mine = list(engine.query(f"SELECT Id, {key} FROM {child} {where}"))
            having = {str(record[key]) for record in mine if record[key] is not None}
            joined = f"SELECT Id FROM {parent} WHERE Id IN (SELECT {key} FROM {child} {where})"
            found = {str(record["Id"]) for record in engine.query(joined)}
            places[f"a semi-join from {parent}"] = (found, having)
            nested = engine.query(f"SELECT Id, (SELECT Id FROM {name} {where}) FROM {parent}")
            below: set[str] = set()
            for record in nested:
                page = record[name]
                if isinstance(page, dict):
                    below.update(str(row["Id"]) for row in page["records"])
            ours = {str(record["Id"]) for record in mine if record[key] is not None}
            places[f"a child query of {parent}"] = (below, ours)
    return places
