"""Calls of every tool on the toy org; the first has every argument, the others lack some or are
wrong.
"""

from typing import Any

from tests.tools_toys import ACCOUNTS, CASES, CONTACTS, ISSUES, ITEMS, ODD, PRODUCTS, USERS, WINDOW

VALUES = [
    {"id": USERS[0], "value": 3},
    {"id": USERS[1], "value": 2.5},
    {"id": USERS[2], "value": 3},
]
BACKWARDS = {"start_date": "2022-02-01", "end_date": "2022-01-01"}
ALL_NULL = dict.fromkeys(
    ("start_date", "end_date", "agent_ids", "case_ids", "order_item_ids", "issue_ids", "statuses")
)
QUERIES = [
    "SELECT Id, Owner.Name, ClosedDate FROM Case ORDER BY Id",
    "SELECT COUNT() FROM Case",
    "SELECT Foo FROM Case",
    "",
    "FIND {boot}",
    "x" * 100_001,
    "SELECT '\ud800'",
    ODD,
]
SEARCHES = [
    "FIND {boot} RETURNING Product2(Id, Name)",
    "FIND {a}",
    "FIND {boot",
    "",
    "SELECT Id FROM Case",
]
CALLS: dict[str, list[dict[str, Any]]] = {
    "get_agents_with_max_cases": [
        {"subset_cases": CASES, "agent_ids": None},
        {"subset_cases": [], "agent_ids": USERS},
        {"subset_cases": [USERS[0]]},
    ],
    "get_agents_with_min_cases": [
        {"subset_cases": CASES, "agent_ids": None},
        {"subset_cases": CASES, "agent_ids": USERS},
        {"subset_cases": 5},
    ],
    "calculate_average_handle_time": [{"cases": CASES}, {"cases": []}, {}],
    "get_start_date": [
        {"end_date": "2022-03-31T00:00:00Z", "period": "month", "interval_count": 1},
        {"end_date": "x", "period": "month", "interval_count": 1},
    ],
    "get_period": [
        {"period_name": "Winter", "year": 2021},
        {"period_name": "Easter", "year": 2021},
    ],
    "get_agent_handled_cases_by_period": [WINDOW, BACKWARDS],
    "get_qualified_agent_ids_by_case_count": [{"agent_handled_cases": VALUES, "n_cases": 2}],
    "get_cases": [
        ALL_NULL,
        {
            **ALL_NULL,
            **WINDOW,
            "agent_ids": USERS,
            "case_ids": CASES,
            "order_item_ids": ITEMS,
            "issue_ids": ISSUES,
            "statuses": ["Closed", ODD],
        },
        {},
        {"case_ids": [USERS[0]]},
        {"case_ids": ["x"]},
    ],
    "get_non_transferred_case_ids": [WINDOW, BACKWARDS],
    "get_agent_transferred_cases_by_period": [
        {**WINDOW, "qualified_agent_ids": None},
        {**WINDOW, "qualified_agent_ids": USERS[:2]},
    ],
    "get_shipping_state": [{"cases": CASES}],
    "calculate_region_average_closure_times": [{"cases": CASES}],
    "get_region_case_counts": [{"cases": CASES}],
    "get_order_item_ids_by_product": [
        {"product_id": PRODUCTS[0]},
        {"product_id": PRODUCTS[5]},
        {"product_id": CASES[0]},
    ],
    "get_issue_counts": [
        {**WINDOW, "order_item_ids": ITEMS},
        {**WINDOW, "order_item_ids": []},
        WINDOW,
    ],
    "find_id_with_max_value": [{"values_by_id": VALUES}, {"values_by_id": []}],
    "find_id_with_min_value": [{"values_by_id": VALUES}],
    "get_account_id_by_contact_id": [{"contact_id": one} for one in CONTACTS],
    "get_purchase_history": [
        {"account_id": ACCOUNTS[0], "purchase_date": "2022-03-01", "related_product_ids": PRODUCTS},
        {"account_id": ACCOUNTS[0]},
        {"account_id": CASES[0]},
    ],
    "get_month_to_case_count": [{"cases": CASES}],
    "search_knowledge_articles": [
        {"search_term": "refund for a loose sole"},
        {"search_term": "hikers"},
        {"search_term": "zeppelin"},
    ],
    "search_products": [{"search_term": "trail boots"}, {"search_term": ODD}, {"search_term": "!"}],
    "get_issues": [{}],
    "get_email_messages_by_case_id": [
        {"case_id": CASES[1]},
        {"case_id": CASES[0]},
        {"case_id": USERS[0]},
    ],
    "get_livechat_transcript_by_case_id": [{"case_id": CASES[0]}, {"case_id": CASES[1]}],
    "issue_soql_query": [{"query": one} for one in QUERIES],
    "issue_sosl_query": [{"query": one} for one in SEARCHES],
    "submit": [{"content": "None"}, {"content": 5}],
    "execute": [{"query": one} for one in (*QUERIES, *SEARCHES)],
}
