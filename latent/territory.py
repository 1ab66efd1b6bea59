"""Where a company's customers live, and which of its shops are near enough to be gone to.

Takes the territory from the trade (`buying.territory`) and the places from the country. Knows no
customers and no orders.
"""

import numpy as np

from latent.draws import exactly
from pipeline.world.org import RunContext
from pipeline.world.tables import Array
from schemas.country import Country


def place_weights(setting: RunContext) -> Array:
    """How many customers live in each of the country's places, in proportion; 0 outside.

    The territory is one for the whole org, whatever is drawn anew of it.
    """
    places = setting.country.places
    weights = np.array([place.weight for place in places])
    wanted = setting.world.trade.buying.territory
    if wanted is None:
        return weights
    states = np.array([place.state for place in places])
    served = _states(setting, wanted, states, weights)
    return np.where(np.isin(states, served), weights, 0.0)


def near_to(country: Country, state: str) -> set[str]:
    """The state itself and those next to it."""
    return {state, *country.neighbors.get(state, ())}


def near_each_other(country: Country, states: Array, others: Array) -> Array:
    """A matrix, states × others: whether they are the same or next to each other."""
    near = np.zeros((len(states), len(others)), dtype=bool)
    for state in np.unique(states.astype(str)):
        around = sorted(near_to(country, str(state)))
        near[states == state] = np.isin(others.astype(str), around)
    return near


def _states(setting: RunContext, wanted: int, states: Array, weights: Array) -> list[str]:
    """So many states next to each other, as far as the country's file tells of neighbors."""
    rng = setting.stream("Territory", "states")
    names, row = np.unique(states, return_inverse=True)
    people = np.bincount(row, weights=weights)
    chosen: list[int] = []
    for _ in range(min(wanted, len(names))):
        around: set[str] = set()
        for place in chosen:
            around |= near_to(setting.country, str(names[place]))
        left = np.ones(len(names))
        left[chosen] = 0.0
        nearby = left * np.isin(names.astype(str), sorted(around))
        likely = nearby if nearby.any() else left
        chosen.append(int(exactly(rng, likely * people, 1)[0]))
    return [str(names[place]) for place in chosen]
