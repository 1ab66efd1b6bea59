"""The places of a country: cities whose state, postal and area codes agree, and street names.

They stand in `schemas/places/<locale>.yaml`. Knows nothing of who lives there.
"""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from schemas.files import checked, read_yaml

PlaceWeight = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class PlacePart(BaseModel):
    """Base of the parts of the file: unknown keys are errors, and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class City(PlacePart):
    """A city with a range of postal codes of its own."""

    city: Annotated[str, Field(description="The city's name.")]
    state: Annotated[str, Field(description="The state's two letters: `WA`.")]
    postal: Annotated[
        tuple[str, str],
        Field(description='The first and the last postal code: `["98101", "98199"]`.'),
    ]
    time_zone: Annotated[str, Field(description="The IANA time zone: `America/Los_Angeles`.")]
    area_codes: Annotated[
        tuple[str, ...],
        Field(min_length=1, description='Its telephone area codes, commonest first: `["206"]`.'),
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


class Streets(PlacePart):
    """How the streets of a country are called."""

    kinds: Annotated[
        tuple[StreetKind, ...], Field(min_length=1, description="Streets, avenues, lanes ...")
    ]
    names: Annotated[
        tuple[str, ...], Field(min_length=1, description="Their names, commonest first.")
    ]


class Places(PlacePart):
    """The file of places of one locale, `schemas/places/<locale>.yaml`."""

    places: Annotated[
        tuple[City, ...], Field(min_length=1, description="All cities of the locale.")
    ]
    streets: Annotated[Streets, Field(description="How its streets are called.")]


def load_places(locale: str) -> Places:
    """The places of a locale; raises SchemaError where the file is wrong."""
    path = Path(__file__).parent / "places" / f"{locale}.yaml"
    return checked(Places, read_yaml(path), str(path))
