"""Fields that every object type of a schema has beside its own: `_common.yaml`.

    properties:
      CreatedDate: {type: string, format: date-time, x-source: {later: period.start}}
    own:
      Order: {CreatedDate: {...}}
    without:
      User: [CreatedById]

A field that an object type has in its own file is left as it is. Knows no fields' meaning;
`schemas.loader` checks what comes out of here as it checks any other.
"""

from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from schemas.errors import SchemaError


class CommonFields(BaseModel):
    """What `_common.yaml` holds."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    properties: Annotated[
        dict[str, Any], Field(description="The fields, as in an object type's file.")
    ] = {}
    own: Annotated[
        dict[str, dict[str, Any]],
        Field(description="Fields of the same names that are others in some object types."),
    ] = {}
    without: Annotated[
        dict[str, tuple[str, ...]],
        Field(description="The object types that lack some of them, and which."),
    ] = {}


NOTHING_COMMON = CommonFields()


def check_common(common: CommonFields, objects: Collection[str], where: str) -> None:
    """Raises SchemaError where an object type or a field is named that there isn't."""
    for keyword, named in (("own", common.own), ("without", common.without)):
        for name, fields in named.items():
            if name not in objects:
                raise SchemaError(
                    f"{where}: {keyword}.{name}: there is no such object type; mend the name"
                )
            unknown = sorted(set(fields) - set(common.properties))
            if unknown:
                raise SchemaError(
                    f"{where}: {keyword}.{name}: {unknown[0]!r:.60} is none of the properties; add"
                    " it there or mend the name"
                )


def with_common(name: str, fields: Mapping[str, Any], common: CommonFields) -> dict[str, Any]:
    """The fields of an object type's file, and behind them those of every object type."""
    lacked = common.without.get(name, ())
    whole = dict(fields)
    for field, keywords in common.properties.items():
        if field not in whole and field not in lacked:
            whole[field] = common.own.get(name, {}).get(field, keywords)
    return whole
