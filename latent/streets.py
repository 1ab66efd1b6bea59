"""Street lines as people give them: `1412 Maple Ave Apt 3B`, `86 5th St`, `PO Box 417`.

Takes the names and kinds of streets from `schemas.gazetteer`. Knows no people and no cities.
"""

import numpy as np

from pipeline.world.streams import Stream
from schemas.gazetteer import Streets

# Numbers of houses are log-normal: half are below 900, one in fifteen has five digits, as blocks
# of a hundred numbers make them. The largest that is common has five digits.
HOUSE_MEDIAN, HOUSE_SIGMA = 900, 1.6
LARGEST_HOUSE = 29_999

# One street in eleven is numbered, one in nine has a direction before its name. Names follow
# Zipf's law with an offset, so that `Main St` is common and nowhere the half. Chosen by eye.
ORDINALS, LARGEST_ORDINAL = 0.09, 60
DIRECTED = 0.11
DIRECTIONS = ("N", "S", "E", "W", "NE", "SW")
DIRECTION_WEIGHTS = (0.27, 0.25, 0.2, 0.2, 0.04, 0.04)
ZIPF_OFFSET = 12

# Numbered streets are streets or avenues; all others may be of any kind. Seven of ten people write
# the kind short.
NUMBERED_KINDS = 2
SHORT = 0.7

# A sixth of the addresses is in a house of several flats (a quarter of Americans live in one, and
# a third of those is asked for it and leaves it out).
UNITS = 0.17
UNIT_KINDS = {"Apt": 0.62, "Unit": 0.2, "#": 0.13, "Lot": 0.03, "Fl": 0.02}
MOST_FLOORS = 24
UNIT_LETTERS = "ABCDEFGH"
LARGEST_BOX = 9_999


def street_lines(rng: Stream, streets: Streets, size: int) -> list[str]:
    """So many street lines, each drawn anew."""
    numbers = np.exp(rng.normal(np.log(HOUSE_MEDIAN), HOUSE_SIGMA, size=size))
    houses = np.clip(np.round(numbers), 1, LARGEST_HOUSE).astype(int).tolist()
    names = _names(rng, streets, size)
    units = _units(rng, size)
    lines = []
    for house, name, unit in zip(houses, names, units, strict=True):
        lines.append(f"{house} {name}{unit}")
    return lines


def boxes(rng: Stream, size: int) -> list[str]:
    """So many post office boxes."""
    return [f"PO Box {number}" for number in rng.integers(1, LARGEST_BOX + 1, size=size)]


def _names(rng: Stream, streets: Streets, size: int) -> list[str]:
    kinds = streets.kinds
    weights = np.array([kind.weight for kind in kinds])
    usual = 1 / (np.arange(len(streets.names)) + ZIPF_OFFSET)
    name = rng.choice(len(streets.names), size=size, p=usual / usual.sum())
    kind = rng.choice(len(kinds), size=size, p=weights / weights.sum())
    ordinal = 1 + rng.integers(0, LARGEST_ORDINAL, size=size) * rng.random(size)
    numbered = rng.random(size) < ORDINALS
    directed = rng.random(size) < DIRECTED
    direction = rng.choice(DIRECTIONS, size=size, p=DIRECTION_WEIGHTS)
    short = rng.random(size) < SHORT
    lines = []
    for row in range(size):
        chosen = kinds[kind[row] % NUMBERED_KINDS if numbered[row] else kind[row]]
        word = ordinal_word(int(ordinal[row])) if numbered[row] else streets.names[name[row]]
        before = f"{direction[row]} " if directed[row] else ""
        lines.append(f"{before}{word} {chosen.short if short[row] else chosen.name}")
    return lines


def ordinal_word(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `11th` for a number."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else endings.get(number % 10, 'th')}"


def _units(rng: Stream, size: int) -> list[str]:
    """The flat behind a house's street, with a space before it, or nothing."""
    shares = np.array(list(UNIT_KINDS.values()))
    kind = rng.choice(list(UNIT_KINDS), size=size, p=shares / shares.sum())
    has_unit = rng.random(size) < UNITS
    # Low floors are commoner than high ones.
    floor = 1 + (MOST_FLOORS * rng.random(size) ** 2.5).astype(int)
    door = rng.integers(1, len(UNIT_LETTERS) + 1, size=size)
    lettered = rng.random(size) < 0.4
    made = []
    for row in range(size):
        if not has_unit[row]:
            made.append("")
            continue
        made.append(_unit(str(kind[row]), int(floor[row]), int(door[row]), bool(lettered[row])))
    return made


def _unit(kind: str, floor: int, door: int, lettered: bool) -> str:
    if kind == "Fl":
        return f" Fl {floor}"
    number = f"{floor}{UNIT_LETTERS[door - 1]}" if lettered else f"{floor}{door:02d}"
    if kind == "Lot":
        number = str(floor * door)
    gap = "" if kind == "#" else " "
    return f" {kind}{gap}{number}"
