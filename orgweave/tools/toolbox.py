"""All tools by name, and the toolbox by which an agent calls them.

The toolbox validates arguments, cuts results to a length and keeps the answer. Knows no tool but by
its name. Example: `Toolbox(crm).call("get_period", {"period_name": "Winter", "year": 2021})` is
`{"start_date": "2021-12-01T00:00:00Z", "end_date": "2022-03-01T00:00:00Z"}`.
"""

import json
from collections.abc import Callable, Mapping

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from orgweave.crm.seam import Crm
from orgweave.tools import cases, conversations, figures, periods, products, queries
from orgweave.tools.definitions import JsonSchema, arguments_model, definitions_of
from schemas.errors import QueryRefused, ToolRefused

LIMIT = 100_000
"""Some 30,000 tokens: the cases of a year and a half of the shoe company."""
SAYS = {"extra_forbidden": "there is no such argument", "missing": "is missing"}
"""Faults that pydantic words less clearly."""
FUNCTIONS: dict[str, Callable[..., object]] = {
    "get_agents_with_max_cases": figures.get_agents_with_max_cases,
    "get_agents_with_min_cases": figures.get_agents_with_min_cases,
    "calculate_average_handle_time": figures.calculate_average_handle_time,
    "get_start_date": periods.get_start_date,
    "get_period": periods.get_period,
    "get_agent_handled_cases_by_period": cases.get_agent_handled_cases_by_period,
    "get_qualified_agent_ids_by_case_count": cases.get_qualified_agent_ids_by_case_count,
    "get_cases": cases.get_cases,
    "get_non_transferred_case_ids": cases.get_non_transferred_case_ids,
    "get_agent_transferred_cases_by_period": cases.get_agent_transferred_cases_by_period,
    "get_shipping_state": figures.get_shipping_state,
    "calculate_region_average_closure_times": figures.calculate_region_average_closure_times,
    "get_order_item_ids_by_product": products.get_order_item_ids_by_product,
    "get_issue_counts": cases.get_issue_counts,
    "find_id_with_max_value": figures.find_id_with_max_value,
    "find_id_with_min_value": figures.find_id_with_min_value,
    "get_account_id_by_contact_id": products.get_account_id_by_contact_id,
    "get_purchase_history": products.get_purchase_history,
    "get_month_to_case_count": figures.get_month_to_case_count,
    "search_knowledge_articles": conversations.search_knowledge_articles,
    "search_products": products.search_products,
    "get_issues": products.get_issues,
    "get_email_messages_by_case_id": conversations.get_email_messages_by_case_id,
    "get_livechat_transcript_by_case_id": conversations.get_livechat_transcript_by_case_id,
    "issue_soql_query": queries.issue_soql_query,
    "issue_sosl_query": queries.issue_sosl_query,
    "submit": queries.submit,
    "execute": queries.execute,
    "get_region_case_counts": figures.get_region_case_counts,
}


def definitions() -> list[JsonSchema]:
    """Returns the definitions of all tools, ready for `tools=` of a chat completion."""
    return definitions_of(FUNCTIONS)


class Toolbox:
    """The tools over one CRM, for one episode.

    Args:
        crm: what the tools ask.
        limit: characters of JSON that a result may have; a longer one is cut, with a line that says
            so.
        functions: the tools by name; those that read, where not named.
    """

    def __init__(
        self,
        crm: Crm,
        limit: int = LIMIT,
        functions: Mapping[str, Callable[..., object]] = FUNCTIONS,
    ) -> None:
        self._crm = crm
        self._limit = limit
        self._functions = functions
        self.submitted: str | None = None
        """The answer, once `submit` was called."""

    def call(self, name: str, arguments: Mapping[str, object]) -> object:
        """Returns a tool's result, ready for JSON.

        Raises ToolRefused, whose message is for the agent.
        """
        if self.submitted is not None:
            raise ToolRefused("the answer was submitted; nothing can be called any more")
        if name not in self._functions:
            raise ToolRefused(
                f"there is no tool {name[:60]!r}; the tools are {', '.join(self._functions)}"
            )
        given = checked(name, arguments, self._functions)
        try:
            result = self._functions[name](self._crm, **given)
        except QueryRefused as error:
            raise ToolRefused(f"{name}: the CRM refused: {error.code}: {error}") from error
        if name == "submit":
            self.submitted = str(result)
        return cut(result, self._limit)

    def reply(self, name: str, arguments: Mapping[str, object]) -> str:
        """Returns the same as text for an agent: a text as it is, all else as JSON.

        A refusal is a text too, with its reason.
        """
        try:
            return as_reply(self.call(name, arguments))
        except ToolRefused as refused:
            return f"Error: {refused}"


def as_reply(result: object) -> str:
    """Returns a result as an agent reads it."""
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)


def checked(
    name: str,
    arguments: object,
    functions: Mapping[str, Callable[..., object]] = FUNCTIONS,
) -> dict[str, object]:
    """Returns the arguments in their one form; raises ToolRefused with the first three faults."""
    model = arguments_model(functions[name])
    try:
        found = model.model_validate(arguments)
    except ValidationError as error:
        faults = "; ".join(_fault(fault) for fault in error.errors(include_url=False)[:3])
        raise ToolRefused(
            f"{name}: {faults}. Its arguments are: {', '.join(model.model_fields) or 'none'}"
        ) from error
    return {field: getattr(found, field) for field in found.model_fields_set}


def _fault(fault: ErrorDetails) -> str:
    place = ".".join(map(str, fault["loc"]))
    says = SAYS.get(fault["type"], fault["msg"].removeprefix("Value error, "))
    return f"{place}: {says}" if place else says


def cut(result: object, limit: int) -> object:
    """Returns a result that is short enough as it is, and cuts a longer one.

    Of a list the first members stay, of all else the beginning of its text; a line says so.
    """
    text = as_reply(result)
    if len(text) <= limit:
        return result
    if not isinstance(result, list):
        return f"{text[:limit]}\n{_left_out(limit, 'this is its beginning')}"
    kept = 0
    # The list's JSON has brackets around its members and a comma with a space behind each.
    length = 2
    for member in result:
        length += len(json.dumps(member, ensure_ascii=False)) + 2
        if length > limit:
            break
        kept += 1
    return [*result[:kept], _left_out(limit, f"these are the first {kept} of {len(result)}")]


def _left_out(limit: int, shown: str) -> str:
    return f"[cut: the result has more than {limit} characters and {shown}; ask for less at a time]"
