"""SOSL by example: what is found, in which order, in which fields; and what is refused."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orgweave.soql.engine import Engine
from schemas.errors import QueryRefused
from tests.soql_toys import Rows, ids, toy_engine

ACCOUNTS, CASES, USERS = ids("001", 6), ids("500", 4), ids("005", 2)
ROWS: Rows = {
    "User": [
        {"Id": USERS[0], "Name": "Rosa Alder", "Email": "rosa@alder.example", "IsActive": 1},
        {"Id": USERS[1], "Name": "Ben Oak", "Email": "ben@oak.example", "IsActive": 1},
    ],
    "Account": [
        {
            "Id": ACCOUNTS[0],
            "Name": "Trail Boots",
            "Phone": "(271) 555-0108",
            "Description": "boots for the trail and boots for the snow",
            "Employees": 3,
        },
        {
            "Id": ACCOUNTS[1],
            "Name": "Snow Trail",
            "Phone": "(271) 555-0100",
            "Description": "a trail boot",
            "Employees": 9,
        },
        {
            "Id": ACCOUNTS[2],
            "Name": "Élan Café",
            "Description": "coffee on the snow trail",
            "Employees": 5,
        },
        {
            "Id": ACCOUNTS[3],
            "Name": "Bob's Barn",
            "Description": "rock and roll",
            "Site": "https://barn.example/boot",
        },
        {"Id": ACCOUNTS[4], "Name": "SKU123 Depot", "Description": "nothing else"},
        {"Id": ACCOUNTS[5], "Name": "Beta", "Description": "beet bet bat"},
    ],
    "Case": [
        {
            "Id": one,
            "Subject": f"boot number {at}",
            "Status": "New",
            "IsClosed": 0,
            "CreatedDate": f"2023-01-0{at + 1}T00:00:00.000+0000",
        }
        for at, one in enumerate(CASES)
    ],
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine over a few accounts, cases and users."""
    made = toy_engine(tmp_path_factory.mktemp("sosl"), ROWS)
    yield made
    made.close()


def accounts(engine: Engine, needle: str, scope: str = "ALL") -> set[int]:
    """Which accounts a needle finds."""
    return {
        ACCOUNTS.index(str(one["Id"]))
        for one in engine.search(f"FIND {{{needle}}} IN {scope} FIELDS RETURNING Account")
    }


@pytest.mark.parametrize(
    ("needle", "found"),
    [
        ("trail", {0, 1, 2}),
        ("TRAIL snow", {0, 1, 2}),
        ("trail boot", {0, 1}),
        ("boot*", {0, 1, 3}),
        ("trail AND boot", {0, 1}),
        ("boot OR coffee", {0, 1, 2, 3}),
        ("trail and not coffee", {0, 1}),
        ("trail NOT coffee", {0, 1}),
        ("snow AND (coffee OR boots)", {0, 1, 2}),
        ("(trail AND NOT coffee) boots", {0, 1}),
        ("coffee OR rock AND roll", {2, 3}),
        ('"snow trail"', {1, 2}),
        ('"trail snow"', set()),
        ('"snow tr*"', {1, 2}),
        ('rock "and" roll', {3}),
        ("cafe", {2}),
        ("éLAN", {2}),
        ("be?t", {5}),
        ("b*t", {1, 3, 5}),
        ("bob\\'s", {3}),
        ("sku 123", {4}),
        ("SKU123", {4}),
        ("barn.example/boot", {3}),
        ("zz*", set()),
        ("q?q", set()),
        ("\\& \\| trail", set()),
    ],
)
def test_what_a_needle_finds(engine: Engine, needle: str, found: set[int]) -> None:
    """All words must match, in any case and with or without accents; OR, AND NOT, parentheses,
    phrases and wildcards as the CRM has them.
    """
    assert accounts(engine, needle) == found


def test_search_groups(engine: Engine) -> None:
    """NAME, EMAIL, PHONE and SIDEBAR FIELDS look in their kind of field only; ALL in all, which is
    the default.
    """
    assert accounts(engine, "trail", "NAME") == {0, 1}
    assert accounts(engine, "0108", "PHONE") == {0}
    assert accounts(engine, "0108", "NAME") == set()
    assert accounts(engine, "coffee", "SIDEBAR") == set()
    assert [one["Id"] for one in engine.search("FIND {alder} IN EMAIL FIELDS RETURNING User")] == [
        USERS[0]
    ]
    assert engine.search("FIND {boot} RETURNING Account") == engine.search(
        "FIND {boot} IN ALL FIELDS RETURNING Account"
    )


def test_the_best_come_first(engine: Engine) -> None:
    """Records come by BM25, the shorter text with the word first; ties by Id."""
    assert [one["Id"] for one in engine.search("FIND {trail boots} RETURNING Account")][
        0
    ] == ACCOUNTS[0]
    assert [one["Id"] for one in engine.search("FIND {boot number} RETURNING Case")] == CASES


