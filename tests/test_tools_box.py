"""The toolbox: its definitions, what it makes of arguments and results.

`UPDATE_GOLDEN=1 python -m pytest tests/test_tools_box.py` rewrites the golden file.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from orgweave.tools.crm import LocalCrm
from orgweave.tools.toolbox import FUNCTIONS, Toolbox, cut, definitions
from schemas.errors import ToolRefused
from tests.tools_calls import CALLS
from tests.tools_toys import CASES, ISSUES, USERS, WINDOW, toy_crm

GOLDEN = Path(__file__).parent / "golden" / "tools.json"
NAMES = [
    "get_agents_with_max_cases",
    "get_agents_with_min_cases",
    "calculate_average_handle_time",
    "get_start_date",
    "get_period",
    "get_agent_handled_cases_by_period",
    "get_qualified_agent_ids_by_case_count",
    "get_cases",
    "get_non_transferred_case_ids",
    "get_agent_transferred_cases_by_period",
    "get_shipping_state",
    "calculate_region_average_closure_times",
    "get_order_item_ids_by_product",
    "get_issue_counts",
    "find_id_with_max_value",
    "find_id_with_min_value",
    "get_account_id_by_contact_id",
    "get_purchase_history",
    "get_month_to_case_count",
    "search_knowledge_articles",
    "search_products",
    "get_issues",
    "get_email_messages_by_case_id",
    "get_livechat_transcript_by_case_id",
    "issue_soql_query",
    "issue_sosl_query",
    "submit",
]
STRICT = {
    "type",
    "properties",
    "required",
    "additionalProperties",
    "description",
    "items",
    "anyOf",
    "enum",
    "minimum",
    "maximum",
}
"""Keywords that strict mode takes and the definitions use."""


@pytest.fixture(scope="module")
def crm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCrm]:
    """The toy org."""
    with toy_crm(tmp_path_factory.mktemp("tools")) as made:
        yield made


def test_the_tools_are_the_papers_and_two_more() -> None:
    """The 27 functions of the paper's appendix, execute, and the cases behind a region's mean."""
    assert list(FUNCTIONS) == [*NAMES, "execute", "get_region_case_counts"]


def test_definitions_are_as_agreed() -> None:
    """The definitions are, to the letter, those of the golden file."""
    text = json.dumps(definitions(), indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def schemas_in(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A schema and all inside it."""
    yield schema
    for inner in (
        *schema.get("properties", {}).values(),
        *schema.get("anyOf", ()),
        *([schema["items"]] if "items" in schema else []),
    ):
        yield from schemas_in(inner)


@pytest.mark.parametrize("definition", definitions(), ids=lambda one: one["function"]["name"])
def test_a_definition_keeps_the_rules_of_strict_mode(definition: dict[str, Any]) -> None:
    """Valid JSON Schema of keywords that strict mode takes; every object closed, all its fields
    required; every argument explained; an example in the text.
    """
    function = definition["function"]
    assert (definition["type"], function["strict"]) == ("function", True)
    assert "Example: " + function["name"] in function["description"]
    Draft202012Validator.check_schema(function["parameters"])
    assert function["parameters"]["type"] == "object"
    for schema in schemas_in(function["parameters"]):
        assert set(schema) <= STRICT
        assert "anyOf" in schema or "type" in schema
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
    assert all(one.get("description") for one in function["parameters"]["properties"].values())


@pytest.mark.parametrize("definition", definitions(), ids=lambda one: one["function"]["name"])
def test_what_a_definition_allows_is_taken(crm: LocalCrm, definition: dict[str, Any]) -> None:
    """A call with every argument, as strict mode makes models send it, fits the definition and is
    answered with JSON.
    """
    name = definition["function"]["name"]
    given = CALLS[name][0]
    Draft202012Validator(definition["function"]["parameters"]).validate(given)
    assert json.loads(json.dumps(Toolbox(crm).call(name, given))) not in (None, [], {}, "")


