"""What may be done with each field on writing: the schema's word, overruled by what the CRM says of
its own objects.

Example: `accesses(entities)["case"].fields["subject"].required` is False, though every case of the
org has a subject.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from orgweave.server import standard
from orgweave.soql.entities import TEXTS, Entity, FieldInfo


@dataclass(frozen=True, slots=True)
class Access:
    """A field's rules on writing; `values` are the picklist's, `duplicate` is the error code of a
    unique field.
    """

    info: FieldInfo
    required: bool
    createable: bool
    updateable: bool
    external_id: bool
    looked_up: bool
    restricted: bool
    length: int
    values: tuple[str, ...]
    duplicate: str | None
    defaulted: bool

    @property
    def name(self) -> str:
        """The field's API name."""
        return self.info.name


@dataclass(frozen=True, slots=True)
class ObjectAccess:
    """An object type's rules on writing; fields by lower-case name."""

    entity: Entity
    fields: Mapping[str, Access]
    createable: bool
    deletable: bool

    @property
    def name(self) -> str:
        """The object type's API name."""
        return self.entity.name


def accesses(entities: Mapping[str, Entity]) -> dict[str, ObjectAccess]:
    """The rules of every object type by its lower-case name."""
    return {
        name: ObjectAccess(
            entity,
            {key: _access(entity, info) for key, info in entity.fields.items()},
            createable=entity.name not in standard.NOT_CREATEABLE,
            deletable=entity.name not in standard.NOT_DELETABLE,
        )
        for name, entity in entities.items()
    }


def _access(entity: Entity, info: FieldInfo) -> Access:
    at = (entity.name, info.name)
    createable = (
        info.createable and info.name != "Id" and entity.name not in standard.NOT_CREATEABLE
    )
    external = info.custom and info.unique
    defaulted = (
        info.type == "boolean"
        or info.auto_number
        or info.name in ("OwnerId", "CreatedDate")
        or at in standard.DEFAULTS
    )
    return Access(
        info=info,
        required=createable and not defaulted and _required(entity, info),
        createable=createable,
        updateable=createable
        and at not in standard.CREATE_ONLY
        and info.name not in standard.AUDIT,
        external_id=external,
        looked_up=external or info.type == "id" or at in standard.LOOKED_UP,
        restricted=info.type in ("picklist", "multipicklist")
        and (info.custom or at in standard.RESTRICTED),
        length=_length(info),
        values=(*info.values, *standard.MORE_VALUES.get(at, ())),
        duplicate="DUPLICATE_VALUE" if external else standard.UNIQUE.get(at),
        defaulted=defaulted and createable,
    )


def _required(entity: Entity, info: FieldInfo) -> bool:
    known = standard.REQUIRED.get(entity.name)
    return info.name in known if known is not None else not info.nillable


def _length(info: FieldInfo) -> int:
    """The schema's length; a standard field without one has the CRM's."""
    if info.type not in TEXTS or info.custom or info.length != 255:
        return info.length
    return next(
        (length for ending, length in standard.LENGTHS.items() if info.name.endswith(ending)),
        info.length,
    )
