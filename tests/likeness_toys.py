"""A toy object type with two written fields whose texts are compared, and its units in order."""

from schemas.field import Field
from schemas.object_type import Count, ObjectType
from schemas.sources import WrittenSource

NOTE = ObjectType(
    "Note",
    "Note.yaml",
    "A note.",
    "0no",
    Count(number=4),
    (
        Field("Title", {}, WrittenSource(written="A title of a note."), True, unique=True),
        Field("Body", {}, WrittenSource(written="The note itself."), True),
    ),
)
UNITS = (3, 1, 2)
