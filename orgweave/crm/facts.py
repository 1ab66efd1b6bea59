"""What the CRM says of its own objects and a JSON Schema has no word for, read from YAML files.

A file `objects/<Object>.yaml` describes one object; `objects/_common.yaml` holds what is true of
all. An object without a file follows the general rules in `build`. Knows no org and no connection.

Example, the whole of `ProductCatalog.yaml`:

    required: [Name]
    package: commerce
    load_rank: 2
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.errors import SchemaError
from schemas.files import checked, read_yaml

SHIPPED = Path(__file__).parent / "objects"
COMMON = "_common.yaml"
ApiName = Annotated[str, Field(pattern=r"^[A-Za-z]\w*$")]
OnDelete = Literal["clear", "cascade", "restrict"]


class FieldFacts(BaseModel):
    """What the CRM says of one field beyond its schema."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    long_text: bool = Field(
        default=False, description="Whether it is a long text area whatever length the schema has."
    )
    refers_to: tuple[ApiName, ...] = Field(
        default=(), description="The objects that a polymorphic reference may lead to."
    )
    child_name: ApiName | None = Field(
        default=None, description="What a parent calls the records that refer to it by this field."
    )
    unnamed_children: bool = Field(
        default=False, description="Whether a parent has no name for those records."
    )
    on_delete: OnDelete = Field(
        default="clear",
        description="What happens to the record when its parent is deleted: the reference is"
        " cleared, the record goes too, or the parent can't be deleted.",
    )
    id_lookup: bool = Field(default=False, description="Whether it may stand for a record's id.")
    duplicate_code: str = Field(
        default="", description="The error code of a value that another record has; empty if any."
    )
    restricted: bool = Field(
        default=False, description="Whether the picklist takes no other values than its own."
    )
    more_values: tuple[str, ...] = Field(
        default=(), description="Values of the picklist that the schema doesn't draw."
    )
    value_set: str = Field(
        default="", description="The standard value set that the picklist shares with others."
    )
    closing_values: tuple[str, ...] = Field(
        default=(), description="The values of a status with which a record is closed."
    )
    create_only: bool = Field(
        default=False, description="Whether the value can't be changed once the record is there."
    )
    insert_only: bool = Field(
        default=False, description="As create_only, and an upsert can't set it either."
    )
    defaulted: bool = Field(
        default=False, description="Whether the CRM fills it where a new record has no value."
    )
    default: str | int | None = Field(
        default=None, description="What it is filled with, where that is always the same."
    )
    not_loaded: str = Field(
        default="", description="Why a loader leaves it out; empty where it doesn't."
    )
    load_as: bool | None = Field(
        default=None,
        description="What a loader gives a boolean until all that needs the record is in.",
    )


class AddedField(BaseModel):
    """A field that every CRM has on an object and our schemas don't draw."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    reference: ApiName | None = Field(default=None, description="The object it refers to, if any.")
    createable: bool = Field(default=True, description="Whether a new record may be given it.")


class UniqueTogether(BaseModel):
    """Fields whose values no two records share as a whole."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    fields: tuple[ApiName, ...] = Field(min_length=2, description="The fields.")
    message: str = Field(description="What the CRM answers to a second record.")


