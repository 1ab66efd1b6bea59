"""Every tool against values counted by hand in a toy org, and against plain SQL over a generated
one.
"""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import pairwise

import pytest

from orgweave.tools.crm import LocalCrm, local_crm
from orgweave.tools.toolbox import FUNCTIONS
from pipeline.run import FinishedRun
from schemas.errors import ToolRefused
from tests.tools_toys import (
    ACCOUNTS,
    ARTICLES,
    CASES,
    CHATS,
    CONTACTS,
    END,
    ISSUES,
    ITEMS,
    MAILS,
    NAMES,
    ODD,
    PRODUCTS,
    START,
    USERS,
    WINDOW,
    numbers,
    toy_crm,
)

Call = Callable[..., object]
INSIDE = [0, 1, 4, 5, 2]
"""The window's cases, the earliest first."""


@pytest.fixture(scope="module")
def crm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCrm]:
    """The toy org."""
    with toy_crm(tmp_path_factory.mktemp("tools")) as made:
        yield made


@pytest.fixture
def call(crm: LocalCrm) -> Call:
    """Calls a tool by its name."""
    return lambda name, *given, **named: FUNCTIONS[name](crm, *given, **named)


def cases(*places: int) -> list[str]:
    """Ids of cases."""
    return [CASES[at] for at in places]


def found_cases(call: Call, **conditions: object) -> object:
    """Which cases get_cases finds."""
    found = call("get_cases", **conditions)
    assert isinstance(found, list)
    return [CASES.index(one["Id"]) for one in found]


def test_a_window_takes_its_first_moment_and_not_its_last(call: Call) -> None:
    """A case created at start_date is inside; one at end_date and one in the second before
    start_date are not.
    """
    assert found_cases(call, **WINDOW) == INSIDE
    assert found_cases(call, end_date=START) == [6]
    assert found_cases(call, start_date=END) == [3]
    assert found_cases(call, start_date=START, end_date=START) == []
    assert found_cases(call) == [6, *INSIDE, 3]


def test_cases_meet_every_condition(call: Call) -> None:
    """Conditions narrow together; null leaves one out; an empty list finds nothing."""
    assert found_cases(call, agent_ids=[USERS[0]]) == [0, 1]
    assert found_cases(call, agent_ids=[USERS[0], USERS[1]], issue_ids=[ISSUES[1]], **WINDOW) == [
        5,
        2,
    ]
    assert found_cases(call, order_item_ids=[ITEMS[0]], case_ids=cases(1, 4, 5)) == [1, 4]
    assert found_cases(call, statuses=["Working"]) == [5, 3]
    assert found_cases(call, statuses=["Closed"], agent_ids=[USERS[4]]) == []
    assert found_cases(call, agent_ids=[]) == found_cases(call, statuses=[]) == []
    assert found_cases(call, agent_ids=None, start_date=None) == found_cases(call)


def test_a_case_has_what_other_tools_and_questions_need(call: Call) -> None:
    """A record of get_cases has the case's own fields and null for what it hasn't."""
    assert call("get_cases", case_ids=cases(3)) == [
        {
            "Id": CASES[3],
            "Status": "Working",
            "OwnerId": USERS[1],
            "IssueId__c": ISSUES[1],
            "OrderItemId__c": ITEMS[2],
            "CreatedDate": "2022-04-01T00:00:00.000+0000",
            "ClosedDate": None,
        }
    ]


def test_handled_cases_are_the_different_ones_assigned_in_the_window(call: Call) -> None:
    """Case 5, assigned twice to agents 1 and 2 each, counts once for each; case 2 was handed over
    at the first moment after the window.
    """
    assert numbers(call("get_agent_handled_cases_by_period", START, END), USERS) == {
        0: 3,
        2: 2,
        1: 1,
    }
    assert call("get_agent_handled_cases_by_period", START, START) == {}


