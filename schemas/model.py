"""A schema in memory: object types and their fields, as the loader checked them.

Frozen; no file access, no drawing.

Example: `schema.object("Case").field("Status").source` is a `ChoiceSource`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from schemas.errors import SchemaError
from schemas.sources import (
    CopySource,
    LatentSource,
    MapSource,
    RangeSource,
    ReferenceSource,
    Source,
    TemplateSource,
    WhenSource,
    WrittenSource,
)

BATCH = 10


@dataclass(frozen=True, slots=True)
class Count:
    """How many records: a number, so many per parent, the cross product of two parents, or what a
    latent table yields.
    """

    number: int | None = None
    per: str | None = None
    cross: tuple[str, str] | None = None
    latent: str | None = None


@dataclass(frozen=True, slots=True)
class UnitRule:
    """What is written as one piece.

    `group`: rows that share this field's value; `parts`: rows of a latent table, joined by a
    column.

    `batch` is the most units that one mini-batch holds.
    """

    group: str | None = None
    parts: str | None = None
    by: str | None = None
    batch: int = BATCH


@dataclass(frozen=True, slots=True)
class Question:
    """What a judge is asked of a unit's text: `answer` names the fact that is right; the candidates
    are its values in other units.
    """

    asks: str
    answer: str


@dataclass(frozen=True, slots=True)
class Judging:
    """The questions of an object type; `always` is a path (or "true") that says which units are
    judged whatever the share.
    """

    questions: tuple[Question, ...] = ()
    always: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its JSON Schema without x- keywords, its source, and how it is stored and
    uploaded.
    """

    name: str
    json_schema: Mapping[str, Any]
    source: Source
    required: bool
    unique: bool = False
    createable: bool = True
    holds_ids: str | None = None
    insert_as: str | None = None

    @property
    def reference(self) -> str | None:
        """The object type whose id the field holds, or None."""
        return self.source.reference if isinstance(self.source, ReferenceSource) else None

    @property
    def type(self) -> str:
        """The JSON type, without null."""
        kinds = self.json_schema.get("type", "string")
        return str(
            kinds if isinstance(kinds, str) else next(kind for kind in kinds if kind != "null")
        )

    @property
    def format(self) -> str:
        """The JSON Schema format, or an empty string."""
        return str(self.json_schema.get("format", ""))

    @property
    def written(self) -> WrittenSource | None:
        """The source, if the field is written."""
        return self.source if isinstance(self.source, WrittenSource) else None


@dataclass(frozen=True, slots=True)
class ObjectType:
    """One object type of a CRM and all its fields, in the order of its file."""

    name: str
    file: str
    description: str
    key_prefix: str
    count: Count
    fields: tuple[Field, ...]
    scale: Literal["linear", "fixed"] = "linear"
    follows: str | None = None
    lane: str | None = None
    key_fields: tuple[str, ...] = ()
    unit: UnitRule = UnitRule()
    facts: Mapping[str, str] | None = None
    part_facts: Mapping[str, str] | None = None
    avoid: str | None = None
    roster: tuple[str, ...] = ()
    judging: Judging = Judging()
    label: str = ""

    def field(self, name: str) -> Field:
        """The field of that name; raises SchemaError if there is none."""
        for field in self.fields:
            if field.name == name:
                return field
        raise SchemaError(
            f"{self.file}: {self.name} has no field {name}; add it or mend the path that names it"
        )

    def has(self, name: str) -> bool:
        """Whether there is a field of that name."""
        return any(field.name == name for field in self.fields)

    @property
    def written(self) -> tuple[Field, ...]:
        """The fields that a writer writes."""
        return tuple(field for field in self.fields if field.written)

    @property
    def references(self) -> tuple[Field, ...]:
        """The fields that hold another record's id."""
        return tuple(field for field in self.fields if field.reference)


@dataclass(frozen=True, slots=True)
class Beat:
    """A dialogue act: what it says (for a model's prompt) and the facts that its text must name.

    `uses` renames facts for this act's wording (limit -> deny_limit); `rules` are the grammar rules
    it may be worded by.
    """

    name: str
    says: str
    must: tuple[str, ...] = ()
    uses: Mapping[str, str] | None = None
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invariant:
    """A rule that holds for every record: `tried` counts the records, `broken` selects the
    offenders' ids (both SQL on the org).
    """

    name: str
    says: str
    tried: str
    broken: str


@dataclass(frozen=True, slots=True)
class Schema:
    """All object types of one CRM, the dialogue acts its conversations use, and its invariants."""

    name: str
    objects: tuple[ObjectType, ...]
    latents: tuple[str, ...] = ()
    beats: Mapping[str, Beat] | None = None
    invariants: tuple[Invariant, ...] = ()
    description: str = ""

    def object(self, name: str) -> ObjectType:
        """The object type of that name; raises SchemaError if there is none."""
        for item in self.objects:
            if item.name == name:
                return item
        raise SchemaError(
            f"schema {self.name} has no object type {name}; it has"
            f" {', '.join(o.name for o in self.objects)}"
        )

    def target(self, item: ObjectType, field: Field) -> str | None:
        """The object type whose ids a field holds: by its own source, or copied from a field that
        is a reference; None for other fields.
        """
        if field.reference or not isinstance(field.source, CopySource):
            return field.reference
        *steps, last = field.source.copy_.split(".")
        for step in steps:
            if not item.has(step) or item.field(step).reference is None:
                return None
            item = self.object(str(item.field(step).reference))
        return self.target(item, item.field(last)) if item.has(last) else None

    def has(self, name: str) -> bool:
        """Whether there is an object type of that name."""
        return any(item.name == name for item in self.objects)


def paths_of(field: Field) -> tuple[str, ...]:
    """Every path along fields and references that a field's value is made from."""
    match field.source:
        case CopySource() as source:
            return (source.copy_,)
        case MapSource() as source:
            return (source.map,)
        case TemplateSource() as source:
            return template_paths(source.template)
        case RangeSource(after=str() as after):
            return (after,)
        case WhenSource() as source:
            return (source.when, source.then, source.else_)
        case WrittenSource() as source if source.given:
            return (source.given.when, source.given.then)
    return ()


def latents_of(field: Field) -> tuple[str, ...]:
    """The latent tables' columns that a field's source names: `("CaseStory.cases.tone",)`."""
    source = field.source
    own = source.latent if isinstance(source, LatentSource | ReferenceSource) else None
    return ((own,) if own else ()) + tuple(
        path.partition("latent.")[2] for path in paths_of(field) if "latent." in path
    )


def template_paths(template: str) -> tuple[str, ...]:
    """The paths in a template's braces, filters cut off:
    `"{FirstName:lower}"` -> `("FirstName",)`.
    """
    return tuple(chunk.split("}")[0].split(":")[0] for chunk in template.split("{")[1:])
