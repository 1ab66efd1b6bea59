"""What people leave unsaid: acts that only go with others, of which most messages do without.

An agent who says what happens next seldom adds the case's number or a farewell. Works on the turns
of one conversation; knows no words.
"""

import random
from collections.abc import Sequence
from dataclasses import replace

from latent.dialogue import Turn

# How many of those who could say such a thing do. Chosen by eye: a reader who meets them in
# nearly every conversation takes all of them for one writer's.
SAID = {
    "a.ack": 0.9,
    "a.close": 0.55,
    "a.close.refused": 0.7,
    "a.hedge": 0.4,
    "a.identified": 0.6,
    "a.number": 0.3,
    "c.wish.why": 0.6,
}

FRAME = ("a.greet", "a.sign", "c.greet", "c.sign", "c.ps")
"""Acts that are no message by themselves."""


def without_asides(rng: random.Random, turns: Sequence[Turn]) -> list[Turn]:
    """The turns with fewer such acts; none is left without anything to say.

    Example: `("a.greet", "a.confirm", "a.number", "a.sign")` loses `a.number` seven times in ten.
    """
    told = []
    for turn in turns:
        told.append(replace(turn, beats=_said(rng, turn.beats)))
    return told


def _said(rng: random.Random, beats: Sequence[str]) -> tuple[str, ...]:
    """The acts of one turn that are said; those that only go with others, by chance."""
    if all(beat in SAID or beat.startswith(FRAME) for beat in beats):
        return tuple(beats)
    kept = []
    for beat in beats:
        if rng.random() < SAID.get(beat, 1.0):
            kept.append(beat)
    return tuple(kept)