def test_transfers_are_counted_each(call: Call) -> None:
    """A transfer counts for the agent it goes away from, as often as it happens; that at end_date
    is outside; agents without any are left out.
    """
    assert numbers(call("get_agent_transferred_cases_by_period", START, END), USERS) == {1: 2, 2: 2}
    assert numbers(
        call("get_agent_transferred_cases_by_period", START, END, [USERS[0], USERS[1], USERS[4]]),
        USERS,
    ) == {1: 2}
    assert call("get_agent_transferred_cases_by_period", START, END, []) == {}
    assert numbers(
        call("get_agent_transferred_cases_by_period", END, "2022-05-01", None), USERS
    ) == {0: 1}


def test_a_case_transferred_at_any_time_is_transferred(call: Call) -> None:
    """Case 2, created in the window and handed over after it,
    isn't among those never transferred.
    """
    assert numbers(call("get_non_transferred_case_ids", START, END), CASES) == [0, 1, 4]


def test_qualified_agents_have_more_cases_not_as_many(call: Call) -> None:
    """More than n, not n."""
    assert call("get_qualified_agent_ids_by_case_count", {"a": 3, "b": 2, "c": 4}, 2) == ["a", "c"]
    assert call("get_qualified_agent_ids_by_case_count", {}, 0) == []


def test_handle_time_is_the_mean_over_closed_cases(call: Call) -> None:
    """Agents 0 (2 and 4 hours) and 2 (3 hours) tie at 180 minutes; open cases don't count; a case
    given twice counts once.
    """
    times = call("calculate_average_handle_time", cases(0, 1, 2, 3, 4, 5, 0))
    assert numbers(times, USERS) == {0: 180.0, 1: 60.0, 2: 180.0}
    assert numbers(call("find_id_with_max_value", times), USERS) == [0, 2]
    assert numbers(call("find_id_with_min_value", times), USERS) == [1]
    assert call("calculate_average_handle_time", []) == {}


def test_regions_are_those_of_the_accounts_shipping_address(call: Call) -> None:
    """CA has cases of 2 hours and 1 hour, TX of 4 hours and half an hour; case 4's account has no
    state and case 5 is open.
    """
    assert call("calculate_region_average_closure_times", cases(0, 1, 2, 4, 5, 6)) == {
        "CA": 90.0,
        "TX": 135.0,
    }
    assert call("get_region_case_counts", cases(0, 1, 2, 4, 5, 6)) == {"CA": 2, "TX": 2}
    assert call("get_shipping_state", cases(4, 1, 1)) == [
        {"Id": CASES[4], "AccountId": ACCOUNTS[2], "ShippingState": None},
        {"Id": CASES[1], "AccountId": ACCOUNTS[1], "ShippingState": "TX"},
    ]


def test_agents_with_most_and_fewest_cases_are_all_that_tie(call: Call) -> None:
    """Of the owners, or of the agents given, of whom one without any of the cases counts as having
    none.
    """
    subset = cases(0, 1, 2, 3, 4)
    assert numbers(call("get_agents_with_max_cases", subset), USERS) == [0, 1]
    assert numbers(call("get_agents_with_min_cases", subset), USERS) == [2]
    assert numbers(
        call("get_agents_with_min_cases", subset, [USERS[1], USERS[3], USERS[4]]), USERS
    ) == [3, 4]
    assert numbers(call("get_agents_with_max_cases", subset, [USERS[2], USERS[3]]), USERS) == [2]
    assert numbers(call("get_agents_with_max_cases", [], [USERS[2], USERS[3]]), USERS) == [2, 3]
    assert call("get_agents_with_max_cases", []) == call("get_agents_with_min_cases", []) == []


def test_the_extreme_of_no_values_is_none(call: Call) -> None:
    """Without values there is no Id; negative numbers are numbers."""
    assert call("find_id_with_max_value", {}) == call("find_id_with_min_value", {}) == []
    assert call("find_id_with_max_value", {"a": -2, "b": -1.5}) == ["b"]


def test_months_are_counted_by_name_from_january_on(call: Call) -> None:
    """Months stand in the calendar's order, those without a case are left out."""
    counted = call("get_month_to_case_count", cases(2, 4, 5, 0, 6))
    assert isinstance(counted, dict)
    assert list(counted.items()) == [("January", 1), ("February", 2), ("March", 1), ("December", 1)]


