"""Which of a case's agents speaks in each turn, and what a new one says first.

A part of conversations: works on their turns and knows no words.
"""

import random
from collections.abc import Sequence
from dataclasses import replace

from latent.dialogue import AGENT, Turn

TRANSFERS = "a.transfer"
INTRODUCES = "a.intro"
TEAM = "team"
"""Why an agent passes a case on whose group does others."""
HIGHER = "level"
"""Why one does who may not decide it."""


def with_agents(
    rng: random.Random,
    turns: list[Turn],
    transfers: int,
    reasons: Sequence[str] = (),
) -> list[Turn]:
    """The turns with the agent of each, who says so where they are new.

    Each told transfer hands on to the next agent. Those that nobody tells of happen before some
    turn of an agent, or after all. `reasons` are those of each transfer: whoever passes the case
    on tells it, or else whoever takes it over.
    """
    told = [place for place, turn in enumerate(turns) if TRANSFERS in turn.beats]
    places = _unheard(turns, told)
    silent: list[int] = []
    for _ in range(transfers - len(told)):
        silent.append(rng.choice(places) if places else len(turns))
    made: list[Turn] = []
    step = 0
    heard: set[int] = set()
    for place, turn in enumerate(turns):
        step += silent.count(place)
        made.append(replace(turn, step=step, beats=_introduced(turn, step, heard)))
        if turn.speaker == AGENT:
            heard.add(step)
        if place in told:
            step += 1
    return _reasoned(made, reasons)


def _reasoned(turns: list[Turn], reasons: Sequence[str]) -> list[Turn]:
    """The turns in which each hand-over is told with its reason, once."""
    made = []
    told: set[int] = set()
    for turn in turns:
        beats = list(turn.beats)
        for place, beat in enumerate(beats):
            # Who takes over tells why the one before has passed it on.
            passed = turn.step if beat == TRANSFERS else turn.step - 1
            untold = passed not in told and 0 <= passed < len(reasons)
            if beat in (TRANSFERS, INTRODUCES) and untold:
                beats[place] = f"{beat}.{reasons[passed]}"
                told.add(passed)
        made.append(replace(turn, beats=tuple(beats)))
    return made


def _unheard(turns: list[Turn], told: list[int]) -> list[int]:
    """Before which turns a case may be handed on without a word on it.

    Whoever was announced keeps it: nobody else comes in their place without a word. Before the
    first answer nobody notices who had it.
    """
    spoken = [place for place, turn in enumerate(turns) if turn.speaker == AGENT]
    return spoken[:1] if told else spoken


def _introduced(turn: Turn, step: int, heard: set[int]) -> tuple[str, ...]:
    """The acts of a turn, an introduction among them where a later agent speaks first.

    Who takes over from somebody whom the customer never heard of doesn't say so.
    """
    if turn.speaker != AGENT or not heard or step in heard:
        return turn.beats
    kept = [beat for beat in turn.beats if beat not in ("a.ack", "a.ack.open", "a.hello")]
    place = 1 if kept and kept[0].startswith("a.greet") else 0
    return (*kept[:place], INTRODUCES, *kept[place:])
