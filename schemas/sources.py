"""Where a field comes from: one frozen model a kind of source, and the union of them all.

In YAML a source is a mapping, and one of its keys names its kind:

    x-source: {choice: {High: 1, Medium: 3}}
    x-source: {written: "One polite sentence", must: [product]}

Knows the form of a source only; how it is drawn stands in `pipeline.sample`.
"""

import difflib
import re
from typing import Annotated, ClassVar, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    field_validator,
    model_validator,
)

from schemas.paths import LatentColumn, LatentPath, Template, ValuePath
from schemas.providers import BOUNDS, MOST, PROVIDERS

LARGEST_NUMBER = 2**53
"""Up to here every whole number is exact in JSON, in SQLite and in numpy's floats."""

LONGEST_PATTERN = 255
"""Characters. A text field of a CRM holds as many; each is drawn by itself for every record."""

MOST_WORDS = 10_000
"""Of one text. The longest that are written here, articles, have a few hundred."""


def _is_kept(value: object) -> object:
    """The value; raises ValueError for a number that some file couldn't hold."""
    # A comparison with nan is never true.
    if isinstance(value, int | float) and not abs(value) <= LARGEST_NUMBER:
        raise ValueError("must be a number from -2^53 to 2^53, which every file keeps exactly")
    return value


Scalar = Annotated[str | int | float | bool | None, AfterValidator(_is_kept)]
Number = Annotated[float, AfterValidator(_is_kept)]
DayHour = Annotated[float, Field(ge=0, le=24, allow_inf_nan=False)]


class BaseSource(BaseModel):
    """What all sources share: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    varies: ClassVar[bool] = False
    """Whether values of its own are drawn or written, so that another seed gives other ones."""

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The paths that the field's value is made from."""
        return ()

    @property
    def latents(self) -> tuple[LatentPath, ...]:
        """The columns of latent tables that the field's value is made from."""
        return tuple(path.latent for path in self.paths if path.latent)


class NumberedSource(BaseSource):
    """What runs on from record to record: with the rows, or with the moments of the records."""

    by: Annotated[
        ValuePath | None,
        Field(
            description=(
                "The path to the moment by which the running numbers rise, as a CRM gives them:"
                " `CreatedDate`. Without it they rise with the rows."
            )
        ),
    ] = None

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The path to the moment, where there is one."""
        return () if self.by is None else (self.by,)


class IdSource(NumberedSource):
    """The record's own id: key prefix, marker, running number and check characters."""

    id: Annotated[Literal[True], Field(description="Always `true`.")]


class KeptReference(BaseModel):
    """Which records refer to what another field refers to: those in which two values are equal.

    With `weights` they refer to a record that is drawn by other weights instead.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    value: Annotated[ValuePath, Field(description="The path to a value: `LastModifiedDate`.")]
    equals: Annotated[
        ValuePath, Field(description="The path to the one it is compared with: `CreatedDate`.")
    ]
    refers: Annotated[
        ValuePath | None,
        Field(description="The path to the reference taken where both are equal: `CreatedById`."),
    ] = None
    weights: Annotated[
        LatentColumn | None,
        Field(
            description=(
                "In the place of `refers`: the weights by which it is drawn where both are equal,"
                " such as `AuditTrail.users.systems`."
            )
        ),
    ] = None

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.refers is None) == (self.weights is None):
            raise ValueError("names both refers and weights, or neither; give one of them")
        return self

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The paths that it is decided by, and the one to the reference."""
        return tuple(path for path in (self.value, self.equals, self.refers) if path is not None)


