"""Definitions of tools, made from their type hints and docstrings: for OpenAI, and as text.

Knows no single tool. OpenAI's strict mode takes objects of known fields only, all of them required;
what may be left out is null. Example: `get_issues(crm)` becomes `{"type": "function", "function":
{"name": "get_issues", "description": "All issues ...", "parameters": {...}, "strict": True}}`.
"""

import inspect
import textwrap
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

JsonSchema = dict[str, object]


class StrictSchema(GenerateJsonSchema):
    """JSON Schema without titles and defaults, every field required."""

    def field_title_should_be_set(self, schema: object) -> bool:
        """A title says what the name does."""
        return False

    def field_is_required(self, field: object, total: bool) -> bool:
        """What has a default takes null."""
        return True

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """The schema without its default."""
        return self.generate_inner(schema["schema"])


@cache
def arguments_model(function: Callable[..., object]) -> type[BaseModel]:
    """Returns the arguments of a tool, but for the CRM, as a model that takes no others."""
    hints = get_type_hints(function, include_extras=True)
    _, *own = inspect.signature(function).parameters.values()
    # pydantic takes a field as (type, default), `...` for none; its stubs can't say so.
    fields: dict[str, Any] = {}
    for argument in own:
        required = argument.default is inspect.Parameter.empty
        fields[argument.name] = (hints[argument.name], ... if required else argument.default)
    config = ConfigDict(extra="forbid", allow_inf_nan=False)
    model: type[BaseModel] = create_model("Arguments", __config__=config, **fields)
    return model


def parameters(function: Callable[..., object]) -> JsonSchema:
    """Returns a tool's arguments as strict JSON Schema."""
    made = arguments_model(function).model_json_schema(schema_generator=StrictSchema)
    return {
        "type": "object",
        "properties": made["properties"],
        "required": made.get("required", []),
        "additionalProperties": False,
    }


def described(function: Callable[..., object]) -> str:
    """Returns a tool's docstring, each paragraph in one line.

    Where the source breaks its lines is no part of what a model is told.
    """
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def definitions_of(functions: Mapping[str, Callable[..., object]]) -> list[JsonSchema]:
    """Returns OpenAI's definitions, ready for `tools=` of a chat completion."""
    made: list[JsonSchema] = []
    for name, function in functions.items():
        definition = {
            "name": name,
            "description": described(function),
            "parameters": parameters(function),
            "strict": True,
        }
        made.append({"type": "function", "function": definition})
    return made


def as_text(functions: Mapping[str, Callable[..., object]]) -> str:
    """Returns the same for a reader: each tool's call, what it does, its arguments."""
    return "\n\n".join(_told(name, function) for name, function in functions.items())


def _told(name: str, function: Callable[..., object]) -> str:
    """A tool's call and, indented, its docstring and a line an argument."""
    fields = arguments_model(function).model_fields
    lines = [described(function)]
    for field, info in fields.items():
        optional = "" if info.is_required() else " (may be left out)"
        lines.append(f"- {field}{optional}: {info.description}")
    body = textwrap.indent("\n".join(lines), "    ")
    return f"{name}({', '.join(fields)})\n{body}"
