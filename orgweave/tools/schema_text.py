"""An org's schema as text for an agent: object types, and their fields with types and values.

Knows no record. Example of a line: `  OwnerId: reference to User (relationship Owner)`.
"""

from collections.abc import Iterable

from orgweave.crm.field import CrmField, CrmObject


def schema_text(entities: Iterable[CrmObject]) -> str:
    """Returns every object type that has a table: its name, what it is, and a line a field.

    A last line tells by which names its children are reached in a subquery.
    """
    return "\n\n".join(_object(entity) for entity in entities if not entity.rows)


def _object(entity: CrmObject) -> str:
    lines = [f"{entity.name}: {entity.description}"]
    lines += [f"  {_field(info)}" for info in entity.fields.values() if info.stored]
    named = [child for child in entity.child_relationships if child.name]
    children = ", ".join(f"{child.name} ({child.entity}.{child.field})" for child in named)
    if children:
        lines.append(f"  children: {children}")
    return "\n".join(lines)


def _field(info: CrmField) -> str:
    if info.reference_to:
        named = f" (relationship {info.relationship})" if info.relationship else ""
        return f"{info.name}: reference to {' or '.join(info.reference_to)}{named}"
    values = f", one of {', '.join(info.values)}" if info.values else ""
    return f"{info.name}: {info.type}{values}"
