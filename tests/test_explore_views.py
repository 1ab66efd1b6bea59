"""How object types are shown follows from their fields and from what was counted in the org."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from orgweave.explore.copy import copied
from orgweave.explore.diagram import boxes_of, diagram
from orgweave.explore.guide import general_tour
from orgweave.explore.views import ObjectView, in_list_order, relations_of
from pipeline.run_folder import ORG_FILE
from pipeline.sql_tables import create_table
from schemas.loader import load_schema
from schemas.model import Schema
from tests.toys import write_object

SHOPS, VISITS = 4, 40
ID = "{}zz00000000{:02d}AAA"
"""An id of 18 characters: the object type's prefix, and a number."""
STORY = "A long text. " * 12
VISIT = """
ShopId: {type: string, x-source: {reference: Shop, by: uniform}}
Mood: {type: string, enum: [Glad, Sad], x-source: {choice: [Glad, Sad]}}
VisitDate: {type: string, format: date, x-source: {range: [period.start, period.end]}}
Story: {type: string, x-source: {constant: x}}
Country: {type: string, x-source: {constant: Eire}}
Seen: {type: array, items: {type: string}, x-holds-ids: "*", x-source: {constant: x}}
Nickname: {type: [string, "null"], x-source: {constant: x}}
Town: {type: string, x-source: {copy: ShopId.Town}}
"""


def toy_schema(folder: Path) -> Schema:
    """Shops, and visits that follow them."""
    shop = 'Name: {type: string, x-source: {sequence: "Shop {}"}}\n'
    town = "Town: {type: string, x-source: {choice: [Cork, Galway]}}"
    write_object(folder / "toy", "Shop", shop + town, prefix="0to")
    write_object(folder / "toy", "Visit", VISIT, more="x-follows: Shop", prefix="0vi")
    return load_schema(folder / "toy")


def fill(folder: Path, schema: Schema) -> None:
    """The org's file: each shop has ten visits, and every visit saw the first shop."""
    statements = [create_table(item) for item in schema.objects]
    for number in range(SHOPS):
        values = f"'{ID.format('0to', number)}', 'Shop {number}', 'Town {number % 2}'"
        statements.append(f"INSERT INTO Shop (Id, Name, Town) VALUES ({values})")
    for number in range(VISITS):
        shop = ID.format("0to", number % SHOPS)
        seen = f'["{ID.format("0to", 0)}"]'
        mood = "Glad" if number % 2 else "Sad"
        values = (
            f"'{ID.format('0vi', number)}', '{shop}', '{mood}', '2021-03-{number % 28 + 1:02d}',"
            f" '{STORY} {number}', 'Eire', '{seen}', 'Nick {number}', 'Town {number % 2}'"
        )
        names = "Id, ShopId, Mood, VisitDate, Story, Country, Seen, Nickname, Town"
        statements.append(f"INSERT INTO Visit ({names}) VALUES ({values})")
    written(folder, statements)


def written(folder: Path, statements: Iterable[str]) -> None:
    """An org's file, made by these statements."""
    with closing(sqlite3.connect(folder / ORG_FILE)) as db, db:
        for statement in statements:
            db.execute(statement)


@contextmanager
def shown(folder: Path) -> Iterator[tuple[Schema, Mapping[str, ObjectView]]]:
    """The toy org as it is shown."""
    schema = toy_schema(folder)
    fill(folder, schema)
    with copied(folder / ORG_FILE, schema) as (_, views):
        yield schema, views


@pytest.fixture(scope="module")
def toy(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Schema, Mapping[str, ObjectView]]]:
    """The toy org, opened once."""
    with shown(tmp_path_factory.mktemp("views")) as found:
        yield found


Toy = tuple[Schema, Mapping[str, ObjectView]]