class ObjectFacts(BaseModel):
    """What the CRM says of one object beyond its schema."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    required: tuple[ApiName, ...] | None = Field(
        default=None,
        description="Fields without which no record can be created, where the object has them;"
        " without this key the schema's required fields are.",
    )
    name_field: ApiName = Field(default="Name", description="The field that names a record.")
    search_names: tuple[ApiName, ...] = Field(
        default=(), description="The fields of SOSL's NAME FIELDS, where they are other ones."
    )
    createable: bool = Field(default=True, description="Whether records can be created.")
    deletable: bool = Field(default=True, description="Whether records can be deleted.")
    has_is_deleted: bool = Field(default=True, description="Whether records have IsDeleted.")
    unique_together: UniqueTogether | None = Field(
        default=None, description="Fields whose values no two records share as a whole."
    )
    package: str = Field(
        default="", description="The metadata package of an object that not every org can have."
    )
    natural_key: str = Field(
        default="", description="The key of an object that takes no external id field."
    )
    custom_lookup: bool = Field(
        default=True, description="Whether a custom field may look its records up."
    )
    own_permissions: bool = Field(
        default=True, description="Whether permission sets name it; else they follow from others."
    )
    load_rank: int = Field(
        default=1, description="As far as references leave a choice, lower ones are loaded first."
    )
    update_after: str = Field(
        default="", description="The object behind whose records its second pass comes."
    )
    comes_with: str = Field(
        default="", description="The object beside which every CRM has this one; schemas don't."
    )
    key_prefix: str = Field(
        default="",
        pattern="^([A-Za-z0-9]{3})?$",
        description="How ids begin, with comes_with.",
    )
    adds: Mapping[ApiName, AddedField] = Field(
        default={}, description="Fields that every CRM has and our schemas don't draw."
    )
    records: tuple[Mapping[ApiName, str | int], ...] = Field(
        default=(),
        description="Records that every new org has; `@Name` refers to another by its name, and"
        " `{company}` stands for the company's name.",
    )
    fields: Mapping[ApiName, FieldFacts] = Field(
        default={}, description="What is to be said of single fields."
    )

    @model_validator(mode="after")
    def _own_prefix(self) -> "ObjectFacts":
        if bool(self.comes_with) != bool(self.key_prefix):
            raise ValueError("comes_with and key_prefix go together; give both or neither")
        return self


class CommonFacts(BaseModel):
    """What is true of every object."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    system_fields: frozenset[ApiName] = Field(
        default=frozenset(), description="Fields that a custom object has without a `__c`."
    )
    lengths: Mapping[str, int] = Field(
        default={},
        description="Lengths of standard texts by the end of their names, where the schema gives"
        " none.",
    )
    packages: Mapping[str, str] = Field(
        default={}, description="The packages for objects that not every org can have, and why."
    )
    fields: Mapping[ApiName, FieldFacts] = Field(
        default={}, description="What is said of a field of that name on any object."
    )


@dataclass(frozen=True, slots=True)
class Catalog:
    """The facts of all objects.

    Example: `shipped().object("Case").fields["Status"].default` is `"New"`.
    """

    objects: Mapping[str, ObjectFacts]
    common: CommonFacts

    def object(self, name: str) -> ObjectFacts:
        """What is known of an object; nothing of one without a file."""
        # Made where it is wanted only: pydantic copies every default.
        found = self.objects.get(name)
        return ObjectFacts() if found is None else found

    def field(self, name: str, field: str) -> FieldFacts:
        """What is known of an object's field; its own entry comes before the one for any object."""
        own = self.object(name).fields.get(field)
        shared = self.common.fields.get(field)
        if shared is None:
            return FieldFacts() if own is None else own
        if own is None:
            return shared
        return shared.model_copy(update={key: getattr(own, key) for key in own.model_fields_set})

    def is_standard(self, name: str) -> bool:
        """Whether the CRM has an object of that name without anybody's doing."""
        return name in self.objects and not name.endswith("__c")

    def beside(self, name: str) -> tuple[str, ...]:
        """The objects that every CRM has beside one of our schemas'."""
        return tuple(other for other, facts in self.objects.items() if facts.comes_with == name)


def load_catalog(folder: Path, base: Catalog | None = None) -> Catalog:
    """The facts in a folder; a file replaces what `base` says of the same object.

    Raises SchemaError that names the file, the key and the mend.
    """
    objects = dict(base.objects) if base else {}
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise SchemaError(f"{folder}: holds no object; add an <Object>.yaml file")
    for path in files:
        if path.name != COMMON:
            objects[path.stem] = checked(ObjectFacts, read_yaml(path), str(path))
    common = base.common if base else CommonFacts()
    if (folder / COMMON).exists():
        common = checked(CommonFacts, read_yaml(folder / COMMON), str(folder / COMMON))
    _check_packages(folder, objects, common)
    return Catalog(dict(sorted(objects.items())), common)


def _check_packages(folder: Path, objects: Mapping[str, ObjectFacts], common: CommonFacts) -> None:
    for name, facts in objects.items():
        if facts.package and facts.package not in common.packages:
            raise SchemaError(
                f"{folder / name}.yaml: package: there is no {facts.package}; add it to {COMMON}"
                f" or use one of {', '.join(common.packages)}"
            )


@cache
def shipped() -> Catalog:
    """The facts that come with the package; they are read once, for they never change."""
    return load_catalog(SHIPPED)
