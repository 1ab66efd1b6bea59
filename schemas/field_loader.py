"""Fields of an object type, as its YAML file states them: read and checked.

Knows no other object type; `schemas.loader` checks what spans several.
"""

import re
from datetime import datetime
from pathlib import Path
from typing import Any

from schemas.errors import SchemaError
from schemas.field import Field
from schemas.files import checked
from schemas.sources import SOURCES, RangeSource, Scalar, kind_of

JSON_KEYWORDS = frozenset(
    [
        "type",
        "format",
        "pattern",
        "enum",
        "const",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "items",
        "minItems",
        "maxItems",
        "description",
        "title",
        "examples",
    ]
)
FIELD_KEYWORDS = frozenset(
    [
        "x-source",
        "x-unique",
        "x-createable",
        "x-holds-ids",
        "x-insert-as",
        "x-filled",
        "x-local",
    ]
)
FIELD_TYPES = frozenset(["array", "boolean", "integer", "number", "string"])
"""The JSON types that a CRM's field can have; `null` may stand beside one."""

LONGEST_TEXT = 131_072
"""Characters of a CRM's longest text area."""

PERIOD_BOUNDS = ("period.start", "period.end")
"""The words of a range that stand for the first and the last day of the company's profile."""

MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?")


def is_pattern(text: str) -> bool:
    """Whether a text is a regular expression that Python can compile."""
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def read_fields(path: Path, properties: dict[str, Any], required: list[str]) -> tuple[Field, ...]:
    """The fields of an object type in their order; raises SchemaError naming file and key."""
    fields = []
    for name, keywords in properties.items():
        fields.append(_field(path, name, keywords, name in required))
    return tuple(fields)


def _field(path: Path, name: str, keywords: dict[str, Any], required: bool) -> Field:
    where = f"{path}: properties.{name}"
    for keyword in keywords:
        if keyword not in JSON_KEYWORDS | FIELD_KEYWORDS:
            known = ", ".join(sorted(FIELD_KEYWORDS))
            raise SchemaError(
                f"{where}.{keyword}: unknown keyword; use a JSON Schema keyword or one of {known}"
            )
    _check_kind(where, keywords.get("x-source"))
    field = checked(
        Field,
        {key: value for key, value in keywords.items() if key in FIELD_KEYWORDS},
        str(path),
        place=f"properties.{name}",
        name=name,
        json_schema={key: value for key, value in keywords.items() if key in JSON_KEYWORDS},
        required=required,
    )
    _check_form(where, field)
    _check_filled(where, field)
    if isinstance(field.source, RangeSource):
        for bound in field.source.range:
            _check_bound(f"{where}.x-source.range", field, bound)
    return field


def _check_form(where: str, field: Field) -> None:
    """The type is one that a record can hold, and the lengths are those of a text."""
    kinds = field.json_schema.get("type", "string")
    listed = [kinds] if isinstance(kinds, str) else kinds
    if not set(listed) & FIELD_TYPES or "object" in listed:
        raise SchemaError(
            f"{where}.type: is {kinds!r:.60}, which no field can have; use one of"
            f" {', '.join(sorted(FIELD_TYPES))}"
        )
    lengths = [field.json_schema.get(keyword) for keyword in ("minLength", "maxLength")]
    for length in lengths:
        if length is not None and (type(length) is not int or length > LONGEST_TEXT):
            raise SchemaError(
                f"{where}: {length!r:.60} is no length; write a whole number up to {LONGEST_TEXT}"
            )
    least, most = lengths
    if most is not None and most < max(least or 0, 1):
        raise SchemaError(f"{where}.maxLength: leaves no room for a text; make it larger")
    if field.unique and field.written and field.written.new_among:
        raise SchemaError(
            f"{where}.x-source.new_among: stands at a field whose texts are unique among all; leave"
            " out new_among or x-unique"
        )


def _check_filled(where: str, field: Field) -> None:
    """A field that is empty in some records is optional, may be null, and needs no writer."""
    if field.filled is None:
        return
    if field.required or field.written or field.name == "Id":
        raise SchemaError(
            f"{where}.x-filled: stands at a field that every record has; take it out of `required`"
            " and give it a source that isn't written, or leave x-filled out"
        )
    if not field.nullable:
        raise SchemaError(
            f"{where}.x-filled: leaves the field empty in some records, which its type forbids;"
            f' write type: [{field.type}, "null"]'
        )


def _check_kind(where: str, source: object) -> None:
    known = ", ".join(SOURCES)
    if not isinstance(source, dict) or not source:
        raise SchemaError(
            f"{where}.x-source: is missing; say where the field comes from, one of {known}"
        )
    if kind_of(source) is None:
        named = next(iter(source))
        raise SchemaError(f"{where}.x-source: unknown source {named!r}; use one of {known}")


def _check_bound(where: str, field: Field, bound: Scalar) -> None:
    if field.format in ("date", "date-time"):
        if bound not in PERIOD_BOUNDS and not _is_moment(bound):
            raise SchemaError(
                f'{where}: {bound!r} is no date; write "2021-03-03" (with quotes) or period.start'
            )
    elif isinstance(bound, bool) or not isinstance(bound, int | float):
        raise SchemaError(
            f"{where}: {bound!r} is no number; write one, or give the field the format date"
        )


def _is_moment(bound: Scalar) -> bool:
    text = str(bound)
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    # Python reads more forms than numpy and the CRM do, such as 2021-W09-3.
    return MOMENT.fullmatch(text) is not None
