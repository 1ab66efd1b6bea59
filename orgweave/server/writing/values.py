"""A value from JSON or CSV as the org stores it, or why it can't be: type, length, picklist, form
of an id. Knows no other record.

Examples: `true` -> 1, `"2023-07-02T11:00:00Z"` -> `2023-07-02T11:00:00.000+0000`, `""` -> None, 256
characters for a subject -> STRING_TOO_LONG.
"""

import json
import math
import re
from datetime import date, datetime

from orgweave.crm.field import IDS, NUMBERS, CrmField
from orgweave.soql.literals import FIRST, ID, LAST, cased, stored
from orgweave.soql.sql import SqlValue
from pipeline.world.ids import to_18
from schemas.errors import Refused

EMAIL = re.compile(r"[^\s@<>,;\"]+@[^\s@<>,;\".]+(\.[^\s@<>,;\".]+)+")
LARGEST = 1e18
XSD = {
    "boolean": "xsd:boolean",
    "int": "xsd:int",
    "double": "xsd:double",
    "currency": "xsd:double",
    "date": "xsd:date",
    "datetime": "xsd:dateTime",
}
BOOLEANS = {"true": 1, "false": 0, "1": 1, "0": 0}


def stored_value(field: CrmField, value: object) -> SqlValue:
    """What is kept of a value; raises Refused.

    Nothing and the empty text are null, which a boolean takes as false.
    """
    kind = field.type
    if value is None or value == "":
        return 0 if kind == "boolean" else None
    if kind == "boolean":
        return _boolean(field, value)
    if kind in NUMBERS:
        return _number(field, value)
    if kind in ("idlist", "multipicklist"):
        return json.dumps(_members(field, value))
    if not isinstance(value, str):
        raise _unlike(field, value)
    if kind in ("date", "datetime"):
        return _moment(field, value)
    return id_text(field, value) if kind in IDS else _text(field, value)


def id_text(field: CrmField, value: str) -> str:
    """An id of 18 characters; raises MALFORMED_ID where it isn't one, or of another object type
    than the reference's.
    """
    found = whole_id(value)
    if found is None:
        raise Refused(
            "MALFORMED_ID",
            f"{field.name}: id value of incorrect type: {value[:60]}",
            (field.name,),
        )
    return found


def whole_id(value: str) -> str | None:
    """An id in its 18 characters, or None where it isn't one."""
    if not ID.fullmatch(value):
        return None
    return to_18(value) if len(value) == 15 else cased(value)


def _text(field: CrmField, value: str) -> str:
    if len(value) > field.length:
        raise Refused(
            "STRING_TOO_LONG",
            f"{field.name}: data value too large: {value[:60]} (max length={field.length})",
            (field.name,),
        )
    if field.type == "email" and not EMAIL.fullmatch(value):
        raise Refused(
            "INVALID_EMAIL_ADDRESS",
            f"{field.name}: invalid email address: {value[:80]}",
            (field.name,),
        )
    if field.restricted:
        _listed(field, value)
    return value


def _listed(field: CrmField, value: str) -> None:
    if value not in field.picklist:
        message = (
            f"{field.name}: bad value for restricted picklist field: {value[:80]}; it takes"
            f" {', '.join(field.picklist)}"
        )
        raise Refused("INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST", message, (field.name,))


def _boolean(field: CrmField, value: object) -> int:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value.lower() in BOOLEANS:
        return BOOLEANS[value.lower()]
    raise _unlike(field, value)


def _number(field: CrmField, value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _unlike(field, value)
    try:
        number = float(value)
    except (ValueError, OverflowError) as error:
        raise _unlike(field, value) from error
    if not math.isfinite(number) or abs(number) >= LARGEST:
        raise Refused(
            "NUMBER_OUTSIDE_VALID_RANGE",
            f"{field.name}: value outside of valid range: {str(value)[:40]}",
            (field.name,),
        )
    if field.type != "int":
        return number
    if number != int(number):
        raise _unlike(field, value)
    return int(number)


def _moment(field: CrmField, value: str) -> str:
    try:
        if field.type == "date":
            return date.fromisoformat(
                value[:10] if re.fullmatch(r"\d{4}-\d\d-\d\dT.*", value) else value
            ).isoformat()
        found = datetime.fromisoformat(value)
    except ValueError as error:
        raise _unlike(field, value) from error
    if found.tzinfo is None or not FIRST <= found <= LAST:
        raise _unlike(field, value)
    return stored(found)


def _members(field: CrmField, value: object) -> list[str]:
    members = (
        value.split(";") if isinstance(value, str) and field.type == "multipicklist" else value
    )
    if not isinstance(members, list) or not all(isinstance(member, str) for member in members):
        raise _unlike(field, value)
    for member in members:
        if field.type == "idlist":
            id_text(field, member)
        elif field.restricted:
            _listed(field, member)
    return members


def _unlike(field: CrmField, value: object) -> Refused:
    kind = XSD.get(field.type, "xsd:string")
    return Refused(
        "JSON_PARSER_ERROR" if not isinstance(value, str) else "INVALID_TYPE_ON_FIELD_IN_RECORD",
        f"{field.name}: {str(value)[:60]!r} is not a valid value for the type {kind}",
        (field.name,),
    )
