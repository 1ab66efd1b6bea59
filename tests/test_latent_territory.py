"""Territories: states next to each other, and who is near to whom."""

import numpy as np
import pytest
from pydantic import ValidationError

from latent.territory import near_each_other, near_to
from pipeline.world.tables import strings
from schemas.country import Country, known_locales, load_country

AMERICA = load_country("en_US")


@pytest.mark.parametrize("locale", known_locales())
def test_who_is_a_neighbor_has_one(locale: str) -> None:
    """Borders have two sides, and nobody is next to themselves."""
    neighbors = load_country(locale).neighbors
    for region, nearby in neighbors.items():
        assert region not in nearby
        assert len(set(nearby)) == len(nearby)
        for other in nearby:
            assert region in neighbors[other]


def test_a_state_is_near_to_itself_and_its_neighbors() -> None:
    """A state of which no neighbors are known is near to itself alone."""
    assert near_to(AMERICA, "ME") == {"ME", "NH"}
    assert "FL" not in near_to(AMERICA, "WA")
    alone = AMERICA.model_copy(update={"neighbors": {}})
    assert near_to(alone, "ME") == {"ME"}


def test_states_are_compared_pair_by_pair() -> None:
    """A row for each of the first, a column for each of the others."""
    states = strings(["OR", "NY", "OR"])
    others = strings(["WA", "NJ"])
    near = near_each_other(AMERICA, states, others)
    expected = np.array([[True, False], [False, True], [True, False]])
    assert np.array_equal(near, expected)


def test_a_neighbor_must_be_a_region_of_the_country() -> None:
    """A slip in the file is told by its name."""
    wrong = AMERICA.model_dump() | {"neighbors": {"ME": ["NH", "XX"]}}
    with pytest.raises(ValidationError, match="neighbors of ME: XX is no region"):
        Country.model_validate(wrong)
