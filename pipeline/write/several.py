"""Several pictures told as several: who sent three photos is thanked for the photos.

The rules speak of one photo. Works on texts.
"""

import re
from collections.abc import Mapping, Sequence

from verifiers.material import Facts
from verifiers.transcript import CUSTOMER

SEVERAL = "several"
"""The fact that says how many files came with a mail, where it was more than one."""

_NOUN = r"(photo|picture|screenshot)"
_VERBS: Mapping[str, str] = {
    "is": "are",
    "isn't": "aren't",
    "was": "were",
    "has": "have",
    "does": "do",
    "doesn't": "don't",
    "shows": "show",
    "helps": "help",
    "says": "say",
    "tells": "tell",
    "leaves": "leave",
    "makes": "make",
    "answers": "answer",
    "proves": "prove",
    "explains": "explain",
    "settles": "settle",
    "comes": "come",
    "looks": "look",
}
_VERB = "|".join(sorted(map(re.escape, _VERBS), key=len, reverse=True))
_DETERMINERS: Mapping[str, str] = {
    "this": "these",
    "that": "those",
    "a": "some",
    "an": "some",
}

JUDGED = re.compile(rf"\b(?:Now that's|That's|that's) an? (\w+) {_NOUN}\b")
THERE = re.compile(rf"\b(here|there)'s (a|the|my) {_NOUN}\b", re.IGNORECASE)
# A verb behind `the cut in your photo` is the cut's.
NAMED = re.compile(
    r"\b((?:in|on|of|from|with|to|by|at|for) )?(the|your|my|this|that|an?) (attached )?"
    rf"{_NOUN}\b(?: ({_VERB})\b)?",
    re.IGNORECASE,
)
BARE = re.compile(rf"(?:^|(?<=[\n.!?] )|(?<=\n))((?:Clear |Good |Great )?){_NOUN}\b", re.IGNORECASE)
ATTACHED = re.compile(r"\bit's attached\b")


def pictures_with(parts: Sequence[Facts], place: int) -> str:
    """How many files a mail of a customer brings, or an agent's speaks of; "" for one or none."""
    for part in reversed(parts[: place + 1]):
        if part.get("speaker") == CUSTOMER and part.get(SEVERAL):
            return str(part[SEVERAL])
        if parts[place].get("speaker") == CUSTOMER:
            return ""
    return ""


def told_as_several(text: str) -> str:
    """A text that speaks of one picture, told of several.

    >>> told_as_several("Thanks for the photo. Your picture shows it.")
    'Thanks for the photos. Your pictures show it.'
    """
    text = JUDGED.sub(r"Those are \1 \2s", text)
    text = THERE.sub(_there, text)
    text = NAMED.sub(_named, text)
    text = BARE.sub(r"\1\2s", text)
    return ATTACHED.sub("they're attached", text)


def _there(found: re.Match[str]) -> str:
    which = "some" if found[2].lower() == "a" else found[2]
    return f"{found[1]} are {which} {found[3]}s"


def _named(found: re.Match[str]) -> str:
    behind, which, attached, noun, verb = (part or "" for part in found.groups())
    which = _like(which, _DETERMINERS.get(which.lower(), which))
    told = verb if behind else _VERBS.get(verb.lower(), "")
    return f"{behind}{which} {attached}{noun}s {told}".rstrip()


def _like(before: str, word: str) -> str:
    """A word with a capital where the one before it had one."""
    return word[0].upper() + word[1:] if before[0].isupper() else word
