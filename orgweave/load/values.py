"""Single values on their way: as a CSV cell, as a SOQL literal, and two of them compared.

Knows no record and no file.
"""

from datetime import datetime

from orgweave.crm.field import CrmField

LONGEST_CELL = 32_000
"""Characters; Bulk 2.0 refuses longer cells."""
NULL_CELL = "#N/A"
SHORT_ID = 15
"""The characters of an id that count; the CRM adds three to check the case of letters by."""
ESCAPED = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"}
"""What means something in a SOQL text, the backslash first."""


def cell_of(value: object) -> str:
    """A value as a CSV cell: nothing is empty, booleans are `true` and `false`."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def fits_a_cell(value: object) -> bool:
    """Whether a value may go by CSV: no list, not too long,
    and not the text that means null there.
    """
    return (
        not isinstance(value, list | tuple)
        and value != NULL_CELL
        and len(str(value)) <= LONGEST_CELL
    )


def literal(value: object) -> str:
    """A text as it stands in SOQL, in single quotes, with what means something there escaped."""
    text = str(value)
    for character, escaped in ESCAPED.items():
        text = text.replace(character, escaped)
    return f"'{text}'"


def alike(field: CrmField | None, value: object) -> object:
    """A value in a form in which what was sent equals what the CRM gives back."""
    if value is None or value == "":
        return None
    kind = field.type if field else "string"
    if kind == "boolean":
        return cell_of(value) == "true"
    if kind in ("int", "double", "currency", "percent"):
        return float(str(value))
    if kind == "datetime":
        return datetime.fromisoformat(str(value)).timestamp()
    if kind in ("id", "reference"):
        return str(value)[:SHORT_ID]
    text = str(value).strip().replace("\r\n", "\n")
    # What the CRM takes for the same value it may also give back in other letters.
    same_in_any_case = kind == "email" or (field and field.unique and not field.case_sensitive)
    return text.casefold() if same_in_any_case else text
