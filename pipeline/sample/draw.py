"""What a sampler is given: one field of one object type, and the columns made before it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table
from schemas.field import Field
from schemas.object_type import ObjectType
from schemas.sources import BaseSource

SourceType_co = TypeVar("SourceType_co", bound=BaseSource, covariant=True)


@dataclass(frozen=True, slots=True)
class Draw(Generic[SourceType_co]):
    """One field to be drawn: `table.size` values by its source.

    `table` holds the columns of the same records that were made so far.
    """

    org: Org
    item: ObjectType
    field: Field
    source: SourceType_co
    table: Table

    @property
    def size(self) -> int:
        """How many values are wanted."""
        return self.table.size

    @property
    def where(self) -> str:
        """The field's place in the schema, with which every error of a sampler begins."""
        return f"{self.item.file}: properties.{self.field.name}"

    @property
    def max_length(self) -> int | None:
        """How many characters a value may have, or None."""
        return self.field.json_schema.get("maxLength")

    @property
    def locale(self) -> str:
        """The locale of names and places: `en_US`."""
        return self.org.setting.profile.locale

    def stream(self) -> Stream:
        """The field's own random stream."""
        return self.shared_stream(self.field.name)

    def own_stream(self) -> Stream:
        """The field's random stream, unlike that of another company of the same seed."""
        return self.org.setting.own_stream(self.item.name, self.field.name)

    def shared_stream(self, part: str) -> Stream:
        """A random stream from which several fields of the object type draw the same numbers."""
        return self.org.setting.stream(self.item.name, part)


Sampler = Callable[[Draw[Any]], Array]
"""Draws a column of `draw.size` values. Each sampler takes the Draw of its own kind of source."""
