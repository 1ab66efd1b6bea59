"""SOQL's answers by example, on five accounts and what belongs to them."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orgweave.soql.engine import Engine
from tests.soql_draw import draw_query
from tests.soql_reference import answer
from tests.soql_spell import spelled
from tests.soql_toys import CLOCK, Rows, ids, random_rows, toy_engine

USERS, ACCOUNTS, CASES, ORDERS, ITEMS = (
    ids("005", 2),
    ids("001", 5),
    ids("500", 6),
    ids("801", 3),
    ids("802", 4),
)
ROWS: Rows = {
    "User": [
        {"Id": USERS[0], "Name": "Ann", "Email": "ann@example.com", "IsActive": 1},
        {"Id": USERS[1], "Name": "Ben", "Email": "ben@example.com", "IsActive": 0},
    ],
    "Account": [
        {
            "Id": ACCOUNTS[0],
            "Name": "Alder",
            "OwnerId": USERS[0],
            "ShippingState": "CA",
            "Rating": "Warm",
            "Employees": 5,
            "CreditAmount": 0.1,
            "Since": "2023-03-14",
            "Tags__c": '["red", "blue"]',
        },
        {
            "Id": ACCOUNTS[1],
            "Name": "Bob's 100% Barn",
            "OwnerId": USERS[1],
            "ShippingState": "ca",
            "Rating": "Hot",
            "Employees": 7,
            "CreditAmount": 0.2,
            "Since": "2023-02-28",
            "Tags__c": '["green"]',
        },
        {
            "Id": ACCOUNTS[2],
            "Name": "Élan_1",
            "OwnerId": USERS[1],
            "ShippingState": None,
            "Rating": "Cold",
            "Employees": None,
            "CreditAmount": None,
            "Since": None,
            "Tags__c": "[]",
        },
        {
            "Id": ACCOUNTS[3],
            "Name": "back\\slash",
            "OwnerId": None,
            "ShippingState": "OR",
            "Rating": None,
            "Employees": 0,
            "CreditAmount": 10.0,
            "Since": "2022-12-31",
            "LinkIds": '["x", "y"]',
        },
        {
            "Id": ACCOUNTS[4],
            "Name": "two\nlines",
            "OwnerId": USERS[0],
            "ShippingState": "TX",
            "Rating": "Hot",
            "Employees": 5,
            "CreditAmount": 10.0,
            "Since": "2023-03-15",
            "CreatedDate": "2023-03-15T12:30:00.000+0000",
        },
    ],
    "Case": [
        {
            "Id": CASES[0],
            "AccountId": ACCOUNTS[0],
            "OwnerId": USERS[0],
            "Status": "New",
            "CreatedDate": "2023-03-15T12:30:00.000+0000",
            "IsClosed": 0,
        },
        {
            "Id": CASES[1],
            "AccountId": ACCOUNTS[0],
            "OwnerId": USERS[1],
            "Status": "Closed",
            "CreatedDate": "2023-03-15T12:30:01.000+0000",
            "ClosedDate": "2023-03-16T00:00:00.000+0000",
            "IsClosed": 1,
        },
        {
            "Id": CASES[2],
            "AccountId": ACCOUNTS[1],
            "OwnerId": USERS[1],
            "Status": "Working",
            "CreatedDate": "2023-02-28T23:59:59.000+0000",
            "IsClosed": 0,
        },
        {
            "Id": CASES[3],
            "AccountId": None,
            "OwnerId": USERS[1],
            "Status": "Closed",
            "CreatedDate": "2023-03-01T00:00:00.000+0000",
            "ClosedDate": "2023-03-02T00:00:00.000+0000",
            "IsClosed": 1,
        },
        {
            "Id": CASES[4],
            "AccountId": ACCOUNTS[4],
            "OwnerId": USERS[0],
            "Status": "New",
            "CreatedDate": "2022-01-01T00:00:00.000+0000",
            "IsClosed": 0,
        },
        {
            "Id": CASES[5],
            "AccountId": ACCOUNTS[3],
            "OwnerId": USERS[0],
            "Status": "New",
            "CreatedDate": "2021-12-31T23:59:59.000+0000",
            "IsClosed": 0,
        },
    ],
    "Order": [
        {
            "Id": one,
            "AccountId": ACCOUNTS[at // 2],
            "EffectiveDate": f"2023-0{at + 1}-10",
            "OwnerId": USERS[0],
        }
        for at, one in enumerate(ORDERS)
    ],
    "OrderItem": [
        {"Id": one, "OrderId": ORDERS[at // 2], "Quantity": at + 1, "UnitPrice": 0.1}
        for at, one in enumerate(ITEMS)
    ],
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine over the five accounts."""
    made = toy_engine(tmp_path_factory.mktemp("soql"), ROWS)
    yield made
    made.close()


