"""What a record is called: the SQL that makes its label from its own fields and those behind its
references.

`x-label: "{Quantity} × {Product2Id.Name}"` in an object type's file says it; an object type without
one is called by its name, title or
subject, else by its first unique field, else by its id.
"""

from orgweave.soql.sql import quoted
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.paths import Placeholder, Template, ValuePath
from schemas.sources import TemplateSource

NAMES = ("Name", "Title", "Subject")


def template_of(item: ObjectType) -> Template:
    """The label's template, the schema's own or the rule's."""
    if item.label:
        return item.label
    named = [name for name in NAMES if item.has(name)]
    unique = [
        field.name
        for field in item.fields
        if field.unique and field.type == "string" and field.name != "Id"
    ]
    name = [*named, *unique, "Id"][0]
    return Template((Placeholder(ValuePath((name,))),))


def label_sql(schema: Schema, item: ObjectType, source: str) -> str:
    """An SQL expression for the label of a row `t`; what is referred to is read from the tables of
    the database `source`.
    """
    terms = []
    for piece in template_of(item).pieces:
        if isinstance(piece, Placeholder):
            value = _value(schema, item, piece.path, "t", source)
            terms.append(f"coalesce({value}, '')")
        else:
            terms.append(_text(piece))
    return f"coalesce(nullif(trim({' || '.join(terms)}), ''), t.\"Id\")"


def parts_of(schema: Schema, item: ObjectType) -> set[str]:
    """The item's own fields that its label already tells: those it names, and those that the named
    ones are put together from.
    """
    named = {path.first for path in template_of(item).paths if path.rest is None}
    parts = set(named)
    for name in named:
        source = item.field(name).source
        if isinstance(source, TemplateSource):
            parts |= {str(path) for path in source.paths}
    return parts


def _value(schema: Schema, item: ObjectType, path: ValuePath, alias: str, source: str) -> str:
    if path.rest is None:
        return f"{alias}.{quoted(path.first)}"
    target = schema.object(str(item.field(path.first).reference))
    inner = f"{alias}{len(alias)}"
    value = _value(schema, target, path.rest, inner, source)
    return (
        f"(SELECT {value} FROM {source}.{quoted(target.name)}"
        f' AS {inner} WHERE {inner}."Id" = {alias}.{quoted(path.first)})'
    )


def _text(piece: str) -> str:
    return "'" + piece.replace("'", "''") + "'"
