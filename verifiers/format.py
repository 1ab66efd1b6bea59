"""Is an answer's entry of the right form?

By jsonschema, entry by entry, so that a mini-batch's good ones are kept.

Knows JSON Schemas only, no facts.
"""

from collections.abc import Mapping
from typing import Any, cast

import jsonschema_rs
from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator

from verifiers.verdict import PASS, Verdict, fail


def entry_schema(
    fields: Mapping[str, Mapping[str, object]], parts: int | None = None
) -> dict[str, object]:
    """The JSON Schema of one entry: `unit` and the written fields; with parts, each field is a list
    of exactly so many texts.
    """
    properties: dict[str, object] = {"unit": {"type": "integer"}}
    for name, schema in fields.items():
        properties[name] = (
            {"type": "array", "items": _part(schema), "minItems": parts, "maxItems": parts}
            if parts is not None
            else dict(schema)
        )
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def validator(schema: Mapping[str, object]) -> Validator:
    """A validator to use again and again."""
    return Draft202012Validator(dict(schema))


def fits(schema: Mapping[str, object], entry: object) -> bool:
    """Whether an entry is of that form, by jsonschema-rs: quick, but without a reason."""
    return jsonschema_rs.is_valid(dict(schema), entry)


def verify_format(check: Validator, entry: object) -> Verdict:
    """Pass, or fail with the first fault and its path."""
    fault = next(iter(check.iter_errors(cast(Any, entry))), None)
    if fault is None:
        return PASS
    return fail(
        f"format: {fault.message[:200]}", ".".join(str(step) for step in fault.absolute_path)
    )


def _part(schema: Mapping[str, object]) -> dict[str, object]:
    """A part's own length is its turn's business: only the longest length stays."""
    return {
        "type": "string",
        "minLength": 2,
        **({"maxLength": schema["maxLength"]} if "maxLength" in schema else {}),
    }
