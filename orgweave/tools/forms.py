"""The forms of arguments: ids, datetimes, dates, names of periods, numbers by id.

Each accepts every usual spelling and gives one; all raise ToolRefused. They are used twice: as
types, from which the definitions are made and by which the toolbox validates, and as functions
where SOQL is put together, so that no text of an agent gets into a query unchecked.

Example: `record_id("500zz0000000001")` is `500zz0000000001AAA`, `day("2022-01-01T09:00:00Z")` is
`2022-01-01`.
"""

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field, WithJsonSchema

from orgweave.soql.literals import FIRST, ID, LAST, cased, in_utc
from pipeline.world.ids import to_18
from schemas.errors import ToolRefused

MonthName = Literal[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
MONTHS: tuple[str, ...] = get_args(MonthName)
QUARTERS = ("first", "second", "third", "fourth")
SPELLINGS = {
    "Fall": "Autumn",
    **{name[:3]: name for name in MONTHS},
    **{f"{name.capitalize()} quarter": f"Q{number}" for number, name in enumerate(QUARTERS, 1)},
    **{f"Quarter {number}": f"Q{number}" for number in range(1, 5)},
}
"""Other names of periods."""


def record_id(value: object) -> str:
    """Returns an id of 18 characters, of one of 15 or 18.

    A record that has one, `{"Id": "500..."}`, is taken for its id.
    """
    spelled = value.get("Id") if isinstance(value, Mapping) else value
    if not isinstance(spelled, str) or not ID.fullmatch(spelled):
        raise ToolRefused(
            f"{_shown(spelled)} is no Id; an Id has 15 or 18 letters and digits, such as"
            " 500zz0000000001AAA"
        )
    whole = to_18(spelled) if len(spelled) == 15 else cased(spelled)
    if whole is None:
        raise ToolRefused(
            f"{spelled} is no Id: its last three characters don't fit the others; copy the Id as it"
            " was given to you"
        )
    return whole


def moment(value: object) -> str:
    """Returns a datetime in UTC, `2022-01-01T00:00:00Z`.

    A date means its first moment; a datetime without an offset is in UTC.
    """
    found = _read(value, "datetime", "2022-01-01T00:00:00Z")
    return f"{found:%Y-%m-%dT%H:%M:%SZ}"


def day(value: object) -> str:
    """Returns a date, `2022-01-01`; of a datetime, the date in UTC."""
    return _read(value, "date", "2022-01-01").date().isoformat()


def period_name(value: object) -> object:
    """Returns a period's name as the definitions list it.

    `fall` is Autumn, `the first quarter` is Q1. What is no name stays, to be refused.
    """
    if not isinstance(value, str):
        return value
    name = value.strip().lower().removeprefix("the ").strip().capitalize()
    return SPELLINGS.get(name, name)


def unit(value: object) -> object:
    """Returns a unit in the singular: `Months` is month."""
    return value.strip().lower().removesuffix("s") if isinstance(value, str) else value


def by_id(value: object) -> object:
    """Returns pairs of an id and its number as a mapping; what is a mapping stays one."""
    if not isinstance(value, list):
        return value
    if not all(_is_pair(member) for member in value):
        raise ToolRefused('write pairs such as [{"id": "005zz0000000001AAA", "value": 3}]')
    return {pair["id"]: pair["value"] for pair in value}


def _is_pair(member: object) -> bool:
    if not isinstance(member, Mapping) or set(member) != {"id", "value"}:
        return False
    return isinstance(member["id"], str)


def _read(value: object, kind: str, example: str) -> datetime:
    """Reads a date or datetime in ISO form; one without an offset is in UTC."""
    if not isinstance(value, str):
        raise ToolRefused(f"{_shown(value)} is no {kind}; write it as {example}")
    try:
        if len(value) == len("2022-01-01"):
            # What is as long as a date must be one.
            found = in_utc(datetime.combine(date.fromisoformat(value), time()))
        else:
            found = in_utc(datetime.fromisoformat(value))
    except (ValueError, OverflowError) as error:
        raise ToolRefused(f"{_shown(value)} is no {kind}; write it as {example}") from error
    if not FIRST <= found <= LAST:
        raise ToolRefused(f"{_shown(value)} lies outside of the years {FIRST.year} to {LAST.year}")
    return found


def _shown(value: object) -> str:
    """A value as a message quotes it: in one line, and not all of a long one."""
    return re.sub(r"\s+", " ", repr(value))[:60]


RecordId = Annotated[str, BeforeValidator(record_id)]
RecordIds = list[RecordId]
CaseIds = Annotated[
    RecordIds, Field(description="Ids of cases; their values are read from the CRM")
]
AgentIds = Annotated[RecordIds | None, Field(description="Ids of users; null for all agents")]
OrderItemIds = Annotated[
    RecordIds | None,
    Field(
        description="Ids of order items, as get_order_item_ids_by_product gives them; null for all"
    ),
]
Moment = Annotated[str, BeforeValidator(moment)]
WindowStart = Annotated[
    Moment, Field(description="first moment of the window, in UTC, such as 2022-01-01T00:00:00Z")
]
End = Annotated[
    Moment, Field(description="first moment after the window, in UTC, such as 2022-04-01T00:00:00Z")
]
AnyStart = Annotated[
    Moment | None,
    Field(
        description=(
            "first moment of the window, in UTC, such as 2022-01-01T00:00:00Z; null for all earlier"
            " ones"
        )
    ),
]
AnyEnd = Annotated[
    Moment | None,
    Field(
        description=(
            "first moment after the window, in UTC, such as 2022-04-01T00:00:00Z; null for all"
            " later ones"
        )
    ),
]
Day = Annotated[str, BeforeValidator(day)]
PeriodName = Annotated[
    Literal[
        MonthName,
        "Q1",
        "Q2",
        "Q3",
        "Q4",
        "Spring",
        "Summer",
        "Autumn",
        "Winter",
    ],
    BeforeValidator(period_name),
]
PeriodUnit = Annotated[Literal["day", "week", "month", "quarter"], BeforeValidator(unit)]
PAIRS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "value": {"type": "number"}},
        "required": ["id", "value"],
        "additionalProperties": False,
    },
}
ValuesById = Annotated[
    dict[str, float],
    BeforeValidator(by_id),
    WithJsonSchema(PAIRS),
    Field(
        description=(
            'numbers by Id, as pairs: [{"id": "005zz0000000001AAA", "value": 3}]; a mapping'
            ' {"005...": 3} is taken too'
        )
    ),
]
SearchTerm = Annotated[
    str, Field(description="one or several words, such as: waterproof trail boots")
]