class PresentReference(BaseModel):
    """Who may be referred to at a moment: those who are there by then and have not left yet."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    moment: Annotated[
        ValuePath,
        Field(description="The path to the moment: `LastModifiedDate`."),
    ]
    since: Annotated[
        LatentColumn,
        Field(description="Since when each is there, such as `Workforce.people.created`."),
    ]
    until: Annotated[
        LatentColumn,
        Field(description="The last day of each, such as `Workforce.people.left`; empty: stays."),
    ]


class ReferenceSource(BaseSource):
    """The id of another record."""

    reference: Annotated[
        str, Field(description="The object type that is referred to, such as `Account`.")
    ]
    by: Annotated[
        Literal["uniform", "each", "parent"],
        Field(
            description=(
                "Which record is referred to. `uniform` draws any record, each as likely as the"
                " next. `each` goes through all records in turn. `parent` takes the record that"
                " this one was counted by, and needs `x-count` with `per` or `cross`."
            )
        ),
    ] = "uniform"
    latent: Annotated[
        LatentColumn | None,
        Field(
            description=(
                "The column of a latent table that holds the row numbers of the records, such as"
                " `CaseStory.cases.contact`. It takes the place of `by`."
            )
        ),
    ] = None

    weights: Annotated[
        LatentColumn | None,
        Field(
            description=(
                "The column of a latent table with a row for each of the other object type's"
                " records, by which `uniform` draws: a weight each, such as"
                " `AuditTrail.users.systems`."
            )
        ),
    ] = None
    present: Annotated[
        PresentReference | None,
        Field(
            description=(
                "Of which records `weights` draws at the moment of this one: people who have been"
                " hired and have not left, `{moment: LastModifiedDate, since:"
                " Workforce.people.created, until: Workforce.people.left}`. Where none is there, it"
                " draws of all."
            )
        ),
    ] = None
    kept: Annotated[
        KeptReference | None,
        Field(
            description=(
                "Where the reference is that of another field: who has changed a record last is who"
                " has made it, unless it was changed, `{value: LastModifiedDate, equals:"
                " CreatedDate, refers: CreatedById}`."
            )
        ),
    ] = None

    @model_validator(mode="after")
    def _is_present_by_weights(self) -> Self:
        if self.present is not None and self.weights is None:
            raise ValueError("has present without weights; give both, or leave out present")
        return self

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The paths that decide which records refer to what another field does, and at which
        moment.
        """
        kept = self.kept.paths if self.kept else ()
        return (*kept, self.present.moment) if self.present else kept

    @property
    def latents(self) -> tuple[LatentPath, ...]:
        """The latent columns that hold the row numbers, the weights or the bounds of who is there,
        as far as there are any.
        """
        others = self.kept.weights if self.kept else None
        bounds = (self.present.since, self.present.until) if self.present else ()
        columns = (self.latent, self.weights, others, *bounds)
        return tuple(column for column in columns if column)


class ChoiceSource(BaseSource):
    """One of some values."""

    varies: ClassVar[bool] = True
    choice: Annotated[
        list[Scalar] | dict[str, float],
        Field(
            description=(
                "The values. A list is drawn evenly, such as `[red, blue]`. A mapping is drawn by"
                " weight, such as `{High: 1, Medium: 3}`, where Medium is three times as likely as"
                ' High. In a mapping numbers stand in quotes: `{"1": 5, "2": 2}`.'
            )
        ),
    ]
    each: Annotated[
        ValuePath | None,
        Field(
            description=(
                "A reference of the record, such as `AccountId`: what refers to the same record"
                " mostly has the same value, as one customer pays all bills in one way."
            )
        ),
    ] = None

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The path to the reference whose record decides, if any does."""
        return (self.each,) if self.each is not None else ()

    @field_validator("choice")
    @classmethod
    def _can_be_drawn(
        cls, choice: list[Scalar] | dict[str, float]
    ) -> list[Scalar] | dict[str, float]:
        if not choice:
            raise ValueError("has no values; list at least one")
        if isinstance(choice, dict):
            weights = choice.values()
            if min(weights) < 0 or not 0 < sum(weights) < float("inf"):
                raise ValueError("weights must not be negative, and one must be above 0")
        return choice


class RangeSource(BaseSource):
    """A value between two bounds, each value as likely as the next."""

    varies: ClassVar[bool] = True
    range: Annotated[
        tuple[Scalar, Scalar],
        Field(
            description=(
                "The lowest and the highest value, both included. The field's type and format"
                " decide whether they are whole numbers, numbers with two places, dates or"
                ' moments: `[1, 6]`, `["2021-03-01", period.end]`. The words `period.start` and'
                " `period.end` stand for the first and the last day of the company's profile."
            )
        ),
    ]
    after: Annotated[
        ValuePath | None,
        Field(
            description=(
                "The path to a date before which no value lies, such as `OrderId.EffectiveDate`."
            )
        ),
    ] = None

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The path to the earliest date, if there is one."""
        return (self.after,) if self.after else ()