def accounts(engine: Engine, where: str) -> list[int]:
    """Which of the five accounts a WHERE clause selects."""
    return [
        ACCOUNTS.index(str(one["Id"]))
        for one in engine.query(f"SELECT Id FROM Account WHERE {where}")
    ]


def cases(engine: Engine, where: str) -> list[int]:
    """Which of the six cases a WHERE clause selects."""
    return [
        CASES.index(str(one["Id"])) for one in engine.query(f"SELECT Id FROM Case WHERE {where}")
    ]


def test_a_record_has_rests_form(engine: Engine) -> None:
    """Attributes first, fields in the order asked for with their schema's names, parents nested or
    null, booleans and numbers as such.
    """
    text = (
        "select isclosed, ID, account.NAME, Account.Owner.Name, createddate, Account.CreditAmount"
        f" from case where Id IN ('{CASES[0]}','{CASES[3]}')"
    )
    url = "/services/data/v59.0/sobjects"
    assert engine.query(text).as_json() == {
        "totalSize": 2,
        "done": True,
        "records": [
            {
                "attributes": {"type": "Case", "url": f"{url}/Case/{CASES[0]}"},
                "IsClosed": False,
                "Id": CASES[0],
                "Account": {
                    "attributes": {"type": "Account", "url": f"{url}/Account/{ACCOUNTS[0]}"},
                    "Name": "Alder",
                    "Owner": {
                        "attributes": {"type": "User", "url": f"{url}/User/{USERS[0]}"},
                        "Name": "Ann",
                    },
                    "CreditAmount": 0.1,
                },
                "CreatedDate": "2023-03-15T12:30:00.000+0000",
            },
            {
                "attributes": {"type": "Case", "url": f"{url}/Case/{CASES[3]}"},
                "IsClosed": True,
                "Id": CASES[3],
                "Account": None,
                "CreatedDate": "2023-03-01T00:00:00.000+0000",
            },
        ],
    }
    assert list(engine.query(text).page()[0]) == [
        "attributes",
        "IsClosed",
        "Id",
        "Account",
        "CreatedDate",
    ]


def test_lists_in_fields_have_rests_form(engine: Engine) -> None:
    """A multi-select picklist is its values joined by semicolons, a list of ids a JSON list."""
    found = engine.query("SELECT Tags__c, LinkIds FROM Account ORDER BY Id").page()
    assert [one["Tags__c"] for one in found] == ["red;blue", "green", "", None, None]
    assert found[3]["LinkIds"] == ["x", "y"]


