"""Which tests `make test` runs and which it leaves to `make test-all`.

A rule stands in `make test` on the first of its cases: a company, a country, a fault, a moment at
which a run is killed. Where each case costs a run of its own, the others are thorough ones.

Knows no test.
"""

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet

THOROUGH = pytest.mark.thorough
"""Marks a test that tries a rule once more, or in more time than a rule may take."""


def tried_on(names: str, cases: Iterable[object]) -> pytest.MarkDecorator:
    """Like `pytest.mark.parametrize`: `make test` tries the first case, `make test-all` each.

    `names` are the parameters' names with a comma between; of several a case holds one value each.
    """
    return pytest.mark.parametrize(names, first_of(cases, several="," in names))


def first_of(cases: Iterable[object], several: bool = False) -> list[ParameterSet]:
    """The cases, those behind the first one marked as thorough; as such a fixture's `params`, too.

    >>> [bool(case.marks) for case in first_of(["de_DE", "fr_FR", "ja_JP"])]
    [False, True, True]
    """
    parameters = []
    for place, case in enumerate(cases):
        values = case if several and isinstance(case, tuple) else (case,)
        parameters.append(pytest.param(*values, marks=(THOROUGH,) if place else ()))
    return parameters
