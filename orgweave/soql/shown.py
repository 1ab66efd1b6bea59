"""Functions that say how a value is shown: toLabel, FORMAT, convertCurrency, and DISTANCE.

A company here has one language, one currency and one locale: a label is the value itself,
converting changes nothing, and `FORMAT(UnitPrice)` is "$1,234.50". DISTANCE is the way over the
earth's surface from where a record's address lies. Times are in UTC. Knows no clause.

Example: `DISTANCE(ShippingAddress, GEOLOCATION(37.8, -122.4), 'mi')` is `geo_distance(t0.
"ShippingLatitude", t0."ShippingLongitude", 37.8, -122.4, 3958.76)`.
"""

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime

from orgweave.crm.field import NUMBERS, TEXTS
from orgweave.soql.nodes import (
    Argument,
    Constant,
    Expression,
    FunctionCall,
    Path,
    QueryText,
)
from orgweave.soql.scope import Operand, Scope, column_sql
from orgweave.soql.sql import SqlValue
from schemas.country import DEFAULT_LOCALE, Country, load_country
from schemas.errors import QueryRefused

WRAPPERS = ("FORMAT", "CONVERTCURRENCY", "TOLABEL")
"""Functions around what is selected, which may be an aggregate."""
SHOWN = (*WRAPPERS, "DISTANCE")
RADIUS: Mapping[str, float] = {"'mi'": 3958.7613, "'km'": 6371.0088}
"""The earth's mean radius in each unit of DISTANCE."""
WIDEST: Mapping[str, float] = {"latitude": 90, "longitude": 180}
MIDDAY = 12
MOST_DECIMALS = 6
"""Behind these a double holds what arithmetic left, and nothing that anybody wrote."""


def unwrapped(expression: Expression) -> tuple[Expression, bool]:
    """Returns what stands within FORMAT, convertCurrency or toLabel, and whether FORMAT is there.

    Example: `FORMAT(convertCurrency(Amount))` is `Amount` and True.
    """
    formatted = False
    while isinstance(expression, FunctionCall) and expression.name in WRAPPERS:
        formatted = formatted or expression.name == "FORMAT"
        inner = expression.args[0] if len(expression.args) == 1 else None
        if inner is None or isinstance(inner, Constant):
            return expression, formatted
        expression = inner
    return expression, formatted


def check_wrappers(expression: Expression, operand: Operand, text: QueryText) -> None:
    """Refuses a function around a value of a type that it doesn't take."""
    while isinstance(expression, FunctionCall) and expression.name in WRAPPERS:
        if len(expression.args) != 1:
            raise _wrong(
                expression,
                text,
                "takes one field",
            )
        taken, words = TAKEN[expression.name]
        if operand.type not in taken:
            raise _wrong(
                expression,
                text,
                f"takes a {words} field; {operand.name} is no such",
            )
        inner = expression.args[0]
        assert not isinstance(inner, Constant)
        expression = inner


TAKEN: Mapping[str, tuple[frozenset[str], str]] = {
    "TOLABEL": (TEXTS | {"multipicklist"}, "picklist"),
    "CONVERTCURRENCY": (frozenset({"currency"}), "currency"),
    "FORMAT": (NUMBERS | {"date", "datetime"}, "number, currency, date or dateTime"),
}
"""Function -> the types of field that it takes, and what they are called."""


def _wrong(call: FunctionCall, text: QueryText, why: str) -> QueryRefused:
    return text.refuse(
        "MALFORMED_QUERY",
        call.position,
        f"{call.name} {why}",
        call.text,
    )


def label(call: FunctionCall, scope: Scope) -> Operand:
    """Returns what toLabel() of a field is: the field."""
    inner = call.args[0] if len(call.args) == 1 else None
    if not isinstance(inner, Path):
        raise _wrong(
            call,
            scope.text,
            "takes one picklist field",
        )
    operand = scope.column(inner)
    check_wrappers(
        call,
        operand,
        scope.text,
    )
    return operand


