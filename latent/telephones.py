"""Telephone numbers that belong to nobody, in the form of a country.

A form such as `({area}) 555-01##` stands in the locale's file; this file fills it. Knows no people.
"""

from collections.abc import Sequence

import numpy as np

from schemas.country import Country

CODE_OFFSET = 1.0  # the n-th area code of a city has the weight 1 / n


def most_numbers(country: Country) -> int:
    """How many numbers the largest of a country's ranges for fiction has: 100 for `555-01##`."""
    forms = [*country.phones.home, *country.phones.mobile]
    for city in country.places:
        forms += city.area_codes
    digits = [form.count("#") for form in forms]
    return int(10 ** max(digits))


def telephone(forms: Sequence[str], areas: tuple[str, ...], point: float, number: int) -> str:
    """The number at a point from 0 to 1 of the area codes and forms, with these last digits.

    >>> telephone(["({area}) 555-01##"], ("206",), 0.5, 7)
    '(206) 555-0107'
    """
    form = forms[_place(point, len(forms))]
    form = form.replace("{area}", area_code(areas, point))
    digits = form.count("#")
    padded = f"{number:0{digits}d}"
    for digit in padded[-digits:]:
        form = form.replace("#", digit, 1)
    return form


class Directory:
    """Which last digits are given away in each range, so that two people share no number.

    A range for fiction is small: where all of it is given away, numbers are given twice.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._given: dict[str, set[int]] = {}

    def own(self, forms: Sequence[str], areas: tuple[str, ...], point: float, number: int) -> str:
        """The number at a point, with these last digits or the next ones that are free."""
        first = telephone(forms, areas, point, 0)
        given = self._given.setdefault(first, set())
        free = number
        if len(given) < self._most:
            while free in given:
                free = (free + 1) % self._most
        given.add(free)
        return telephone(forms, areas, point, free)


def _place(point: float, size: int) -> int:
    """The place in a row of so many at a point from 0 to 1."""
    place = int(point * size)
    return min(place, size - 1)


def area_code(codes: tuple[str, ...], point: float) -> str:
    """The area code at a point from 0 to 1; the first of a city is the commonest."""
    rank = np.arange(len(codes)) + CODE_OFFSET
    weights = 1 / rank
    bounds = np.cumsum(weights / weights.sum())
    place = int(np.searchsorted(bounds, point))
    # The last bound may lie a rounding error below 1.
    last = len(codes) - 1
    return codes[min(place, last)]
