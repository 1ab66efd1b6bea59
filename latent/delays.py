"""Delays: what an agent says of it that an e-mail was waited for.

Who was asked for news, and who answers after days, begins with a word about that. Works on the
turns and moments of one thread; knows no words.
"""

import random
from collections.abc import Sequence
from dataclasses import replace

from latent.dialogue import AGENT, Turn

# Most agents who were asked for news after a day, and many whose answer took days, are sorry for
# it. Chosen by eye: who is asked within hours is not late, and a desk where every second mail
# begins with an apology is none that anybody knows.
ANSWERS_A_NUDGE = 0.85
SORRY_FOR_A_WAIT = 0.85
# Who has excused a delay of theirs says so again the next time in so many cases.
SORRY_AGAIN = 0.4
A_WAIT = 24 * 3600
LONG_WAIT = 3 * 24 * 3600

# Whose answer took more than a week says how long it took: a word on a short wait would sound as if
# nobody had noticed. And a customer who has kept an agent waiting for days mostly says so. By eye.
WEEKS = 8 * 24 * 3600
CUSTOMER_LATE = 4 * 24 * 3600
EXCUSES = 0.8
# After so long nobody goes on as if they had answered at once.
TOO_LONG = 5 * 24 * 3600
CUSTOMER_TOO_LONG = 9 * 24 * 3600

LATE = "a.late"
LONG_LATE = "a.late.long"
WAS_LATE = "c.late"
"""The act of a customer who answers only after days."""

ASKS_FOR_NEWS = "c.chase"
PRESSES = "c.chase.put_off"
"""The act of somebody who won't be told again that it takes time."""

PRESSED = ".pressed"
"""How an act ends that answers them: they are told nothing of their patience."""

OWN_WORD = ("c.chase", "c.back", "c.thanks", "c.accept.later", "c.withdraw", "c.refused")
"""Acts of a customer that nobody has waited for."""

BACK = ("a.progress",)
SAYS_SO_ALREADY = ("a.still", *BACK)
PROMISES = ("a.wait", "a.still", "a.step.", "a.transfer")
"""Acts after which the customer waits for the agent's own next mail."""


def with_delays(rng: random.Random, turns: Sequence[Turn], times: Sequence[int]) -> list[Turn]:
    """The mails of a thread with what is said of long waits; `times` are seconds, one a turn."""
    told = list(turns)
    waits_since: int | None = None
    nudged = pressed = counted = False
    for place, (turn, moment) in enumerate(zip(turns, times, strict=True)):
        if turn.speaker != AGENT:
            gap = moment - times[max(place - 1, 0)]
            told[place] = _excused(rng, told[:place], turn, gap)
            waits_since = moment if waits_since is None else waits_since
            nudged |= any(beat.startswith(ASKS_FOR_NEWS) for beat in turn.beats)
            pressed |= PRESSES in turn.beats
            continue
        waited = 0 if waits_since is None else moment - waits_since
        chance = ANSWERS_A_NUDGE if nudged else SORRY_FOR_A_WAIT
        chance *= SORRY_AGAIN ** _excuses(told[:place])
        chance = 1.0 if waited > TOO_LONG else chance
        # The span that is told is the one since the mail before.
        last = times[place - 1]
        if not pressed and not counted and waited > WEEKS and moment - last > WEEKS:
            # Nobody counts the days of two delays of theirs.
            told[place] = _sorry(turn, LONG_LATE)
            counted = True
        elif waited > (A_WAIT if nudged else LONG_WAIT) and rng.random() < chance:
            told[place] = _sorry(turn, f"{LATE}{PRESSED}" if pressed else LATE)
        promised = any(beat.startswith(PROMISES) for beat in turn.beats)
        waits_since = moment if promised else None
        nudged = pressed = False
    return told


def _excuses(before: Sequence[Turn]) -> int:
    """In how many mails the desk has said that it is late."""
    return sum(any(beat.startswith(LATE) for beat in turn.beats) for turn in before)


def _excused(
    rng: random.Random,
    before: Sequence[Turn],
    turn: Turn,
    gap: int,
) -> Turn:
    """A customer's mail, with a word on the days for which they left an agent's one unanswered."""
    answers = bool(before) and before[-1].speaker == AGENT
    own_word = any(beat.startswith(OWN_WORD) for beat in turn.beats)
    excused = any(WAS_LATE in turn.beats for turn in before)
    if not answers or own_word or excused:
        return turn
    chance = 1.0 if gap > CUSTOMER_TOO_LONG else EXCUSES
    if gap <= CUSTOMER_LATE or rng.random() >= chance:
        return turn
    place = 1 if turn.beats[0].startswith("c.greet") else 0
    return replace(turn, beats=(*turn.beats[:place], WAS_LATE, *turn.beats[place:]))


def _sorry(turn: Turn, late: str) -> Turn:
    """A mail that begins with the delay, in place of a mere acknowledgement."""
    # Who is back after weeks says more of it than that they have checked.
    instead = BACK if late == LONG_LATE else ()
    said = [beat for beat in turn.beats if not beat.startswith(instead or ("a.ack",))]
    if any(beat.startswith(SAYS_SO_ALREADY) for beat in said):
        return turn
    kept = [beat for beat in said if beat != "a.ack"]
    place = 1 if kept[0].startswith("a.greet") else 0
    return replace(turn, beats=(*kept[:place], late, *kept[place:]))
