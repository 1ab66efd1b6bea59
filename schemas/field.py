"""A field of an object type in memory: what its values look like and where they come from.

Reads no file and draws nothing; `schemas.loader` makes fields of YAML.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, PlainValidator, WithJsonSchema
from pydantic import Field as Key

from schemas.paths import LatentPath, ValuePath
from schemas.sources import ReferenceSource, Source, WrittenSource

LocalRole = Literal[
    "phone", "state", "postal_code", "country", "currency", "locale", "language", "full_name"
]
"""What a field may be that countries have each in their own way (`schemas.localize`)."""

ONLY_KNOWN_KEYS = ConfigDict(extra="forbid")


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