def test_a_field_is_shown_as_what_it_holds(toy: Toy) -> None:
    """Types of the CRM decide, and of texts their length in the org; what holds ids is a link."""
    _, views = toy
    forms = {column.name: column.form for column in views["Visit"].columns}
    assert forms == {
        "Id": "id",
        "ShopId": "link",
        "Mood": "choice",
        "VisitDate": "date",
        "Story": "prose",
        "Country": "text",
        "Seen": "link",
        "Nickname": "text",
        "Town": "text",
    }
    seen = views["Visit"].column("Seen")
    assert seen and seen.many and seen.targets == ("Shop",)


def test_a_list_shows_what_tells_records_apart(toy: Toy) -> None:
    """The date comes first, then what is telling; long texts, ids and what is alike in all records
    stay out.
    """
    _, views = toy
    names = [column.name for column in views["Visit"].shown]
    assert names[:2] == ["VisitDate", "Mood"]
    assert not {"Id", "Story", "Country"} & set(names)


def test_a_list_is_in_the_order_of_the_file(toy: Toy) -> None:
    """Chosen fields stand as the object type's file has them, behind the date."""
    _, views = toy
    visit = views["Visit"]
    ordered = [column.name for column in in_list_order(visit, tuple(reversed(visit.shown)))]
    assert ordered[:3] == ["VisitDate", "ShopId", "Mood"]


def test_facets_divide_the_records(toy: Toy) -> None:
    """A few values, each of many records, are worth choosing from; one value is not, nor are as
    many as there are records.
    """
    _, views = toy
    facets = views["Visit"].facets
    assert {"ShopId", "Mood"} <= set(facets)
    assert not {"Country", "Nickname", "Seen", "VisitDate"} & set(facets)


def test_what_follows_a_record_is_a_thread(toy: Toy) -> None:
    """Visits follow their shop and have a text to read; by the ids in a list they refer to it once
    more.
    """
    schema, views = toy
    relations = relations_of(schema, views, "Shop")
    assert {relation.column.name for relation in relations} == {"ShopId", "Seen"}
    assert all(relation.thread and relation.detail for relation in relations)
    assert relations_of(schema, views, "Visit") == ()


def test_a_tour_begins_where_most_leads(toy: Toy) -> None:
    """Without a tour of its own a schema has one: the record most referred to, records by month and
    by their first facet.
    """
    schema, views = toy
    relations = {name: relations_of(schema, views, name) for name in views}
    tour = general_tour(views, relations)
    assert [start.title for start in tour.starts] == ["A busy shop"]
    assert "visit_by_month" in {query.name for query in tour.queries}
    assert tour.queries[0].title == "Visits month by month"


def test_the_diagram_has_a_box_an_object_and_an_edge_a_reference(toy: Toy) -> None:
    """What is referred to stands to the left of what refers to it."""
    schema, views = toy
    svg = diagram(schema, boxes_of(views))
    boxes = dict(re.findall(r'href="/org/(\w+)".*?<rect x="(\d+)"', svg))
    assert boxes.keys() == {"Shop", "Visit"}
    assert int(boxes["Shop"]) < int(boxes["Visit"])
    assert svg.count("<path") == 1
    assert f">{VISITS}<" in svg


def test_who_wrote_a_record_tells_nothing_of_it(tmp_path: Path) -> None:
    """The audit fields that every object type has lead to no edge of the diagram, and a clerk's
    page doesn't list all that the clerk ever wrote.
    """
    audit = "CreatedById: {type: string, x-source: {reference: Clerk, by: uniform}}"
    write_object(tmp_path / "toy", "Clerk", prefix="0cl")
    write_object(tmp_path / "toy", "Visit", audit, prefix="0vi")
    schema = load_schema(tmp_path / "toy")
    written(tmp_path, [create_table(item) for item in schema.objects])
    with copied(tmp_path / ORG_FILE, schema) as (_, views):
        assert "<path" not in diagram(schema, boxes_of(views))
        assert relations_of(schema, views, "Clerk") == ()
