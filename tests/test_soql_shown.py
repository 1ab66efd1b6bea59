"""How values are shown: FORMAT, toLabel, convertCurrency; whole addresses and distances."""

from collections.abc import Iterator
from typing import Any

import pytest

from orgweave.soql.engine import Engine
from orgweave.soql.shown import formatted, geo_distance
from orgweave.soql.sql import SqlValue
from schemas.errors import QueryRefused
from tests.soql_toys import Rows, ids, toy_engine

ACCOUNTS, ORDERS, USERS = ids("001", 2), ids("801", 2), ids("005", 2)
ROWS: Rows = {
    "User": [
        {"Id": key, "Name": name, "Email": None, "IsActive": 1}
        for key, name in zip(USERS, ("Ann", "Ben"), strict=True)
    ],
    "Account": [
        {
            "Id": ACCOUNTS[0],
            "Name": "Alder",
            "OwnerId": USERS[1],
            "Rating": "Hot",
            "CreditAmount": 1234.5,
            "Employees": 12000,
            "Since": "2023-03-05",
            "CreatedDate": "2023-03-05T00:07:00.000+0000",
        },
        {"Id": ACCOUNTS[1], "Name": "Birch", "OwnerId": USERS[0], "CreditAmount": -2.0},
    ],
    "Order": [
        {
            "Id": ORDERS[0],
            "AccountId": ACCOUNTS[0],
            "EffectiveDate": "2023-12-31",
            "ShippingCity": "Oslo",
            "ShippingLatitude": 59.91,
            "ShippingLongitude": 10.75,
        },
        {"Id": ORDERS[1], "AccountId": None},
    ],
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine over two accounts and two orders, one of which has a place on earth."""
    more = {"Order": ["ShippingCity: {type: string}", "ShippingLatitude: {type: number}"]}
    more["Order"].append("ShippingLongitude: {type: number}")
    made = toy_engine(tmp_path_factory.mktemp("shown"), ROWS, more=more)
    yield made
    made.close()


def found(engine: Engine, text: str) -> list[dict[str, Any]]:
    """The records without their attributes."""
    return [
        {name: value for name, value in record.items() if name != "attributes"}
        for record in engine.query(text)
    ]


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (1234.5, "currency", "$1,234.50"),
        (-0.5, "currency", "-$0.50"),
        (0, "currency", "$0.00"),
        (1234.5, "double", "1,234.5"),
        (3.0, "double", "3"),
        (1234567, "int", "1,234,567"),
        ("2023-03-05", "date", "3/5/2023"),
        ("2023-03-05T00:07:00.000+0000", "datetime", "3/5/2023, 12:07 AM"),
        ("2023-12-31T12:00:00.000+0000", "datetime", "12/31/2023, 12:00 PM"),
        (None, "currency", None),
    ],
)
def test_format_writes_as_en_us_does(value: SqlValue, kind: str, shown: str | None) -> None:
    """Thousands have commas, money its sign and two digits, days come month first."""
    assert formatted(value, kind) == shown


def test_functions_around_fields(engine: Engine) -> None:
    """What a function shows stands under its alias, or under the field's own name and parent."""
    text = (
        "SELECT FORMAT(CreditAmount) credit, convertCurrency(CreditAmount), toLabel(Rating),"
        " FORMAT(convertCurrency(CreditAmount)) both, FORMAT(Since), Name FROM Account"
        " WHERE toLabel(Rating) = 'hot'"
    )
    assert found(engine, text) == [
        {
            "credit": "$1,234.50",
            "CreditAmount": 1234.5,
            "Rating": "Hot",
            "both": "$1,234.50",
            "Since": "3/5/2023",
            "Name": "Alder",
        }
    ]
    child = found(engine, "SELECT (SELECT FORMAT(EffectiveDate) day FROM Orders) FROM Account")
    assert child[0]["Orders"]["records"][0]["day"] == "12/31/2023"
    parent = found(engine, "SELECT FORMAT(Account.CreditAmount) FROM Order ORDER BY Id LIMIT 1")
    assert parent[0]["Account"]["CreditAmount"] == "$1,234.50"


def test_functions_around_aggregates(engine: Engine) -> None:
    """FORMAT of an aggregate is expr0 without an alias; of a grouped field it has the name."""
    text = "SELECT Rating, FORMAT(MAX(CreditAmount)), FORMAT(COUNT(Id)) n FROM Account"
    assert found(engine, f"{text} GROUP BY Rating ORDER BY Rating NULLS LAST") == [
        {"Rating": "Hot", "expr0": "$1,234.50", "n": "1"},
        {"Rating": None, "expr0": "-$2.00", "n": "1"},
    ]


def test_a_whole_address(engine: Engine) -> None:
    """The parts that an object has, the others null; null where no part is filled."""
    records = found(engine, "SELECT ShippingAddress, ShippingGeocodeAccuracy FROM Order")
    assert [record["ShippingAddress"] for record in records] == [
        {
            "city": "Oslo",
            "country": None,
            "geocodeAccuracy": None,
            "latitude": 59.91,
            "longitude": 10.75,
            "postalCode": None,
            "state": None,
            "street": None,
        },
        None,
    ]


def test_distances(engine: Engine) -> None:
    """DISTANCE is selected, filtered and ordered by; where no place is known it is null."""
    bergen = "DISTANCE(ShippingAddress, GEOLOCATION(60.39, 5.32), 'km')"
    near = f"SELECT Id, {bergen} FROM Order WHERE {bergen} < 306 ORDER BY {bergen} DESC"
    records = found(engine, near)
    assert [record["Id"] for record in records] == [ORDERS[0]]
    assert records[0]["expr0"] == pytest.approx(305, abs=1)
    assert found(engine, near.replace("< 306", "< 304")) == []
    every = found(engine, f"SELECT {bergen} way FROM Order ORDER BY {bergen} NULLS FIRST")
    assert every[0]["way"] is None
    # A field has a name of its own and takes no number, an alias neither.
    mixed = f"SELECT FORMAT(EffectiveDate), FORMAT(EffectiveDate) day, {bergen} FROM Order LIMIT 1"
    assert set(found(engine, mixed)[0]) == {"EffectiveDate", "day", "expr0"}


@pytest.mark.parametrize(
    ("place", "known"),
    [
        ("GEOLOCATION(-90, 180)", True),
        ("GEOLOCATION(91, 180)", False),
        ("GEOLOCATION(90, -181)", False),
        ("GEOLOCATION(1, '2')", False),
        ("GEOLOCATION(1, Id)", False),
        ("GEOLOCATION(1)", False),
        ("CALENDAR_YEAR(EffectiveDate)", False),
    ],
)
def test_a_place_on_earth_has_two_numbers(engine: Engine, place: str, known: bool) -> None:
    """The poles and the date line are places too; whatever else is no place is refused."""
    text = f"SELECT DISTANCE(ShippingAddress, {place}, 'km') FROM Order"
    if known:
        assert len(found(engine, text)) == 2
        return
    with pytest.raises(QueryRefused):
        engine.query(text)


def test_the_distance_of_two_points() -> None:
    """A quarter of the way round a ball of radius 1 is half of pi; none without both points."""
    assert geo_distance(0, 0, 0, 90, 1.0) == pytest.approx(3.14159265 / 2)
    assert geo_distance(0, 0, 90, 45, 1.0) == pytest.approx(3.14159265 / 2)
    assert geo_distance(0, None, 0, 90, 1.0) is None
