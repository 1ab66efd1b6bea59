"""What a CRM says of its object types (`describe`), as far as a loader asks. Pure: made from JSON.

Example: `object_info(target.describe("Case")).fields["Subject"].length` is 255.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from orgweave.load.target import CrmJson

TEXTS = frozenset(
    {
        "string",
        "textarea",
        "picklist",
        "multipicklist",
        "email",
        "phone",
        "url",
        "combobox",
        "encryptedstring",
    }
)
QUOTED = (TEXTS | {"id", "reference"}) - {"multipicklist"}
"""Types whose values stand in quotes in SOQL."""


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """A field; `length` is 0 where there is no bound."""

    name: str
    type: str
    length: int
    createable: bool
    nillable: bool
    defaulted: bool
    external_id: bool
    unique: bool
    filterable: bool
    restricted: bool
    values: frozenset[str]

    @property
    def required(self) -> bool:
        """Whether no record can be created without it."""
        return self.createable and not self.nillable and not self.defaulted


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """An object type."""

    name: str
    createable: bool
    fields: Mapping[str, FieldInfo]

    def takes(self, field: str) -> bool:
        """Whether a new record may have that field."""
        return field in self.fields and self.fields[field].createable


def object_info(told: CrmJson) -> ObjectInfo:
    """A describe answer, read."""
    return ObjectInfo(
        str(told["name"]),
        bool(told["createable"]),
        {str(one["name"]): _field(one) for one in told["fields"]},
    )


def _field(told: CrmJson) -> FieldInfo:
    return FieldInfo(
        name=str(told["name"]),
        type=str(told["type"]),
        length=int(told.get("length") or 0),
        createable=bool(told.get("createable")),
        nillable=bool(told.get("nillable")),
        defaulted=bool(told.get("defaultedOnCreate")),
        external_id=bool(told.get("externalId")),
        unique=bool(told.get("unique")),
        filterable=bool(told.get("filterable", True)),
        restricted=bool(told.get("restrictedPicklist")),
        values=frozenset(
            str(one["value"]) for one in told.get("picklistValues") or () if one.get("active", True)
        ),
    )