def test_issues_are_counted_among_a_products_cases(call: Call) -> None:
    """Product 0 has items 0, 1 and 5; in the window these have two cases of issue 0, two of issue 1
    and one of issue 2.
    """
    items = call("get_order_item_ids_by_product", PRODUCTS[0])
    assert numbers(items, ITEMS) == [0, 1, 5]
    assert numbers(call("get_issue_counts", START, END, items), ISSUES) == {0: 2, 1: 2, 2: 1}
    assert numbers(call("get_issue_counts", "2021-12-31", END, None), ISSUES) == {0: 3, 1: 2, 2: 1}
    assert call("get_issue_counts", START, END, []) == {}
    assert call("get_order_item_ids_by_product", PRODUCTS[5]) == []


def test_a_contact_leads_to_its_account(call: Call) -> None:
    """The account's Id, or None where the contact has no account."""
    assert call("get_account_id_by_contact_id", CONTACTS[1]) == ACCOUNTS[1]
    assert call("get_account_id_by_contact_id", CONTACTS[3]) is None


def test_purchases_are_items_of_activated_orders(call: Call) -> None:
    """Draft orders, other days and other products stay out; a datetime means its day; an account
    without orders bought nothing.
    """

    def bought(*given: object) -> list[int]:
        found = call("get_purchase_history", *given)
        assert isinstance(found, list)
        return [ITEMS.index(one["OrderItemId"]) for one in found]

    assert bought(ACCOUNTS[0]) == [0, 1, 2, 4]
    assert (
        bought(ACCOUNTS[0], "2022-03-01") == bought(ACCOUNTS[0], "2022-03-01T00:00:00Z") == [0, 1]
    )
    assert bought(ACCOUNTS[0], "2022-03-02", [PRODUCTS[2], PRODUCTS[5]]) == [4]
    assert (
        bought(ACCOUNTS[0], "2022-03-03", None)
        == bought(ACCOUNTS[0], None, [])
        == bought(ACCOUNTS[2])
        == []
    )
    assert call("get_purchase_history", ACCOUNTS[1]) == [
        {
            "OrderItemId": ITEMS[5],
            "Product2Id": PRODUCTS[0],
            "ProductName": NAMES[0],
            "OrderNumber": "00000003",
            "EffectiveDate": "2022-03-01",
            "Quantity": 1,
            "UnitPrice": 80.0,
        }
    ]


def test_texts_of_a_case_are_its_mails_or_its_chat(call: Call) -> None:
    """Mails come in the order of their dates; a case without mails or chat has none."""
    mails = call("get_email_messages_by_case_id", CASES[1])
    assert isinstance(mails, list)
    assert [one["Id"] for one in mails] == MAILS[::-1]
    assert [one["Incoming"] for one in mails] == [False, True, False]
    assert (
        call("get_email_messages_by_case_id", CASES[0])
        == call("get_livechat_transcript_by_case_id", CASES[1])
        == []
    )
    chat = call("get_livechat_transcript_by_case_id", CASES[0])
    assert isinstance(chat, list)
    assert [(one["Id"], one["Body"][-5:]) for one in chat] == [(CHATS[0], "Hello")]


def test_all_issues_are_told(call: Call) -> None:
    """By name, with their descriptions."""
    assert call("get_issues") == [
        {"Id": ISSUES[at], "Name": name, "Description__c": f"{name}."}
        for at, name in ((1, "Blisters"), (2, "Color Fading"), (0, "Sole Separation"))
    ]


@pytest.mark.parametrize(
    ("term", "first"),
    [
        ("trail boot", [0]),
        ("TRAIL BOOTS!", [0]),
        ("the boots that keep feet dry", [1]),
        ("sock", [3]),
        ("slippery sand", [2]),
        ("Neil's", [2]),
        ("walkers seven", [10]),
        ("birches", [1]),
        ("' OR Name != '", []),
        ("}) RETURNING User(Id", []),
        ("zeppelin", []),
    ],
)
def test_products_are_found_by_any_word(call: Call, term: str, first: list[int]) -> None:
    """The best match is first: more words, rarer words, words of the name; plurals and beginnings
    count; nothing alike is nothing.
    """
    found = call("search_products", term)
    assert isinstance(found, list)
    assert [PRODUCTS.index(one["Id"]) for one in found[:1]] == first