REFUSED: dict[str, tuple[str, object, str]] = {
    "an unknown tool": (
        "get_everything",
        {},
        "there is no tool 'get_everything'; the tools are get_agents_with_max_cases, ",
    ),
    "an argument too many": (
        "get_issues",
        {"limit": 5},
        "get_issues: limit: there is no such argument. Its arguments are: none",
    ),
    "an argument too few": (
        "get_period",
        {"year": 2021},
        "get_period: period_name: is missing. Its arguments are: period_name, year",
    ),
    "a wrong type": (
        "get_cases",
        {"agent_ids": USERS[0]},
        "get_cases: agent_ids: Input should be a valid list",
    ),
    "no mapping": ("get_cases", ["x"], "get_cases: "),
    "a bad date": (
        "get_issue_counts",
        {**WINDOW, "start_date": "last week"},
        "start_date: 'last week' is no datetime; write it as 2022-01-01T00:00:00Z",
    ),
    "a window that ends before it begins": (
        "get_non_transferred_case_ids",
        {"start_date": "2022-02-01", "end_date": "2022-01-01"},
        "start_date 2022-02-01T00:00:00Z lies after end_date",
    ),
    "an unknown agent": (
        "get_cases",
        {"agent_ids": [USERS[0], "005zz0000000099AAA"]},
        "there is no User with the Id 005zz0000000099AAA; look the Id up again",
    ),
    "an agent that is a case": (
        "get_agents_with_min_cases",
        {"subset_cases": [CASES[0]], "agent_ids": [CASES[0]]},
        f"there is no User with the Id {CASES[0]}",
    ),
    "an unknown case": (
        "calculate_average_handle_time",
        {"cases": [USERS[0]]},
        f"there is no Case with the Id {USERS[0]}",
    ),
    "an unknown case's mails": (
        "get_email_messages_by_case_id",
        {"case_id": "500zz0000000099AAA"},
        "there is no Case with",
    ),
    "an unknown contact": (
        "get_account_id_by_contact_id",
        {"contact_id": "003zz0000000099AAA"},
        "there is no Contact with",
    ),
    "an unknown account": (
        "get_purchase_history",
        {"account_id": "001zz0000000099AAA"},
        "there is no Account with",
    ),
    "an unknown product": (
        "get_order_item_ids_by_product",
        {"product_id": ISSUES[0]},
        "there is no Product2 with",
    ),
    "an unknown item": (
        "get_issue_counts",
        {**WINDOW, "order_item_ids": ["802zz0000000099AAA"]},
        "there is no OrderItem with",
    ),
    "an unknown transferrer": (
        "get_agent_transferred_cases_by_period",
        {**WINDOW, "qualified_agent_ids": ["005zz0000000099AAA"]},
        "there is no User with",
    ),
    "another period": (
        "get_period",
        {"period_name": "Easter", "year": 2022},
        "period_name: Input should be 'January', 'February'",
    ),
    "half a character": (
        "get_cases",
        {"statuses": ["\ud800"]},
        "get_cases: the CRM refused: MALFORMED_QUERY: ",
    ),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_wrong_call_tells_the_agent_why(crm: LocalCrm, name: str) -> None:
    """A call that can't be answered raises ToolRefused; as a reply it is a short text that begins
    with Error.
    """
    tool, given, says = REFUSED[name]
    with pytest.raises(ToolRefused) as caught:
        Toolbox(crm).call(tool, given)
    assert says in str(caught.value)
    assert Toolbox(crm).reply(tool, given) == f"Error: {caught.value}"
    assert len(str(caught.value)) < 1200


def test_records_and_mappings_are_taken_too(crm: LocalCrm) -> None:
    """Where ids are wanted, records that have them do; where pairs are, what another tool gave."""
    box = Toolbox(crm)
    cases = box.call("get_cases", WINDOW)
    times = box.call("calculate_average_handle_time", {"cases": cases})
    assert times == {USERS[0]: 180.0, USERS[1]: 60.0, USERS[2]: 180.0}
    pairs = [{"id": one, "value": value} for one, value in times.items()]
    assert (
        box.call("find_id_with_max_value", {"values_by_id": times})
        == box.call("find_id_with_max_value", {"values_by_id": pairs})
        == [USERS[0], USERS[2]]
    )


def test_submitting_ends_the_episode(crm: LocalCrm) -> None:
    """The toolbox keeps the answer and takes no further call, not even of another answer."""
    box = Toolbox(crm)
    assert box.submitted is None
    assert box.reply("submit", {"content": USERS[0]}) == USERS[0] == box.submitted
    assert (
        box.reply("submit", {"content": "None"})
        == "Error: the answer was submitted; nothing can be called any more"
    )
    assert box.submitted == USERS[0]


def test_a_long_list_is_cut_between_its_members(crm: LocalCrm) -> None:
    """What is shown are whole records, as many as fit,
    then a line that says how many there were.
    """
    whole = Toolbox(crm).call("get_cases", {})
    some = Toolbox(crm, limit=1000).call("get_cases", {})
    assert isinstance(whole, list)
    assert isinstance(some, list)
    assert some[:-1] == whole[: len(some) - 1] != []
    assert (
        some[-1]
        == f"[cut: the result has more than 1000 characters and these are the first {len(some) - 1}"
        " of 7; ask for less at a time]"
    )
    assert 600 < len(json.dumps(some[:-1])) <= 1000


@pytest.mark.parametrize("result", [[], {}, "", None, 5, ["a" * 96], "a" * 100, {"a": "b" * 90}])
def test_what_is_short_enough_stays(result: object) -> None:
    """Up to the limit a result is what it was."""
    assert cut(result, 100) == result


@pytest.mark.parametrize(
    ("result", "begins"),
    [("a" * 101, "a" * 100 + "\n[cut: "), ({"a": "b" * 100}, '{"a": "bbb'), (["a" * 97], "[cut: ")],
)
def test_what_is_not_a_list_is_cut_anywhere(result: object, begins: str) -> None:
    """A text or a mapping becomes the beginning of its text, of a list whose first member is too
    long nothing but the line is left.
    """
    short = cut(result, 100)
    assert str(short[0] if isinstance(short, list) else short).startswith(begins)
