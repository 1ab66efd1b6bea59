"""Is an answer's entry of the right form? Each entry is tried by itself, so that a mini-batch's
good ones are kept.

Knows JSON Schemas only, no facts.
"""

from collections.abc import Mapping

import jsonschema_rs

from verifiers.verdict import PASS, Verdict, fail

LONGEST_REASON = 200  # a reason quotes the faulty value, which may be a whole text


def entry_schema(
    fields: Mapping[str, Mapping[str, object]], parts: int | None = None
) -> dict[str, object]:
    """The JSON Schema of one entry: `unit` and the written fields.

    With `parts`, each field is a list of exactly so many texts.
    """
    properties: dict[str, object] = {"unit": {"type": "integer"}}
    for name, schema in fields.items():
        properties[name] = dict(schema) if parts is None else _list_of(schema, parts)
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def validator_of(schema: Mapping[str, object]) -> jsonschema_rs.Draft202012Validator:
    """A validator to use again and again; making one takes longer than using it."""
    return jsonschema_rs.Draft202012Validator(dict(schema))


def verify_format(validator: jsonschema_rs.Draft202012Validator, entry: object) -> Verdict:
    """Passes, or fails with the first fault and its path."""
    try:
        if validator.is_valid(entry):
            return PASS
        fault = next(validator.iter_errors(entry))
    except (ValueError, TypeError, RecursionError) as error:
        # Half a character, a set, a list within itself: nothing that JSON could have brought.
        return fail(f"format: is no JSON ({str(error)[:LONGEST_REASON]})")
    path = ".".join(str(step) for step in fault.instance_path)
    return fail(f"format: {fault.message[:LONGEST_REASON]}", path)


def _list_of(schema: Mapping[str, object], parts: int) -> dict[str, object]:
    """Exactly `parts` texts; how short one may be is its turn's business, its longest length stays.

    One character is the least that says anything: "k" is a whole line of a chat.
    """
    part: dict[str, object] = {"type": "string", "minLength": 1}
    if "maxLength" in schema:
        part["maxLength"] = schema["maxLength"]
    return {"type": "array", "items": part, "minItems": parts, "maxItems": parts}
