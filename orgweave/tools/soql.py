"""SOQL from parts: the one place where a value becomes part of a query.

Also windows of time, and long lists of values, which are cut into several queries. Knows no object
type. Example: `rows(crm, "Id", "Case", ["Status = 'New'"], {"OwnerId": owners}, "ORDER BY Id")`.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from orgweave.crm.seam import Crm
from orgweave.soql.sql import FoundRecord
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
    """Returns a text as a SOQL string: `Bob's` is `'Bob\\'s'`."""
    return f"'{value.translate(ESCAPES)}'"


def window(field: str, start: str | None, end: str | None) -> list[str]:
    """Returns conditions that a datetime lies in [start, end); None leaves that side open."""
    begins, ends = start and moment(start), end and moment(end)
    if begins and ends and begins > ends:
        raise ToolRefused(
            f"start_date {begins} lies after end_date {ends}; a window goes from start_date up to,"
            " and without, end_date"
        )
    conditions = []
    if begins:
        conditions.append(f"{field} >= {begins}")
    if ends:
        conditions.append(f"{field} < {ends}")
    return conditions


def select(
    fields: str,
    entity: str,
    conditions: Iterable[str] = (),
    more: str = "",
) -> str:
    """Returns a query's text; `more` stands at its end, such as ORDER BY."""
    parts = [f"SELECT {fields} FROM {entity}"]
    where = " AND ".join(conditions)
    if where:
        parts.append(f"WHERE {where}")
    if more:
        parts.append(more)
    return " ".join(parts)


def rows(
    crm: Crm,
    fields: str,
    entity: str,
    conditions: Sequence[str] = (),
    among: Mapping[str, Sequence[str] | None] | None = None,
    more: str = "",
) -> list[FoundRecord]:
    """Returns the records whose fields have one of the values listed in `among`.

    None lists nothing, and an empty list finds nothing. Long lists are cut into several queries: an
    order or a sum in `more` or `fields` holds for each of them only.
    """
    lists = {field: values for field, values in (among or {}).items() if values is not None}
    size = LISTED // max(len(lists), 1)
    parts = [_listed(field, values, size) for field, values in lists.items()]
    found: list[FoundRecord] = []
    for listed in product(*parts):
        found += crm.query(
            select(
                fields,
                entity,
                [*conditions, *listed],
                more,
            )
        )
    return found


def ids(values: Iterable[object] | None) -> list[str] | None:
    """Returns ids in their one spelling; None stays None."""
    return None if values is None else [record_id(value) for value in values]


def existing(
    crm: Crm,
    entity: str,
    wanted: Iterable[str],
    fields: str = "Id",
) -> list[FoundRecord]:
    """Returns the records with these ids; raises ToolRefused where one isn't there."""
    asked = list(dict.fromkeys(wanted))
    found = rows(crm, fields, entity, among={"Id": asked})
    missing = set(asked) - {str(row["Id"]) for row in found}
    if missing:
        raise ToolRefused(f"there is no {entity} with the Id {min(missing)}; look the Id up again")
    return found


def _listed(field: str, values: Sequence[str], size: int) -> list[str]:
    """Conditions that a field has one of the values, at most `size` of them in each condition."""
    literals = [literal(value) for value in dict.fromkeys(values)]
    conditions = []
    for start in range(0, len(literals), size):
        conditions.append(f"{field} IN ({', '.join(literals[start : start + size])})")
    return conditions