def test_a_search_shows_ten_at_most(call: Call) -> None:
    """Ten of the thirteen whose text has the word."""
    found = call("search_products", "comes in a box")
    assert isinstance(found, list)
    assert len(found) == 10


def test_articles_are_found_where_they_are_published(call: Call) -> None:
    """Title before text; drafts aren't found; a word that stands nowhere is looked for by its
    beginning.
    """

    def articles(term: str) -> list[int]:
        found = call("search_knowledge_articles", term)
        assert isinstance(found, list)
        return [ARTICLES.index(one["Id"]) for one in found]

    assert articles("refund for a loose sole") == [0, 1]
    assert articles("returns refund") == [1, 0]
    assert articles("hikers") == [1]
    assert articles("draft") == []


@pytest.mark.parametrize("term", ["", " ", "a", "!?", "1"])
def test_a_search_needs_a_word(call: Call, term: str) -> None:
    """A term without a word is refused, and the message says so."""
    with pytest.raises(ToolRefused, match="has no word of two letters"):
        call("search_products", term)


def test_queries_give_records_or_the_refusal(call: Call) -> None:
    """SOQL and SOSL are answered without attributes, at any depth; a refusal is text with the error
    code; COUNT() is a number.
    """
    assert call("issue_soql_query", f"SELECT Owner.Name FROM Case WHERE Id = '{CASES[0]}'") == [
        {"Owner": {"Name": "Agent 0"}}
    ]
    children = call(
        "execute",
        f"SELECT Name, (SELECT CaseId__c FROM Histories__r) FROM Issue__c WHERE Id = '{ISSUES[0]}'",
    )
    assert isinstance(children, str)
    assert children.startswith("INVALID_TYPE: ")
    orders = call(
        "execute",
        "SELECT Id, (SELECT Quantity FROM OrderItems) FROM Order WHERE AccountId ="
        f" '{ACCOUNTS[1]}'",
    )
    assert isinstance(orders, list)
    assert orders[0]["OrderItems"]["records"] == [{"Quantity": 1}]
    assert (
        call("issue_sosl_query", "FIND {sock} IN NAME FIELDS RETURNING Product2(Name)")
        == call("execute", " find {sock} RETURNING Product2(Name)")
        == [{"Name": "Trail Sock"}]
    )
    assert (
        call("execute", "SELECT COUNT() FROM Case")
        == call("execute", "select count ( )\nfrom Case")
        == [{"expr0": 7}]
    )
    assert call("execute", "SELECT COUNT() FROM Case WHERE Subject = 'none'") == [{"expr0": 0}]
    assert str(call("issue_soql_query", "FIND {sock}")).startswith("MALFORMED_QUERY: ")
    assert str(call("execute", "")).startswith("MALFORMED_QUERY: ")


def test_a_name_with_every_odd_sign_is_one_value(call: Call) -> None:
    """Quotes and backslashes in a value stay in it: nothing is found by them, nothing breaks,
    nothing else is asked.
    """
    odd = ["' OR Status != '", "\\", "\\'", 'a"b', "line\nbreak", "Closed\\", ODD, "\u2028", "%"]
    assert found_cases(call, statuses=odd) == []
    assert found_cases(call, statuses=[*odd, "Working"]) == [5, 3]


