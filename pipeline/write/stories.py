"""A complaint told as one story, where the lexicon has a story for what the customer tells.

A complaint, what is seen of it and what it means are three acts. Said one by one they read as three
remarks; people who write more than a line tell them in one go: `I wore them to work on Monday, and
by noon both little toes were raw, so I drove home in my socks.` Knows acts and the names of rules,
no words.
"""

from collections.abc import Callable, Sequence

COMPLAINS = "issue.complaint"
STORY = "issue.story"
"""A story that tells no sign; `issue.story.spot.toe` is one that tells that the spot is the toe."""

SIGN = "issue.sign"
MATTERS = "issue.impact"
STAKE = "issue.stake"
SUM = "sum"
"""`issue.story.sum` tells what is at stake as well, as `issue.complaint.sum` does in a line."""

LETTER = "c.letter"
SHORT = "terse"
"""Customers of this verbosity tell no stories."""


def as_story(beats: Sequence[str], verbosity: str, has: Callable[[str], bool]) -> list[str]:
    """The acts of a message with its complaint and first sign told in one, where a rule tells them.

    `has` says whether there is a rule for an act. A story says by itself why it matters, except in
    a letter, which has room for both.

    >>> as_story(["c.greet", "issue.complaint", "issue.sign.spot.toe"], "wordy", lambda act: True)
    ['c.greet', 'issue.story.spot.toe']
    >>> as_story(["issue.complaint", "issue.stake"], "terse", lambda act: True)
    ['issue.complaint.sum', 'issue.stake']
    """
    if COMPLAINS not in beats:
        return list(beats)
    if verbosity == SHORT:
        short = _with_sum(COMPLAINS, beats, has)
        return [short if beat == COMPLAINS else beat for beat in beats]
    signs = [beat for beat in beats if beat.startswith(f"{SIGN}.")]
    told = signs[0].replace(SIGN, STORY, 1) if signs else STORY
    if not has(told):
        return list(beats)
    left_out = {*signs[:1], *(() if LETTER in beats else (MATTERS,))}
    kept = [beat for beat in beats if beat not in left_out]
    whole = _with_sum(told, beats, has)
    return [whole if beat == COMPLAINS else beat for beat in kept]


def _with_sum(told: str, beats: Sequence[str], has: Callable[[str], bool]) -> str:
    """The rule of what happened that names what is at stake, too, where the message tells it."""
    named = f"{told}.{SUM}"
    return named if STAKE in beats and has(named) else told
