"""What an agent leaves out of a mail because of what else stands in it, or of who reads it.

Each act is worded by itself: an acknowledgement may announce a search whose finding stands two
sentences on, a thanks for the photo may come right before `Your photo shows`, and a thanks for
somebody's patience may go to one who has just lost it. Works on texts and the names of acts.
"""

import re
from collections.abc import Mapping, Sequence

ACKNOWLEDGES = "a.ack"
SEEN = "a.seen"

# Acts that say what was found or decided: whoever says one has looked already.
FOUND = (
    "issue.cause",
    "issue.mend",
    "issue.noted",
    "a.unsure",
    "a.traced",
    "a.trust",
    "a.deny",
    "a.grant",
    "a.offer",
    "a.alternative",
)

_LOOKS = (
    r"(?:check|compar|find|finding|follow|go|going|have a look|help|look|narrow|pull|put the page"
    r"|see|start|take a look|trac|work)(?:e|ing)?"
)
_ANNOUNCES = (
    rf"(?:let me|let's|we'll|I'll|I will|I'm|I am|I can|I'd like to|I would like to|I want to)"
    rf" (?:just |now )?{_LOOKS}\b"
)
_OTHERS = r"(?:I want to know|(?:I'd|I would) like to get to the bottom|finding it comes first)\b"
_SEARCH = rf"(?:{_ANNOUNCES}|{_OTHERS})"
# A whole sentence that announces a search, and the end of one.
SENTENCE = re.compile(rf"(?:^|(?<=[.!?] )){_SEARCH}[^.!?]*[.!?]\s*", re.IGNORECASE)
CLAUSE = re.compile(rf"[,;] (?:(?:so|and|but) )?{_SEARCH}[^.!?]*(?=[.!?])", re.IGNORECASE)

SHOWN = re.compile(r"\b(?:photos?|pictures?|screenshots?|videos?|copy|scan)\b", re.IGNORECASE)

PATIENCE = re.compile(
    r"\bpatien(?:t|ce)\b|\b(?:bearing|sticking) with\b|\bhanging (?:on|in)\b|\bholding on\b"
    r"|\b(?:thank you|thanks) for (?:being|waiting|holding)\b|\byou've been (?:great|lovely)\b",
    re.IGNORECASE,
)
SUMS = frozenset({"option.would.credit", "option.would.discount", "a.amount"})
"""Acts that tell what something is worth, and nothing else."""

CROSS = frozenset({"angry", "annoyed"})
PRESSED = ".pressed"
"""How the acts end that answer somebody who has said that they were put off."""


def unannounced(beat: str, text: str, beats: Sequence[str]) -> str:
    """An acknowledgement without the search it announces, where the mail holds what was found.

    >>> unannounced("a.ack", "I'm sorry they hurt. Let me see why.", ["a.ack", "issue.cause.seam"])
    "I'm sorry they hurt."
    """
    if not beat.startswith(ACKNOWLEDGES) or not any(act.startswith(FOUND) for act in beats):
        return text
    return CLAUSE.sub("", SENTENCE.sub("", text)).strip()


def is_announcement(beat: str, text: str, beats: Sequence[str]) -> bool:
    """Whether an acknowledgement announces a search and says nothing else."""
    return bool(text) and not unannounced(beat, text, beats)


def pointed_once(said: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The acts of a mail without the thanks for a picture, where what was found points to it.

    >>> pointed_once([("a.seen.photo", "I see it."), ("issue.cause.seam", "Your photo shows it.")])
    [('issue.cause.seam', 'Your photo shows it.')]
    """
    for place, (beat, _) in enumerate(said):
        after = said[place + 1 :]
        found = any(act.startswith(FOUND) and SHOWN.search(text) for act, text in after)
        if beat.startswith(SEEN) and found:
            return [*said[:place], *after]
    return list(said)


def is_tactless(beat: str, text: str, facts: Mapping[str, str]) -> bool:
    """Whether an agent's words praise the patience of somebody who has none left."""
    if facts.get("speaker") != "Agent":
        return False
    cross = facts.get("tone") in CROSS or beat.endswith(PRESSED)
    return cross and bool(PATIENCE.search(text))


def is_told_sum(beat: str, facts: Mapping[str, str], said: Sequence[tuple[str, str]]) -> bool:
    """Whether an act would tell a sum that the offer before it has named already.

    >>> is_told_sum("option.would.credit", {"back": "$25"}, [("a.offer", "May I add $25?")])
    True
    """
    sum_told = facts.get("back", "")
    if beat not in SUMS or not sum_told:
        return False
    told = re.compile(rf"{re.escape(sum_told.removesuffix('.00'))}(?:\.00)?(?![\d.,]*\d)")
    return any(told.search(text) for _, text in said)
