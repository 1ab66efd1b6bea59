"""Postal codes within the range of a city.

A city's codes differ in their last digits alone: `98101` to `98199`, `M1` to `M40`. Where a code
goes on behind them (` 4AB`), the country says how. Knows no people.
"""

import re

import numpy as np

from pipeline.world.streams import Stream
from pipeline.world.tables import Array, strings
from schemas.country import Country, Postal
from schemas.gazetteer import City

LAST_DIGITS = re.compile(r"\d+$")


def postal_code(city: City, postal: Postal, number: int, rng: Stream) -> str:
    """The code of a city whose last digits are a number; its tail is drawn."""
    low = city.postal[0]
    start = _start(low)
    return f"{low[:start]}{number:0{len(low) - start}d}{_tail(postal, rng)}"


def postal_bounds(city: City) -> tuple[int, int]:
    """The numbers of the first and the last code: 98101 and 98199."""
    low, high = (int(code[_start(code) :]) for code in city.postal)
    return low, high


def postal_codes(rng: Stream, country: Country, rows: Array) -> Array:
    """A code for each row number of the country's cities."""
    cities = country.places
    bounds = np.array([postal_bounds(city) for city in cities])[rows]
    numbers = rng.integers(bounds[:, 0], bounds[:, 1] + 1)
    codes = []
    for row, number in zip(rows.tolist(), numbers.tolist(), strict=True):
        codes.append(postal_code(cities[row], country.postal, number, rng))
    return strings(codes)


def _start(code: str) -> int:
    digits = LAST_DIGITS.search(code)
    return digits.start() if digits else len(code)


def _tail(postal: Postal, rng: Stream) -> str:
    tail = ""
    for sign in postal.tail:
        if sign == "#":
            tail += str(rng.integers(10))
        elif sign == "@":
            tail += postal.letters[rng.integers(len(postal.letters))]
        else:
            tail += sign
    return tail
