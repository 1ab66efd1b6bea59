"""How the turns of a live chat become the lines that people send one after another.

A part of chats: works on planned turns, and knows no course, no words and no times.
"""

import random
from itertools import pairwise

from latent.dialogue import AGENT, CUSTOMER, Turn
from latent.wordiness import usual_words

LONGEST_CHAT = 40

QUICK = "quick"
USUAL = "usual"
LONG = "long"

# Kinds of chats: served at once, usual, long. Long ones have more to tell: questions beside the one
# that decides, something tried out, a second matter. By eye: most people want one thing and leave
# with it, and what is asked beside it reads as put on.
KINDS = {QUICK: 0.22, USUAL: 0.43, LONG: 0.35}

# How often an agent sends a turn in two lines, where it has two acts or more: chats are long where
# they do. People who are served at once do so much seldomer. No agent sends more than two lines in
# a row: what is left to say stands in the second one. And how much oftener customers do so in long
# chats, where people type as they think, and as they begin: the trouble comes in pieces. By eye.
AGENT_DOUBLES = {QUICK: 0.3, USUAL: 0.4, LONG: 1.0}
QUICK_DOUBLES = 0.1
LONG_DOUBLES = 5
OPENING_DOUBLES = 3
AGENT_LINES = 2


def in_lines(
    rng: random.Random,
    customers_double: float,
    turns: list[Turn],
    kind: str,
) -> list[Turn]:
    """The turns cut into lines, of which there are never more than LONGEST_CHAT.

    Who sends several lines in a row sends each act or two as a line of its own; customers do so
    with that chance.
    """
    lines: list[Turn] = []
    opened = False
    for place, turn in enumerate(turns):
        doubles = customers_double if turn.speaker == CUSTOMER else AGENT_DOUBLES[kind]
        room = LONGEST_CHAT - len(lines) - (len(turns) - place)
        if kind == QUICK:
            doubles *= QUICK_DOUBLES
        elif kind == LONG and turn.speaker == CUSTOMER:
            doubles *= LONG_DOUBLES
        elif turn.speaker == CUSTOMER and not opened:
            doubles *= OPENING_DOUBLES
        opened = opened or turn.speaker == CUSTOMER
        most = room + 1
        if turn.speaker == AGENT:
            most = min(most, AGENT_LINES)
        pieces = _pieces(rng, turn.beats, doubles, most)
        for number, beats in enumerate(pieces):
            lines.append(
                Turn(
                    turn.speaker,
                    turn.step,
                    beats,
                    soon=number > 0,
                )
            )
    return lines


# Acts that go with the one after them: nobody sends them as a line of their own.
CLINGS = frozenset(
    {
        "a.again",
        "a.rephrase",
        "a.why",
        "a.ask.also",
        "a.back",
        "c.hello",
        "c.more",
        "c.wrong",
        "a.left",
        "a.hello",
        "a.identified",
        "a.trust",
        "a.looked",
        "a.likely",
        "a.asked_around",
        "a.found.line",
        "issue.noted",
    }
)


LEADS = (
    "issue.echo.",
    "a.seen.",
    "a.tested.",
    "a.amends.",
    "a.step_back.",
    "a.unsure",
    "a.traced.",
)
"""How the acts begin that lead to the one behind them: an answer that is taken up, a file that was
looked at, a test that changed nothing, what something is given for, a cause that stays open. What
follows from that stands in the same line."""

DECIDES = ("a.offer", "a.grant", "a.alternative", "a.deny", "a.amends.", "a.ask_wish", "issue.mend")
FINDS = ("issue.cause.", "issue.mend", "issue.calm", "issue.assure.", "a.hedge")
"""How the acts begin that say what is done, and those that say what was found. Nobody types both in
one text: it would be as long as a mail."""

ARRANGES = (
    "a.confirm",
    "a.grant",
    "a.left",
    "a.return",
    "a.amount",
    "option.tell.",
    "option.would.",
)
FOLLOWS = ("a.return", "a.amount", "a.calls", "a.needed", "option.tell.", "option.steps")
"""How the acts begin that arrange something, and those that say what follows from it. An agent says
in one text what is set up, when it comes and under which number."""

ADVICE = "issue.advice."
ANYTHING_ELSE = "a.else"
CLINGS_BEFORE = frozenset({"a.number", "issue.calm"})
"""Acts that round off the one before them: a number goes with what was arranged, a word that sets
fears at rest with what was found, and a last question with advice."""

# The complaint and what places it: nobody names the thing in one line and again in the next.
COMPLAINS = "issue.complaint"
PLACES = "c.open"


def _pieces(
    rng: random.Random,
    beats: tuple[str, ...],
    doubles: float,
    most: int,
) -> list[tuple[str, ...]]:
    """The acts of one turn as lines, `most` of them at most.

    What was found is one line, and what is done about it another.
    """
    apart = _apart(beats)
    if apart and most > 1:
        return [beats[:apart], beats[apart:]]
    pieces: list[tuple[str, ...]] = []
    for beat in beats:
        joins = not pieces or len(pieces) >= most or rng.random() >= doubles
        clings = bool(pieces) and _clings(pieces[-1][-1], beat)
        if pieces and (joins or clings):
            pieces[-1] = (*pieces[-1], beat)
        else:
            pieces.append((beat,))
    return pieces


def _apart(beats: tuple[str, ...]) -> int:
    """After how many acts of a finding the line on what is done begins, 0 for no such turn.

    Where there are two such places, both lines are about as long.
    """
    places: dict[int, int] = {}
    for place, (before, beat) in enumerate(pairwise(beats), 1):
        if before.startswith(FINDS) and beat.startswith(DECIDES):
            halves = (usual_words(beats[:place]), usual_words(beats[place:]))
            places[place] = max(halves)
    return min(places, key=places.__getitem__, default=0)


def _clings(before: str, beat: str) -> bool:
    """Whether an act stands in one line with the one before it."""
    if before.startswith(ADVICE):
        return beat == ANYTHING_ELSE
    if before in CLINGS or before.startswith(LEADS):
        return True
    if before.startswith((*ARRANGES, *FOLLOWS)) and beat.startswith((*FOLLOWS, ANYTHING_ELSE)):
        return True
    return beat in CLINGS_BEFORE or _places(before, beat)


def _places(before: str, beat: str) -> bool:
    """Whether an act says of which thing the one before it complains."""
    return before == COMPLAINS and beat.startswith(PLACES)
