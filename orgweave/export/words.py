"""What a field is called and what it holds, in words, from the schema alone: labels for people,
descriptions for data catalogs.
"""

import re

from schemas.field import Field
from schemas.model import Schema
from schemas.object_type import ObjectType


def label(name: str) -> str:
    """An API name as people read it: `label("OrderItemId__c") == "Order Item"`,
    `label("FAQ_Answer__c") == "FAQ Answer"`.
    """
    plain = re.sub(r"(?<=[a-z])Id$", "", name.removesuffix("__c").removesuffix("__kav")) or name
    parted = re.sub(
        r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])",
        " ",
        plain.replace("_", " "),
    )
    return " ".join(word[:1].upper() + word[1:] for word in parted.split())


def described(schema: Schema, item: ObjectType, field: Field) -> str:
    """One line on a field: its own description where the schema has one, what it refers to, its
    values.
    """
    target = schema.target(item, field)
    usual = f"{label(item.name)}: {label(field.name)}"
    if field.name == "Id":
        usual = f"Id of this {item.name}"
    parts = [str(field.json_schema.get("description", "")) or usual]
    if target and field.name != "Id":
        parts.append(f"Id of a {target}")
    values = [str(value) for value in field.json_schema.get("enum", ()) if value is not None]
    if values:
        parts.append(f"one of {', '.join(values)}")
    if field.unique:
        parts.append("unique")
    return "; ".join(parts)
