"""An object type in memory: its fields, how many records it has, and what is written together.

Reads no file and draws nothing; `schemas.loader` makes object types of YAML.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, PlainValidator, WithJsonSchema, model_validator
from pydantic import Field as Key

from schemas.errors import SchemaError
from schemas.field import ONLY_KNOWN_KEYS, Field, Judging
from schemas.paths import LatentPath, LatentTable, Template, ValueExpression, ValuePath, paths_in

BATCH = 10
"""How many units one prompt asks for unless `x-unit` says otherwise: enough to share the prompt's
fixed part, few enough that a model still follows every one of them.
"""


@dataclass(frozen=True, slots=True)
class Count:
    """`x-count`: how many records there are. Exactly one of the four keys decides; `number` may
    stand beside `per` or `latent`.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    number: Annotated[
        int | None,
        Key(
            ge=0,
            strict=True,
            description=(
                "How many records: `{number: 120}`. Beside `per` so many for each parent; beside"
                " `latent` about how many the latent variable shall draw."
            ),
        ),
    ] = None
    per: Annotated[
        str | None,
        Key(
            description=(
                "The parent's object type: `{per: Order, number: 3}` makes three records for each"
                " order, `{per: Order}` one."
            )
        ),
    ] = None
    cross: Annotated[
        tuple[str, str] | None,
        Key(
            description=(
                "Two object types; there is one record for each pair: `{cross: [Pricebook2,"
                " Product2]}`."
            )
        ),
    ] = None
    latent: Annotated[
        LatentTable | None,
        Key(
            description=(
                "A latent table; there is one record for each of its rows: `{latent:"
                " CaseStory.messages}`."
            )
        ),
    ] = None

    @model_validator(mode="after")
    def _decides_once(self) -> "Count":
        ways = sum(way is not None for way in (self.per, self.cross, self.latent))
        crossed_and_numbered = self.cross is not None and self.number is not None
        undecided = ways == 0 and self.number is None
        if ways > 1 or crossed_and_numbered or undecided:
            raise ValueError(
                "give exactly one of number, per, cross, latent (a number may go with per or"
                " latent)"
            )
        return self

    @property
    def parents(self) -> tuple[str, ...]:
        """The object types that the number of records is multiplied from."""
        if self.per:
            return (self.per,)
        return self.cross or ()

    @property
    def is_asked_for(self) -> bool:
        """Whether the number of records is known before anything is drawn."""
        return not self.parents and self.latent is None

    @property
    def times(self) -> int:
        """How many records there are for each parent, or for each pair of parents."""
        return 1 if self.number is None else self.number


