"""The values along a path, and the texts of a template, for every row of a table.

What paths and templates are stands in `schemas.paths`; this file finds their values among the
tables that the org has so far. Knows nothing of fields or of how a column is drawn.
"""

import numpy as np

from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table, strings
from schemas.errors import SchemaError
from schemas.filters import filtered
from schemas.paths import LATENT, LatentPath, Placeholder, Template, ValueExpression, ValuePath


def evaluate(org: Org, table: Table, expression: ValueExpression) -> Array:
    """The values of a path, or the texts of a template: one for each row of `table`."""
    if isinstance(expression, Template):
        return fill(org, table, expression)
    return along(org, table, expression)


def along(org: Org, table: Table, path: ValuePath) -> Array:
    """The values at a path's end: one for each row of `table`.

    Where a reference on the way is empty, the value is None, or -1 in a column of whole numbers.
    """
    first, rest = path.first, path.rest
    if path.latent and first == LATENT:
        return latent_values(org, path.latent)
    if first == "company":
        text = _company(org)[path.steps[1]]
        return np.full(table.size, text, dtype=object)
    if first == "period":
        setting = org.setting
        if path.steps[1] == "imported":
            return np.full(table.size, setting.imported)
        days = {"start": setting.first_day, "end": setting.last_day}
        return np.full(table.size, days[path.steps[1]])
    values = table[first]
    if rest is None:
        return values
    target = org.table(table.references[first])
    return take(along(org, target, rest), values)


def latent_values(org: Org, path: LatentPath) -> Array:
    """The values of a latent column: one for each row of its latent table."""
    if path.column is None:
        raise SchemaError(f"{path}: is a latent table; name one of its columns")
    return along(org, org.table(path.table_name), path.column)


def take(values: Array, rows: Array) -> Array:
    """`values[rows]`, with an empty value where the row is NONE.

    Example: `take(np.array([7, 8]), np.array([1, NONE, 0]))` has the values 8, -1 and 7.
    """
    empty = rows == NONE
    if not empty.any():
        return values[rows]
    if not len(values):
        return np.full(len(rows), None, dtype=object)
    picked = values[np.where(empty, 0, rows)]
    if picked.dtype.kind in "iu":
        return np.where(empty, NONE, picked)
    picked = picked.astype(object)
    picked[empty] = None
    return picked


def fill(org: Org, table: Table, template: Template) -> Array:
    """A template's text for each row of `table`."""
    columns = [[""] * table.size]
    for piece in template.pieces:
        if isinstance(piece, Placeholder):
            columns.append(_texts(org, table, piece))
        else:
            columns.append([piece] * table.size)
    rows = zip(*columns, strict=True)
    return strings(["".join(row) for row in rows])


def _texts(org: Org, table: Table, placeholder: Placeholder) -> list[str]:
    country = org.setting.country
    values = along(org, table, placeholder.path)
    texts = [as_text(value) for value in values]
    for name in placeholder.filters:
        try:
            # What is empty stays so: a filter words a value, and there is none.
            texts = [text and filtered(name, text, country) for text in texts]
        except ValueError as error:
            raise SchemaError(
                f"{table.name}: {placeholder}: the filter {name!r} can't take a value ({error});"
                " leave the filter out or name another field"
            ) from error
    return texts


def as_text(value: object) -> str:
    """A value as it stands in a text.

    Dates are in ISO form, whole numbers have no point, other numbers have two places, and None is
    nothing.
    """
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        whole = float(value).is_integer()
        return f"{value:.0f}" if whole else f"{value:.2f}"
    return str(value)


def _company(org: Org) -> dict[str, str]:
    """The values of the words that may stand behind `company` in a path."""
    profile = org.setting.profile
    return {
        "name": profile.name,
        "team": profile.team,
        "domain": profile.email_domain,
        "industry": profile.industry,
        "description": profile.description,
    }