def test_count_gives_the_number_alone(engine: Engine) -> None:
    """COUNT() has a totalSize and no records; LIMIT bounds it."""
    assert engine.query("SELECT COUNT() FROM Case WHERE IsClosed = false").as_json() == {
        "totalSize": 4,
        "done": True,
        "records": [],
    }
    assert engine.query("SELECT COUNT() FROM Case LIMIT 2").total == 2


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("Name = 'ALDER'", [0]),
        ("Name = 'éLAN_1'", [2]),
        ("Name IN ('alder', 'élan_1')", [0, 2]),
        ("Name = 'Bob\\'s 100% Barn'", [1]),
        ("Name = 'back\\\\slash'", [3]),
        ("Name = 'two\\nlines'", [4]),
        ("Name = '\\u0041lder'", [0]),
        ("Name LIKE 'a%'", [0]),
        ("Name LIKE '%100\\%%'", [1]),
        ("Name LIKE '%\\_1'", [2]),
        ("Name LIKE '_lder'", [0]),
        ("Name LIKE 'ÉL%'", [2]),
        ("Name LIKE '%\\\\%'", [3]),
        ("Name > 'back'", [1, 2, 3, 4]),
        ("ShippingState = 'CA'", [0, 1]),
        ("ShippingState = ''", [2]),
        ("Tags__c INCLUDES ('red;blue', 'GREEN')", [0, 1]),
        ("Tags__c EXCLUDES ('red')", [1, 2, 3, 4]),
        ("Tags__c = 'blue;red'", [0]),
        ("CreditAmount = 10", [3, 4]),
        ("Employees >= 5 AND Employees < 7.5", [0, 1, 4]),
        ("(Rating = 'Hot' AND Employees = 5) OR Name = 'alder'", [0, 4]),
        ("IsDeleted = false AND Rating = 'cold'", [2]),
        ("Owner.IsActive = false", [1, 2, 3]),
        ("Owner.Name = null", [3]),
        ("Account.Name = 'Alder'", [0]),
    ],
)
def test_filters(engine: Engine, where: str, found: list[int]) -> None:
    """Texts compare in any case, LIKE has two wildcards, escapes mean their character, an empty
    text is null, a missing parent's boolean false.
    """
    assert accounts(engine, where) == found


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("ShippingState != 'CA'", [2, 3, 4]),
        ("ShippingState <> 'CA' AND ShippingState != null", [3, 4]),
        ("ShippingState NOT IN ('CA', 'OR')", [2, 4]),
        ("ShippingState NOT IN ('CA', null)", [3, 4]),
        ("NOT ShippingState LIKE 'c%'", [2, 3, 4]),
        ("NOT (Employees > 1)", [2, 3]),
        ("Employees = null", [2]),
        ("Employees < 1", [3]),
        ("NOT (Employees = null OR Rating = 'Hot')", [0, 3]),
        ("Owner.Name != 'Ann'", [1, 2, 3]),
    ],
)
def test_null_is_a_value_like_others(engine: Engine, where: str, found: list[int]) -> None:
    """`!=`, NOT IN and NOT hold for null too; an order comparison never does."""
    assert accounts(engine, where) == found


def test_a_booleans_null_is_false(engine: Engine) -> None:
    """`= null` on a boolean means false, `!= null` true."""
    assert cases(engine, "IsClosed = null") == cases(engine, "IsClosed = false") == [0, 2, 4, 5]
    assert cases(engine, "IsClosed != null") == [1, 3]


def test_ids_match_with_15_or_18_characters(engine: Engine) -> None:
    """An id is found by 15 characters, by 18, and by 18 in another case, for the check characters
    tell it.
    """
    for spelling in (ACCOUNTS[2], ACCOUNTS[2][:15], ACCOUNTS[2].lower(), ACCOUNTS[2].upper()):
        assert accounts(engine, f"Id = '{spelling}'") == [2]
    assert cases(engine, f"AccountId IN ('{ACCOUNTS[0][:15]}')") == [0, 1]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("CreatedDate = 2023-03-15T12:30:00Z", [0]),
        ("CreatedDate = 2023-03-15T14:30:00+02:00", [0]),
        ("CreatedDate = 2023-03-15T12:30:00.000+0000", [0]),
        ("CreatedDate > 2023-03-15T12:30:00.500Z", [1]),
        ("CreatedDate = TODAY", [0, 1]),
        ("CreatedDate = LAST_N_DAYS:1", [0]),
        ("CreatedDate = LAST_N_DAYS:000001", [0]),
        ("CreatedDate = LAST_MONTH", [2]),
        ("CreatedDate > LAST_MONTH", [0, 1, 3]),
        ("CreatedDate <= LAST_MONTH", [2, 4, 5]),
        ("CreatedDate != THIS_YEAR", [4, 5]),
        ("CreatedDate = LAST_N_MONTHS:2", [2]),
        ("CreatedDate = THIS_QUARTER", [0, 1, 2, 3]),
        ("CreatedDate = N_YEARS_AGO:2", [5]),
        ("CreatedDate = LAST_FISCAL_YEAR", [4]),
        ("CreatedDate >= last_n_quarters:4", [0, 1, 2, 3, 4]),
        ("CreatedDate IN (TODAY, 2022-01-01T00:00:00Z)", [0, 1, 4]),
        ("ClosedDate = TOMORROW", [1]),
        ("ClosedDate = null AND CreatedDate < 2022-01-01T00:00:00Z", [5]),
        (
            "CALENDAR_MONTH(CreatedDate) = 3 AND HOUR_IN_DAY(convertTimezone(CreatedDate)) = 12",
            [0, 1],
        ),
        ("DAY_ONLY(CreatedDate) = 2023-02-28", [2]),
        ("DAY_IN_WEEK(CreatedDate) = 4", [0, 1, 3]),
    ],
)
def test_dates_and_moments(engine: Engine, where: str, found: list[int]) -> None:
    """Datetimes compare as instants; relative dates are ranges around the clock, of which
    LAST_N_DAYS ends with the current second.
    """
    assert cases(engine, where) == found


