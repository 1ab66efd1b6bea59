"""Samplers for people and places.

Names are invented by Faker in the profile's locale. Cities come from a table of real ones, so that
city, state and postal code of a record agree; streets are named as streets are (`latent.streets`).
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from latent.postal_codes import postal_bounds, postal_code
from latent.streets import street_lines
from pipeline.sample.apart import given_name, marked, own_name, room_for_mark
from pipeline.sample.draw import Draw
from pipeline.sample.links import distinct
from pipeline.world.paths import along
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, objects, strings
from schemas.country import Country, Postal
from schemas.errors import SchemaError
from schemas.gazetteer import City
from schemas.sources import FakerSource, PlaceSource

if TYPE_CHECKING:
    from faker import Faker

NAMES = ("first_name", "last_name")
# A value that is told apart from others is drawn so often at most: of a provider with few values
# there may be no other.
TRIES = 100


def draw_faker(draw: Draw[FakerSource]) -> Array:
    """A Faker provider's values, seeded by the field's stream."""
    source = draw.source
    country = draw.org.setting.country
    if country.people.romanized and source.faker in NAMES:
        listed = _listed_names(country, source.faker)
        rng = draw.own_stream()
        names = _told_apart(draw, lambda: listed[int(rng.integers(len(listed)))])
        return _given_back(draw, names)
    fake = seeded_faker(draw.locale, draw.own_stream())
    # An older Faker may lack one of the providers that a schema may use.
    provider = getattr(fake, source.faker, None)
    if not callable(provider):
        raise SchemaError(
            f"{draw.where}.x-source.faker: the installed Faker has no provider {source.faker!r};"
            " use another, or install a newer Faker"
        )
    try:
        invented = _told_apart(draw, lambda: _cased(str(provider(**source.args))))
    except (TypeError, ValueError) as error:
        raise SchemaError(
            f"{draw.where}.x-source.args: Faker's {source.faker} doesn't take them ({error}); mend"
            " or remove args"
        ) from error
    values = _given_back(draw, invented)
    if draw.field.unique:
        values = marked(draw, distinct(values, room_for_mark(draw)))
    return values


def draw_place(draw: Draw[PlaceSource]) -> Array:
    """One part of a place for each row.

    All fields with the same `of` draw from the same stream, so that a row's parts are of one place.
    """
    part = draw.source.place
    known = draw.org.setting.country
    places = known.places
    shared = {"country": known.country, "country_code": known.code}
    rng = draw.shared_stream(f"place.{draw.source.of}")
    weights = np.array([place.weight for place in places])
    rows = rng.choice(len(places), size=draw.size, p=weights / weights.sum())
    drawn = [places[row] for row in rows]
    if part == "street":
        texts = street_lines(draw.stream(), known.streets, draw.size)
    elif part == "postal_code":
        texts = [_postal_code(place, known.postal, rng) for place in drawn]
    elif part in shared:
        texts = [shared[part] for _ in drawn]
    else:
        texts = [getattr(place, part) for place in drawn]
    return strings(texts)


def _given_back(draw: Draw[FakerSource], values: Array) -> Array:
    """The values, those that are given in their place."""
    if not draw.source.given:
        return values
    given = along(draw.org, draw.table, draw.source.given)
    given = objects([given_name(draw, text) for text in given.tolist()])
    return np.where(given.astype(bool), given, values)


def _told_apart(draw: Draw[FakerSource], invent: Callable[[], str]) -> Array:
    """A value for each row; where its pair with the other field's stands already, another one."""
    if draw.source.apart is None:
        return strings([invent() for _ in range(draw.size)])
    made: list[str] = []
    pairs: set[tuple[str, str]] = set()
    for other in along(draw.org, draw.table, draw.source.apart).tolist():
        text = own_name(draw, str(other), invent, TRIES)
        for _ in range(TRIES):
            if (str(other), text) not in pairs:
                break
            text = own_name(draw, str(other), invent, TRIES)
        pairs.add((str(other), text))
        made.append(text)
    return strings(made)


def _listed_names(country: Country, provider: str) -> list[str]:
    """Names of the country's own lists, which alone have a spelling in Latin letters."""
    names: list[str] = []
    if provider == "first_name":
        for given in country.people.usual:
            names += [*given.female, *given.male]
    else:
        for group in country.people.groups:
            names += group.surnames
    return names


def seeded_faker(locale: str, rng: Stream) -> "Faker":
    """A Faker of its own, seeded from a stream."""
    # A company without people shall not wait for it: it takes a tenth of the start.
    from faker import Faker

    fake = Faker(locale)
    fake.seed_instance(int(rng.integers(2**62)))
    return fake


def _cased(text: str) -> str:
    """Faker's `Mcconnell` as people write it, `McConnell`."""
    return re.sub(r"\bMc([a-z])", lambda found: "Mc" + found[1].upper(), text)


def _postal_code(place: City, postal: Postal, rng: Stream) -> str:
    low, high = postal_bounds(place)
    return postal_code(place, postal, int(rng.integers(low, high + 1)), rng)
