"""A CRM's object and its fields: what `describe` tells of them and what may be written to them.

These are the only types for it in the tree: `build` makes them of a schema, `describe` of what a
CRM answers. Queries, the server, exports, loading and the pages to explore all work with them.

Example: the field `AccountId` of `Case` is a `CrmField` of type `reference`, whose `target` is
`Account` and whose `relationship` is `Account` too.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from orgweave.crm.facts import OnDelete
from schemas.country import DEFAULT_LOCALE

FieldType = Literal[
    "id",
    "reference",
    "string",
    "textarea",
    "picklist",
    "multipicklist",
    "idlist",
    "boolean",
    "currency",
    "double",
    "int",
    "date",
    "datetime",
    "email",
    "phone",
    "url",
    "address",
]
"""The types that our own objects have; a CRM elsewhere has a few more."""
TEXTS = frozenset({"string", "textarea", "picklist", "email", "phone", "url"})
NUMBERS = frozenset({"currency", "double", "int"})
IDS = frozenset({"id", "reference"})
LISTS = frozenset({"multipicklist", "idlist"})
TEXT_LENGTH = 255
"""Characters of a text field; a longer one is a text area."""
STAMPS = ("SystemModstamp", "LastModifiedDate", "CreatedDate")
"""The fields that tell when a record last changed, the best first."""
ADDRESS_PARTS = ("Street", "City", "StateCode", "State", "PostalCode", "CountryCode", "Country")
NAME_PARTS = ("FirstName", "LastName", "MiddleName", "Salutation", "Suffix")


@dataclass(frozen=True, slots=True)
class CrmField:
    """One field.

    Attributes:
        name: the API name.
        type: the CRM's type, a `FieldType` or, in a CRM elsewhere, another word.
        length: the most characters it takes; 0 where there is no bound.
        precision, scale: the digits of a number, and those behind the point.
        nillable: whether a record may have no value.
        createable, updateable: whether a new record may be given it, and a record be changed in it.
        insert_only: whether not even an upsert may change it.
        defaulted: whether the CRM fills it where a new record has no value.
        default: what it is filled with, where that is always the same.
        duplicate_code: the error code of a value that another record has; empty where two may
            share one.
        case_sensitive: whether values that differ in the case of letters differ.
        external_id: whether it holds another system's id.
        id_lookup: whether it may stand for a record's id.
        restricted: whether the picklist takes no other values than its own.
        values: the picklist's values as far as the schema draws them; `more_values` are the others.
        reference_to: the objects that a reference may lead to; `target` is the one it leads to in
            our orgs, and `relationship` its name in queries.
        on_delete: what happens to the record when the one it refers to is deleted.
        column: the column of the org's file that holds it; empty where none does (IsDeleted).
        derived: the SQL of a value that no column holds, with `{0}` for the table's alias.
        insert_as: the text that every new record has instead of its own value.
        load_as: what a loader gives a boolean until all that needs the record is in.
        holds_ids: the object whose ids a text or a list holds; `*` for any.
        value_set: the standard value set that the picklist shares with others.
        closing_values: the values of a status with which a record is closed.
        not_loaded: why a loader leaves it out; empty where it doesn't.
    """

    name: str
    type: str
    length: int = 0
    precision: int = 0
    scale: int = 0
    nillable: bool = True
    createable: bool = True
    updateable: bool = True
    insert_only: bool = False
    defaulted: bool = False
    default: str | int | None = None
    duplicate_code: str = ""
    case_sensitive: bool = False
    external_id: bool = False
    id_lookup: bool = False
    restricted: bool = False
    values: tuple[str, ...] = ()
    more_values: tuple[str, ...] = ()
    filterable: bool = True
    groupable: bool = True
    sortable: bool = True
    auto_number: bool = False
    reference_to: tuple[str, ...] = ()
    target: str | None = None
    relationship: str | None = None
    on_delete: OnDelete = "clear"
    column: str = ""
    derived: str = ""
    insert_as: str = ""
    load_as: bool | None = None
    holds_ids: str = ""
    value_set: str = ""
    closing_values: tuple[str, ...] = ()
    not_loaded: str = ""

    @property
    def label(self) -> str:
        """What the CRM's pages call it."""
        return label_of(self.name)

    @property
    def custom(self) -> bool:
        """Whether it isn't one of the CRM's own."""
        return self.name.endswith("__c")

    @property
    def required(self) -> bool:
        """Whether no record can be created without it."""
        return self.createable and not self.nillable and not self.defaulted

    @property
    def unique(self) -> bool:
        """Whether no two records share a value."""
        return bool(self.duplicate_code)

    @property
    def polymorphic(self) -> bool:
        """Whether it may lead to records of several objects."""
        return len(self.reference_to) > 1

    @property
    def stored(self) -> bool:
        """Whether an org keeps it."""
        return bool(self.column)

    @property
    def picklist(self) -> tuple[str, ...]:
        """All values of a picklist."""
        return self.values + self.more_values