def test_weeks_begin_on_sunday(tmp_path: Path) -> None:
    """The week of Wednesday 15 March 2023 is the 12th up to the 18th."""
    days = {
        f"2023-03-{day:02d}": one for day, one in zip(range(10, 21), ids("801", 11), strict=True)
    }
    rows: Rows = {"Order": [{"Id": one, "EffectiveDate": day} for day, one in days.items()]}
    engine = toy_engine(tmp_path, rows)
    assert [
        one["EffectiveDate"]
        for one in engine.query("SELECT EffectiveDate FROM Order WHERE EffectiveDate = THIS_WEEK")
    ] == [f"2023-03-{day}" for day in range(12, 19)]
    assert [
        one["EffectiveDate"]
        for one in engine.query(
            "SELECT EffectiveDate FROM Order WHERE EffectiveDate = LAST_N_DAYS:2"
        )
    ] == ["2023-03-13", "2023-03-14", "2023-03-15"]
    engine.close()


def test_the_clock_may_be_in_any_zone(tmp_path: Path) -> None:
    """TODAY is the clock's day in UTC; a naive clock is in UTC."""
    rows: Rows = {"Order": [{"Id": ids("801", 1)[0], "EffectiveDate": "2023-03-16"}]}
    for clock in (
        datetime.fromisoformat("2023-03-15T20:00:00-08:00"),
        datetime(2023, 3, 16, 4, tzinfo=UTC),
        datetime(2023, 3, 16, 4),
    ):
        folder = tmp_path / clock.isoformat().replace(":", "")
        folder.mkdir()
        engine = toy_engine(folder, rows, clock)
        assert engine.query("SELECT COUNT() FROM Order WHERE EffectiveDate = TODAY").total == 1
        engine.close()


def test_order_and_paging(engine: Engine) -> None:
    """Nulls come first by default, texts sort in any case, picklists in their own order, ties by
    Id; LIMIT and OFFSET cut.
    """

    def order(clause: str) -> list[int]:
        return [
            ACCOUNTS.index(str(one["Id"]))
            for one in engine.query(f"SELECT Id FROM Account ORDER BY {clause}")
        ]

    assert order("Employees") == [2, 3, 0, 4, 1]
    assert order("Employees DESC") == [2, 1, 0, 4, 3]
    assert order("Employees DESC NULLS LAST") == [1, 0, 4, 3, 2]
    assert order("Rating, Name DESC") == [3, 4, 1, 0, 2]
    assert order("Name") == [0, 3, 1, 2, 4]
    assert order("Owner.Name NULLS LAST LIMIT 2 OFFSET 1") == [4, 1]


def test_texts_are_ordered_by_their_letters(tmp_path: Path) -> None:
    """Accents stand near their letters, case decides nothing, and nulls come first."""
    names = ["Zoe", "Ärmel", "arm", None, "Armut", "Øre", "Éclair", "eclair", "Straße", "strasse"]
    keys = ids("001", len(names))
    records = [{"Id": key, "Name": name} for key, name in zip(keys, names, strict=True)]
    engine = toy_engine(tmp_path, {"Account": records})
    ordered = [record["Name"] for record in engine.query("SELECT Name FROM Account ORDER BY Name")]
    assert ordered == [
        *(None, "arm", "Ärmel", "Armut", "eclair", "Éclair", "Øre"),
        *("strasse", "Straße", "Zoe"),
    ]
    rest = "SELECT Name FROM Account WHERE Name > 'Éclair' ORDER BY Name"
    assert [record["Name"] for record in engine.query(rest)] == ordered[6:]
    (ends,) = engine.query("SELECT MIN(Name) low, MAX(Name) high FROM Account")
    assert (ends["low"], ends["high"]) == ("arm", "Zoe")
    engine.close()


def test_pages_are_parts_of_the_whole(engine: Engine) -> None:
    """A result is paged through without asking again."""
    result = engine.query("SELECT Id, (SELECT Id FROM Cases) FROM Account")
    assert result.total == len(result) == 5
    assert (
        result.page(0, 2) + result.page(2, 2) + result.page(4, 2) == list(result) == result.page()
    )


