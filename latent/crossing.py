"""Lines of a live chat that cross: somebody sends before they have read what the other side types.

A customer goes on while the agent's question comes in, and says yes while the terms of an offer
are still typed. Works on planned lines: it changes their order, no line of it, and knows no words
and no times. What is asked is never answered behind something else: that reads as if nobody had
listened.

Source: nothing but common sense; both sides of a chat type at once.
"""

import random
from collections.abc import Sequence

from latent.dialogue import CUSTOMER, Turn

# How often lines cross where they may, and in a chat at most. By eye: who reads a dozen chats meets
# it in some, and nobody talks at cross-purposes all the time.
CROSSES = 0.6
MOST_CROSSINGS = 2

ADDED = ("issue.stake", "issue.needed", "issue.loss", "c.wish")
"""How the acts begin that a customer adds to what they have said already."""
PROMPT = ("a.hello", "a.ask_order", "a.identify", "a.missed", "a.found", "issue.ask.", "a.hold")
"""How the acts begin that an agent answers to a first line, whatever comes with the second one."""

WOULD = ("option.would.", "a.amount")
"""What an agent tells of an offer that is made: who wants it says so before they have read all."""
ACCEPTS = "c.accept"

WRAPS_UP = ("a.else", "issue.advice.")
WONDERS_LATER = "option.wonders."


def crossed(rng: random.Random, lines: Sequence[Turn]) -> list[Turn]:
    """The lines, of which some have changed places with the one before them.

    Example: `The sole is loose.`, `I need them on Friday.`, `Have you got an order number?` become
    `The sole is loose.`, `Have you got an order number?`, `I need them on Friday.`
    """
    told = list(lines)
    crossings = 0
    place = 1
    while place < len(told) - 1 and crossings < MOST_CROSSINGS:
        if _may_cross(told, place) and rng.random() < CROSSES:
            told[place], told[place + 1] = told[place + 1], told[place]
            crossings += 1
            # What has crossed is read before anything else does.
            place += 2
        place += 1
    return told


def _may_cross(lines: Sequence[Turn], place: int) -> bool:
    """Whether the line at this place may come behind the next one."""
    before, line, after = lines[place - 1 : place + 2]
    if not line.soon or before.speaker != line.speaker or line.speaker == after.speaker:
        return False
    if line.speaker == CUSTOMER:
        return _is_added(line, after)
    return _is_answered_early(line, after)


def _is_added(line: Turn, prompt: Turn) -> bool:
    """Whether a customer's second line adds something, and the agent's line needs the first one."""
    return _all_begin(line, ADDED) and _all_begin(prompt, PROMPT)


def _is_answered_early(line: Turn, answer: Turn) -> bool:
    """Whether a customer answers an agent's first line while the second one is typed."""
    if answer.beats[0] == ACCEPTS:
        return len(answer.beats) == 1 and _all_begin(line, WOULD)
    return _all_begin(answer, (WONDERS_LATER,)) and _all_begin(line, WRAPS_UP)


def _all_begin(line: Turn, starts: tuple[str, ...]) -> bool:
    return all(beat.startswith(starts) for beat in line.beats)
