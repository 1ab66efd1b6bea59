"""A schema in memory: object types with their fields, dialogue acts and invariants.

One frozen dataclass a thing, whose annotations say how YAML writes it: pydantic checks what comes
from a file by them (`schemas.loader`), and Python's own code makes them directly. Reads no file and
draws nothing.

Example: `schema.object("Case").field("Status").source` is a `ChoiceSource`.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, PlainValidator, WithJsonSchema, model_validator
from pydantic import Field as Key

from schemas.country import DEFAULT_LOCALE
from schemas.errors import SchemaError
from schemas.paths import (
    LatentPath,
    LatentTable,
    Template,
    ValueExpression,
    ValuePath,
    paths_in,
)
from schemas.sources import CopySource, ReferenceSource, Source, WrittenSource

LocalRole = Literal[
    "phone", "state", "postal_code", "country", "currency", "locale", "language", "full_name"
]
"""What a field may be that countries have each in their own way (`schemas.localize`)."""

ONLY_KNOWN_KEYS = ConfigDict(extra="forbid")

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
                " chat: `{parts: CaseStory.turns, by: chat}`."
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


@dataclass(frozen=True, slots=True)
class FillRule:
    """`x-filled`: in which records an optional field has its value; in the others it is empty."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    share: Annotated[
        float,
        Key(
            ge=0,
            le=1,
            allow_inf_nan=False,
            description="The share of the records that have it, such as `0.6`; all without it.",
        ),
    ] = 1.0
    by: Annotated[
        ValuePath | None,
        Key(
            description=(
                "The path to what decides for each record: true or false, or a share from 0 to 1,"
                " such as `latent.CaseStory.cases.says_phone`. `share` is of those it lets through."
            )
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a judge, who reads a unit's text and knows none of its facts."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    asks: Annotated[
        str,
        Key(
            min_length=10,
            description='The question: `"Which product is the customer writing about?"`.',
        ),
    ]
    answer: Annotated[
        str,
        Key(
            description=(
                "The key in `x-facts` whose value is the right answer; the values that other units"
                " have are the wrong ones."
            )
        ),
    ]


def _read_always(value: object) -> bool | ValuePath:
    return value if isinstance(value, bool) else ValuePath.read(value)


@dataclass(frozen=True, slots=True)
class Judging:
    """`x-judge`: what a model that reads only the text has to find out from it."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    questions: Annotated[
        tuple[Question, ...], Key(min_length=1, description="The questions, at least one.")
    ] = ()
    always: Annotated[
        bool | ValuePath,
        PlainValidator(_read_always),
        WithJsonSchema({"type": ["boolean", "string"]}),
        Key(
            description=(
                "Which units are judged whatever share of them is asked for: `true` for all, or a"
                " path to a value that is true, such as `latent.CaseStory.cases.violated`."
            )
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its JSON Schema, where its value comes from, and how it is uploaded."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    name: Annotated[str, Key(description="The field's API name, its key in `properties`.")]
    json_schema: Annotated[
        Mapping[str, Any],
        Key(description="The field's JSON Schema: every keyword that does not begin with `x-`."),
    ]
    source: Annotated[
        Source,
        Key(
            alias="x-source",
            description=(
                "Where the value comes from: one of the kinds of sources, such as `{choice: [red,"
                " blue]}`."
            ),
        ),
    ]
    required: Annotated[
        bool, Key(description="Whether the object type lists the field in `required`.")
    ]
    unique: Annotated[
        bool,
        Key(
            alias="x-unique",
            strict=True,
            description="Whether no two records have the same value.",
        ),
    ] = False
    createable: Annotated[
        bool,
        Key(
            alias="x-createable",
            strict=True,
            description=(
                "Whether the field may be set when a record is created in the CRM; a field that"
                " may not stays out of the upload."
            ),
        ),
    ] = True
    holds_ids: Annotated[
        str | None,
        Key(
            alias="x-holds-ids",
            description=(
                "The object type whose ids stand in the field although it is plain text, or `*`"
                " for ids of several object types. The upload puts the CRM's ids in their place."
            ),
        ),
    ] = None
    insert_as: Annotated[
        str | None,
        Key(
            alias="x-insert-as",
            description=(
                "The value that the record is created with where the CRM takes the final one only"
                " in a later update: `Draft` for the status of an order."
            ),
        ),
    ] = None
    filled: Annotated[
        FillRule | None,
        Key(
            alias="x-filled",
            description=(
                "In which records the field has its value, where it is empty in others: `{share:"
                " 0.6}`. The field is optional, its type names `null`, and no task may need it."
            ),
        ),
    ] = None

    local: Annotated[
        LocalRole | None,
        Key(
            alias="x-local",
            description=(
                "What the field is where countries differ: `phone`. Its pattern, its listed values"
                " and its constant then become those of the profile's locale."
            ),
        ),
    ] = None

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The paths that the field's value is made from, and the one that decides whether it is."""
        by = self.filled.by if self.filled else None
        return (*self.source.paths, by) if by else self.source.paths

    @property
    def latents(self) -> tuple[LatentPath, ...]:
        """The columns of latent tables among them."""
        by = self.filled.by if self.filled else None
        return (*self.source.latents, by.latent) if by and by.latent else self.source.latents

    @property
    def reference(self) -> str | None:
        """The object type whose id the field holds, or None."""
        return self.source.reference if isinstance(self.source, ReferenceSource) else None

    @property
    def type(self) -> str:
        """The JSON type, without null."""
        kinds = self.json_schema.get("type", "string")
        if isinstance(kinds, str):
            return kinds
        return str(next(kind for kind in kinds if kind != "null"))

    @property
    def nullable(self) -> bool:
        """Whether the JSON type names null: the field may be empty."""
        return "null" in self.json_schema.get("type", "string")

    @property
    def format(self) -> str:
        """The JSON Schema format, or an empty string."""
        return str(self.json_schema.get("format", ""))

    @property
    def written(self) -> WrittenSource | None:
        """The source, if the field is written."""
        return self.source if isinstance(self.source, WrittenSource) else None


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


@dataclass(frozen=True, slots=True)
class Beat:
    """A dialogue act in `_beats.yaml`, under its name: `c.sign: {says: ..., must: [customer]}`."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    name: Annotated[str, Key(description="The act's name, its key in the file.")]
    says: Annotated[
        str,
        Key(
            description=(
                'What the act says, for a model\'s prompt: `"asks for {wish}"`. Facts stand in'
                " braces."
            )
        ),
    ]
    must: Annotated[
        tuple[str, ...], Key(description="The facts that the act's text must name: `[wish]`.")
    ] = ()
    uses: Annotated[
        Mapping[str, str],
        Key(
            description=(
                "Facts that go by another name in this act: with `{limit: deny_limit}` the act"
                " says `limit` and means the fact `deny_limit`."
            )
        ),
    ] = dataclasses.field(default_factory=dict)
    rules: Annotated[
        tuple[str, ...],
        Key(
            description=(
                "The lexicon's rules that the embedded writer may word the act by; the rule with"
                " the act's own name where there are none."
            )
        ),
    ] = ()


@dataclass(frozen=True, slots=True)
class Invariant:
    """A rule in `_invariants.yaml` that holds for every record of a finished org."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    name: Annotated[
        str, Key(description="The rule's name in check.json: `case_contact_of_account`.")
    ]
    says: Annotated[str, Key(description="The rule in a sentence.")]
    tried: Annotated[
        str,
        Key(description='SQL on the org that counts the records: `SELECT count(*) FROM "Case"`.'),
    ]
    broken: Annotated[
        str, Key(description="SQL on the org that selects the Id of each record that breaks it.")
    ]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A figure in `_realism.yaml`, and the band in which the orgs of real companies have it."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    name: Annotated[str, Key(description="The figure's name: `one_time_buyers`.")]
    topic: Annotated[str, Key(description="What it is about, as a heading: `Customers`.")]
    says: Annotated[str, Key(description="What is measured, in a phrase.")]
    measure: Annotated[
        str,
        Key(
            description=(
                "SQL on the org that selects one number, or NULL where there is nothing to measure."
                " Beside SQLite's functions it may use `median`, `percentile`, `deviation`,"
                " `skewness`, `correlation`, `association`, `explained`, `gini`, `top_share`,"
                " `recurring`, `natural_log` and `local_hour`."
            )
        ),
    ]
    band: Annotated[
        tuple[float, float],
        Key(
            description=(
                "The lowest and the highest value that real orgs show: `[0.4, 0.75]`. A trade may"
                " state another one under `bands`."
            )
        ),
    ]
    source: Annotated[str, Key(description="Where the band comes from.")]