def test_children_are_nested(engine: Engine) -> None:
    """A child subquery gives each parent its children in order, at most LIMIT of them, null where
    there are none; also two levels down.
    """
    children = (
        "(SELECT Status FROM Cases ORDER BY CreatedDate DESC LIMIT 1), (SELECT Id, (SELECT Quantity"
        " FROM OrderItems WHERE Quantity > 1) FROM Orders)"
    )
    text = f"SELECT Name, {children} FROM Account WHERE Name IN ('Alder', 'two\\nlines')"
    first, second = engine.query(text).page()
    assert [one["Status"] for one in first["Cases"]["records"]] == ["Closed"]  # type: ignore[index]
    assert first["Cases"]["totalSize"] == 1  # type: ignore[index]
    assert [
        [item["Quantity"] for item in one["OrderItems"]["records"]]
        for one in first["Orders"]["records"]
    ] == [
        [2],
        [3, 4],
    ]  # type: ignore[index]
    assert second["Orders"] is None


def test_semi_joins_and_anti_joins(engine: Engine) -> None:
    """IN and NOT IN take a subquery of an id or a reference; nulls that it finds match nothing."""
    assert accounts(engine, "Id IN (SELECT AccountId FROM Case WHERE IsClosed = true)") == [0]
    assert accounts(engine, "Id NOT IN (SELECT AccountId FROM Case)") == [2]
    assert cases(
        engine,
        "AccountId IN (SELECT Id FROM Account WHERE Owner.Name = 'Ann') AND AccountId NOT IN"
        " (SELECT AccountId FROM Order)",
    ) == [4]


def test_groups(engine: Engine) -> None:
    """Groups have the keys' names or aliases, aggregates theirs or expr0 …; texts in any case are
    one group; groups come in the keys' order.
    """
    text = (
        "SELECT ShippingState, COUNT(Id), SUM(CreditAmount) total, MAX(Employees),"
        " COUNT_DISTINCT(Rating) FROM Account GROUP BY ShippingState ORDER BY COUNT(Id) DESC"
    )
    found = engine.query(text).page()
    assert found[0] == {
        "attributes": {"type": "AggregateResult"},
        "ShippingState": "CA",
        "expr0": 2,
        "total": 0.3,
        "expr1": 7,
        "expr2": 2,
    }
    assert [one["ShippingState"] for one in found] == ["CA", None, "OR", "TX"]
    assert [
        one["Name"] for one in engine.query("SELECT Owner.Name FROM Account GROUP BY Owner.Name")
    ] == [None, "Ann", "Ben"]


def test_having_filters_groups(engine: Engine) -> None:
    """HAVING takes aggregates and keys."""
    text = (
        "SELECT Status s, COUNT(Id) n FROM Case GROUP BY Status HAVING COUNT(Id) > 1 AND (NOT"
        " Status = 'new')"
    )
    assert [(one["s"], one["n"]) for one in engine.query(text)] == [("Closed", 2)]


def test_aggregates_ignore_null_and_add_exactly(engine: Engine) -> None:
    """Nulls don't count; 0.1 added up has no binary remainder; nothing adds up to null; a
    picklist's least is the first of its list.
    """
    assert engine.query(
        "SELECT COUNT(Employees), AVG(Employees), MIN(Rating), MAX(Since) FROM Account"
    ).page()[0] == {
        "attributes": {"type": "AggregateResult"},
        "expr0": 4,
        "expr1": 4.25,
        "expr2": "Hot",
        "expr3": "2023-03-15",
    }
    assert (
        engine.query("SELECT SUM(UnitPrice) FROM OrderItem WHERE Quantity < 4").page()[0]["expr0"]
        == 0.3
    )
    assert engine.query(
        "SELECT SUM(UnitPrice), COUNT(Id) FROM OrderItem WHERE Quantity < 0"
    ).page() == [{"attributes": {"type": "AggregateResult"}, "expr0": None, "expr1": 0}]


def test_date_functions_group(engine: Engine) -> None:
    """A date function groups and is returned as exprN; a date that is grouped by may be cut
    further.
    """
    found = engine.query(
        "SELECT CALENDAR_YEAR(CreatedDate), CALENDAR_MONTH(CreatedDate) m, COUNT(Id) n FROM Case"
        " GROUP BY CALENDAR_YEAR(CreatedDate), CALENDAR_MONTH(CreatedDate)"
    ).page()
    assert [(one["expr0"], one["m"], one["n"]) for one in found] == [
        (2021, 12, 1),
        (2022, 1, 1),
        (2023, 2, 1),
        (2023, 3, 3),
    ]
    assert [
        one["q"]
        for one in engine.query("SELECT CALENDAR_QUARTER(Since) q FROM Account GROUP BY Since")
    ] == [None, 4, 1, 1, 1]


