"""Names, streets and places: Faker for what is invented, a table of real cities so that city, state
and postal code agree.
"""

import re
from pathlib import Path
from typing import cast

import numpy as np
from faker import Faker
from pydantic import BaseModel, ConfigDict

import schemas
from pipeline.sample.draw import Draw
from pipeline.sample.links import distinct
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, strings
from schemas.errors import SchemaError
from schemas.files import checked, read_yaml
from schemas.sources import FakerSource, PlaceSource


class City(BaseModel):
    """A city with a postal-code range of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    city: str
    state: str
    postal: tuple[str, str]
    time_zone: str
    weight: float


class Places(BaseModel):
    """The file of places of one locale."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    places: tuple[City, ...]


def draw_faker(draw: Draw) -> Array:
    """A Faker provider's values, seeded by the field's stream."""
    source = cast(FakerSource, draw.source)
    fake = seeded_faker(draw.org.setting.profile.locale, draw.stream())
    where = f"{draw.item.file}: properties.{draw.field.name}.x-source"
    if source.faker.startswith(("_", "seed")) or not callable(
        provider := getattr(fake, source.faker, None)
    ):
        raise SchemaError(
            f"{where}.faker: Faker has no provider {source.faker!r}; use one that"
            " faker.readthedocs.io lists, such as first_name"
        )
    try:
        values = [_cased(str(provider(**source.args))) for _ in range(draw.size)]
    except (TypeError, ValueError) as error:
        raise SchemaError(
            f"{where}.args: Faker's {source.faker} doesn't take them ({error}); mend or remove args"
        ) from error
    return (
        distinct(strings(values), draw.field.json_schema.get("maxLength"))
        if draw.field.unique
        else strings(values)
    )


def draw_place(draw: Draw) -> Array:
    """One part of a place; every field of the same `of` draws the same place for a row."""
    source = cast(PlaceSource, draw.source)
    places = load_places(draw.org.setting.profile.locale)
    rng = draw.org.setting.stream(draw.item.name, f"place.{source.of}")
    weights = np.array([place.weight for place in places])
    picked = rng.choice(len(places), size=draw.size, p=weights / weights.sum())
    if source.place == "street":
        fake = seeded_faker(draw.org.setting.profile.locale, draw.stream())
        return strings([fake.street_address() for _ in range(draw.size)])
    if source.place == "postal_code":
        return strings([_postal(places[at], rng) for at in picked])
    fixed = {"country": "United States", "country_code": "US"}
    return strings(
        [fixed.get(source.place) or str(getattr(places[at], source.place)) for at in picked]
    )


def seeded_faker(locale: str, rng: Stream) -> Faker:
    """A Faker of its own, seeded from a stream."""
    fake = Faker(locale)
    fake.seed_instance(int(rng.integers(2**62)))
    return fake


def load_places(locale: str) -> tuple[City, ...]:
    """The places of a locale; raises SchemaError where the file is wrong."""
    path = Path(schemas.__file__).parent / "places" / f"{locale}.yaml"
    return checked(Places, read_yaml(path), str(path)).places


def _cased(text: str) -> str:
    """Faker's `Mcconnell` as people write it, `McConnell`."""
    return re.sub(r"\bMc([a-z])", lambda found: "Mc" + found.group(1).upper(), text)


def _postal(place: City, rng: Stream) -> str:
    low, high = (int(code) for code in place.postal)
    return f"{rng.integers(low, high + 1):05d}"
