"""Greetings: who has written twice within a day greets nobody a third time.

Works on the turns and moments of one thread; knows no words.
"""

from collections.abc import Sequence
from dataclasses import replace

from latent.dialogue import AGENT, Turn

AGAIN = "a.greet.again"
INTRODUCES = "a.intro"
GREETED = 2
"""After so many mails of the desk within a day the next one goes straight on."""

A_DAY = 24 * 3600


def greeted_twice(turns: Sequence[Turn], times: Sequence[int]) -> list[Turn]:
    """The mails of a thread without the greetings that nobody types; `times` are seconds.

    Example: a desk that writes at nine, at ten and at eleven greets at nine and at ten.
    """
    told: list[Turn] = []
    wrote: list[int] = []
    for turn, moment in zip(turns, times, strict=True):
        if turn.speaker != AGENT:
            told.append(turn)
            continue
        recent = sum(moment - earlier < A_DAY for earlier in wrote)
        wrote.append(moment)
        told.append(_ungreeted(turn) if recent >= GREETED else turn)
    return told


def _ungreeted(turn: Turn) -> Turn:
    """The mail without its greeting; who introduces themselves says hello first."""
    kept = tuple(beat for beat in turn.beats if beat != AGAIN)
    if any(beat.startswith(INTRODUCES) for beat in turn.beats) or not kept:
        return turn
    return replace(turn, beats=kept)