def test_returning_filters_orders_and_cuts(engine: Engine) -> None:
    """RETURNING takes fields along relationships, WHERE, ORDER BY, LIMIT and OFFSET an object type;
    types come in its order.
    """
    text = (
        "FIND {boot OR trail} RETURNING Case(Id, Subject ORDER BY CreatedDate DESC LIMIT 2 OFFSET"
        " 1), Account(Name, Owner.Name WHERE Employees > 3 ORDER BY Name)"
    )
    assert [
        {name: value for name, value in one.items() if name != "attributes"}
        for one in engine.search(text)
    ] == [
        {"Id": CASES[2], "Subject": "boot number 2"},
        {"Id": CASES[1], "Subject": "boot number 1"},
        {"Name": "Élan Café", "Owner": None},
        {"Name": "Snow Trail", "Owner": None},
    ]
    assert engine.search(text)[0]["attributes"] == {
        "type": "Case",
        "url": f"/services/data/v59.0/sobjects/Case/{CASES[2]}",
    }


def test_without_returning_all_object_types_give_ids(engine: Engine) -> None:
    """Without RETURNING, the ids of every object type that has texts; LIMIT is shared evenly among
    them.
    """
    found = engine.search("FIND {alder OR boot}")
    kinds = {str(one["attributes"]["type"]) for one in found}  # type: ignore[index]
    assert kinds == {"User", "Account", "Case"}
    assert all(set(one) == {"attributes", "Id"} for one in found)
    shared = [
        str(one["Id"])[:3] for one in engine.search("FIND {boot} RETURNING Case, Account LIMIT 3")
    ]
    assert shared == ["500", "500", "001"]
    assert engine.search("FIND {boot} LIMIT 0") == []


def test_modes_and_trackings_change_nothing(engine: Engine) -> None:
    """WITH USER_MODE and the like, and what is tracked, find what is found without them."""
    plain = engine.search("FIND {trail} RETURNING Account(Name)")
    for clauses in (
        "WITH USER_MODE UPDATE TRACKING",
        "WITH METADATA = 'LABELS' UPDATE TRACKING, VIEWSTAT",
        "WITH SPELL_CORRECTION = false WITH DIVISION = 'Global'",
        "with spell_correction = true update viewstat",
    ):
        assert engine.search(f"find {{trail}} returning account(name) {clauses}") == plain


def test_the_needle_stands_in_braces(engine: Engine) -> None:
    """FIND 'x' is Apex's; over REST the CRM wants braces, and says so."""
    with pytest.raises(QueryRefused, match="must be enclosed in braces"):
        engine.search("FIND 'trail' RETURNING Account(Name)")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("MALFORMED_SEARCH", ""),
        ("MALFORMED_SEARCH", "FIND"),
        ("MALFORMED_SEARCH", "FIND {}"),
        ("MALFORMED_SEARCH", "FIND {a}"),
        ("MALFORMED_SEARCH", "FIND {trail"),
        ("MALFORMED_SEARCH", "FIND trail"),
        ("MALFORMED_SEARCH", "FIND {a|b trail}"),
        ("MALFORMED_SEARCH", "FIND {trail-boot}"),
        ("MALFORMED_SEARCH", "FIND {*rail}"),
        ("MALFORMED_SEARCH", "FIND {(trail}"),
        ("MALFORMED_SEARCH", "FIND {trail AND}"),
        ("MALFORMED_SEARCH", "FIND {NOT trail}"),
        ("MALFORMED_SEARCH", "FIND {a AND NOT b c d}"),
        ("MALFORMED_SEARCH", 'FIND {"trail}'),
        ("MALFORMED_SEARCH", "FIND {trail} IN SOME FIELDS"),
        ("MALFORMED_SEARCH", "FIND {trail} RETURNING"),
        ("MALFORMED_SEARCH", "FIND {trail} RETURNING Case(COUNT(Id))"),
        ("MALFORMED_SEARCH", "FIND {trail} RETURNING Case, Case"),
        ("MALFORMED_SEARCH", "FIND {trail} WITH SNIPPET (target_length=49)"),
        ("MALFORMED_SEARCH", "FIND {trail} WITH SNIPPET (target_length=1001)"),
        ("MALFORMED_SEARCH", "FIND {trail} WITH SNIPPET (length=100)"),
        ("MALFORMED_SEARCH", "FIND {trail} WITH SPELL_CORRECTION = 'yes'"),
        ("MALFORMED_SEARCH", "FIND {trail} WITH METADATA = 'ALL'"),
        ("MALFORMED_SEARCH", "FIND {trail} WITH DIVISION = 'North'"),
        ("MALFORMED_SEARCH", "FIND {trail} WITH HIGHLIGHT = true"),
        ("MALFORMED_SEARCH", "FIND {trail} WITH SOMETHING"),
        ("MALFORMED_SEARCH", 'FIND {"bob\'s barn"}'),
        ("MALFORMED_SEARCH", "FIND {trail} RETURNING Account(Id USING Something = x)"),
        ("FUNCTIONALITY_NOT_ENABLED", "FIND {trail} RETURNING Account(Id USING ListView = Mine)"),
        ("FUNCTIONALITY_NOT_ENABLED", "FIND {trail} WITH NETWORK = '0DBzz0000000001'"),
        ("FUNCTIONALITY_NOT_ENABLED", "FIND {trail} WITH NETWORK IN ('0DBzz0000000001')"),
        ("FUNCTIONALITY_NOT_ENABLED", "FIND {trail} WITH DATA CATEGORY a__c AT b__c"),
        ("MALFORMED_SEARCH", "SELECT Id FROM Case"),
        ("MALFORMED_SEARCH", "FIND {" + "trail".ljust(4001) + "}"),
        ("QUERY_TOO_COMPLICATED", "FIND {" + "(aa AND (bb OR " * 100 + "cc" + "))" * 100 + "}"),
        ("INVALID_TYPE", "FIND {trail} RETURNING Foo"),
        ("INVALID_FIELD", "FIND {trail} RETURNING Case(Foo)"),
        ("INVALID_FIELD", "FIND {trail} RETURNING Case(Id WHERE Subject = 5)"),
    ],
)
def test_refusals(engine: Engine, code: str, text: str) -> None:
    """A text that isn't SOSL, or names what isn't there, is refused with the CRM's errorCode, found
    or not.
    """
    with pytest.raises(QueryRefused) as caught:
        engine.search(text)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "text",
    [
        "FIND {trail} WITH SNIPPET (target_length=50)",
        "FIND {trail} WITH SNIPPET (target_length=1000)",
        "FIND {" + "trail".ljust(4000) + "}",
    ],
)
def test_what_lies_on_a_bound_is_found(engine: Engine, text: str) -> None:
    """The shortest and the longest snippet and the longest needle are allowed."""
    assert engine.search(text)


