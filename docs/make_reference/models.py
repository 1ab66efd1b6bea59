"""A model of `schemas` as a Markdown table: key, form, default, meaning.

A model is a pydantic class or a dataclass whose annotations pydantic reads. What a key means is its
`description`, and what the model is, its docstring.
"""

import dataclasses
import inspect
import json
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, WithJsonSchema
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from docs.make_reference.markdown import code, paragraph, table

HEADER = ("Key", "Form", "Default", "Meaning")
PLAIN: dict[object, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    date: "date",
    type(None): "null",
    Any: "any value",
    object: "any value",
}
OWN_TYPES = {
    "ValuePath": "[path](paths.md)",
    "LatentPath": "latent table or column",
    "Template": "[template](paths.md)",
}
"""The project's own types that a file holds as one text."""
JSON_TYPES = {"string": "text", "boolean": "true or false"}
BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
LENGTHS = {"min_length": "length at least {}", "max_length": "length at most {}"}
SCALARS = {str, int, float, bool}
"""Together they are whatever YAML has one value for."""


@dataclass(frozen=True, slots=True)
class ModelKey:
    """One key of a model: its name in a file, pydantic's field, and its default."""

    name: str
    field: FieldInfo
    default: object

    @property
    def description(self) -> str:
        """What the key means; empty where the model says nothing."""
        return self.field.description or ""


def section(model: type, title: str, level: int = 2, leave_out: tuple[str, ...] = ()) -> str:
    """A model's heading, its docstring and the table of its keys."""
    keys = [key for key in keys_of(model) if key.name not in leave_out]
    words = paragraph(inspect.getdoc(model) or "")
    return f"{'#' * level} {title}\n\n{words}\n\n{keys_table(keys)}"


def keys_table(keys: Iterable[ModelKey]) -> str:
    """The table of some keys."""
    rows = [(code(key.name), form(key), default_text(key), key.description) for key in keys]
    return table(HEADER, rows)


def keys_of(model: type) -> list[ModelKey]:
    """The keys of a model in its order, each by its alias where it has one."""
    if issubclass(model, BaseModel):
        fields = model.model_fields
        defaults = {
            name: field.get_default(call_default_factory=True) for name, field in fields.items()
        }
    else:
        hints = get_type_hints(model, include_extras=True)
        fields = {name: FieldInfo.from_annotation(hint) for name, hint in hints.items()}
        defaults = _dataclass_defaults(model)
    return [ModelKey(fields[name].alias or name, fields[name], defaults[name]) for name in defaults]


def _dataclass_defaults(model: type) -> dict[str, object]:
    found: dict[str, object] = {}
    for field in dataclasses.fields(model):
        if field.default_factory is not dataclasses.MISSING:
            found[field.name] = field.default_factory()
        elif field.default is not dataclasses.MISSING:
            found[field.name] = field.default
        else:
            found[field.name] = PydanticUndefined
    return found


def form(key: ModelKey) -> str:
    """What a key's value looks like, with its bounds: `whole number, at least 0`."""
    shown = _json_type(key.field.metadata) or type_text(key.field.annotation)
    return ", ".join([shown, *_bounds(key.field.metadata)])


def _bounds(constraints: Iterable[object]) -> Iterator[str]:
    for constraint in constraints:
        for name, words in BOUNDS.items():
            bound = getattr(constraint, name, None)
            if bound is not None:
                yield f"{words} {bound:,}"
        for name, words in LENGTHS.items():
            length = getattr(constraint, name, None)
            if length is not None:
                yield words.format(length)


def _json_type(constraints: Iterable[object]) -> str:
    """The form that a `WithJsonSchema` names, or nothing."""
    for constraint in constraints:
        if isinstance(constraint, WithJsonSchema):
            kinds = (constraint.json_schema or {}).get("type", "")
            names = [kinds] if isinstance(kinds, str) else kinds
            return " or ".join(JSON_TYPES[name] for name in names)
    return ""


def type_text(annotation: Any) -> str:  # noqa: ANN401 (an annotation may be any object)
    """A type in words: `tuple[str, ...]` is `list of text`."""
    if annotation in PLAIN:
        return PLAIN[annotation]
    origin, inner = get_origin(annotation), get_args(annotation)
    metadata = getattr(annotation, "__metadata__", None)
    if metadata:
        return _json_type(metadata) or type_text(inner[0])
    if origin is Literal:
        return " or ".join(code(_yaml(choice)) for choice in inner)
    if origin in (Union, types.UnionType):
        return _union_text(inner)
    if origin in (list, tuple):
        return _sequence_text(inner)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"mapping of {type_text(inner[0])} to {type_text(inner[1])}"
    return _class_text(annotation)


def _union_text(inner: tuple[Any, ...]) -> str:
    if set(inner) >= SCALARS:
        others = [part for part in inner if part not in {*SCALARS, type(None)}]
        return " or ".join(["one value", *(type_text(part) for part in others)])
    texts = [type_text(part) for part in inner if part is not type(None)]
    return " or ".join(dict.fromkeys(texts))


def _sequence_text(inner: tuple[Any, ...]) -> str:
    if len(inner) == 1 or inner[1] is Ellipsis:
        return f"list of {type_text(inner[0])}"
    return f"list of {len(inner)}: {', '.join(type_text(part) for part in inner)}"


def _class_text(annotation: Any) -> str:  # noqa: ANN401
    name = getattr(annotation, "__name__", str(annotation))
    if name in OWN_TYPES:
        return OWN_TYPES[name]
    if dataclasses.is_dataclass(annotation) or hasattr(annotation, "model_fields"):
        return (
            "source, see [sources](sources.md)" if name.endswith("Source") else f"{name}, see below"
        )
    return code(name)


def default_text(key: ModelKey) -> str:
    """A key's default as YAML has it; `required` where there is none."""
    value = key.default
    if value is PydanticUndefined:
        return "required"
    if value is None:
        return "none"
    if isinstance(value, float):
        return code(f"{value:.4g}")
    if isinstance(value, str | int):
        return code(_yaml(value))
    if isinstance(value, BaseModel) or dataclasses.is_dataclass(value):
        return "the defaults of its keys"
    return code(_yaml(value)) if value else "empty"


def _yaml(value: object) -> str:
    if isinstance(value, str):
        return value or '""'
    return json.dumps(value, default=str)


def parts_of(model: type[BaseModel]) -> list[type[BaseModel]]:
    """The models that a model's keys hold, those of their keys among them, each once, in order."""
    found: list[type[BaseModel]] = []
    for field in model.model_fields.values():
        for part in _models_in(field.annotation):
            for inner in [part, *parts_of(part)]:
                if inner not in found:
                    found.append(inner)
    return found


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)