class DistributionSource(BaseSource):
    """A number from one of numpy's distributions."""

    varies: ClassVar[bool] = True
    distribution: Annotated[
        Literal["normal", "lognormal", "poisson", "exponential", "gamma", "beta", "geometric"],
        Field(description="The name that numpy's random generator has for the distribution."),
    ]
    args: Annotated[
        list[Number],
        Field(
            min_length=1,
            description=(
                "The distribution's arguments in numpy's order, such as `[50, 20]` for a normal"
                " distribution with mean 50 and standard deviation 20."
            ),
        ),
    ]
    low: Annotated[
        Number | None, Field(description="Values below it are raised to it; unbounded without it.")
    ] = None
    high: Annotated[
        Number | None, Field(description="Values above it are cut to it; unbounded without it.")
    ] = None

    @model_validator(mode="after")
    def _in_order(self) -> "DistributionSource":
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError("low is above high; swap them")
        return self


class LaterSource(BaseSource):
    """A moment, in some records a while after it."""

    varies: ClassVar[bool] = True
    later: Annotated[
        ValuePath,
        Field(
            description=(
                "The path to a moment or a date. Of a date it is a moment of that day, between"
                " `hours`: without them in the afternoon of UTC, when offices from coast to coast"
                " are open. On the period's first day and before it is one moment for all, in the"
                " night before the period: what was there is imported."
            )
        ),
    ]
    ahead: Annotated[
        int,
        Field(
            ge=0,
            le=3650,
            description=(
                "So many days before a date instead of on it: what is prepared is prepared on the"
                " last working day by then."
            ),
        ),
    ] = 0
    hours: Annotated[
        tuple[DayHour, DayHour],
        Field(
            description=(
                "Between which hours of UTC a date's moments lie, where a program makes the"
                " records in one run: `[22.5, 23.9]`. Records of one day are made in their order."
            )
        ),
    ] = (14.0, 22.0)
    set_up: Annotated[
        bool,
        Field(
            description=(
                "Whether what comes before the period stays there, as what a CRM is set up with"
                " before it is used: `{later: period.start, ahead: 30, set_up: true}`."
            )
        ),
    ] = False
    share: Annotated[
        float, Field(ge=0, le=1, description="The share of the records in which it is later.")
    ] = 0.0
    days: Annotated[
        float,
        Field(
            gt=0,
            le=3650,
            description=(
                "How many days later in the mean, exponentially; never behind the period's end."
                " From a mean of one day on it is another working day, in office hours."
            ),
        ),
    ] = 30.0
    after: Annotated[
        ValuePath | None,
        Field(
            description=(
                "The path to a moment that the result is never before; it also stands for an empty"
                " one."
            )
        ),
    ] = None

    only: Annotated[
        ValuePath | None,
        Field(description="The path to a truth: where it does not hold, nothing is later."),
    ] = None

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The paths to the earlier moments, and to the truth that they depend on."""
        return tuple(path for path in (self.later, self.after, self.only) if path is not None)


class FakerSource(BaseSource):
    """A value that a provider of the Faker library invents."""

    varies: ClassVar[bool] = True
    faker: Annotated[
        str,
        Field(
            description=(
                "The provider's name, such as `first_name`. Those that give one short text or"
                f" number may be used: {', '.join(sorted(PROVIDERS))}. faker.readthedocs.io"
                " describes them."
            )
        ),
    ]
    args: Annotated[
        dict[str, Scalar],
        Field(description="The provider's arguments by name, such as `{min: 3, max: 5}`."),
    ] = {}
    given: Annotated[
        ValuePath | None,
        Field(
            description=(
                "The path to values that are taken instead where there are any, such as the name of"
                " a user that is a program."
            )
        ),
    ] = None
    apart: Annotated[
        ValuePath | None,
        Field(
            description=(
                "The path to another value of the same record: no two records have both values in"
                " common, as no two colleagues have first and last name."
            )
        ),
    ] = None

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The paths to the values that are given, and to those that tell records apart."""
        return tuple(path for path in (self.given, self.apart) if path is not None)

    @field_validator("faker")
    @classmethod
    def _may_be_used(cls, faker: str) -> str:
        if faker not in PROVIDERS:
            alike = difflib.get_close_matches(faker, sorted(PROVIDERS)) or ["first_name"]
            raise ValueError(
                f"Faker has no provider {faker!r:.60} that gives one short text or number; use one"
                f" such as {', '.join(alike)}"
            )
        return faker

    @field_validator("args")
    @classmethod
    def _make_little(cls, args: dict[str, Scalar]) -> dict[str, Scalar]:
        for name, value in args.items():
            is_long = isinstance(value, str) and len(value) > MOST
            is_large = isinstance(value, int | float) and abs(value) > MOST and name not in BOUNDS
            if is_long or is_large:
                raise ValueError(f"{name} asks for too much; make it at most {MOST:,}")
        return args


