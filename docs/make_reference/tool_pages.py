"""The page on an agent's tools, from their type hints and docstrings."""

import re
from collections.abc import Callable

from docs.make_reference.markdown import code, paragraph, table
from docs.make_reference.models import type_text
from orgweave.tools.definitions import arguments_model, described
from orgweave.tools.toolbox import FUNCTIONS

QUERYING = "execute"


def tools_page() -> str:
    """Every tool: its call, what it does, its arguments."""
    count = len(FUNCTIONS) - 1
    introduction = f"""# The tools of an agent

An agent has {count} functions and `{QUERYING}`, which takes any SOQL or SOSL.
`orgweave tools --format openai` prints them as definitions for function calling. The
[guide](../guide/query.md#give-it-to-an-agent) shows how to use them. In Python and in strict
function calling, an argument that may be left out takes null."""
    return "\n\n".join([introduction, *(_tool(name, FUNCTIONS[name]) for name in FUNCTIONS)])


def _tool(name: str, function: Callable[..., object]) -> str:
    fields = arguments_model(function).model_fields
    parts = [f"## {name}", code(f"{name}({', '.join(fields)})"), _prose(described(function))]
    if not fields:
        return "\n\n".join(parts)
    rows = []
    for argument, field in fields.items():
        needed = "yes" if field.is_required() else "no"
        form = type_text(field.annotation)
        rows.append((code(argument), form, needed, field.description or ""))
    parts.append(table(("Argument", "Form", "Required", "Meaning"), rows))
    return "\n\n".join(parts)


def _prose(docstring: str) -> str:
    """The docstring as paragraphs; what begins with `Example:` becomes code."""
    parts = []
    for part in paragraph(docstring).split("\n\n"):
        example = re.fullmatch(r"Example: (.*)", part)
        parts.append(f"Example: {code(example.group(1))}" if example else part)
    return "\n\n".join(parts)