def test_fields_expand(engine: Engine) -> None:
    """FIELDS(ALL) with a LIMIT, FIELDS(STANDARD) and FIELDS(CUSTOM) stand for the schema's
    fields.
    """
    custom = engine.query("SELECT FIELDS(CUSTOM) FROM Account LIMIT 200").page()[0]
    assert set(custom) == {"attributes", "Number__c", "Score__c", "Tags__c"}
    standard = engine.query("SELECT FIELDS(STANDARD), Score__c FROM Account").page()[0]
    assert "IsDeleted" in standard
    assert set(engine.query("SELECT FIELDS(ALL) FROM Account LIMIT 1").page()[0]) == set(
        custom
    ) | set(standard)


def test_typeof_takes_the_branch_of_the_owner(engine: Engine) -> None:
    """TYPEOF of a polymorphic relationship gives the fields of its type's branch, ELSE's otherwise;
    `.Type` names the type.
    """
    text = (
        "SELECT TYPEOF Owner WHEN User THEN Name, Email WHEN Group THEN Id ELSE Id END FROM Case"
        " LIMIT 1"
    )
    owner = engine.query(text).page()[0]["Owner"]
    assert {name: value for name, value in owner.items() if name != "attributes"} == {
        "Name": "Ann",
        "Email": "ann@example.com",
    }  # type: ignore[attr-defined]
    assert engine.query("SELECT COUNT() FROM Case WHERE Owner.Type = 'User'").total == 6


@pytest.mark.parametrize(
    "text",
    [
        "SELECT Id FROM Case USING SCOPE everything WHERE IsClosed = true",
        "SELECT Id FROM Case WHERE IsClosed = true WITH SECURITY_ENFORCED",
        "SELECT Id FROM Case WHERE IsClosed = true WITH USER_MODE FOR VIEW",
        "SELECT Id FROM Case WHERE IsClosed = true FOR REFERENCE",
        "SELECT Id FROM Case WHERE IsClosed = true FOR UPDATE",
        "SELECT Id FROM Case WHERE IsClosed = true ALL ROWS",
        "SELECT c.Id FROM Case c WHERE c.IsClosed = true AND Case.IsDeleted = false",
        "\n\tSELECT\n Id\r\nFROM Case\nWHERE (((IsClosed=true)))\n",
    ],
)
def test_clauses_that_change_nothing(engine: Engine, text: str) -> None:
    """Scopes, modes and purposes are taken and change nothing, nor do aliases, white space and
    parentheses.
    """
    assert (
        engine.query(text).page()
        == engine.query("SELECT Id FROM Case WHERE IsClosed = true", all_rows=True).page()
    )


@pytest.fixture(scope="module")
def random_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Rows]]:
    """An engine over records drawn at random, and the records."""
    rows = random_rows(7)
    made = toy_engine(tmp_path_factory.mktemp("random"), rows)
    yield made, rows
    made.close()


def stripped(value: object) -> object:
    """Without attributes."""
    if isinstance(value, dict):
        return {name: stripped(one) for name, one in value.items() if name != "attributes"}
    return [stripped(one) for one in value] if isinstance(value, list) else value


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rng=st.randoms(use_true_random=False))
def test_random_queries_are_answered_as_by_hand(
    random_engine: tuple[Engine, Rows], rng: object
) -> None:
    """A random query over every clause, operator, function and date literal has the answer that
    plain Python finds in the records.
    """
    engine, rows = random_engine
    query = draw_query(rng, rows)  # type: ignore[arg-type]
    result = engine.query(spelled(query))
    assert (result.total if query["kind"] == "count" else stripped(result.page())) == answer(
        query,
        rows,
        CLOCK,
    )


def test_what_the_filter_needs_is_joined_first(tmp_path: Path) -> None:
    """The parents that decide which rows pass, and those on the way to them, come before others."""
    engine = toy_engine(tmp_path, random_rows(3))
    found = engine.query("SELECT ItemId__r.Quantity FROM Case WHERE Account.Owner.IsActive = true")
    joined = re.findall(r'JOIN "(\w+)"', found.plan.sql.text)
    assert joined == ["Account", "User", "OrderItem"]
    assert found.page()