class PlaceSource(BaseSource):
    """One part of a place, so that city, state and postal code of a record agree."""

    varies: ClassVar[bool] = True
    place: Annotated[
        Literal["street", "city", "state", "postal_code", "country", "country_code", "time_zone"],
        Field(description="Which part of the place this field holds."),
    ]
    of: Annotated[
        str,
        Field(
            description=(
                "The name of the place. Fields of one record with the same name have parts of the"
                " same place; `home` and `work` are two places."
            )
        ),
    ] = "home"


IN_SEQUENCE = re.compile(r"\{(?::(0?[0-9]{0,2})d?)?\}")
"""The place of a sequence's number: `{}`, `{:d}`, or with its least width, `{:6d}` or `{:06d}`.

Python's own formats would take more: attributes of the number, and widths of gigabytes.
"""


class SequenceSource(NumberedSource):
    """A running number."""

    sequence: Annotated[
        str,
        Field(
            max_length=LONGEST_PATTERN,
            description=(
                "How the number is written, with one place for it in braces: `C-{}`, or with zeros"
                " up to a width: `C-{:06d}`."
            ),
        ),
    ]
    start: Annotated[
        int,
        Field(ge=0, le=LARGEST_NUMBER, strict=True, description="The number of the first record."),
    ] = 1
    gaps: Annotated[
        float,
        Field(
            ge=0,
            le=0.9,
            description="The share of numbers that no record has, as deleted ones leave them.",
        ),
    ] = 0.0

    @field_validator("sequence")
    @classmethod
    def _takes_a_number(cls, sequence: str) -> str:
        around = IN_SEQUENCE.sub("", sequence, count=1)
        if len(around) == len(sequence) or "{" in around or "}" in around:
            raise ValueError(
                "is no format for a number; write one such as 'C-{:06d}', with one place in braces"
            )
        return sequence

    def written(self, number: int) -> str:
        """The number in its place: `C-000007` for 7 in `C-{:06d}`."""
        head, width, tail = IN_SEQUENCE.split(self.sequence, maxsplit=1)
        return f"{head}{number:{width or ''}d}{tail}"


