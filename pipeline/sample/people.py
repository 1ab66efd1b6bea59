"""Samplers for people and places.

Names and streets are invented by Faker. Cities come from a table of real ones, so that city, state
and postal code of a record agree.
"""

import re
from pathlib import Path
from typing import Annotated

import numpy as np
from faker import Faker
from pydantic import BaseModel, ConfigDict, Field

import schemas
from pipeline.sample.draw import Draw
from pipeline.sample.links import distinct
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, strings
from schemas.errors import SchemaError
from schemas.files import checked, read_yaml
from schemas.sources import FakerSource, PlaceSource

COUNTRY = {"country": "United States", "country_code": "US"}
"""The parts that all places share: the one locale is American."""


class City(BaseModel):
    """A city with a range of postal codes of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    city: Annotated[str, Field(description="The city's name.")]
    state: Annotated[str, Field(description="The state's two letters: `WA`.")]
    postal: Annotated[
        tuple[str, str],
        Field(description='The first and the last postal code: `["98101", "98199"]`.'),
    ]
    time_zone: Annotated[str, Field(description="The IANA time zone: `America/Los_Angeles`.")]
    weight: Annotated[
        float, Field(description="How often the city is drawn, in proportion to the others.")
    ]


class Places(BaseModel):
    """The file of places of one locale, `schemas/places/<locale>.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    places: Annotated[tuple[City, ...], Field(description="All cities of the locale.")]


def draw_faker(draw: Draw[FakerSource]) -> Array:
    """A Faker provider's values, seeded by the field's stream."""
    source = draw.source
    fake = seeded_faker(draw.locale, draw.stream())
    # An older Faker may lack one of the providers that a schema may use.
    provider = getattr(fake, source.faker, None)
    if not callable(provider):
        raise SchemaError(
            f"{draw.where}.x-source.faker: the installed Faker has no provider {source.faker!r};"
            " use another, or install a newer Faker"
        )
    try:
        invented = [str(provider(**source.args)) for _ in range(draw.size)]
    except (TypeError, ValueError) as error:
        raise SchemaError(
            f"{draw.where}.x-source.args: Faker's {source.faker} doesn't take them ({error}); mend"
            " or remove args"
        ) from error
    values = strings([_cased(text) for text in invented])
    if draw.field.unique:
        values = distinct(values, draw.max_length)
    return values


def draw_place(draw: Draw[PlaceSource]) -> Array:
    """One part of a place for each row.

    All fields with the same `of` draw from the same stream, so that a row's parts are of one place.
    """
    part = draw.source.place
    places = load_places(draw.locale)
    rng = draw.shared_stream(f"place.{draw.source.of}")
    weights = np.array([place.weight for place in places])
    rows = rng.choice(len(places), size=draw.size, p=weights / weights.sum())
    drawn = [places[row] for row in rows]
    if part == "street":
        fake = seeded_faker(draw.locale, draw.stream())
        texts = [fake.street_address() for _ in drawn]
    elif part == "postal_code":
        texts = [_postal_code(place, rng) for place in drawn]
    elif part in COUNTRY:
        texts = [COUNTRY[part] for _ in drawn]
    else:
        texts = [getattr(place, part) for place in drawn]
    return strings(texts)


def seeded_faker(locale: str, rng: Stream) -> Faker:
    """A Faker of its own, seeded from a stream."""
    fake = Faker(locale)
    fake.seed_instance(int(rng.integers(2**62)))
    return fake


def load_places(locale: str) -> tuple[City, ...]:
    """The places of a locale; raises SchemaError where the file is wrong."""
    folder = Path(schemas.__file__).parent / "places"
    path = folder / f"{locale}.yaml"
    return checked(Places, read_yaml(path), str(path)).places


def _cased(text: str) -> str:
    """Faker's `Mcconnell` as people write it, `McConnell`."""
    return re.sub(r"\bMc([a-z])", lambda found: "Mc" + found[1].upper(), text)


def _postal_code(place: City, rng: Stream) -> str:
    low, high = (int(code) for code in place.postal)
    number = rng.integers(low, high + 1)
    return f"{number:05d}"
