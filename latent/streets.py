"""Street lines as people give them: `1412 Maple Ave Apt 3B`, `86 5th St`, `PO Box 417`.

Takes names, kinds and forms from `schemas.gazetteer`. Knows no people and no cities.
"""

import numpy as np

from latent.draws import labels
from pipeline.world.streams import Stream
from schemas.gazetteer import Houses, NumberedStreets, Streets, Units

# Names follow Zipf's law with an offset, so that `Main St` is common and nowhere the half. Low
# floors are commoner than high ones, a house has eight doors a floor. Chosen by eye.
ZIPF_OFFSET = 12
LOW_FLOORS = 2.5
UNIT_LETTERS = "ABCDEFGH"
LARGEST_BOX = 9_999

# A town's quarters are cut into a few numbered districts, and these into blocks (Japan). By eye.
MOST_DISTRICTS, MOST_BLOCKS = 6, 30

NO_NUMBERS = NumberedStreets(share=0, largest=1, kinds=1)


def street_lines(rng: Stream, streets: Streets, size: int) -> list[str]:
    """So many street lines, each drawn anew."""
    houses = _houses(rng, streets.houses, size)
    names = _names(rng, streets, size)
    units = _unit_forms(rng, streets.units, size)
    lines = _in_blocks(rng, streets, size)
    made = []
    for house, name, line, unit in zip(houses, names, lines, units, strict=True):
        made.append(unit.replace("{line}", line.replace("{house}", house).format(street=name)))
    return made


def boxes(rng: Stream, streets: Streets, size: int) -> list[str]:
    """So many post office boxes."""
    numbers = rng.integers(1, LARGEST_BOX + 1, size=size)
    return [streets.box.format(number=number) for number in numbers]


def _houses(rng: Stream, houses: Houses, size: int) -> list[str]:
    drawn = np.exp(rng.normal(np.log(houses.median), houses.sigma, size=size))
    numbers = np.clip(np.round(drawn), 1, houses.largest).astype(int).tolist()
    if not houses.additions:
        return [str(number) for number in numbers]
    additions = labels(rng, houses.additions, size)
    return [f"{number}{addition}" for number, addition in zip(numbers, additions, strict=True)]


def _in_blocks(rng: Stream, streets: Streets, size: int) -> list[str]:
    """The form of each line; where houses stand in blocks, with numbers of district and block."""
    if "{block}" not in streets.line:
        return [streets.line] * size
    districts = rng.integers(1, MOST_DISTRICTS + 1, size=size).tolist()
    blocks = rng.integers(1, MOST_BLOCKS + 1, size=size).tolist()
    forms = []
    for chome, block in zip(districts, blocks, strict=True):
        form = streets.line.replace("{chome}", str(chome))
        forms.append(form.replace("{block}", str(block)))
    return forms


def _names(rng: Stream, streets: Streets, size: int) -> list[str]:
    kinds, ordinals = streets.kinds, streets.numbered or NO_NUMBERS
    weights = np.array([kind.weight for kind in kinds])
    usual = 1 / (np.arange(len(streets.names)) + ZIPF_OFFSET)
    name = rng.choice(len(streets.names), size=size, p=usual / usual.sum())
    kind = rng.choice(len(kinds), size=size, p=weights / weights.sum())
    ordinal = 1 + rng.integers(0, ordinals.largest, size=size) * rng.random(size)
    numbered = rng.random(size) < ordinals.share
    directed = rng.random(size) < streets.directed
    directions = streets.directions or {"": 1.0}
    shares = np.array(list(directions.values()))
    direction = rng.choice(list(directions), size=size, p=shares / shares.sum())
    short = rng.random(size) < streets.short
    lines = []
    for row in range(size):
        chosen = kinds[kind[row] % ordinals.kinds if numbered[row] else kind[row]]
        word = ordinal_word(int(ordinal[row])) if numbered[row] else streets.names[name[row]]
        before = f"{direction[row]} " if directed[row] else ""
        called = chosen.short if short[row] else chosen.name
        lines.append(before + streets.street.format(name=word, kind=called))
    return lines


def ordinal_word(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `11th` for a number."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else endings.get(number % 10, 'th')}"


def _unit_forms(rng: Stream, units: Units, size: int) -> list[str]:
    """The form of each whole line: with a flat's number in it, or the bare line."""
    shares = np.array(list(units.forms.values()))
    form = rng.choice(list(units.forms), size=size, p=shares / shares.sum())
    has_unit = rng.random(size) < units.share
    floor = 1 + (units.floors * rng.random(size) ** LOW_FLOORS).astype(int)
    door = rng.integers(1, len(UNIT_LETTERS) + 1, size=size)
    lettered = rng.random(size) < units.lettered
    made = []
    for row in range(size):
        if not has_unit[row]:
            made.append("{line}")
            continue
        made.append(_unit(str(form[row]), int(floor[row]), int(door[row]), bool(lettered[row])))
    return made


def _unit(form: str, floor: int, door: int, lettered: bool) -> str:
    number = f"{floor}{UNIT_LETTERS[door - 1]}" if lettered else f"{floor}{door:02d}"
    return form.format(line="{line}", number=number, floor=floor, door=door, plot=floor * door)
