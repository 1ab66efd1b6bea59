"""An org's schema as text for an agent: object types, their fields with types, values and what they
refer to. Knows no record.

Example of a line: `  OwnerId: reference to User (relationship Owner)`.
"""

from collections.abc import Iterable

from orgweave.crm.field import CrmField, CrmObject


def schema_text(entities: Iterable[CrmObject]) -> str:
    """Every object type: its name, what it is, a line a field, and by which names its children are
    reached in a subquery.
    """
    return "\n\n".join(_object(entity) for entity in entities)


def _object(entity: CrmObject) -> str:
    fields = [f"  {_field(info)}" for info in entity.fields.values() if info.stored]
    children = ", ".join(
        f"{child.name} ({child.entity}.{child.field})"
        for child in entity.child_relationships
        if child.name
    )
    return "\n".join(
        [
            f"{entity.name}: {entity.description}",
            *fields,
            *([f"  children: {children}"] if children else []),
        ]
    )


def _field(info: CrmField) -> str:
    if info.reference_to:
        named = f" (relationship {info.relationship})" if info.relationship else ""
        return f"{info.name}: reference to {' or '.join(info.reference_to)}{named}"
    return f"{info.name}: {info.type}" + (
        f", one of {', '.join(info.values)}" if info.values else ""
    )
