"""Street lines as people give them: `1412 Maple Ave Apt 3B`, `86 5th St`, `PO Box 417`.

Takes names, kinds and forms from `schemas.gazetteer`. Knows no people and no cities.
"""

from collections.abc import Mapping

import numpy as np

from latent.draws import labels
from pipeline.world.streams import Stream
from pipeline.world.tables import Array
from schemas.gazetteer import Houses, NumberedStreets, Streets, Units

# Names follow Zipf's law with an offset, so that `Main St` is common and nowhere the half. Low
# floors are commoner than high ones, a house has eight doors a floor. Chosen by eye.
ZIPF_OFFSET = 12
LOW_FLOORS = 2.5
UNIT_LETTERS = "ABCDEFGH"
LARGEST_BOX = 9_999

# A town's quarters are cut into a few numbered districts, and these into blocks (Japan). By eye.
MOST_DISTRICTS = 6
MOST_BLOCKS = 30

NO_NUMBERS = NumberedStreets(share=0, largest=1, kinds=1)


def street_lines(rng: Stream, streets: Streets, size: int) -> list[str]:
    """So many street lines, each drawn anew."""
    houses = _houses(rng, streets.houses, size)
    names = _names(rng, streets, size)
    units = _unit_forms(rng, streets.units, size)
    lines = _in_blocks(rng, streets, size)
    made = []
    for house, name, line, unit in zip(houses, names, lines, units, strict=True):
        at_house = line.replace("{house}", house)
        bare = at_house.format(street=name)
        made.append(unit.replace("{line}", bare))
    return made


def boxes(rng: Stream, streets: Streets, size: int) -> list[str]:
    """So many post office boxes."""
    numbers = rng.integers(1, LARGEST_BOX + 1, size=size)
    return [streets.box.format(number=number) for number in numbers]


def _houses(rng: Stream, houses: Houses, size: int) -> list[str]:
    middle = np.log(houses.median)
    drawn = np.exp(rng.normal(middle, houses.sigma, size=size))
    rounded = np.clip(np.round(drawn), 1, houses.largest)
    whole = rounded.astype(int)
    numbers = [str(number) for number in whole.tolist()]
    if not houses.additions:
        return numbers
    additions = labels(rng, houses.additions, size)
    made = []
    for number, addition in zip(numbers, additions, strict=True):
        made.append(number + addition)
    return made


def _in_blocks(rng: Stream, streets: Streets, size: int) -> list[str]:
    """The form of each line; where houses stand in blocks, with numbers of district and block."""
    if "{block}" not in streets.line:
        return [streets.line] * size
    districts = rng.integers(1, MOST_DISTRICTS + 1, size=size)
    blocks = rng.integers(1, MOST_BLOCKS + 1, size=size)
    forms = []
    for chome, block in zip(districts.tolist(), blocks.tolist(), strict=True):
        form = streets.line.replace("{chome}", str(chome))
        form = form.replace("{block}", str(block))
        forms.append(form)
    return forms


def _names(rng: Stream, streets: Streets, size: int) -> list[str]:
    ordinals = streets.numbered or NO_NUMBERS
    kinds = streets.kinds
    number_of_names = len(streets.names)
    commonness = 1 / (np.arange(number_of_names) + ZIPF_OFFSET)
    name = rng.choice(number_of_names, size=size, p=_shares(commonness))
    weights = np.array([kind.weight for kind in kinds])
    kind = rng.choice(len(kinds), size=size, p=_shares(weights))
    # A product of two draws: low numbers are commoner than high ones.
    highest = rng.integers(0, ordinals.largest, size=size)
    ordinal = 1 + highest * rng.random(size)
    numbered = rng.random(size) < ordinals.share
    directed = rng.random(size) < streets.directed
    directions = streets.directions or {"": 1.0}
    direction = _drawn_key(rng, directions, size)
    short = rng.random(size) < streets.short
    lines = []
    for row in range(size):
        if numbered[row]:
            word = ordinal_word(int(ordinal[row]))
            chosen = kinds[kind[row] % ordinals.kinds]
        else:
            word = streets.names[name[row]]
            chosen = kinds[kind[row]]
        called = chosen.short if short[row] else chosen.name
        line = streets.street.format(name=word, kind=called)
        if directed[row]:
            line = f"{direction[row]} {line}"
        lines.append(line)
    return lines


def _shares(weights: Array) -> Array:
    """Weights as shares that add up to 1."""
    return np.asarray(weights / weights.sum())


def _drawn_key(rng: Stream, weights: Mapping[str, float], size: int) -> Array:
    """So many keys, each by its weight."""
    keys = list(weights)
    shares = _shares(np.array(list(weights.values())))
    return rng.choice(keys, size=size, p=shares)


def ordinal_word(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `11th` for a number."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    endings = {1: "st", 2: "nd", 3: "rd"}
    ending = endings.get(number % 10, "th")
    return f"{number}{ending}"


def _unit_forms(rng: Stream, units: Units, size: int) -> list[str]:
    """The form of each whole line: with a flat's number in it, or the bare line."""
    form = _drawn_key(rng, units.forms, size)
    has_unit = rng.random(size) < units.share
    height = units.floors * rng.random(size) ** LOW_FLOORS
    floor = 1 + height.astype(int)
    door = rng.integers(1, len(UNIT_LETTERS) + 1, size=size)
    lettered = rng.random(size) < units.lettered
    made = []
    for row in range(size):
        if not has_unit[row]:
            made.append("{line}")
            continue
        number = _unit_number(int(floor[row]), int(door[row]), bool(lettered[row]))
        made.append(_unit(str(form[row]), int(floor[row]), int(door[row]), number))
    return made


def _unit_number(floor: int, door: int, lettered: bool) -> str:
    """`3B` or `302` for the second door of the third floor."""
    if lettered:
        letter = UNIT_LETTERS[door - 1]
        return f"{floor}{letter}"
    return f"{floor}{door:02d}"


def _unit(form: str, floor: int, door: int, number: str) -> str:
    plot = floor * door
    return form.format(line="{line}", number=number, floor=floor, door=door, plot=plot)