class PatternSource(BaseSource):
    """Random characters in the places of a pattern."""

    varies: ClassVar[bool] = True
    pattern: Annotated[
        str,
        Field(
            max_length=LONGEST_PATTERN,
            description=(
                "The text, in which `#` becomes a digit, `?` a capital letter, and `*` a small"
                " letter or a digit: `SKU-###?`. All other characters stay as they are."
            ),
        ),
    ]


class ConstantSource(BaseSource):
    """The same value in every record."""

    constant: Annotated[Scalar, Field(description="The value; `null` leaves the field empty.")]


class TemplateSource(BaseSource):
    """Text made of other values."""

    template: Annotated[
        Template,
        Field(
            description=(
                "Text with paths in braces, each with filters behind colons:"
                ' `"{FirstName:lower}.{LastName:lower}@{company.domain}"`. The text is cut to the'
                " field's maxLength. In a unique field a second equal text gets a number."
            )
        ),
    ]

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The paths in the template's braces."""
        return self.template.paths


class CopySource(BaseSource):
    """The value at the end of a path."""

    path: Annotated[
        ValuePath,
        Field(alias="copy", description="The path, such as `OrderId.AccountId`."),
    ]

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The path whose end is copied."""
        return (self.path,)


class MapSource(BaseSource):
    """A value looked up by another value."""

    map: Annotated[
        ValuePath, Field(description="The path to the value that is looked up, such as `Title`.")
    ]
    to: Annotated[
        dict[str, Scalar],
        Field(
            description=(
                "What each value becomes, such as `{Nurse: RN, Doctor: MD}`. Numbers are looked up"
                ' by their text, so they stand in quotes: `{"1": low}`.'
            )
        ),
    ]
    default: Annotated[
        Scalar, Field(description="What every value that `to` doesn't list becomes.")
    ] = None

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The path to the value that is looked up."""
        return (self.map,)


class WhenSource(BaseSource):
    """One of two values, by a third that is true or not."""

    when: Annotated[
        ValuePath, Field(description="The path to the value that decides, such as `Incoming`.")
    ]
    then: Annotated[
        ValuePath,
        Field(description="The path to the value that is taken where `when` is true."),
    ]
    otherwise: Annotated[
        ValuePath,
        Field(alias="else", description="The path to the value that is taken everywhere else."),
    ]

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The path that decides, and the two that it decides between."""
        return (self.when, self.then, self.otherwise)


class LatentSource(BaseSource):
    """What a latent variable drew for the record."""

    latent: Annotated[
        LatentColumn,
        Field(
            description=(
                "The column of a latent table, such as `CaseStory.cases.created`. The table must"
                " have one row for each record."
            )
        ),
    ]

    @property
    def latents(self) -> tuple[LatentPath, ...]:
        """The column that the field holds."""
        return (self.latent,)


class GivenText(BaseModel):
    """A text that stands in some records instead of written words."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    when: Annotated[
        ValuePath,
        Field(description="The path to a value that is true in the records with the given text."),
    ]
    then: Annotated[
        ValuePath, Field(description="The path to the given text, such as `ParentId.Description`.")
    ]