def test_a_long_search_is_answered(engine: Engine) -> None:
    """Hundreds of words under OR, and many parentheses, are answered."""
    assert accounts(engine, " OR ".join(f"w{at}" for at in range(400)) + " OR coffee") == {2}
    assert accounts(engine, "(" * 900 + "coffee" + ")" * 900) == {2}


PIECES = [
    "trail",
    "boot",
    " ",
    "  ",
    "*",
    "?",
    '"',
    "(",
    ")",
    "AND",
    "or",
    "NOT",
    "\\",
    "\\}",
    "-",
    "'",
    "&",
    "|",
    "é",
    "漢字",
    "1a",
    "a1",
    ".",
    "@",
    "\x00",
    "\n",
    "^",
    "~",
    ":",
    "{",
    "}",
    "NEAR",
    "\ue000",
    "İ",
    "ﬃ",
]


@settings(max_examples=400, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(PIECES), max_size=12),
    scope=st.sampled_from(["ALL", "NAME", "PHONE"]),
)
def test_any_needle_is_answered_or_refused(engine: Engine, pieces: list[str], scope: str) -> None:
    """Whatever stands between the braces, the search finds records or says what is wrong with the
    text; the index's own language never shows.
    """
    try:
        found = engine.search(
            f"FIND {{{''.join(pieces)}}} IN {scope} FIELDS RETURNING Account, Case, User"
        )
    except QueryRefused as error:
        assert error.code in ("MALFORMED_SEARCH", "QUERY_TOO_COMPLICATED")
    else:
        assert all("Id" in one for one in found)


@pytest.mark.parametrize(
    ("needle", "found"),
    [
        ("boot", {0, 1, 3}),
        ("booting", {0, 1, 3}),
        ('"boots"', {0}),
        ("trail\u2019s", {0, 1, 2}),
        ("bob\\'s", {3}),
        ("bobs", {3}),
        ("snow\\-trails", {1, 2}),
        ("rocking", {3}),
        ("bets AND beets", {5}),
    ],
)
def test_a_word_stands_for_its_forms(engine: Engine, needle: str, found: set[int]) -> None:
    """Plurals, -ing and the possessive find one another; what stands in double quotes is exact."""
    assert accounts(engine, needle) == found


def test_highlights_stand_beside_the_fields(engine: Engine) -> None:
    """WITH HIGHLIGHT marks the words, in any form, in the texts that RETURNING asks for."""
    text = "FIND {boots} RETURNING Account(Name, Description), Case(Subject) WITH HIGHLIGHT"
    first = engine.search(text)[0]
    assert first["highlight.Name"] == "Trail <mark>Boots</mark>"
    assert first["highlight.Description"] == (
        "<mark>boots</mark> for the trail and <mark>boots</mark> for the snow"
    )
    wild = engine.search("FIND {boot*} RETURNING Account(Name) WITH HIGHLIGHT")
    assert all("highlight.Name" not in record for record in wild)
    cases = [record for record in engine.search(text) if "Subject" in record]
    assert cases and all("highlight.Subject" not in record for record in cases)