@dataclass(frozen=True, slots=True)
class ChildRelationship:
    """Records of `entity` whose `field` refers to a parent, under the parent's `name` for them.

    The name is None where the CRM gives them none; `on_delete` is what happens to them when the
    parent is deleted.
    """

    name: str | None
    entity: str
    field: str
    on_delete: OnDelete = "clear"


@dataclass(frozen=True, slots=True)
class CrmObject:
    """One object; names are looked up in lower case, for the CRM takes no notice of case.

    Attributes:
        fields: the fields by lower-case name, in the schema's order.
        parents: the references by the lower-case name of their relationship.
        children: the child relationships that have a name, by that name in lower case.
        child_relationships: all of them.
        name_field: the field that names a record, None where none does.
        search_names: the fields of SOSL's NAME FIELDS.
        unique_together: fields whose values no two records share as a whole; `duplicate_message`
            is what the CRM answers to a second record.
        table: the table of the org's file that holds its records.
        rows: the SQL of an object's records that no table holds, else empty.
        package: the metadata package of an object that not every org can have, else empty.
        natural_key: the key of an object that takes no external id field, else empty.
        own_permissions: whether permission sets name it.
        locale: the company's, by which amounts and days are shown.
    """

    name: str
    fields: Mapping[str, CrmField]
    key_prefix: str = ""
    description: str = ""
    parents: Mapping[str, CrmField] = dataclasses.field(default_factory=dict)
    children: Mapping[str, ChildRelationship] = dataclasses.field(default_factory=dict)
    child_relationships: tuple[ChildRelationship, ...] = ()
    name_field: str | None = None
    search_names: tuple[str, ...] = ()
    createable: bool = True
    deletable: bool = True
    unique_together: tuple[str, ...] = ()
    duplicate_message: str = ""
    table: str = ""
    rows: str = ""
    package: str = ""
    natural_key: str = ""
    own_permissions: bool = True
    locale: str = DEFAULT_LOCALE

    @property
    def label(self) -> str:
        """What the CRM's pages call one record."""
        return label_of(self.name)

    @property
    def plural_label(self) -> str:
        """What they call several."""
        return self.label + "s"

    @property
    def custom(self) -> bool:
        """Whether it isn't one of the CRM's own."""
        return self.name.endswith("__c")

    def has(self, name: str) -> bool:
        """Whether there is a field of that name, in any case of letters."""
        return name.lower() in self.fields

    def field(self, name: str) -> CrmField:
        """The field of that name, in any case of letters; raises KeyError where there is none."""
        return self.fields[name.lower()]

    def find(self, name: str) -> CrmField | None:
        """The field of that name, in any case of letters, or None."""
        return self.fields.get(name.lower())

    @property
    def stamp(self) -> str | None:
        """The stored field that tells when a record last changed, or None."""
        for name in STAMPS:
            field = self.find(name)
            if field is not None and field.stored:
                return name
        return None

    def compound_of(self, field: CrmField) -> str | None:
        """The field that a field is a part of, such as a person's Name or an address, or None."""
        if field.name in NAME_PARTS:
            return "Name" if self.has("Name") else None
        for part in ADDRESS_PARTS:
            whole = field.name.removesuffix(part) + "Address"
            if field.name.endswith(part) and self.has(whole):
                return whole
        return None

    def takes(self, name: str) -> bool:
        """Whether a new record may be given a field of that name."""
        return self.has(name) and self.field(name).createable


def label_of(name: str) -> str:
    """An API name as the CRM's pages show it: `FAQ_Answer__c` is `FAQ Answer`."""
    return name.removesuffix("__c").removesuffix("__kav").replace("_", " ")
