"""The places of a country: cities whose state, postal and area codes agree, and its streets.

They are parts of a locale's file, `schemas/locales/<locale>.yaml`. Knows nothing of who lives
there.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

PlaceWeight = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class PlacePart(BaseModel):
    """Base of the parts of the file: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class City(PlacePart):
    """A city with a range of postal codes of its own."""

    city: Annotated[str, Field(description="The city's name.")]
    state: Annotated[str, Field(description="Its state or region, as addresses have it: `WA`.")]
    postal: Annotated[
        tuple[str, str],
        Field(
            description=(
                'The first and the last postal code: `["98101", "98199"]`. What stands before the'
                " last digits is the same in both."
            )
        ),
    ]
    time_zone: Annotated[str, Field(description="The IANA time zone: `America/Los_Angeles`.")]
    area_codes: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description=(
                'Its telephone area codes, commonest first: `["206"]`; or whole numbers with `#`'
                " for a digit, where each area has its own for fiction."
            ),
        ),
    ]
    weight: Annotated[
        PlaceWeight, Field(description="How often the city is drawn, in proportion to the others.")
    ]


class StreetKind(PlacePart):
    """What comes behind a street's name."""

    name: Annotated[str, Field(description="The word: `Avenue`.")]
    short: Annotated[str, Field(description="Its short form: `Ave`.")]
    weight: Annotated[
        PlaceWeight, Field(description="How often it comes, in proportion to the others.")
    ]


class Houses(PlacePart):
    """How houses are numbered: log-normal, so that low numbers are commonest."""

    median: Annotated[PlaceWeight, Field(description="Half of the numbers are below: `24`.")]
    sigma: Annotated[PlaceWeight, Field(description="How far they spread: `0.9`.")]
    largest: Annotated[int, Field(ge=1, description="The largest number.")]
    additions: Annotated[
        dict[str, PlaceWeight],
        Field(description="What may follow a number, with its weight: `{'': 95, a: 5}`."),
    ] = {}


class NumberedStreets(PlacePart):
    """Streets with a number for a name, as in the United States."""

    share: Annotated[float, Field(ge=0, le=1, description="Which share of the streets.")]
    largest: Annotated[int, Field(ge=1, description="The largest number.")]
    kinds: Annotated[int, Field(ge=1, description="How many of the kinds, from the first on.")]


class Units(PlacePart):
    """Flats within a house."""

    share: Annotated[float, Field(ge=0, le=1, description="Which share of the addresses.")]
    forms: Annotated[
        dict[str, PlaceWeight],
        Field(
            min_length=1,
            description=(
                "The whole line with its weight: `{'{line} Apt {number}': 3}`; `{floor}`, `{door}`,"
                " `{plot}` are other numbers."
            ),
        ),
    ]
    floors: Annotated[int, Field(ge=1, description="The most floors.")] = 5
    lettered: Annotated[
        float, Field(ge=0, le=1, description="Which share of the numbers ends in a letter: `3B`.")
    ] = 0.0


class Streets(PlacePart):
    """How the streets of a country are called, and how a street line is written."""

    kinds: Annotated[
        tuple[StreetKind, ...], Field(min_length=1, description="Streets, avenues, lanes ...")
    ]
    names: Annotated[
        tuple[str, ...], Field(min_length=1, description="Their names, commonest first.")
    ]
    street: Annotated[
        str, Field(description="A street's name: `{name} {kind}`, or `{name}{kind}` in one word.")
    ] = "{name} {kind}"
    line: Annotated[
        str,
        Field(
            description=(
                "A street line: `{house} {street}`; `{chome}` and `{block}` are small numbers."
            )
        ),
    ] = "{house} {street}"
    short: Annotated[
        float, Field(ge=0, le=1, description="Which share of people writes the kind short.")
    ] = 0.0
    houses: Annotated[Houses, Field(description="How houses are numbered.")]
    numbered: Annotated[
        NumberedStreets | None, Field(description="Streets with a number for a name.")
    ] = None
    directed: Annotated[
        float, Field(ge=0, le=1, description="Which share has a direction before its name.")
    ] = 0.0
    directions: Annotated[
        dict[str, PlaceWeight], Field(description="Directions with their weights: `{N: 3}`.")
    ] = {}
    units: Annotated[Units, Field(description="Flats within a house.")]
    box: Annotated[str, Field(description="A post office box: `PO Box {number}`.")]