class WrittenSource(BaseSource):
    """Words by a writer, who is given an instruction and the facts of the unit (`x-facts`)."""

    varies: ClassVar[bool] = True
    written: Annotated[
        str,
        Field(
            min_length=10,
            description=(
                "The instruction to the writer, in a sentence or two:"
                ' `"The subject line as this customer would type it."`'
            ),
        ),
    ]
    must: Annotated[
        tuple[str, ...],
        Field(description="The facts that the text must name, such as `[product, order_date]`."),
    ] = ()
    given: Annotated[
        GivenText | None,
        Field(
            description=(
                "The text that stands in some records instead of words:"
                " `{when: IsFirst, then: ParentId.Description}`."
            )
        ),
    ] = None
    rule: Annotated[
        str | None,
        Field(
            description=(
                "The rule of the lexicon that the embedded writer composes the text from;"
                " `<ObjectType>.<Field>` where it is left out."
            )
        ),
    ] = None
    beats: Annotated[
        str | None,
        Field(
            description=(
                "The fact that lists the dialogue acts which the embedded writer composes the text"
                " from. It takes the place of `rule`."
            )
        ),
    ] = None
    words: Annotated[
        int,
        Field(
            ge=1,
            le=MOST_WORDS,
            strict=True,
            description="How many words the text usually has; used for estimates.",
        ),
    ] = 12
    render: Annotated[
        Literal["transcript", "mail"] | None,
        Field(
            description=(
                "`transcript` puts the parts of a conversation into one text, a line for each"
                " turn. Without it each part stands in a record of its own; `mail` puts what a mail"
                " system adds around each, as `x-frame` tells."
            )
        ),
    ] = None

    new_among: Annotated[
        int | None,
        Field(
            ge=1,
            strict=True,
            description=(
                "The text is unlike those of so many units, the ones that share its thousand where"
                " it is 1000; in a large company people write alike. Without it the text is unlike"
                " all of the object type."
            ),
        ),
    ] = None
    new_from: Annotated[
        int,
        Field(
            ge=1,
            strict=True,
            description=(
                "Texts of fewer words may stand twice: people who ask for news or say thanks in a"
                " line use the same line."
            ),
        ),
    ] = 5

    def lot(self, unit: int) -> int:
        """The number of the lot of units among which the text of a unit must be new."""
        return unit // self.new_among if self.new_among else 0

    @field_validator("written", mode="before")
    @classmethod
    def _instructs(cls, written: object) -> object:
        if len(str(written or "").strip()) < 10:
            raise ValueError("has no instruction; say in a sentence what the writer shall write")
        return written

    @property
    def paths(self) -> tuple[ValuePath, ...]:
        """The paths of the given text; facts are no part of a field, but of its object type."""
        return (self.given.when, self.given.then) if self.given else ()


def kind_of(source: object) -> str | None:
    """The tag of a source, in YAML's form or as a model; None where it has no known kind."""
    for kind, model in SOURCES.items():
        if isinstance(source, model) or (isinstance(source, dict) and kind in source):
            return f"({kind})"
    return None


Source = Annotated[
    Annotated[IdSource, Tag("(id)")]
    | Annotated[ReferenceSource, Tag("(reference)")]
    | Annotated[ChoiceSource, Tag("(choice)")]
    | Annotated[RangeSource, Tag("(range)")]
    | Annotated[DistributionSource, Tag("(distribution)")]
    | Annotated[LaterSource, Tag("(later)")]
    | Annotated[FakerSource, Tag("(faker)")]
    | Annotated[PlaceSource, Tag("(place)")]
    | Annotated[SequenceSource, Tag("(sequence)")]
    | Annotated[PatternSource, Tag("(pattern)")]
    | Annotated[ConstantSource, Tag("(constant)")]
    | Annotated[TemplateSource, Tag("(template)")]
    | Annotated[CopySource, Tag("(copy)")]
    | Annotated[MapSource, Tag("(map)")]
    | Annotated[WhenSource, Tag("(when)")]
    | Annotated[WrittenSource, Tag("(written)")]
    | Annotated[LatentSource, Tag("(latent)")],
    Discriminator(
        kind_of,
        custom_error_type="unknown_source",
        custom_error_message="is no source; name its kind",
    ),
]
"""Any source. A tag stands in parentheses, so that an error's place can be told without it
(`schemas.files.explain`): it is no key of the file.
"""


def _models_by_kind() -> dict[str, type[BaseSource]]:
    union, _ = get_args(Source)
    found = {}
    for member in get_args(union):
        model, tag = get_args(member)
        found[tag.tag.strip("()")] = model
    return found


SOURCES = _models_by_kind()
"""The kind of a source -> its model, in the union's order.

`latent` stands last because `reference` takes a key `latent` too.
"""
