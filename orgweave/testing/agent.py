"""What a model says that plays an agent and knows nothing: one query, then an id that it returned.

So the whole way of an agent can be watched without a key. It reads the form of a request (tags in
its system message, or tools) and no question; its answers are right by chance alone.
"""

import re
from collections.abc import Mapping
from typing import Any

QUERY = "SELECT Id FROM User LIMIT 1"
CALLED, SUBMIT = "issue_soql_query", "submit"
"""The tools that it calls."""
ACTION = "<respond>"
"""Stands in what an agent that acts in text is told."""
ID = re.compile(r"\b[a-zA-Z0-9]{15}(?:[a-zA-Z0-9]{3})?\b(?=\")")


def agent_turn(body: Mapping[str, Any]) -> str | dict[str, object] | None:
    """The next turn of an agent; None for a request that asks for none."""
    messages = body["messages"]
    tools = {tool["function"]["name"]: tool["function"] for tool in body.get("tools") or ()}
    if SUBMIT not in tools and ACTION not in str(messages[0].get("content")):
        return None
    said = [message for message in messages if message["role"] == "assistant"]
    found = ID.search(str(messages[-1].get("content"))) if said else None
    answer = found.group() if found else "None"
    if SUBMIT not in tools:
        action = f"<respond>{answer}</respond>" if said else f"<execute>{QUERY}</execute>"
        return f"<thought>I know nothing of the question.</thought> {action}"
    if said or CALLED not in tools:
        return _call(tools[SUBMIT], answer)
    return _call(tools[CALLED], QUERY)


def _call(tool: Mapping[str, Any], value: str) -> dict[str, object]:
    """A call of a tool with its first parameter."""
    parameters = list(tool["parameters"]["properties"])
    return {"name": tool["name"], "arguments": {parameters[0]: value}}
