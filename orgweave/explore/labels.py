"""What a record is called: the SQL that makes its label from its own fields and those behind its
references.

`x-label: "{Quantity} × {Product2Id.Name}"` in an object type's file says it; an object type without
one is called by its name, title or
subject, else by its first unique field, else by its id.
"""

import re

from orgweave.soql.sql import quoted
from schemas.model import ObjectType, Schema, template_paths
from schemas.sources import TemplateSource

NAMES = ("Name", "Title", "Subject")


def template_of(item: ObjectType) -> str:
    """The label's template, the schema's own or the rule's."""
    if item.label:
        return item.label
    named = [name for name in NAMES if item.has(name)]
    unique = [
        field.name
        for field in item.fields
        if field.unique and field.type == "string" and field.name != "Id"
    ]
    return "{" + [*named, *unique, "Id"][0] + "}"


def label_sql(schema: Schema, item: ObjectType, source: str) -> str:
    """An SQL expression for the label of a row `t`; what is referred to is read from the tables of
    the database `source`.
    """
    pieces = re.split(r"\{([^{}]+)\}", template_of(item))
    terms = [
        f"coalesce({_value(schema, item, piece, 't', source)}, '')" if odd % 2 else _text(piece)
        for odd, piece in enumerate(pieces)
        if piece
    ]
    return f"coalesce(nullif(trim({' || '.join(terms)}), ''), t.\"Id\")"


def parts_of(schema: Schema, item: ObjectType) -> set[str]:
    """The item's own fields that its label already tells: those it names, and those that the named
    ones are put together from.
    """
    parts = {path for path in template_paths(template_of(item)) if "." not in path}
    for name in tuple(parts):
        source = item.field(name).source
        if isinstance(source, TemplateSource):
            parts.update(template_paths(source.template))
    return parts


def _value(schema: Schema, item: ObjectType, path: str, alias: str, source: str) -> str:
    first, _, rest = path.partition(".")
    if not rest:
        return f"{alias}.{quoted(first)}"
    target = schema.object(str(item.field(first).reference))
    inner = f"{alias}{len(alias)}"
    return (
        f"(SELECT {_value(schema, target, rest, inner, source)} FROM {source}.{quoted(target.name)}"
        f' AS {inner} WHERE {inner}."Id" = {alias}.{quoted(first)})'
    )


def _text(piece: str) -> str:
    return "'" + piece.replace("'", "''") + "'"