def distance(call: FunctionCall, scope: Scope) -> Operand:
    """Returns the distance of an address from a point."""
    if len(call.args) != 3:
        raise _wrong(call, scope.text, "takes an address, a GEOLOCATION and a unit")
    place, point, unit = call.args
    if not isinstance(place, Path):
        raise _wrong(call, scope.text, "takes a location or address field first")
    here = scope.column(place)
    if here.type != "address":
        why = f"takes a location or address field; {here.name} is no such"
        raise _wrong(call, scope.text, why)
    radius = RADIUS.get(unit.text.lower()) if isinstance(unit, Constant) else None
    if radius is None:
        raise _wrong(call, scope.text, "takes 'mi' or 'km' as its unit")
    latitude, longitude = _point(point, call, scope.text)
    columns = _coordinates(place, here, scope)
    values = [*columns, repr(latitude), repr(longitude), repr(radius)]
    return Operand(
        f"geo_distance({', '.join(values)})",
        "double",
        call.text,
        None,
        here.steps,
    )


def _coordinates(place: Path, address: Operand, scope: Scope) -> list[str]:
    """The SQL of the latitude and the longitude that belong to an address."""
    source = scope.sources[address.steps]
    beginning = place.names[-1][: -len("Address")]
    columns = []
    for part in WIDEST:
        info = scope.field(source.entity, f"{beginning}{part}", place.position)
        columns.append(column_sql(source.alias, info))
    return columns


def _point(point: Argument, call: FunctionCall, text: QueryText) -> tuple[float, float]:
    """The latitude and longitude of a GEOLOCATION()."""
    wrong = _wrong(
        call,
        text,
        "takes GEOLOCATION(latitude, longitude) second",
    )
    if not isinstance(point, FunctionCall) or point.name != "GEOLOCATION" or len(point.args) != 2:
        raise wrong
    found = []
    for argument, (name, widest) in zip(
        point.args,
        WIDEST.items(),
        strict=True,
    ):
        if not isinstance(argument, Constant) or argument.text.startswith("'"):
            raise wrong
        value = float(argument.text)
        if abs(value) > widest:
            raise _wrong(
                call,
                text,
                f"has a {name} that isn't between -{widest} and {widest}",
            )
        found.append(value)
    return found[0], found[1]


def geo_distance(*values: SqlValue) -> float | None:
    """The distance of two points by the haversine formula; null where a point isn't known.

    The values are latitude and longitude of either point, in degrees, and the earth's radius.
    """
    degrees = [float(value) for value in values if value is not None]
    if len(degrees) < len(values):
        return None
    north, east, other_north, other_east = (math.radians(degree) for degree in degrees[:4])
    rise = math.sin((other_north - north) / 2) ** 2
    turn = math.cos(north) * math.cos(other_north) * math.sin((other_east - east) / 2) ** 2
    return 2 * degrees[4] * math.asin(math.sqrt(rise + turn))


def formatted(value: SqlValue, kind: str, locale: str = DEFAULT_LOCALE) -> str | None:
    """Returns a stored value as FORMAT shows it in a locale."""
    if value is None:
        return None
    form = FORMS.get(kind)
    return str(value) if form is None else form(value, load_country(locale))


def _currency(value: SqlValue, country: Country) -> str:
    amount = float(value or 0)
    sign = "-" if amount < 0 else ""
    return sign + country.currency.shown(abs(amount), country.language)


def _number(value: SqlValue, country: Country) -> str:
    if isinstance(value, int):
        return country.language.written_number(value)
    return country.language.written_number(float(value or 0), most=MOST_DECIMALS)


def _date(value: SqlValue, country: Country) -> str:
    return country.language.written_day(date.fromisoformat(str(value)[:10]), country.language.short)


def _moment(value: SqlValue, country: Country) -> str:
    moment = datetime.fromisoformat(str(value)[:19])
    if not country.language.twelve_hours:
        return f"{_date(value, country)}, {moment:%H:%M}"
    hour = moment.hour % MIDDAY or MIDDAY
    half = "PM" if moment.hour >= MIDDAY else "AM"
    return f"{_date(value, country)}, {hour}:{moment.minute:02d} {half}"


FORMS: Mapping[str, Callable[[SqlValue, Country], str]] = {
    "currency": _currency,
    "double": _number,
    "int": _number,
    "date": _date,
    "datetime": _moment,
}
"""Field type -> how FORMAT writes a value of it."""
