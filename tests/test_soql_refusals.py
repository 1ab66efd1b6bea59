"""What the query engine refuses, with which code; and that no text makes it crash, hang, or say
something that isn't so.
"""

import random
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orgweave.soql.engine import Engine
from orgweave.soql.nodes import AROUND, LONGEST_MESSAGE, QueryText, point
from schemas.errors import BadInput, OrgweaveError, QueryRefused, StorageFailed
from schemas.loader import load_schema
from tests.soql_mutate import broken_query
from tests.soql_toys import CLOCK, ids, random_rows, toy_engine, toy_schema, write_toys
from tests.toys import write_object

ROWS = random_rows(3)
REFUSALS = {
    "MALFORMED_QUERY": [
        "",
        "   ",
        "SELECT",
        "SELECT FROM Case",
        "SELECT Id Case",
        "SELECT * FROM Case",
        "SELECT COUNT(*) FROM Case",
        "SELECT Id, FROM Case",
        "SELECT Id FROM Case;",
        "SELECT DISTINCT Status FROM Case",
        "SELECT Id AS x FROM Case",
        "SELECT Id x FROM Case",
        "SELECT COUNT(Id) AS n FROM Case",
        "SELECT Hours + 1 FROM Case",
        "SELECT Id FROM Case JOIN Account ON AccountId = Id",
        "SELECT Id FROM Case WHERE",
        "SELECT Id FROM Case WHERE Subject",
        "SELECT Id FROM Case WHERE Subject = abc",
        'SELECT Id FROM Case WHERE Subject = "abc"',
        "SELECT Id FROM Case WHERE Subject = 'abc",
        "SELECT Id FROM Case WHERE Subject = 'a\\qb'",
        "SELECT Id FROM Case WHERE Subject = 'a\\_b'",
        "SELECT Id FROM Case WHERE Subject = '\\ud800'",
        "SELECT Id FROM Case WHERE Subject == 'a'",
        "SELECT Id FROM Case WHERE Subject IS NULL",
        "SELECT Id FROM Case WHERE Subject NOT LIKE 'a'",
        "SELECT Id FROM Case WHERE Subject IN ()",
        "SELECT Id FROM Case WHERE Subject IN ('a', )",
        "SELECT Id FROM Case WHERE Subject IN ['a']",
        "SELECT Id FROM Case WHERE Subject = :name",
        "SELECT Id FROM Case WHERE Hours BETWEEN 1 AND 2",
        "SELECT Id FROM Case WHERE Hours = 1 AND IsClosed = true OR Hours = 2",
        "SELECT Id FROM Case WHERE Hours = 1 AND NOT IsClosed = true",
        "SELECT Id FROM Case WHERE NOT Hours = 1 AND IsClosed = true",
        "SELECT Id FROM Case WHERE COUNT(Id) > 1",
        "SELECT Id FROM Case WHERE CreatedDate > 2023-01-01T00:00:00",
        "SELECT Id FROM Case WHERE CreatedDate > 2023-02-30T00:00:00Z",
        "SELECT Id FROM Case WHERE CreatedDate > 2023-01-01T00:00:00+14:01",
        "SELECT Id FROM Case WHERE CreatedDate > 2023-01-01T00:00:00-14:01",
        "SELECT Id FROM Case WHERE CreatedDate > 1699-01-01T00:00:00Z",
        "SELECT Id FROM Case WHERE CreatedDate = LAST_N_DAYS",
        "SELECT Id FROM Case WHERE CreatedDate = TODAY:3",
        "SELECT Id FROM Case WHERE CreatedDate = LAST_N_DAYS:0",
        "SELECT Id FROM Case WHERE CreatedDate = LAST_N_DAYS:1000000",
        "SELECT Id FROM Case WHERE Subject = '" + "a" * 4001 + "'",
        "SELECT Id FROM Case".ljust(100_001),
        "SELECT Id FROM Case WHERE CALENDAR_YEAR(Subject) = 2023",
        "SELECT Id FROM Order WHERE HOUR_IN_DAY(EffectiveDate) = 3",
        "SELECT Id FROM Case WHERE UPPER(Subject) = 'A'",
        "SELECT Id FROM Case ORDER BY COUNT(Id)",
        "SELECT Id FROM Case LIMIT -1",
        "SELECT Id FROM Case LIMIT 1.5",
        "SELECT Id FROM Case LIMIT ten",
        "SELECT Id FROM Case WITH DATA CATEGORY a__c BESIDE b__c",
        "SELECT Id FROM Case WITH DATA CATEGORY a__c AT",
        "SELECT Id FROM Case WITH SOMETHING",
        "SELECT COUNT(), Id FROM Case",
        "SELECT OwnerId, COUNT() FROM Case GROUP BY OwnerId",
        "SELECT COUNT() FROM Case ORDER BY Id",
        "SELECT Name, COUNT(Id) FROM Account",
        "SELECT Subject, COUNT(Id) FROM Case GROUP BY Status",
        "SELECT COUNT(Id) n, MAX(Hours) n FROM Case",
        "SELECT Account.Name, Owner.Name FROM Case GROUP BY Account.Name, Owner.Name",
        "SELECT COUNT(Id) FROM Case LIMIT 5",
        "SELECT COUNT(Id) FROM Case ORDER BY COUNT(Id)",
        "SELECT COUNT(Id) FROM Case HAVING COUNT(Id) > 1",
        "SELECT COUNT(Status) FROM Case GROUP BY Status",
        "SELECT Status FROM Case GROUP BY Status, Status",
        "SELECT Status FROM Case GROUP BY Status HAVING Subject = 'a'",
        "SELECT Status FROM Case GROUP BY Status HAVING Status IN (SELECT Id FROM User)",
        "SELECT Status FROM Case GROUP BY COUNT(Id)",
        "SELECT SUM(Subject) FROM Case",
        "SELECT COUNT(IsClosed) FROM Case",
        "SELECT MAX(Description) FROM Account",
        "SELECT CALENDAR_YEAR(CreatedDate) FROM Case",
        "SELECT FORMAT(Subject) FROM Case",
        "SELECT FORMAT(FORMAT(CreatedDate)) FROM Case",
        "SELECT FORMAT(CreatedDate, CreatedDate) FROM Case",
        "SELECT FORMAT('a') FROM Case",
        "SELECT toLabel(Hours) FROM Case",
        "SELECT convertCurrency(Hours) FROM Case",
        "SELECT Id FROM Account WHERE FORMAT(CreditAmount) = '$1.00'",
        "SELECT Id FROM Account WHERE convertCurrency(CreditAmount) > 1",
        "SELECT Id FROM Account ORDER BY toLabel(Rating)",
        "SELECT COUNT(Id) FROM Account GROUP BY toLabel(Rating)",
        "SELECT DISTANCE(Name, GEOLOCATION(1, 2), 'mi') FROM Account",
        "SELECT GEOLOCATION(1, 2) FROM Account",
        "SELECT GROUPING(Status) FROM Case GROUP BY Status",
        "SELECT Status, GROUPING(Hours) FROM Case GROUP BY CUBE(Status)",
        "SELECT COUNT(Id) FROM Case GROUP BY CUBE(Status), Hours",
        "SELECT COUNT(Id) FROM Case GROUP BY ROLLUP(Status, Hours, IsClosed, OwnerId)",
        "SELECT COUNT(Id) FROM Case GROUP BY ROLLUP()",
        "SELECT COUNT(Id) FROM Case GROUP BY ROLLUP('a')",
        "SELECT COUNT(Id) FROM Case GROUP BY ROLLUP(CUBE(Status))",
        "SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Case USING SCOPE mine)",
        "SELECT Id FROM Case c, c.Account",
        "SELECT convertTimezone(CreatedDate) FROM Case",
        "SELECT FIELDS(ALL) FROM Case",
        "SELECT FIELDS(ALL) FROM Case LIMIT 201",
        "SELECT FIELDS(CUSTOM) FROM User LIMIT 1",
        "SELECT FIELDS(SOME) FROM Case LIMIT 1",
        "SELECT Rating, (SELECT Id FROM Cases) FROM Account GROUP BY Rating",
        "SELECT Id, (SELECT COUNT() FROM Cases) FROM Account",
        "SELECT Id, (SELECT Id FROM Cases OFFSET 1) FROM Account",
        "SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Case) OR Name = 'a'",
        "SELECT Id FROM Account WHERE NOT Id IN (SELECT AccountId FROM Case)",
        (
            "SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Case WHERE AccountId IN"
            " (SELECT AccountId FROM Order))"
        ),
        (
            "SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Case) AND Id IN (SELECT"
            " AccountId FROM Order) AND OwnerId IN (SELECT Id FROM User)"
        ),
        "SELECT Id FROM Account WHERE Id IN (SELECT Id FROM Account)",
        "SELECT Id FROM Account WHERE Id IN (SELECT AccountId, Id FROM Case)",
        "SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Case LIMIT 1)",
        "SELECT Id FROM Account WHERE Id IN (SELECT OwnerId FROM Case)",
    ],
    "INVALID_FIELD": [
        "SELECT Foo FROM Case",
        "SELECT Foo.Name FROM Case",
        "SELECT Account__r.Name FROM Case",
        "SELECT Account.Foo FROM Case",
        "SELECT Id FROM Case WHERE Foo = 1",
        "SELECT Id FROM Case ORDER BY Foo",
        "SELECT Id, id FROM Case",
        "SELECT LastModifiedDate FROM Case",
        "SELECT rowid FROM Case",
        "SELECT Id FROM Case WHERE Subject = 5",
        "SELECT Id FROM Case WHERE Subject = true",
        "SELECT Id FROM Case WHERE Hours = '5'",
        "SELECT Id FROM Case WHERE IsClosed = 'true'",
        "SELECT Id FROM Case WHERE IsClosed = 1",
        "SELECT Id FROM Case WHERE CreatedDate > 2023-01-01",
        "SELECT Id FROM Case WHERE CreatedDate > '2023-01-01T00:00:00Z'",
        "SELECT Id FROM Order WHERE EffectiveDate > 2023-01-01T00:00:00Z",
        "SELECT Id FROM Case WHERE CALENDAR_YEAR(CreatedDate) = THIS_YEAR",
        "SELECT Id FROM Case WHERE CreatedDate > LAST_N_YEARS:9999",
        "SELECT Id FROM Case WHERE CreatedDate > LAST_N_YEARS:324",
        "SELECT Id FROM Case WHERE CreatedDate > NEXT_N_YEARS:1978",
        "SELECT Id FROM Account WHERE Description LIKE '%a%'",
        "SELECT Id FROM Account WHERE LinkIds = 'a'",
        "SELECT Id FROM Account ORDER BY Description",
        "SELECT COUNT(Id) FROM Account GROUP BY Description",
        "SELECT COUNT(Id) FROM Account GROUP BY CreatedDate",
        "SELECT COUNT(Id) FROM Account GROUP BY CreditAmount",
        "SELECT COUNT(Id) FROM Account GROUP BY Number__c",
        "SELECT Status s, COUNT(Id) n FROM Case GROUP BY s",
        "SELECT Status, COUNT(Id) n FROM Case GROUP BY Status ORDER BY n",
        "SELECT Status, COUNT(Id) n FROM Case GROUP BY Status HAVING n > 1",
        "SELECT Id FROM Case WHERE Account.Id IN (SELECT Id FROM Account)",
        "SELECT Id FROM Case WHERE Subject IN (SELECT Id FROM Account)",
        "SELECT Id FROM Account WHERE Id IN (SELECT Account.Id FROM Case)",
        "SELECT TYPEOF Account WHEN Account THEN Name END FROM Case",
    ],
    "INVALID_TYPE": [
        "SELECT Id FROM Caze",
        "SELECT Id FROM sqlite_master",
        "SELECT Id, (SELECT Id FROM Case) FROM Account",
        "SELECT Id FROM Account WHERE Id IN (SELECT Id FROM Foo)",
        "SELECT TYPEOF Owner WHEN Case THEN Id END FROM Case",
    ],
    "INVALID_QUERY_FILTER_OPERATOR": [
        "SELECT Id FROM Case WHERE Id LIKE '500%'",
        "SELECT Id FROM Case WHERE Id = 'abc'",
        "SELECT Id FROM Case WHERE AccountId = '001zz0000000001AAB'",
        "SELECT Id FROM Case WHERE CreatedDate LIKE '2023%'",
        "SELECT Id FROM Case WHERE IsClosed > false",
        "SELECT Id FROM Case WHERE Status INCLUDES ('New')",
        "SELECT Id FROM Account WHERE Tags__c LIKE 'r%'",
        "SELECT Id FROM Case WHERE Hours > null",
        "SELECT Id FROM Case WHERE Subject LIKE null",
    ],
    "NUMBER_OUTSIDE_VALID_RANGE": [
        "SELECT Id FROM Case OFFSET 2001",
        "SELECT Id FROM Case LIMIT 99999999999",
        "SELECT Id FROM Case LIMIT 2147483648",
        "SELECT Id FROM Case LIMIT 0000000000005",
        "SELECT Id FROM Case WHERE Hours > 99999999999999999999",
        "SELECT Id FROM Case WHERE Hours > 1000000000000000000",
    ],
    "INVALID_QUERY_SCOPE": [
        "SELECT Id FROM Case USING SCOPE my_territory",
        "SELECT Id FROM Case USING SCOPE ours",
        "SELECT Id FROM OrderItem USING SCOPE mine",
    ],
    "FUNCTIONALITY_NOT_ENABLED": [
        "SELECT Id FROM Case WITH DATA CATEGORY a__c AT b__c",
        (
            "SELECT Id FROM Case WHERE Hours = 1 WITH DATA CATEGORY a__c ABOVE_OR_BELOW (b__c,"
            " c__c) AND d__c BELOW e__c ORDER BY Id LIMIT 1"
        ),
    ],
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine over random records."""
    made = toy_engine(tmp_path_factory.mktemp("refusals"), ROWS)
    yield made
    made.close()


def refused(engine: Engine, text: str) -> QueryRefused:
    """The refusal of a text."""
    with pytest.raises(QueryRefused) as caught:
        engine.query(text)
    return caught.value


@pytest.mark.parametrize(
    ("code", "text"), [(code, text) for code, texts in REFUSALS.items() for text in texts]
)
def test_refusals_have_the_crms_code(engine: Engine, code: str, text: str) -> None:
    """What isn't SOQL, what the schema hasn't, and what the types don't allow is refused with the
    CRM's errorCode.
    """
    assert refused(engine, text).code == code


@pytest.mark.parametrize(
    "text",
    [
        "SELECT Id FROM Case".ljust(100_000),
        "SELECT Id FROM Case WHERE Subject = '" + "a" * 4000 + "'",
        "SELECT Id FROM Case WHERE Hours < 99999999999999999",
        "SELECT Id FROM Case WHERE CreatedDate >= 1700-01-01T00:00:00Z",
        "SELECT Id FROM Case WHERE CreatedDate > 2023-01-01T00:00:00+14:00",
        "SELECT Id FROM Case WHERE CreatedDate <= 4000-12-31T23:59:59.999999Z",
        "SELECT Id FROM Case WHERE CreatedDate > LAST_N_YEARS:323",
        "SELECT Id FROM Case WHERE CreatedDate > NEXT_N_YEARS:1977",
        "SELECT Id FROM Case LIMIT 2147483647",
        "SELECT Id FROM Case LIMIT 000000000005",
        "SELECT Id FROM Case OFFSET 2000",
        "SELECT FIELDS(ALL) FROM Case LIMIT 200",
        "SELECT COUNT(Id) FROM Case GROUP BY ROLLUP(Status, IsClosed, OwnerId)",
    ],
)
def test_what_lies_on_a_bound_is_answered(engine: Engine, text: str) -> None:
    """The longest text, the largest number, the first and the last day and the most fields are
    allowed; the refusals hold those that are one further.
    """
    assert engine.query(text).page() is not None


def test_a_name_alone_is_a_field_though_the_object_type_is_called_so_too(engine: Engine) -> None:
    """Only in front of another name is it an alias."""
    plain = [record["Subject"] for record in engine.query("SELECT Subject FROM Case")]
    by_alias = engine.query("SELECT Subject FROM Case Subject")
    by_parent = engine.query("SELECT Subject FROM Case c, c.Account Subject")
    assert [record["Subject"] for record in by_alias] == plain
    assert [record["Subject"] for record in by_parent] == plain


def test_a_message_has_at_most_so_many_signs() -> None:
    """Of one that is longer the end is left out, with a sign that it is; names are cut as well."""
    for length, kept in ((LONGEST_MESSAGE, True), (LONGEST_MESSAGE + 1, False)):
        told = str(QueryText("").refuse("INVALID_FIELD", 0, "a" * length))
        assert ("a" * length in told) is kept
        assert told.endswith("a …") is not kept


def test_a_message_points_to_the_place(engine: Engine) -> None:
    """A message begins with the line and a caret, names row and column, and says what is wrong; the
    error names the field.
    """
    error = refused(engine, "SELECT Id\nFROM Case\nWHERE Statos = 'New'")
    assert str(error).startswith(
        "\nWHERE Statos = 'New'\n      ^\nERROR at Row:3:Column:7\nNo such column 'Statos' on"
        " entity 'Case'."
    )
    assert "Did you mean Status" in str(error)
    assert error.fields == ("Statos",)


@pytest.mark.parametrize(
    ("text", "position", "head"),
    [
        ("ab", 0, "\nab\n^\nERROR at Row:1:Column:1\n"),
        ("ab", 1, "\nab\n ^\nERROR at Row:1:Column:2\n"),
        ("ab", 2, "\nab\n  ^\nERROR at Row:1:Column:3\n"),
        ("\nab", 0, "\n\n^\nERROR at Row:1:Column:1\n"),
        ("ab\ncd\nef", 3, "\ncd\n^\nERROR at Row:2:Column:1\n"),
        ("a\tb\rc", 4, "\na b c\n    ^\nERROR at Row:1:Column:5\n"),
    ],
)
def test_a_place_is_shown_in_its_line(text: str, position: int, head: str) -> None:
    """The whole line stands above the caret, whether it is the first, the last, or empty; what
    would move the caret is a blank.
    """
    assert point(text, position) == head


def test_a_long_line_is_cut_on_both_sides_of_the_place() -> None:
    """As many characters are shown before the place as from it on, with the caret beneath it."""
    line = "<" * 200 + "!" + ">" * 200
    shown = "<" * AROUND + "!" + ">" * (AROUND - 1)
    told = f"\n{shown}\n{' ' * AROUND}^\nERROR at Row:1:Column:201\n"
    assert point(line, 200) == told


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SELECT DISTINCT Status FROM Case", "GROUP BY"),
        ("SELECT * FROM Case", "FIELDS(ALL)"),
        ("SELECT Id FROM Case c JOIN Account a", "relationship"),
        ("SELECT Id FROM Case WHERE Hours = 1 OR Hours = 2 AND Hours = 3", "parentheses"),
        ("SELECT Status, COUNT(Id) n FROM Case GROUP BY Status ORDER BY n", "COUNT(Id) again"),
        ("SELECT Account__r.Name FROM Case", "Account, Owner, ItemId__r"),
        ("SELECT Id, (SELECT Id FROM Case) FROM Account", "Cases, Orders"),
        ("SELECT COUNT(Id) FROM Account GROUP BY CreatedDate", "CALENDAR_MONTH(CreatedDate)"),
    ],
)
def test_a_message_says_what_to_do(engine: Engine, text: str, hint: str) -> None:
    """Frequent mistakes are told their mend."""
    assert hint in str(refused(engine, text))


@pytest.mark.parametrize(
    "value",
    [
        "' OR 1=1 --",
        '\'; DROP TABLE "Case"; --',
        "') UNION SELECT sql FROM sqlite_master --",
        "\\",
        "%' ESCAPE 'x",
        "\x00",
        '"',
        "{}",
        "?1",
    ],
)
def test_values_are_never_sql(engine: Engine, value: str) -> None:
    """Whatever a string holds, it is a value: no row matches and nothing happens to the org."""
    spelled = value.replace("\\", "\\\\").replace("'", "\\'")
    before = engine.query("SELECT COUNT() FROM Case").total
    for operator in ("=", "LIKE", ">"):
        engine.query(f"SELECT Id FROM Case WHERE Subject {operator} '{spelled}'").page()
    assert engine.query(f"SELECT Id FROM Case WHERE Subject IN ('{spelled}')").total == 0
    assert engine.query("SELECT COUNT() FROM Case").total == before > 0


CASE_IDS = "', '".join(ids("500", 4300))
HUGE = {
    "a megabyte of fields": "SELECT " + ", ".join(["Id"] * 260_000) + " FROM Case",
    "a megabyte of string": "SELECT Id FROM Case WHERE Subject = '" + "a" * 1_000_000 + "'",
    "a long string": "SELECT Id FROM Case WHERE Subject = '" + "a" * 5000 + "'",
    "4,300 ids": f"SELECT Id FROM Case WHERE Id IN ('{CASE_IDS}')",
    "40,000 parentheses": "SELECT Id FROM Case WHERE " + "(" * 40_000 + "Hours = 1" + ")" * 40_000,
    "40,000 open parentheses": "SELECT Id FROM Case WHERE " + "(" * 40_000,
    "6,000 OR": "SELECT Id FROM Case WHERE " + " OR ".join(["Hours = 1"] * 6000),
    "4,000 different OR": (
        "SELECT Id FROM Case WHERE " + " OR ".join(f"Subject = 'a{at}'" for at in range(4000))
    ),
    "6,000 AND": "SELECT Id FROM Case WHERE " + " AND ".join(["Hours != -1"] * 6000),
    "3,000 levels of AND and OR": (
        "SELECT Id FROM Case WHERE "
        + "(Hours = 1 AND (Hours = 2 OR " * 1500
        + "Hours = 3"
        + "))" * 1500
    ),
    "20 levels of AND and OR": (
        "SELECT Id FROM Case WHERE "
        + "(Hours = 1 AND (Hours = 2 OR " * 10
        + "Hours = 3"
        + "))" * 10
    ),
    "10,000 NOT": "SELECT Id FROM Case WHERE " + "NOT (" * 10_000 + "Hours = 1" + ")" * 10_000,
    "nested functions": (
        "SELECT Id FROM Case WHERE " + "DAY_ONLY(" * 5000 + "CreatedDate" + ")" * 5000 + " = TODAY"
    ),
    "a path of 9,000 steps": "SELECT " + "Account." * 9000 + "Name FROM Case",
    "30,000 sorts": "SELECT Id FROM Case ORDER BY " + ", ".join(["Id"] * 20_000),
    "nested subqueries": (
        "SELECT Id, " + "(SELECT Id, " * 3000 + "Id FROM Cases)" * 3000 + " FROM Account"
    ),
    "wild patterns": "SELECT Id FROM Case WHERE Subject LIKE '" + "%a_" * 1300 + "'",
}


@pytest.mark.parametrize("name", HUGE)
def test_huge_queries_are_answered_or_refused(engine: Engine, name: str) -> None:
    """Length and depth end in an answer or a refusal, never in a crash or at the time limit."""
    try:
        engine.query(HUGE[name]).page()
    except QueryRefused as error:
        assert error.code in ("MALFORMED_QUERY", "QUERY_TOO_COMPLICATED", "INVALID_FIELD")
        assert len(str(error)) < 2000


@pytest.mark.parametrize(
    "name",
    [
        "4,300 ids",
        "40,000 parentheses",
        "6,000 OR",
        "4,000 different OR",
        "6,000 AND",
        "20 levels of AND and OR",
    ],
)
def test_long_queries_within_the_limit_are_answered(engine: Engine, name: str) -> None:
    """SQLite's bounds on variables and depth don't show: a text within the CRM's 100,000 characters
    is answered.
    """
    assert engine.query(HUGE[name]).total <= len(ROWS["Case"])


def test_a_slow_query_is_ended(tmp_path: Path) -> None:
    """A statement that runs beyond its time is refused with QUERY_TIMEOUT."""
    rows = random_rows(5, size=40)
    toy_engine(tmp_path, rows).close()
    engine = Engine(tmp_path / "org.sqlite", toy_schema(tmp_path / "toy"), CLOCK, seconds=0.02)
    text = "SELECT Id FROM Case WHERE " + " OR ".join(
        f"Subject LIKE '%{at}%z%'" for at in range(3000)
    )
    assert refused(engine, text).code == "QUERY_TIMEOUT"
    engine.close()


def test_a_thousand_broken_queries_are_answered_or_refused(engine: Engine) -> None:
    """A text that is nearly SOQL is answered or refused, nothing else; some of both."""
    outcomes = {"answered": 0, "refused": 0}
    for seed in range(1000):
        try:
            engine.query(broken_query(random.Random(seed), ROWS)).page()
            outcomes["answered"] += 1
        except QueryRefused:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 100


def test_threads_share_an_engine(engine: Engine) -> None:
    """Many threads asking and searching at once get what one thread gets."""
    texts = [
        f"SELECT Id, Account.Name, Subject FROM Case WHERE Hours > {at % 7} ORDER BY Subject"
        for at in range(80)
    ]
    alone = [engine.query(text).page() for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: engine.query(text).page(), texts)) == alone
        found = list(pool.map(engine.search, ["FIND {zest OR barn}"] * 40))
    assert found == [engine.search("FIND {zest OR barn}")] * 40
    assert found[0]


def test_a_repeated_text_is_compiled_once(engine: Engine) -> None:
    """A text asked again costs its SQL only, and gives the same."""
    text = "SELECT Id FROM Case WHERE " + " OR ".join(f"Hours = {at}" for at in range(1500))
    first, again = engine.query(text), engine.query(text)
    assert first.plan is again.plan
    assert first.page() == again.page()


def test_the_org_is_only_read(tmp_path: Path) -> None:
    """Queries and searches leave the file byte for byte as it was, and no file beside it."""
    engine = toy_engine(tmp_path, ROWS)
    before = (tmp_path / "org.sqlite").read_bytes()
    engine.query("SELECT Id FROM Case").page()
    engine.search("FIND {alder}")
    engine.close()
    assert (tmp_path / "org.sqlite").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["org.sqlite", "toy"]


def test_a_missing_or_damaged_org_is_told(tmp_path: Path) -> None:
    """No file, no database, a database without the tables: each is said with the file's name."""
    schema = toy_schema(tmp_path / "toy")
    with pytest.raises(BadInput, match="no such file"):
        Engine(tmp_path / "none.sqlite", schema, CLOCK)
    (tmp_path / "noise.sqlite").write_bytes(b"noise" * 1000)
    with pytest.raises(StorageFailed, match="noise.sqlite"):
        Engine(tmp_path / "noise.sqlite", schema, CLOCK)
    sqlite3.connect(tmp_path / "empty.sqlite").close()
    engine = Engine(tmp_path / "empty.sqlite", schema, CLOCK)
    with pytest.raises(OrgweaveError, match=r"empty.sqlite.*no such table"):
        engine.query("SELECT Id FROM Case")
    engine.close()


@pytest.mark.parametrize("text", ["FROM Case", "% FROM Case", "Id FROM Case"])
def test_a_statement_that_begins_wrongly_is_refused_at_its_first_sign(
    engine: Engine, text: str
) -> None:
    """What can't stand at the beginning is told as the first column of the first row."""
    with pytest.raises(QueryRefused, match=r"\n\^\nERROR at Row:1:Column:1\n"):
        engine.query(text)


def subqueries(levels: int) -> str:
    """A query of L0__c with so many levels of subqueries in one another."""
    text = ""
    for level in range(levels, 0, -1):
        text = f", (SELECT Id{text} FROM L{level}s__r)"
    return f"SELECT Id{text} FROM L0__c"


def test_subqueries_may_be_nested_four_levels_deep(tmp_path: Path) -> None:
    """Four levels of subqueries are answered, and a fifth is refused, as the CRM does it."""
    write_object(tmp_path / "chain", "L0__c")
    for level in range(1, 6):
        up = f"Up__c: {{type: string, x-source: {{reference: L{level - 1}__c, by: uniform}}}}"
        write_object(tmp_path / "chain", f"L{level}__c", up)
    schema = load_schema(tmp_path / "chain")
    write_toys(tmp_path / "org.sqlite", schema, {})
    engine = Engine(tmp_path / "org.sqlite", schema, CLOCK)
    assert engine.query(subqueries(4)).page() == []
    with pytest.raises(QueryRefused, match="at most 4 levels deep"):
        engine.query(subqueries(5))
