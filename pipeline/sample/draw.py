"""What a sampler is given, and the seam it fills: `Draw` in, one value a row out."""

from dataclasses import dataclass
from typing import Protocol

from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table
from schemas.model import Field, ObjectType
from schemas.sources import Source


@dataclass(frozen=True, slots=True)
class Draw:
    """One field of one object type to be drawn; `at` holds the columns made so far, `size` rows."""

    org: Org
    item: ObjectType
    field: Field
    at: Table

    @property
    def size(self) -> int:
        """How many values are wanted."""
        return self.at.size

    @property
    def source(self) -> Source:
        """The field's source."""
        return self.field.source

    def stream(self, part: str = "") -> Stream:
        """The field's own random stream."""
        return self.org.setting.stream(
            self.item.name, f"{self.field.name}.{part}" if part else self.field.name
        )


class Sampler(Protocol):
    """Draws a column: an array of `draw.size` values."""

    def __call__(self, draw: Draw) -> Array:
        """The column."""
