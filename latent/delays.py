"""Delays: what an agent says of it that an e-mail was waited for.

Who was asked for news, and who answers after days, begins with a word about that. Works on the
turns and moments of one thread; knows no words.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

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

# Who has promised to write is soon overdue, for most who promise name the next day: they own it.
A_PROMISE = 2 * 24 * 3600
OWNS_A_PROMISE = 0.9
# Who was left waiting for days lets it show in what they write next. By eye: the angry mostly do.
LETS_IT_SHOW = {"angry": 0.6, "annoyed": 0.5}
LETS_IT_SHOW_CALMLY = 0.12

LATE = "a.late"
PROMISED_LATE = "a.late.promised"
AT_LAST = "c.at_last"
"""The act of a customer who remarks that an answer took its time."""
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
REMINDS = "a.remind"
"""The act of an agent who waits for the customer, and is not late themself."""
SAYS_SO_ALREADY = ("a.still", *BACK)
PROMISES = ("a.wait", "a.still", "a.step.", "a.transfer", "a.follows.", "a.confirm.later")
PROMISES_TO_WRITE = ("a.wait", "a.follows.", "a.confirm.later")
"""Acts after which the customer waits for the agent's own next mail."""


def with_delays(
    rng: random.Random,
    turns: Sequence[Turn],
    times: Sequence[int],
    tone: str = "",
) -> list[Turn]:
    """The mails of a thread with what is said of long waits; `times` are seconds, one a turn.

    `tone` is the mood in which the customer writes.
    """
    told = list(turns)
    waits = _Waits()
    for place, (turn, moment) in enumerate(zip(turns, times, strict=True)):
        last = times[max(place - 1, 0)]
        if turn.speaker != AGENT:
            told[place] = _excused(rng, told[:place], turn, moment - last)
            if told[place] == turn:
                told[place] = _at_last(rng, told[:place], turn, moment - last, waits.waited, tone)
            waits.begin(turn, moment)
            continue
        after_own = place > 0 and turns[place - 1].speaker == AGENT
        reminds = REMINDS in turn.beats
        late = "" if reminds else _late(rng, waits, told[:place], moment, moment - last, after_own)
        told[place] = _sorry(turn, late) if late else turn
        waits.counted |= late == LONG_LATE and told[place] != turn
        waits.end(turn, moment)
    return told


@dataclass(slots=True)
class _Waits:
    """Since when a customer waits in one thread, and what they know of it."""

    since: int | None = None
    promised: bool = False
    nudged: bool = False
    pressed: bool = False
    counted: bool = False
    waited: int = 0

    def begin(self, turn: Turn, moment: int) -> None:
        """The customer writes, and waits from then on if they have not before."""
        self.since = moment if self.since is None else self.since
        self.nudged |= any(beat.startswith(ASKS_FOR_NEWS) for beat in turn.beats)
        self.pressed |= PRESSES in turn.beats

    def end(self, turn: Turn, moment: int) -> None:
        """The agent writes: who was promised another mail waits for that."""
        self.waited = 0 if self.since is None else moment - self.since
        promised = any(beat.startswith(PROMISES) for beat in turn.beats)
        self.promised = any(beat.startswith(PROMISES_TO_WRITE) for beat in turn.beats)
        self.since = moment if promised else None
        self.nudged = self.pressed = False


def _late(
    rng: random.Random,
    waits: _Waits,
    before: Sequence[Turn],
    moment: int,
    gap: int,
    after_own: bool,
) -> str:
    """The act by which an agent's mail owns the wait before it; "" for none.

    `gap` are the seconds since the mail before; an agent's own, with `after_own`, left the customer
    waiting for what it had announced.
    """
    if waits.since is None:
        return LATE if after_own and gap > TOO_LONG else ""
    waited = moment - waits.since
    # Nobody counts the days of two delays of theirs; the span told is since the mail before.
    if not waits.pressed and not waits.counted and waited > WEEKS and gap > WEEKS:
        return LONG_LATE
    if waits.promised and after_own and waited > A_PROMISE:
        return PROMISED_LATE if rng.random() < OWNS_A_PROMISE else ""
    chance = ANSWERS_A_NUDGE if waits.nudged else SORRY_FOR_A_WAIT
    chance *= SORRY_AGAIN ** _excuses(before)
    chance = 1.0 if waited > TOO_LONG else chance
    if waited > (A_WAIT if waits.nudged else LONG_WAIT) and rng.random() < chance:
        return f"{LATE}{PRESSED}" if waits.pressed else LATE
    return ""


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
    return _with(turn, WAS_LATE)


def _at_last(
    rng: random.Random,
    before: Sequence[Turn],
    turn: Turn,
    gap: int,
    waited: int,
    tone: str,
) -> Turn:
    """A customer's mail that shows that the answer before it was late; mostly of the cross.

    `waited` is how long they waited for it: nobody minds a day so much.
    """
    late = bool(before) and before[-1].speaker == AGENT and waited > LONG_WAIT
    own_word = any(beat.startswith(OWN_WORD) for beat in turn.beats)
    said = any(AT_LAST in other.beats for other in before)
    # Who takes as long themself has no word on it.
    if not late or own_word or said or gap > A_PROMISE:
        return turn
    if rng.random() >= LETS_IT_SHOW.get(tone, LETS_IT_SHOW_CALMLY):
        return turn
    return _with(turn, AT_LAST)


def _with(turn: Turn, act: str) -> Turn:
    """A mail that begins with an act, behind its greeting."""
    place = 1 if turn.beats[0].startswith("c.greet") else 0
    return replace(turn, beats=(*turn.beats[:place], act, *turn.beats[place:]))


def _sorry(turn: Turn, late: str) -> Turn:
    """A mail that begins with the delay, in place of a mere acknowledgement."""
    # Who is back after weeks says more of it than that they have checked.
    instead = BACK if late in (LONG_LATE, PROMISED_LATE) else ()
    said = [beat for beat in turn.beats if not beat.startswith(instead or ("a.ack",))]
    if any(beat.startswith(SAYS_SO_ALREADY) for beat in said):
        return turn
    kept = [beat for beat in said if beat not in ("a.ack", "a.ack.open")]
    place = 1 if kept[0].startswith("a.greet") else 0
    return replace(turn, beats=(*kept[:place], late, *kept[place:]))
