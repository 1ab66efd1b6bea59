"""Who people are: culture, gender, birth year, a name and a mail address that agree with them.

Takes names from `schemas.population`, and their spelling in addresses from the country. Knows no
customers and no company.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.world.streams import Stream
from pipeline.world.tables import Array, strings
from schemas.country import Country, without_accents
from schemas.population import CultureGroup, GivenNames, Population

# Names come by Zipf's law with an offset: the commonest of a list some ten times as often as its
# last, or forty times where hundreds are listed. Parents keep a name in use for a decade or two
# before and after its peak.
SURNAME_OFFSET = 20
GIVEN_OFFSET = 7
COHORT_DRIFT = 7.0  # years

# Forms of the local part of a mail address, by eye: of the addresses that shops collect about a
# third is given.surname, and a third has digits in it.
FORMS = {
    "{given}.{surname}": 0.27,
    "{given}{surname}": 0.14,
    "{initial}{surname}": 0.13,
    "{given}{surname}{digits}": 0.12,
    "{given}.{surname}{digits}": 0.07,
    "{initial}{surname}{digits}": 0.09,
    "{given}_{surname}": 0.04,
    "{surname}.{given}": 0.03,
    "{nick}{surname}": 0.03,
    "{nick}{digits}": 0.03,
    "{given}{last}{digits}": 0.02,
    "{handle}{digits}": 0.03,
}
DOMAINS = {"example.com": 0.68, "example.net": 0.17, "example.org": 0.15}
"""The reserved domains stand for the providers of mail, of which one has the half of all people."""


# Digits at the end of a mailbox: of so many people the year of birth, in two figures or in four; of
# the others any number. By eye.
SHORT_YEAR = 0.35
WHOLE_YEAR = 0.15


@dataclass(frozen=True, slots=True)
class People:
    """Columns, one row a person."""

    culture: Array
    gender: Array
    given: Array
    surname: Array
    email: Array


def draw_people(rng: Stream, country: Country, born: Array, family: Array | None = None) -> People:
    """A person for each birth year; mail addresses are all different.

    `family` has the row of the person whose name and culture each one shares, mostly the own one.
    """
    population = country.people
    size = len(born)
    shares = np.array([group.share for group in population.groups])
    group = rng.choice(len(shares), size=size, p=shares / shares.sum())
    of_family = np.arange(size) if family is None else family
    group = group[of_family]
    female = rng.random(size) < 0.5
    given = _given_names(rng, population, group, female, born)
    surname = _surnames(
        rng,
        population,
        group,
        female,
        of_family,
    )
    accented = rng.random(size) < population.accents
    given = _as_written(given, accented)
    surname = _as_written(surname, accented)
    culture = [population.groups[row].name for row in group]
    return People(
        culture=strings(culture),
        gender=np.where(female, "female", "male").astype(object),
        given=strings(given),
        surname=strings(surname),
        email=strings(_addresses(rng, country, given, surname, born)),
    )


def letters(text: str, country: Country) -> str:
    """Only its letters, small, Latin and without accents: `O'Brien Jr.` -> `obrien`."""
    bare = without_accents(country.latin(text))
    for suffix in country.people.suffixes:
        bare = bare.removesuffix(suffix)
    return "".join(sign for sign in bare.lower() if sign.isascii() and sign.isalpha())


def _given_names(
    rng: Stream,
    population: Population,
    group: Array,
    female: Array,
    born: Array,
) -> list[str]:
    about = born + rng.normal(0, COHORT_DRIFT, size=len(born))
    cohort = np.searchsorted(population.cohorts, about, side="right") - 1
    cohort = np.clip(cohort, 0, len(population.cohorts) - 1)
    points = rng.random((2, len(born)))
    names = []
    for row, place in enumerate(group):
        culture = population.groups[place]
        listed: GivenNames = culture
        if points[0, row] < culture.usual:
            listed = population.usual[cohort[row]]
        choice = listed.female if female[row] else listed.male
        names.append(_by_zipf(choice, points[1, row], GIVEN_OFFSET))
    return names


def _surnames(
    rng: Stream,
    population: Population,
    group: Array,
    female: Array,
    of_family: Array,
) -> list[str]:
    size = len(group)
    points = rng.random((2, size))[:, of_family]
    double = rng.random(size)[of_family] < population.double
    shares = np.array(list(population.suffixes.values()))
    suffix = rng.choice(list(population.suffixes), size=size, p=shares / shares.sum())
    names = []
    for row, place in enumerate(group):
        listed: CultureGroup = population.groups[place]
        name = _by_zipf(listed.surnames, points[0, row], SURNAME_OFFSET)
        other = _by_zipf(listed.surnames, points[1, row], SURNAME_OFFSET)
        if double[row] and other != name:
            name = f"{name}-{other}"
        elif not female[row]:
            name += str(suffix[row])
        names.append(name)
    return names


def _as_written(names: list[str], accented: Array) -> list[str]:
    """The names, without their accents where people leave them out."""
    written = []
    for name, with_accents in zip(names, accented, strict=True):
        written.append(name if with_accents else without_accents(name))
    return written


def _by_zipf(listed: tuple[str, ...], point: float, offset: int) -> str:
    """The name at a point from 0 to 1 of a list whose n-th name has the weight 1 / (n + offset).

    The sums of such weights grow as the logarithm, which is turned round here.
    """
    last = len(listed)
    place = offset * ((last + offset) / offset) ** point - offset
    return listed[min(int(place), last - 1)]


def _addresses(
    rng: Stream,
    country: Country,
    given: list[str],
    surname: list[str],
    born: Array,
) -> list[str]:
    size = len(given)
    form = rng.choice(list(FORMS), size=size, p=_shares(FORMS))
    domain = rng.choice(list(DOMAINS), size=size, p=_shares(DOMAINS))
    handle = rng.choice(country.people.handles, size=size)
    digits = _digits(rng, born)
    used: set[str] = set()
    made = []
    for row in range(size):
        words = _words(country, given[row], surname[row])
        local = str(form[row]).format(**words, handle=handle[row], digits=digits[row])
        address = f"{local}@{domain[row]}"
        number = int(digits[row])
        while address in used:
            # Who finds the address taken adds a number, and counts on from there.
            number += 1
            address = f"{local}{number}@{domain[row]}"
        used.add(address)
        made.append(address)
    return made


def _words(country: Country, given: str, surname: str) -> dict[str, str]:
    first = letters(given, country)
    last = letters(surname.partition("-")[0], country)
    nick = country.people.nicknames.get(given, given)
    return {
        "given": first,
        "surname": last,
        "initial": first[:1],
        "last": last[:1],
        "nick": letters(nick, country),
    }


def _digits(rng: Stream, born: Array) -> list[str]:
    """The birth year in two or four digits, or any one to three digits."""
    size = len(born)
    kind = rng.random(size)
    other = rng.integers(1, 10 ** (1 + rng.integers(0, 3, size=size)))
    made = []
    for row, year in enumerate(born.tolist()):
        if kind[row] < SHORT_YEAR:
            made.append(f"{year % 100:02d}")
        elif kind[row] < SHORT_YEAR + WHOLE_YEAR:
            made.append(str(year))
        else:
            made.append(str(other[row]))
    return made


def _shares(weights: dict[str, float]) -> Array:
    values = np.array(list(weights.values()))
    return np.asarray(values / values.sum())
