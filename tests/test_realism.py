"""Statistics beside the bands of real orgs: what is measured, by whose band, and what is told."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from schemas.errors import SchemaError
from schemas.loader import load_schema
from schemas.measuring_sql import register_measures
from schemas.model import Schema
from schemas.profile import companies_folder
from schemas.proofs import Statistic
from tests.toys import write_object
from verifiers.realism import MeasuredStatistic, measure_realism, share_inside


def statistic(measure: str, band: tuple[float, float] = (0, 1), name: str = "share") -> Statistic:
    """A statistic on toys."""
    return Statistic(name, "Toys", "a figure of toys", measure, band, "practice")


def measured(
    *statistics: Statistic, bands: dict[str, tuple[float, float] | None] | None = None
) -> tuple[MeasuredStatistic, ...]:
    """The statistics of an org of four toys, which cost 1, 2, 3 and 10 dollars."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE Toy (Price, Kind)")
        rows = [(1, "soft"), (2, "soft"), (3, "hard"), (10, "hard"), (None, None)]
        db.executemany("INSERT INTO Toy VALUES (?, ?)", rows)
        db.commit()
        schema = Schema("toys", (), statistics=statistics)
        return tuple(measure_realism(db, schema, bands or {}))


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("SELECT median(Price) FROM Toy", 2.5),
        ("SELECT percentile(Price, 1.0) FROM Toy", 10.0),
        ("SELECT deviation(Price) FROM Toy", 4.0825),
        ("SELECT skewness(Price) FROM Toy", 1.0182),
        ("SELECT correlation(Price, 2 * Price + 1) FROM Toy", 1.0),
        ("SELECT association(Kind, Kind) FROM Toy", 1.0),
        ("SELECT explained(Kind, Price) FROM Toy", 0.5),
        ("SELECT gini(Price) FROM Toy", 0.4375),
        ("SELECT top_share(Price, 0.25) FROM Toy", 0.625),
        ("SELECT natural_log(1)", 0.0),
        ("SELECT local_hour('2021-07-01T12:30:00.000+0000', 'America/New_York')", 8.5),
    ],
)
def test_each_measure_is_what_it_is_called(query: str, value: float) -> None:
    """The measures leave empty values out and give the figure that statisticians mean by them."""
    with closing(sqlite3.connect(":memory:")) as db:
        register_measures(db)
        db.execute("CREATE TABLE Toy (Price, Kind)")
        rows = [(1, "soft"), (2, "soft"), (3, "hard"), (10, "hard"), (None, None)]
        db.executemany("INSERT INTO Toy VALUES (?, ?)", rows)
        assert db.execute(query).fetchone()[0] == pytest.approx(value, abs=1e-3)


def test_sentences_recur_where_several_texts_have_them() -> None:
    """A sentence counts once a text, and one of three words or fewer not at all."""
    texts = (
        "It holds a liter. It is made of steel in Ohio.",
        "It is made of steel in Ohio. It is blue and light. It is blue and light.",
    )
    with closing(sqlite3.connect(":memory:")) as db:
        register_measures(db)
        db.execute("CREATE TABLE Toy (Text)")
        db.executemany("INSERT INTO Toy VALUES (?)", [(text,) for text in texts])
        share = db.execute("SELECT recurring(Text) FROM Toy").fetchone()[0]
    assert share == pytest.approx(2 / 4)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT median(Price) FROM Toy",
        "SELECT deviation(Price) FROM Toy",
        "SELECT correlation(Price, Price) FROM Toy",
        "SELECT association(Price, Price) FROM Toy",
        "SELECT gini(0) FROM Toy",
        "SELECT natural_log(0)",
        "SELECT local_hour(NULL, 'UTC')",
    ],
)
def test_nothing_to_measure_is_null(query: str) -> None:
    """Where there are no rows, or no spread, a measure is empty instead of an error."""
    with closing(sqlite3.connect(":memory:")) as db:
        register_measures(db)
        db.execute("CREATE TABLE Toy (Price, Kind)")
        assert db.execute(query).fetchone()[0] is None


def test_a_value_on_a_bound_is_inside() -> None:
    """Both bounds belong to the band."""
    found = measured(
        statistic("SELECT max(Price) FROM Toy", (1, 10), "top"),
        statistic("SELECT min(Price) FROM Toy", (1, 10), "bottom"),
        statistic("SELECT min(Price) FROM Toy", (2, 10), "below"),
        statistic("SELECT max(Price) FROM Toy", (1, 9), "above"),
    )
    assert [item.inside for item in found] == [True, True, False, False]
    assert share_inside(found) == 0.5


def test_a_trade_may_have_a_band_of_its_own_or_none() -> None:
    """A trade's band goes before the schema's; None leaves the statistic out."""
    dear = statistic("SELECT max(Price) FROM Toy", (0, 5), "dear")
    odd = statistic("SELECT min(Price) FROM Toy", (0, 5), "odd")
    (found,) = measured(dear, odd, bands={"dear": (5, 20), "odd": None})
    assert (found.name, found.inside, found.band) == ("dear", True, (5, 20))


def test_a_statistic_without_a_value_is_left_out() -> None:
    """What an org has no records for is neither in nor out."""
    assert measured(statistic("SELECT avg(Price) FROM Toy WHERE Price > 99")) == ()
    assert share_inside(()) == 1.0


def test_a_statistic_that_fails_is_out_and_says_why() -> None:
    """A damaged org, or a query that runs into an error, is told and counts as out."""
    (found,) = measured(statistic("SELECT max(Price) FROM Missing"))
    assert not found.inside
    assert "no such table" in found.fault


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"band": [2, 1]}, "swap them"),
        ({"measure": "DROP TABLE Toy"}, "is no query"),
        ({"measure": "SELECT Nmae FROM Toy"}, "no such column"),
        ({"band": None}, "band"),
    ],
)
def test_a_wrong_statistic_is_told_when_the_schema_is_read(
    tmp_path: Path,
    changes: dict[str, object],
    told: str,
) -> None:
    """A statistic's query and band are checked before anything is drawn."""
    write_object(tmp_path, "Toy")
    stated = {
        "name": "share",
        "topic": "Toys",
        "says": "a figure",
        "measure": "SELECT count(*) FROM Toy",
        "band": [0, 1],
        "source": "practice",
    }
    text = json.dumps({"statistics": [{**stated, **changes}]})
    (tmp_path / "_realism.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError, match=told):
        load_schema(tmp_path)


def test_the_crm_has_the_statistics_of_an_audit() -> None:
    """The shipped schema measures customers, prices, contacts and service, each with a source."""
    schema = load_schema(companies_folder().parent / "service_cloud")
    topics = {statistic.topic for statistic in schema.statistics}
    assert {"Customers", "Goods and prices", "Contacts", "Service"} <= topics
    assert all(statistic.source for statistic in schema.statistics)
