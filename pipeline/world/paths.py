"""Values along a path: `OrderId.AccountId.Name` from a table's rows, `latent.CaseStory.cases.tone`,
`company.domain`.

A template mixes text and paths with filters: `"{FirstName:lower}.{LastName:lower}@example.com"`.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping

import numpy as np

from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, Table, strings
from schemas.errors import SchemaError

ColumnMap = Mapping[str, Array]


def along(org: Org, at: Table, path: str) -> Array:
    """The values at a path's end, one a row; None (or -1) where a reference on the way is empty."""
    first, *rest = path.split(".")
    if first == "company":
        return np.full(at.size, _company(org, rest[0]), dtype=object)
    if first == "period":
        return np.full(
            at.size, org.setting.first_day if rest[0] == "start" else org.setting.last_day
        )
    if first == "latent":
        return _latent(org, rest)
    values = at[first]
    if not rest:
        return values
    target = org.table(at.references[first])
    found = along(org, target, ".".join(rest))
    return take(found, values)


def _latent(org: Org, steps: list[str]) -> Array:
    variable, name, *path = steps
    return along(org, org.table(f"{variable}.{name}"), ".".join(path))


def take(values: Array, rows: Array) -> Array:
    """`values[rows]`, with an empty value where the row is NONE."""
    if not len(rows) or (rows >= 0).all():
        return values[rows]
    picked = values[np.maximum(rows, 0)] if len(values) else np.full(len(rows), None, dtype=object)
    if picked.dtype.kind in "iu":
        return np.where(rows >= 0, picked, NONE)
    picked = picked.astype(object)
    picked[rows < 0] = None
    return picked


def fill(org: Org, at: Table, template: str) -> Array:
    """A template filled in for each row, as text."""
    pieces = re.split(r"\{([^{}]+)\}", template)
    columns = [_piece(org, at, piece) if odd % 2 else None for odd, piece in enumerate(pieces)]
    made = [
        "".join(pieces[k] if column is None else column[row] for k, column in enumerate(columns))
        for row in range(at.size)
    ]
    return strings(made)


def _piece(org: Org, at: Table, piece: str) -> list[str]:
    path, *filters = piece.split(":")
    texts = [as_text(value) for value in along(org, at, path)]
    for name in filters:
        texts = [filtered(name, text) for text in texts]
    return texts


def as_text(value: object) -> str:
    """A value as it stands in a text: dates ISO, whole numbers without a point,
    nothing for None.
    """
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        return f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}"
    return str(value)


def filtered(name: str, text: str) -> str:
    """A filter applied: a registered name, a number (the first so many characters), or `word` (the
    first word).
    """
    if name.isdigit():
        return text[: int(name)]
    try:
        return FILTERS[name](text)
    except KeyError:
        raise SchemaError(
            f"unknown filter {name!r} in a template; use a number or one of {', '.join(FILTERS)}"
        ) from None


def slug(text: str) -> str:
    """Lower-case letters, digits and hyphens: `slug("Kids' Shoes & more") == "kids-shoes-more"`."""
    plain = unicodedata.normalize("NFKD", text.replace("'", "")).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def letters(text: str) -> str:
    """Lower-case letters and digits only, as in the left part of an address."""
    return slug(text).replace("-", "")


def long_date(text: str) -> str:
    """`2021-03-03` as `March 3, 2021`; other texts as they are."""
    if not re.match(r"\d{4}-\d\d-\d\d", text):
        return text
    day = np.datetime64(text[:10]).astype(object)
    return f"{day:%B} {day.day}, {day.year}"


def month_name(text: str) -> str:
    """The month of an ISO date: `March`."""
    return long_date(text).split(" ")[0]


def money(text: str) -> str:
    """`129` as `$129.00`."""
    return f"${float(text):,.2f}"


FILTERS: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "slug": slug,
    "letters": letters,
    "word": lambda text: text.split(" ")[0],
    "long_date": long_date,
    "month": month_name,
    "money": money,
}


def _company(org: Org, word: str) -> str:
    profile = org.setting.profile
    values = {
        "name": profile.name,
        "team": profile.team,
        "domain": profile.email_domain,
        "industry": profile.industry,
        "description": profile.description,
    }
    if word not in values:
        raise SchemaError(f"path company.{word}: use one of {', '.join(values)}")
    return values[word]