@dataclass(frozen=True, slots=True)
class UnitRule:
    """`x-unit`: what is written as one piece. Without it each record is a unit."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    group: Annotated[
        str | None,
        Key(
            description=(
                "A field whose value the records of a unit share: `{group: ParentId}` writes all"
                " mails of a case as one conversation."
            )
        ),
    ] = None
    parts: Annotated[
        LatentTable | None,
        Key(
            description=(
                "A latent table whose rows are the parts of a unit's text, such as the turns of a"
                " chat: `{parts: ChatDesk.turns, by: chat}`."
            )
        ),
    ] = None
    by: Annotated[
        str | None,
        Key(description="The column of `parts` that holds the row number of the record."),
    ] = None
    batch: Annotated[
        int, Key(ge=1, le=100, strict=True, description="The most units that one prompt asks for.")
    ] = BATCH


def _split_roster(value: object) -> tuple[str, str]:
    parts = value.split(".") if isinstance(value, str) else []
    if len(parts) != 2:
        raise ValueError("is no ObjectType.Field; write one such as User.Name")
    return parts[0], parts[1]


RosterField = Annotated[
    tuple[str, str],
    PlainValidator(_split_roster),
    WithJsonSchema({"type": "string", "pattern": r"^\w+\.\w+$"}),
]
"""An object type and one of its fields: `User.Name`."""


def _read_label(value: object) -> Template:
    template = Template.read(value)
    if any(placeholder.filters for placeholder in template.placeholders):
        raise ValueError("a label's fields stand as they are; leave out the filters")
    return template


@dataclass(frozen=True, slots=True)
class ObjectType:
    """One object type of a CRM: its file's own words, and its fields in the file's order."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    name: Annotated[
        str, Key(alias="title", description="The object type's API name, which is the file's.")
    ]
    file: Annotated[str, Key(description="The file that the object type was read from.")]
    description: Annotated[str, Key(description="One sentence that says what a record is.")]
    key_prefix: Annotated[
        str,
        Key(
            alias="x-key-prefix",
            pattern="^[A-Za-z0-9]{3}$",
            description='The three characters that every id begins with: `"500"` for a case.',
        ),
    ]
    count: Annotated[
        Count,
        Key(alias="x-count", description="How many records there are: `{number: 120}`."),
    ]
    fields: Annotated[
        tuple[Field, ...],
        Key(
            alias="properties",
            description="The fields by name, each a JSON Schema with an `x-source`.",
        ),
    ]
    scale: Annotated[
        Literal["linear", "fixed"],
        Key(
            alias="x-scale",
            description=(
                "`linear`: the number of records is multiplied by `--scale`. `fixed`: it stays as"
                " it is, as a list of issues does however large the company."
            ),
        ),
    ] = "linear"
    follows: Annotated[
        str | None,
        Key(
            alias="x-follows",
            description=(
                "The object type whose number this one's follows: with `Case`, twice as many cases"
                " have twice as many of these records."
            ),
        ),
    ] = None
    lane: Annotated[
        ValuePath | None,
        Key(
            alias="x-lane",
            description=(
                "The path by whose value units are sorted into lanes, such as `Family`. The writer"
                " of a lane sees what the lane has so far; lanes are written side by side."
            ),
        ),
    ] = None
    key_fields: Annotated[
        tuple[str, ...],
        Key(
            alias="x-key-fields",
            description=(
                "The written fields that the writer of a lane is shown of earlier entries, and in"
                " which no text may stand twice in a lane: `[Name]`."
            ),
        ),
    ] = ()
    unit: Annotated[
        UnitRule,
        Key(alias="x-unit", description="What is written as one piece; a record without it."),
    ] = UnitRule()
    facts: Annotated[
        Mapping[str, ValueExpression],
        Key(
            alias="x-facts",
            description=(
                "What the writer is told of a unit: names of one's own, each with a path or a"
                ' template: `{product: Product2Id.Name, price: "{Product2Id.ListPrice:money}"}`.'
                " `inherit: ParentId` adds all facts of the record that ParentId refers to."
            ),
        ),
    ] = dataclasses.field(default_factory=dict)
    part_facts: Annotated[
        Mapping[str, ValueExpression],
        Key(
            alias="x-part-facts",
            description=(
                "The same for each part of a unit: for each record of an `x-unit` with `group`,"
                " and for each row of the latent table of one with `parts`."
            ),
        ),
    ] = dataclasses.field(default_factory=dict)
    frame: Annotated[
        Mapping[str, ValueExpression],
        Key(
            alias="x-frame",
            description=(
                "What `render` is told of each record to put around its words, and no writer is:"
                " `{sender: FromName, moment: MessageDate}`."
            ),
        ),
    ] = dataclasses.field(default_factory=dict)
    avoid: Annotated[
        ValuePath | None,
        Key(
            alias="x-avoid",
            description=(
                "The path to phrases that the text must not contain, with `|` between them."
            ),
        ),
    ] = None
    roster: Annotated[
        tuple[RosterField, ...],
        Key(
            alias="x-roster",
            description=(
                "Fields whose values are names that a text may contain only where they are facts"
                " of its own: `[User.Name, Product2.Name]`."
            ),
        ),
    ] = ()
    judging: Annotated[
        Judging,
        Key(alias="x-judge", description="What a judge has to find out from the text."),
    ] = Judging()
    label: Annotated[
        Template | None,
        Key(
            alias="x-label",
            description=(
                "What a record is called where people look at the org, a template of its fields:"
                ' `"{Quantity} × {Product2Id.Name}"`.'
            ),
        ),
    ] = None

    def field(self, name: str) -> Field:
        """The field of that name; raises SchemaError if there is none."""
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise SchemaError(
            f"{self.file}: {self.name} has no field {name}; add it or mend the path that names it"
        )

    def has(self, name: str) -> bool:
        """Whether there is a field of that name."""
        return any(candidate.name == name for candidate in self.fields)

    @property
    def written(self) -> tuple[Field, ...]:
        """The fields that a writer writes."""
        return tuple(candidate for candidate in self.fields if candidate.written)

    @property
    def references(self) -> tuple[Field, ...]:
        """The fields that hold another record's id."""
        return tuple(candidate for candidate in self.fields if candidate.reference)

    @property
    def latents(self) -> frozenset[LatentPath]:
        """Every latent table and column that the object type is made from."""
        return frozenset(_latents(self))


def _latents(item: ObjectType) -> Iterator[LatentPath]:
    for table in (item.count.latent, item.unit.parts):
        if table:
            yield table
    for candidate in item.fields:
        yield from candidate.latents
    for path, _ in written_from(item):
        if path.latent:
            yield path.latent


def written_from(item: ObjectType) -> Iterator[tuple[ValuePath, str]]:
    """The paths that an object type's texts are written and judged from, each with its keyword.

    The facts of parts that lie in a latent table are left out: their paths begin in that table, not
    in a record.
    """
    named = [("x-facts", item.facts), ("x-frame", item.frame)]
    if item.unit.group:
        named.append(("x-part-facts", item.part_facts))
    for keyword, facts in named:
        for name, expression in facts.items():
            for path in paths_in(expression):
                yield path, f"{keyword}.{name}"
    if item.lane:
        yield item.lane, "x-lane"
    if item.avoid:
        yield item.avoid, "x-avoid"
    if isinstance(item.judging.always, ValuePath):
        yield item.judging.always, "x-judge.always"
