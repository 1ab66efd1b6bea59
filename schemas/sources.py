"""Where a field comes from: one frozen pydantic model a source kind, and the literal dict that
names them.

In YAML a source is a mapping whose one kind key is a key of SOURCES, for example
`x-source: {choice: {High: 1, Medium: 3}}` or `x-source: {written: "One polite sentence", must:
[product]}`.
Knows the form of a source only; how it is drawn stands in `pipeline.sample`.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

Scalar = str | int | float | bool | None


class Source(BaseModel):
    """What all sources share: unknown keys are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class IdSource(Source):
    """The record's own id: key prefix, marker, running number, check characters."""

    id: Literal[True]


class ReferenceSource(Source):
    """Another record's id.

    `by`: uniform, each (row i to parent i), parent (the count's parent), or weighted by a latent
    column.
    """

    reference: str
    by: Literal["uniform", "each", "parent"] = "uniform"
    latent: str | None = None


class ChoiceSource(Source):
    """One of some values, evenly (list) or by weight (mapping)."""

    choice: list[Scalar] | dict[str, float]

    @field_validator("choice")
    @classmethod
    def _can_be_drawn(
        cls, choice: list[Scalar] | dict[str, float]
    ) -> list[Scalar] | dict[str, float]:
        if not choice:
            raise ValueError("has no values; list at least one")
        if isinstance(choice, dict) and (
            min(choice.values()) < 0 or not 0 < sum(choice.values()) < float("inf")
        ):
            raise ValueError("weights must not be negative, and one must be above 0")
        return choice


class RangeSource(Source):
    """Evenly between two bounds, both included; the field's type and format decide whether numbers,
    dates or datetimes.

    The word `period.start` or `period.end` stands for the profile's period; `after` names a
    reference path to a date
    before which no value lies.
    """

    range: tuple[Scalar, Scalar]
    after: str | None = None


class DistributionSource(Source):
    """A numpy distribution by name with its arguments, clipped to `low`..`high`."""

    distribution: Literal[
        "normal", "lognormal", "poisson", "exponential", "gamma", "beta", "geometric"
    ]
    args: Annotated[list[float], Field(min_length=1)]
    low: float | None = None
    high: float | None = None


class FakerSource(Source):
    """A provider of the Faker library, by name; `optional arguments` go to it as they are."""

    faker: str
    args: dict[str, Scalar] = {}


class PlaceSource(Source):
    """One part of a place (city, state, postal code, street, country, time zone); fields of the
    same `of` share one place.
    """

    place: Literal["street", "city", "state", "postal_code", "country", "country_code", "time_zone"]
    of: str = "home"


class SequenceSource(Source):
    """A running number in a Python format, `"{:08d}"`, from `start` on."""

    sequence: str
    start: int = 1

    @field_validator("sequence")
    @classmethod
    def _takes_a_number(cls, sequence: str) -> str:
        try:
            sequence.format(1)
        except (ValueError, LookupError) as error:
            raise ValueError(
                f"is no format for a number ({error}); write one such as 'C-{{:06d}}'"
            ) from error
        return sequence


class PatternSource(Source):
    """Random characters: `#` a digit, `?` a capital letter, `*` a lower-case letter or digit; the
    rest stands as it is.
    """

    pattern: str


class ConstantSource(Source):
    """The same value in every record."""

    constant: Scalar


class TemplateSource(Source):
    """Text made of other fields: `"{FirstName:lower}.{LastName:lower}@example.com"`; paths go along
    references.
    """

    template: str


class CopySource(Source):
    """The value at the end of a path along references: `OrderId.AccountId`."""

    copy_: Annotated[str, Field(alias="copy")]


class MapSource(Source):
    """A value looked up by another field's value."""

    map: str
    to: dict[str, Scalar]
    default: Scalar = None


class WhenSource(Source):
    """One of two paths, by a field or path that is true or not: `{when: Incoming, then:
    ParentId.ContactId.Email, else: OwnerId.Email}`.
    """

    when: str
    then: str
    else_: Annotated[str, Field(alias="else")]


class LatentSource(Source):
    """A column that a latent variable drew: `CaseStory.cases.created`."""

    latent: str


class GivenText(Source):
    """A text that stands instead of written words in the records where `when` is true: `{when: …,
    then: ParentId.Description}`.
    """

    when: str
    then: str


class WrittenSource(Source):
    """Words, by a writer that is given `written` (the instruction) and the unit's facts.

    `must` names the facts that the text must name; `given` is a text that stands instead of words
    in some records;
    `rule` and `beats` tell the embedded writer which grammar rule or which fact with dialogue acts
    to compose from;
    `words` is the usual length, for estimates; `render` turns the parts of a conversation into one
    text.
    """

    written: Annotated[str, Field(min_length=10)]
    must: tuple[str, ...] = ()
    given: GivenText | None = None
    rule: str | None = None
    beats: str | None = None
    words: int = 12
    render: Literal["transcript"] | None = None


SOURCES: dict[str, type[Source]] = {
    "id": IdSource,
    "reference": ReferenceSource,
    "choice": ChoiceSource,
    "range": RangeSource,
    "distribution": DistributionSource,
    "faker": FakerSource,
    "place": PlaceSource,
    "sequence": SequenceSource,
    "pattern": PatternSource,
    "constant": ConstantSource,
    "template": TemplateSource,
    "copy": CopySource,
    "map": MapSource,
    "when": WhenSource,
    "written": WrittenSource,
    "latent": LatentSource,
}
"""Source kind -> its model. `latent` stands last because `reference` takes a `latent` key too."""