ConversationMeasure = Literal[
    "shared_runs",
    "repeated_sentences",
    "strict_alternation",
    "pause_and_length",
    "shortest_chats",
    "longest_chats",
    "same_side",
    "mail_traces",
    "exact_openings",
    "decided_by_talk",
    "contradictions",
]
"""What can be measured of an org's conversations; each has a function in `verifiers`."""


@dataclass(frozen=True, slots=True)
class ConversationFigure:
    """A figure in `_conversations.yaml`, and the bounds within which talk reads as people's."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    name: Annotated[ConversationMeasure, Key(description="What is measured: `shared_runs`.")]
    says: Annotated[str, Key(description="What is measured, in a phrase.")]
    band: Annotated[
        tuple[float, float],
        Key(
            description=(
                "The lowest and the highest value that people's conversations show: `[0, 0.25]`. A"
                " trade may state another one under `bands`."
            )
        ),
    ]
    source: Annotated[str, Key(description="Where the bounds come from.")]


@dataclass(frozen=True, slots=True)
class Schema:
    """All object types of one CRM, the dialogue acts of its conversations, its invariants, the
    statistics by which its realism is measured, and the figures of its conversations.

    `locale` is the one for which its fields were read.
    """

    name: str
    objects: tuple[ObjectType, ...]
    beats: Mapping[str, Beat] = dataclasses.field(default_factory=dict)
    invariants: tuple[Invariant, ...] = ()
    description: str = ""
    statistics: tuple[Statistic, ...] = ()
    conversations: tuple[ConversationFigure, ...] = ()
    locale: str = DEFAULT_LOCALE
    _by_name: Mapping[str, ObjectType] = dataclasses.field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # A frozen dataclass lets nothing else set what it derives from its own fields.
        object.__setattr__(self, "_by_name", {item.name: item for item in reversed(self.objects)})

    @property
    def latents(self) -> tuple[str, ...]:
        """The names of the latent variables that the object types are made from, in order."""
        named: set[str] = set()
        for item in self.objects:
            named.update(path.variable for path in item.latents)
        return tuple(sorted(named))

    def object(self, name: str) -> ObjectType:
        """The object type of that name; raises SchemaError if there is none."""
        if name in self._by_name:
            return self._by_name[name]
        known = ", ".join(item.name for item in self.objects)
        raise SchemaError(f"schema {self.name} has no object type {name}; it has {known}")

    def has(self, name: str) -> bool:
        """Whether there is an object type of that name."""
        return name in self._by_name

    def target(self, item: ObjectType, field: Field) -> str | None:
        """The object type whose ids a field holds, or None.

        A field holds ids by its own source, or because it is copied from a field that does.
        """
        if field.reference or not isinstance(field.source, CopySource):
            return field.reference
        *steps, last = field.source.path.steps
        for step in steps:
            reference = item.field(step).reference if item.has(step) else None
            if reference is None:
                return None
            item = self.object(reference)
        return self.target(item, item.field(last)) if item.has(last) else None