def test_long_lists_are_cut_into_several_queries(call: Call, crm: LocalCrm) -> None:
    """A list of 1,500 ids, in which the org's are scattered, finds what a short one does, each
    once.
    """

    class Counting:
        """Keeps the queries' lengths."""

        def __init__(self) -> None:
            self.lengths: list[int] = []
            self.search = crm.search

        def query(self, text: str) -> list[dict[str, object]]:
            """The CRM's answer."""
            self.lengths.append(len(text))
            return crm.query(text)

    asked = Counting()
    statuses = [f"Status {number}" for number in range(1500)]
    found = FUNCTIONS["get_cases"](
        asked,
        statuses=["Working", *statuses, "Closed", "Working"],
        agent_ids=[USERS[1], USERS[0]] * 300,
    )
    assert isinstance(found, list)
    assert [CASES.index(one["Id"]) for one in found] == [0, 1, 5, 2, 3]
    assert len(asked.lengths) > 1500 // 400
    assert max(asked.lengths) < 12_000


QUARTERS = [
    f"{year}-{month}-01" for year in (2020, 2021, 2022, 2023) for month in ("01", "04", "07", "10")
]


@pytest.mark.parametrize(("start", "end"), [*pairwise(QUARTERS), ("2020-01-01", "2024-01-01")])
def test_a_generated_orgs_figures_are_those_of_plain_sql(
    small_shoes: FinishedRun,
    start: str,
    end: str,
) -> None:
    """Handled cases, transfers, issue counts, months, handle times and regions of a window are what
    SQL over org.sqlite counts.
    """
    inside = f"CreatedDate >= '{start}' AND CreatedDate < '{end}'"
    qualified = f"c.CreatedDate >= '{start}' AND c.CreatedDate < '{end}'"
    minutes = (
        "avg((julianday(substr(c.ClosedDate, 1, 19)) - julianday(substr(c.CreatedDate, 1, 19))) *"
        " 1440)"
    )
    owned = (
        "SELECT 1 FROM CaseHistory__c h WHERE h.CaseId__c = c.Id AND h.Field__c = 'Owner"
        " Assignment' AND h.OldValue__c IS NOT NULL"
    )
    with (
        sqlite3.connect(small_shoes.folder / "org.sqlite") as db,
        local_crm(small_shoes.folder) as crm,
    ):

        def sql(text: str) -> dict[str, float]:
            return dict(db.execute(text).fetchall())

        def tool(name: str, *given: object) -> dict[str, float]:
            found = FUNCTIONS[name](crm, *given)
            assert isinstance(found, dict)
            return found

        history = f"FROM CaseHistory__c WHERE Field__c = 'Owner Assignment' AND {inside}"
        assert tool("get_agent_handled_cases_by_period", start, end) == sql(
            f"SELECT NewValue__c, count(DISTINCT CaseId__c) {history} GROUP BY 1"
        )
        assert tool("get_agent_transferred_cases_by_period", start, end) == sql(
            f"SELECT OldValue__c, count(*) {history} AND OldValue__c IS NOT NULL GROUP BY 1"
        )
        assert tool("get_issue_counts", start, end) == sql(
            f'SELECT IssueId__c, count(*) FROM "Case" WHERE {inside} GROUP BY 1'
        )
        whole = [one["Id"] for one in FUNCTIONS["get_cases"](crm, start, end)]
        by_month = {
            int(month): count
            for month, count in sql(
                f'SELECT substr(CreatedDate, 6, 2), count(*) FROM "Case" WHERE {inside} GROUP BY 1'
            ).items()
        }
        assert {
            datetime.strptime(name, "%B").month: count
            for name, count in tool("get_month_to_case_count", whole).items()
        } == by_month
        kept = FUNCTIONS["get_non_transferred_case_ids"](crm, start, end)
        mean = sql(
            f'SELECT c.OwnerId, {minutes} FROM "Case" c WHERE {qualified} AND c.ClosedDate IS NOT'
            f" NULL AND NOT EXISTS ({owned}) GROUP BY 1"
        )
        assert tool("calculate_average_handle_time", kept) == pytest.approx(mean, abs=0.01)
        states = sql(
            f'SELECT a.ShippingState, {minutes} FROM "Case" c JOIN Account a ON a.Id = c.AccountId'
            f" WHERE {qualified} AND c.ClosedDate IS NOT NULL GROUP BY 1"
        )
        assert tool("calculate_region_average_closure_times", whole) == pytest.approx(
            states, abs=0.01
        )
