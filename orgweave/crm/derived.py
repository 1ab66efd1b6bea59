"""Fields that the CRM has on an object and our schemas neither draw nor store.

A whole address is put together from its parts, a price book entry is called as its product is, and
records without a name of their own are numbered. Each is a `CrmField` that nobody can write, with
the SQL of its value in `derived`, in which `{0}` stands for the table's alias. What no company here
fills in, such as the latitude of an address, is always null. Knows no query and opens no file.

Example: of service_cloud's `Order` they are `Name`, which is null, `ShippingAddress` with its
latitude and longitude, and the same for billing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from orgweave.crm.field import CrmField, FieldType
from orgweave.crm.metadata import organization_fields

NULL = "NULL"
ADDRESSES = ("Billing", "Shipping", "Mailing", "Other", "Person", "")
"""How the parts of an address begin; those of a user have no such beginning."""
ADDRESS_PARTS = ("Street", "City", "State", "PostalCode", "Country")
PLACE_PARTS: Mapping[str, FieldType] = {
    "Latitude": "double",
    "Longitude": "double",
    "GeocodeAccuracy": "picklist",
}
LONGEST_HTML = 131_072
FIRST_USER = '(SELECT min(u."Id") FROM "User" u)'
"""Who set an org up, and who asks where nobody else is named: its first user."""


@dataclass(frozen=True, slots=True)
class DerivedField:
    """A field, and the fields that its value is made of: `Product2.Name`."""

    field: CrmField
    needs: tuple[str, ...] = ()


def _plain(name: str, kind: FieldType, sql: str, length: int = 0) -> DerivedField:
    return DerivedField(
        _field(
            name,
            kind,
            sql,
            length,
        )
    )


def _field(name: str, kind: FieldType, sql: str, length: int = 0) -> CrmField:
    return CrmField(
        name,
        kind,
        length,
        createable=False,
        updateable=False,
        derived=sql,
    )


def _of_record(sql: str) -> str:
    """The SQL of what every record has; a parent that isn't there has nothing."""
    return f'(CASE WHEN {{0}}."Id" IS NOT NULL THEN {sql} END)'


def _of_parent(name: str, kind: FieldType, source: str, reference: str) -> DerivedField:
    """A field of a parent as the record's own; `source` is `Contact.Email`."""
    parent, _, field = source.partition(".")
    sql = f'(SELECT p."{field}" FROM "{parent}" p WHERE p."Id" = {{0}}."{reference}")'
    return DerivedField(
        _field(
            name,
            kind,
            sql,
            255,
        ),
        (source, reference),
    )


def _reference(name: str, sql: str, targets: tuple[str, ...], *needs: str) -> DerivedField:
    field = replace(
        _field(
            name,
            "reference",
            sql,
            18,
        ),
        reference_to=targets,
        target=targets[0],
        relationship=name.removesuffix("Id"),
    )
    return DerivedField(field, needs)


HTML = replace(
    _field(
        "HtmlBody",
        "textarea",
        NULL,
        LONGEST_HTML,
    ),
    filterable=False,
    sortable=False,
)
SET_UP_BY = (
    _reference(
        "CreatedById",
        _of_record(FIRST_USER),
        ("User",),
        "User.Id",
    ),
    _reference(
        "LastModifiedById",
        _of_record(FIRST_USER),
        ("User",),
        "User.Id",
    ),
)
NUMBER = _of_record("printf('%08d', {0}.rowid)")
"""The place of a record in its table."""
# What an account is, is settled by the name that it is created with.
IS_PERSON = DerivedField(
    replace(
        _field(
            "IsPersonAccount",
            "boolean",
            '({0}."LastName" IS NOT NULL)',
        ),
        nillable=False,
    ),
    ("LastName",),
)
OWN: Mapping[str, tuple[DerivedField, ...]] = {
    "Account": (IS_PERSON,),
    "Case": (
        _of_parent(
            "ContactEmail",
            "email",
            "Contact.Email",
            "ContactId",
        ),
        _of_parent(
            "ContactPhone",
            "phone",
            "Contact.Phone",
            "ContactId",
        ),
    ),
    "EmailMessage": (
        DerivedField(HTML),
        _plain(
            "CcAddress",
            "string",
            NULL,
            4000,
        ),
        _plain(
            "BccAddress",
            "string",
            NULL,
            4000,
        ),
        _reference(
            "RelatedToId",
            '{0}."ParentId"',
            ("Case", "Account"),
            "Case.Id",
            "ParentId",
        ),
    ),
    "Knowledge__kav": (
        _plain(
            "KnowledgeArticleId",
            "id",
            '{0}."Id"',
            18,
        ),
    ),
    "LiveChatTranscript": (
        _plain(
            "Name",
            "string",
            NUMBER,
            255,
        ),
    ),
    "Order": (
        _plain(
            "Name",
            "string",
            NULL,
            80,
        ),
    ),
    "PricebookEntry": (
        _of_parent(
            "Name",
            "string",
            "Product2.Name",
            "Product2Id",
        ),
        _of_parent(
            "ProductCode",
            "string",
            "Product2.ProductCode",
            "Product2Id",
        ),
    ),
    "ProductCategoryProduct": (
        _plain(
            "Name",
            "string",
            NUMBER,
            255,
        ),
    ),
    "Profile": SET_UP_BY,
    "User": SET_UP_BY,
    "UserRole": SET_UP_BY,
}
"""What only some objects have, by their names."""


def derived_fields(name: str, fields: frozenset[str]) -> Iterator[DerivedField]:
    """Yields what an object has beside its own fields, which `fields` are.

    What it needs of other objects is for the caller to look up.
    """
    own = [*OWN.get(name, ()), *_addresses(fields)]
    if name == "Organization":
        own += [DerivedField(field) for field in organization_fields()]
    if name.endswith("__c"):
        own.append(_numbered(name))
    for derived in own:
        needed = {need for need in derived.needs if "." not in need}
        if derived.field.name not in fields and needed <= fields:
            yield derived


def _numbered(name: str) -> DerivedField:
    """The name of a custom object's records, which the metadata that we export numbers alike."""
    initials = "".join(letter for letter in name.removesuffix("__c") if letter.isupper())
    number = _of_record(f"printf('{initials}-%06d', {{0}}.rowid)")
    return _plain(
        "Name",
        "string",
        number,
        80,
    )


def _addresses(fields: frozenset[str]) -> Iterator[DerivedField]:
    """Each address of which an object has a city, and where on earth it is, which nobody knows."""
    for beginning in ADDRESSES:
        if f"{beginning}City" not in fields:
            continue
        for part, kind in PLACE_PARTS.items():
            yield _plain(
                f"{beginning}{part}",
                kind,
                NULL,
            )
        whole = _field(
            f"{beginning}Address",
            "address",
            NULL,
        )
        yield DerivedField(
            replace(
                whole,
                filterable=False,
                groupable=False,
                sortable=False,
            )
        )
