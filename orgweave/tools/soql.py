"""SOQL from parts: the one place where a value becomes part of a query, windows, and long lists cut
into several queries.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from orgweave.soql.sql import FoundRecord
from orgweave.tools.crm import Crm
from orgweave.tools.forms import moment, record_id
from schemas.errors import ToolRefused

LISTED = 400
"""Values that one query lists: some 10,000 characters, which a CRM takes in a URL."""
ESCAPES = str.maketrans(
    {
        "\\": "\\\\",
        "'": "\\'",
        '"': '\\"',
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
        "\b": "\\b",
        "\f": "\\f",
    }
)


def literal(value: str) -> str:
    """A text as a SOQL string: `Bob's` is `'Bob\\'s'`."""
    return f"'{value.translate(ESCAPES)}'"


def window(field: str, start: str | None, end: str | None) -> list[str]:
    """Conditions that a datetime lies in [start, end); None leaves that side open."""
    begins, ends = start and moment(start), end and moment(end)
    if begins and ends and begins > ends:
        raise ToolRefused(
            f"start_date {begins} lies after end_date {ends}; a window goes from start_date up to,"
            " and without, end_date"
        )
    return [*([f"{field} >= {begins}"] if begins else []), *([f"{field} < {ends}"] if ends else [])]


def select(fields: str, entity: str, conditions: Iterable[str] = (), more: str = "") -> str:
    """A query's text; `more` stands at its end, such as ORDER BY."""
    where = " AND ".join(conditions)
    return " ".join(
        part
        for part in (f"SELECT {fields} FROM {entity}", f"WHERE {where}" if where else "", more)
        if part
    )


def rows(
    crm: Crm,
    fields: str,
    entity: str,
    conditions: Sequence[str] = (),
    among: Mapping[str, Sequence[str] | None] | None = None,
    more: str = "",
) -> list[FoundRecord]:
    """Records whose fields have one of the listed values; None lists nothing and an empty list
    finds nothing.

    Long lists are cut into several queries: an order or a sum in `more` or `fields` holds for each
    of them only.
    """
    lists = {
        field: list(dict.fromkeys(values))
        for field, values in (among or {}).items()
        if values is not None
    }
    size = LISTED // max(len(lists), 1)
    parts = [
        [f"{field} IN ({', '.join(map(literal, chunk))})" for chunk in _chunks(values, size)]
        for field, values in lists.items()
    ]
    return [
        record
        for listed in product(*parts)
        for record in crm.query(select(fields, entity, [*conditions, *listed], more))
    ]


def ids(values: Iterable[object] | None) -> list[str] | None:
    """Ids in their one spelling; None stays None."""
    return None if values is None else [record_id(value) for value in values]


def existing(crm: Crm, entity: str, wanted: Iterable[str], fields: str = "Id") -> list[FoundRecord]:
    """The records with these ids; raises ToolRefused where one isn't there."""
    asked = list(dict.fromkeys(wanted))
    found = rows(crm, fields, entity, among={"Id": asked})
    missing = set(asked) - {str(row["Id"]) for row in found}
    if missing:
        raise ToolRefused(f"there is no {entity} with the Id {min(missing)}; look the Id up again")
    return found


def _chunks(values: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (values[at : at + size] for at in range(0, len(values), size))
