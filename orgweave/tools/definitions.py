"""Definitions of tools, made from their type hints and docstrings: OpenAI's form under the rules of
its strict mode, and plain text.

Strict mode takes objects of known fields only, all of them required; what may be left out is null.
"""

import inspect
import textwrap
from collections.abc import Callable, Mapping
from functools import cache
from typing import get_type_hints

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
    """The arguments of a tool, but for the CRM, as a model that takes no others."""
    hints = get_type_hints(function, include_extras=True)
    own = list(inspect.signature(function).parameters.values())[1:]
    fields = {
        one.name: (hints[one.name], ... if one.default is inspect.Parameter.empty else one.default)
        for one in own
    }
    config = ConfigDict(extra="forbid", allow_inf_nan=False)
    return create_model("Arguments", __config__=config, **fields)  # type: ignore[call-overload, no-any-return]


def parameters(function: Callable[..., object]) -> JsonSchema:
    """A tool's arguments as strict JSON Schema."""
    made = arguments_model(function).model_json_schema(schema_generator=StrictSchema)
    return {
        "type": "object",
        "properties": made["properties"],
        "required": made.get("required", []),
        "additionalProperties": False,
    }


def described(function: Callable[..., object]) -> str:
    """A tool's docstring."""
    return inspect.getdoc(function) or ""


def definitions_of(functions: Mapping[str, Callable[..., object]]) -> list[JsonSchema]:
    """OpenAI's definitions, ready for `tools=` of a chat completion."""
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": described(one),
                "parameters": parameters(one),
                "strict": True,
            },
        }
        for name, one in functions.items()
    ]


def as_text(functions: Mapping[str, Callable[..., object]]) -> str:
    """The same for a reader: each tool's call, what it does, its arguments."""
    return "\n\n".join(_told(name, function) for name, function in functions.items())


def _told(name: str, function: Callable[..., object]) -> str:
    model = arguments_model(function)
    lines = [
        f"{field}{'' if info.is_required() else ' (may be left out)'}: {info.description}"
        for field, info in model.model_fields.items()
    ]
    return "\n".join(
        [
            f"{name}({', '.join(model.model_fields)})",
            textwrap.indent(
                "\n".join([described(function), *(f"- {line}" for line in lines)]), "    "
            ),
        ]
    )
