"""The schema of an org that is set up to be loaded: ours, and what every CRM has beside it.

Made are the CRM's own objects and fields (`comes_with` and `adds` in the facts) and an external id
field on each object; left out is what an org without some licence lacks. Knows no file.

Example: `deployed(schema, "Synth_Id__c", ["ProductCatalog", "Case.IssueId__c"])`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from orgweave.crm.facts import AddedField, Catalog, shipped
from orgweave.crm.field import STAMPS
from schemas.errors import BadInput
from schemas.field import Field
from schemas.model import Schema
from schemas.object_type import Count, ObjectType
from schemas.sources import ConstantSource, IdSource, ReferenceSource, Source

TEXT: Mapping[str, object] = {"type": "string"}
MOMENT: Mapping[str, object] = {"type": "string", "format": "date-time"}
USER = "User"
BY_WHOM = ("CreatedById", "LastModifiedById")
"""Who made a record and who changed it last; `STAMPS` are when."""
EXTERNAL_LENGTH = 64
"""Characters of an external id; ours have at most 36."""


def deployed(
    schema: Schema,
    external_id: str = "",
    without: Sequence[str] = (),
    catalog: Catalog | None = None,
) -> Schema:
    """The schema as an org has it once it is set up.

    Args:
        schema: ours.
        external_id: a field that each object gets, such as `Synth_Id__c`; none if empty.
        without: object types and fields (`ProductCatalog`, `Case.IssueId__c`) that this org hasn't
            got; references to such an object go with it.
        catalog: what the CRM says of its objects.
    Raises BadInput where `external_id` is no custom field's name, or `without` names what the
    schema hasn't got.
    """
    _check_external_id(external_id)
    _check_without(schema, without)
    catalog = catalog or shipped()
    lacked = frozenset(without)
    kept = [item for item in schema.objects if item.name not in lacked]
    objects = [_extended(_without(schema, item, lacked), external_id, catalog) for item in kept]
    for item in kept:
        for name in catalog.beside(item.name):
            if not schema.has(name):
                has_users = any(other.name == USER for other in kept)
                objects.append(_own_object(name, external_id, catalog, has_users))
    return replace(schema, objects=tuple(objects))


def filled_by_loaders(name: str, catalog: Catalog | None = None) -> frozenset[str]:
    """The references of an object that our schemas don't draw, so that a loader has to fill them:
    a user's profile, a transcript's visitor.
    """
    added = (catalog or shipped()).object(name).adds
    return frozenset(field for field, facts in added.items() if facts.reference)


def _check_external_id(name: str) -> None:
    stem = name.removesuffix("__c").replace("_", "")
    if name and not (name.endswith("__c") and stem.isalnum() and name.isascii()):
        raise BadInput(
            f"--external-id {name}: a custom field's name has letters, digits and"
            " underscores and ends in __c, such as Synth_Id__c"
        )


def _check_without(schema: Schema, without: Sequence[str]) -> None:
    for name in without:
        item, _, field = name.partition(".")
        if not schema.has(item) or (field and not schema.object(item).has(field)):
            raise BadInput(
                f"--without {name}: schema {schema.name} has no such object type or field; write"
                " Object or Object.Field"
            )


def _without(schema: Schema, item: ObjectType, lacked: frozenset[str]) -> ObjectType:
    """An object type without the fields that are lacked, or lead to what is."""
    kept = [
        field
        for field in item.fields
        if f"{item.name}.{field.name}" not in lacked and schema.target(item, field) not in lacked
    ]
    return replace(item, fields=tuple(kept))


def _extended(item: ObjectType, external_id: str, catalog: Catalog) -> ObjectType:
    """An object type with the fields that the CRM and the loader add."""
    added = catalog.object(item.name).adds
    more = [_added(name, facts) for name, facts in added.items() if not item.has(name)]
    if external_id and not item.has(external_id):
        more.append(_external_id(external_id))
    return replace(item, fields=(*item.fields, *more))


def _own_object(
    name: str,
    external_id: str,
    catalog: Catalog,
    has_users: bool,
) -> ObjectType:
    """An object type that only the CRM has.

    One whose records are created tells when and by whom, and has a loader's field.
    """
    facts = catalog.object(name)
    key = Field("Id", TEXT, IdSource(id=True), required=True, createable=False)
    fields = [_added(field, added) for field, added in facts.adds.items()]
    if facts.createable:
        fields += [_field(stamp, MOMENT, createable=False) for stamp in STAMPS]
        if has_users:
            by_user = ReferenceSource(reference=USER)
            fields += [_field(who, TEXT, by_user, createable=False) for who in BY_WHOM]
    if external_id and facts.createable:
        fields.append(_external_id(external_id))
    return ObjectType(
        name=name,
        file=name,
        description=f"The CRM's own {name}.",
        key_prefix=facts.key_prefix,
        count=Count(number=0),
        fields=(key, *fields),
    )


def _external_id(name: str) -> Field:
    return _field(name, {**TEXT, "maxLength": EXTERNAL_LENGTH}, unique=True)


def _added(name: str, facts: AddedField) -> Field:
    source = ReferenceSource(reference=facts.reference) if facts.reference else None
    return _field(name, TEXT, source, createable=facts.createable)


def _field(
    name: str,
    form: Mapping[str, object],
    source: Source | None = None,
    unique: bool = False,
    createable: bool = True,
) -> Field:
    """A field that nothing is drawn for."""
    return Field(
        name=name,
        json_schema=form,
        source=source or ConstantSource(constant=None),
        required=False,
        unique=unique,
        createable=createable,
    )
