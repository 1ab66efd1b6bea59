"""A value from JSON or CSV as the org stores it, or why it can't be: type, length, picklist, form
of an id. Knows no other record.

Examples: `true` -> 1, `"2023-07-02T11:00:00Z"` -> `2023-07-02T11:00:00.000+0000`, `""` -> None, 256
characters for a subject -> STRING_TOO_LONG.
"""

import json
import math
import re
from datetime import date, datetime

from orgweave.server.access import Access
from orgweave.soql.entities import IDS, NUMBERS
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


def stored_value(access: Access, value: object) -> SqlValue:
    """What is kept of a value; raises Refused.

    Nothing and the empty text are null, which a boolean takes as false.
    """
    kind = access.info.type
    if value is None or value == "":
        return 0 if kind == "boolean" else None
    if kind == "boolean":
        return _boolean(access, value)
    if kind in NUMBERS:
        return _number(access, value)
    if kind in ("idlist", "multipicklist"):
        return json.dumps(_members(access, value))
    if not isinstance(value, str):
        raise _unlike(access, value)
    if kind in ("date", "datetime"):
        return _moment(access, value)
    return id_text(access, value) if kind in IDS else _text(access, value)


def id_text(access: Access, value: str) -> str:
    """An id of 18 characters; raises MALFORMED_ID where it isn't one, or of another object type
    than the reference's.
    """
    found = whole_id(value)
    if found is None:
        raise Refused(
            "MALFORMED_ID",
            f"{access.name}: id value of incorrect type: {value[:60]}",
            (access.name,),
        )
    return found


def whole_id(value: str) -> str | None:
    """An id in its 18 characters, or None where it isn't one."""
    if not ID.fullmatch(value):
        return None
    return to_18(value) if len(value) == 15 else cased(value)


def _text(access: Access, value: str) -> str:
    if len(value) > access.length:
        raise Refused(
            "STRING_TOO_LONG",
            f"{access.name}: data value too large: {value[:60]} (max length={access.length})",
            (access.name,),
        )
    if access.info.type == "email" and not EMAIL.fullmatch(value):
        raise Refused(
            "INVALID_EMAIL_ADDRESS",
            f"{access.name}: invalid email address: {value[:80]}",
            (access.name,),
        )
    if access.restricted:
        _listed(access, value)
    return value


def _listed(access: Access, value: str) -> None:
    if value not in access.values:
        message = (
            f"{access.name}: bad value for restricted picklist field: {value[:80]}; it takes"
            f" {', '.join(access.values)}"
        )
        raise Refused("INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST", message, (access.name,))


def _boolean(access: Access, value: object) -> int:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value.lower() in BOOLEANS:
        return BOOLEANS[value.lower()]
    raise _unlike(access, value)


def _number(access: Access, value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _unlike(access, value)
    try:
        number = float(value)
    except (ValueError, OverflowError) as error:
        raise _unlike(access, value) from error
    if not math.isfinite(number) or abs(number) >= LARGEST:
        raise Refused(
            "NUMBER_OUTSIDE_VALID_RANGE",
            f"{access.name}: value outside of valid range: {str(value)[:40]}",
            (access.name,),
        )
    if access.info.type != "int":
        return number
    if number != int(number):
        raise _unlike(access, value)
    return int(number)


def _moment(access: Access, value: str) -> str:
    try:
        if access.info.type == "date":
            return date.fromisoformat(
                value[:10] if re.fullmatch(r"\d{4}-\d\d-\d\dT.*", value) else value
            ).isoformat()
        found = datetime.fromisoformat(value)
    except ValueError as error:
        raise _unlike(access, value) from error
    if found.tzinfo is None or not FIRST <= found <= LAST:
        raise _unlike(access, value)
    return stored(found)


def _members(access: Access, value: object) -> list[str]:
    members = (
        value.split(";")
        if isinstance(value, str) and access.info.type == "multipicklist"
        else value
    )
    if not isinstance(members, list) or not all(isinstance(one, str) for one in members):
        raise _unlike(access, value)
    for one in members:
        if access.info.type == "idlist":
            id_text(access, one)
        elif access.restricted:
            _listed(access, one)
    return members


def _unlike(access: Access, value: object) -> Refused:
    kind = XSD.get(access.info.type, "xsd:string")
    return Refused(
        "JSON_PARSER_ERROR" if not isinstance(value, str) else "INVALID_TYPE_ON_FIELD_IN_RECORD",
        f"{access.name}: {str(value)[:60]!r} is not a valid value for the type {kind}",
        (access.name,),
    )
