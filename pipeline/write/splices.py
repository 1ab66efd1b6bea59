"""Statements that only a comma holds together, made sentences of their own.

Example: `It's set up, you don't have to do anything.` becomes `It's set up. You don't have to do
anything.` Works on texts; knows no cases, no persons and no facts.
"""

import re

SENTENCE = re.compile(r"(?<=[.!?]) +")
COMMA = re.compile(r", (?=\S)")
# With these a statement begins that could stand alone, once a verb follows.
STATES = re.compile(
    r"(?:(?:I|it|you|we|they|that|this|there|he|she|nobody|somebody|everybody|nothing|everything)"
    r"(?: (?:\w+ly|just|also|still|never|now))?"
    r" (?:\w+n't|\w+ed|am|are|is|was|were|has|have|had|can|cannot|could|will|would|do|does|did"
    r"|got|gets?|may|might|must|needs?|want|went|made|takes?|took|found|wrote|write|put|sent|see"
    r"|saw|goes|came|comes|looks?|keeps?|hope|just|only|check|let|stays?|appreciate)"
    r"|(?:I|it|you|we|they|that|there|he|she|nobody)'(?:m|s|ve|re|ll|d))\b"
)
# With these a question begins that could stand alone.
ASKS = re.compile(
    r"(?:is|are|was|were|do|does|did|have|has|can|could|will|would|should)"
    r" (?:it|they|you|we|I|he|she|there|that|this|the|your|anybody|somebody) ",
    re.IGNORECASE,
)
# Remarks in passing, which are no statement of their own however they look.
IN_PASSING = re.compile(
    r"(?:I (?:think|believe|guess|hope|know|suppose|mean|promise|admit|see|hear|take it|must say"
    r"|have to say|regret|feel)|I(?:'m| am) (?:afraid|sure|told|guessing|sorry to say)"
    r"|I(?:'d| would) (?:say|guess|think)|it (?:seems|looks|turns out)|it's true|that is"
    r"|that's true|you (?:know|see)|I'll (?:admit|be honest)|as)\b"
)
# What depends on the statement that follows it: `Once I have it, I can look.`
DEPENDS = re.compile(
    r"(?:(?:and|but|so|or) )?(?:if|when|once|as|since|while|although|though|because|after|before"
    r"|until|unless|given|whether|should|had|where|wherever|whatever|whenever|however|now"
    r"|so (?:that|you|I|we|it)|just so|even|what|the (?:minute|moment|day|sooner|more|less|longer"
    r"|time)|in case|every time|each time|by the time|for|to|with|by|on|in|at|from|not only"
    r"|based on|going by|judging by|according to|counted|counting|either)\b",
    re.IGNORECASE,
)
# What waits for what follows, behind words that lead to it: `I see that as long as it is open, ...`
LEADS_TO = re.compile(
    r"(?:\bthat|\band|\bbut|:) (?:if|when|once|as|since|while|although|because|after|before|until"
    r"|unless|with|without|every time|most likely|in all likelihood|by all appearances)\b[^:]*$"
)
VERB = re.compile(
    r"(?:n't|'(?:s|re|ve|m|ll|d))\b|\b(?:am|are|is|was|were|has|have|had|can|cannot|could|will"
    r"|would|do|does|did|got|get|gets|gave|went|made|took|takes|found|wrote|sent|see|saw|goes|came"
    r"|comes|keep|keeps|kept|lost|left|put|held|runs|ran|needs?|said|says|knows?|shows?|works?"
    r"|covers?|costs?|stays?|[Pp]lease|[Ll]et|\w{3,}ed)\b"
)
INTERROGATIVES = ("What", "Which", "Where", "When", "Who", "How", "Why")
NO_MORE_WORDS = 2
"""A piece of so few words is a remark, and stays with what it follows."""


def unspliced(text: str) -> str:
    """A text in which each statement behind a bare comma begins a sentence.

    >>> unspliced("It went through, you don't have to do anything.")
    "It went through. You don't have to do anything."
    >>> unspliced("Once I have the number, I can look it up, I think.")
    'Once I have the number, I can look it up, I think.'
    """
    lines = []
    for line in text.split("\n"):
        sentences = [_parted(sentence) for sentence in SENTENCE.split(line)]
        lines.append(" ".join(sentences))
    return "\n".join(lines)


def _parted(sentence: str) -> str:
    """One sentence, or those that only commas held together."""
    pieces = COMMA.split(sentence)
    if len(pieces) == 1:
        return sentence
    if sentence.endswith("?"):
        return _asked_apart(pieces)
    made = pieces[0]
    stated = _states(pieces[0])
    for piece in pieces[1:]:
        alone = _stands_alone(piece)
        if stated and alone:
            made += f". {piece[0].upper()}{piece[1:]}"
        else:
            made += f", {piece}"
        stated = not DEPENDS.match(piece) and (stated or alone or _states(piece))
    return made


def _asked_apart(pieces: list[str]) -> str:
    """A question without what comes before it; it stays whole unless a question ends it.

    >>> _asked_apart(["Please look at the box", "is it still closed?"])
    'Please look at the box. Is it still closed?'
    """
    *before, last = pieces
    first = ", ".join(before)
    whole = ASKS.match(first) or _states(first)
    if not whole or not ASKS.match(last):
        return f"{first}, {last}"
    mark = "?" if ASKS.match(first) or first.startswith(INTERROGATIVES) else "."
    return f"{first}{mark} {last[0].upper()}{last[1:]}"


def _states(piece: str) -> bool:
    """Whether a piece holds a statement that nothing has to follow, behind its last colon.

    >>> _states("You asked: if it is cut"), _states("You asked: it is cut")
    (False, True)
    """
    if LEADS_TO.search(piece):
        return False
    *_, told = piece.split(": ")
    return not DEPENDS.match(told) and VERB.search(told) is not None


def _stands_alone(piece: str) -> bool:
    """Whether a piece is a statement with a subject of its own."""
    if IN_PASSING.match(piece) or not STATES.match(piece):
        return False
    return len(piece.split()) > NO_MORE_WORDS or "sorry" in piece
