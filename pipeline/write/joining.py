"""How one person runs sentences together: never, now and then, or mostly, by a mark of their own.

Example: `It's the heel. I have a photo.` becomes `It's the heel, I have a photo.` And how an agent
joins two acts whose relation is known: what broke, so what is done; what is refused, but what is
given. Works on texts and the names of acts; knows no cases and no facts.
"""

import random
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeVar

Choice = TypeVar("Choice")

# How often two sentences that could be joined are, and how many people do it so often. By eye:
# most people keep to full stops, a few hardly know them.
RATES = {0.0: 0.6, 0.25: 0.28, 0.6: 0.12}
# What people join by: a comma alone comes almost as often as the word, though school forbids it.
MARKS = {", ": 0.35, ", and ": 0.4, " - ": 0.25}

# A sentence that grows beyond this is hard to read even for who wrote it.
LONGEST_WORDS = 20

# Only after a plain sentence, and only before a word that begins a statement, does any mark do.
JOINT = re.compile(
    r"(?<=[a-z0-9])\. (?=(I|I'm|I've|I'd|I'll|It|It's|They|They're|The|My|We|We're|We've|There|"
    r"There's|You|Nothing|Nobody) [a-z])"
)
# Nothing is joined to a greeting: nobody writes "Hello, and we're moving".
GREETING = re.compile(r"(?:hi|hello|hey)(?: there)?", re.IGNORECASE)
FIRST_PERSON = ("I", "I'm", "I've", "I'd", "I'll")


# They lead to the next act in the same sentence: "And where does it open?", "I checked, and the
# line was down."
LEADS = frozenset({"a.ask.also", "a.looked", "a.likely", "a.asked_around"})
# What says by itself from where it is known needs no lead that says so.
SAYS_WHENCE = re.compile(
    r"I (?:\w+ly |just )?(?:checked|looked|compared|traced|found|see [io]n|went|did|tested|tried)\b"
    r"|I (?:can see|saw|have (?:the|your))\b"
    r"|(?:Our|The|By our|As our|With your|By the|According to|It turns out)"
    r" (?:records?|log|file|monitoring|account|reference)\b|According to|It turns out"
)
# What says by itself that nobody is sure needs no lead that says so once more.
GUESSES = "a.likely"
NOT_THEIR_DEED = frozenset({GUESSES, "a.asked_around"})
"""Acts that lead to what somebody found or guesses, and never to what the agent did."""
SAYS_LIKELY = re.compile(
    r"\b(?:probably|likely|(?:looks?|sounds?|seems?) (?:like|as if|to be)|seems?|might|may be|maybe"
    r"|I (?:think|guess|suspect|believe|suppose)|(?:my|best) guess|must have|as far as)\b",
    re.IGNORECASE,
)
# Words that keep their capital within a sentence, and what else a sentence may go on with.
STAYS_LARGE = frozenset({"I", "I'm", "I've", "I'd", "I'll"})
BEGINS_SENTENCE = re.compile(
    r"(?:The|A|An|It|It's|Is|Are|Was|We|We've|We're|They|They're|You|You're|You've|Your|Yours|Our"
    r"|There|There's|This|These|That|That's|What|When|Where|Which|Who|How|Has|Have|Had|Does|Do|Did"
    r"|Can|Could|Will|Would|Some|Somebody|Someone|Something|Nothing|Nobody|No|Not|One|Two|In|On|At"
    r"|By|From|For|With|After|Before|Since|As|Until|If|Any|Anything|Both|Each|All|Every|My|Once)"
)

# How two acts of an agent that follow each other are joined, by the beginnings of their names.
SO = ", so "
BUT = ", but "
AND = ", and "
RELATIONS = {
    ("issue.cause", "issue.mend"): SO,
    ("issue.cause", "a.deny.fault"): SO,
    ("issue.cause", "a.grant"): SO,
    ("a.hedge", "issue.mend"): SO,
    ("a.signed_in", "issue.noted"): AND,
    ("a.known", "issue.noted"): AND,
    ("a.identified", "issue.noted"): AND,
    ("a.trust", "issue.mend"): SO,
    ("a.trust", "a.grant"): SO,
    ("a.traced", "issue.mend"): SO,
    ("a.unsure", "issue.mend"): BUT,
    ("a.unsure", "a.grant"): BUT,
    ("a.unsure", "a.offer"): BUT,
    ("a.deny", "a.alternative"): BUT,
    ("a.deny", "a.grant.instead"): BUT,
    ("a.no_exception", "a.alternative"): BUT,
    ("a.asked", "a.alternative"): BUT,
    ("a.because", "a.alternative"): BUT,
    ("a.confirm", "option.tell"): AND,
    ("a.grant", "option.tell"): AND,
    ("issue.mend", "a.offer"): AND,
    ("option.tell", "option.tell"): AND,
}

# Most of such pairs are joined, as far as the sentence stays readable. Chosen by eye.
RELATES = 0.8
# A sentence that has been joined already, or asks for something, is joined no further.
JOINED = re.compile(r"^(?:So|But|And|Please) |, (?:so|but|and|though|which) |[?:;(]")
# What follows from a finding is what somebody does or gets; what merely is so now follows from that
# deed: "It was our mistake, so I've reset it. The link works again."
DEEDS = re.compile(r"(?:I|I'm|I've|I'd|I'll|We|We're|We've|We'll|You|You'll|You're)")
# A doubt has a "but" behind it: "I can't say why, but we can offer a visit." What says that
# something isn't right, or that somebody looks into it, is no doubt but a reason for what follows.
UNSURE = "a.unsure"
REASONS = re.compile(
    r"\b(?:shouldn't|should not|(?:isn't|is not|not) (?:right|what|on you|how)"
    r"|believe you|your word|you wrote|look into|a fault|a defect|enough for me|on us"
    r"|(?:look for|figure out|find out|hear about) (?:the cause|why))\b",
    re.IGNORECASE,
)
STARTS = re.compile(
    r"(?:I|I'm|I've|I'd|I'll|It|It's|They|They're|The|My|We|We're|We've|There|There's|You|You'll|"
    r"You're|You've|Your|Nothing|Nobody|Our|That|That's|This|Somebody|Please|On|By|From|In|A|An|"
    r"Today|What)"
)


def led(lead: str, text: str, act: str = "") -> str:
    """A text behind the words that lead to it: `And what did the page show?`

    A text that begins with a name or a figure stays as it is, and without the lead; so does one
    that says by itself from where it is known, or how surely. `act` is the one that leads to it.

    >>> led("I checked, and", "The line was down.")
    'I checked, and the line was down.'
    """
    first = text.split(" ", 1)[0]
    if SAYS_WHENCE.match(text):
        return text
    # "The notes show that I see your password" is no sentence, nor is "From here, I found it".
    if first in FIRST_PERSON and (act in NOT_THEIR_DEED or not lead.endswith(" and")):
        return text
    if act == GUESSES and SAYS_LIKELY.search(text.split(". ", 1)[0]):
        return text
    if first in STAYS_LARGE:
        return f"{lead.rstrip('.')} {text}"
    if not BEGINS_SENTENCE.fullmatch(first):
        return text
    return f"{lead.rstrip('.')} {text[:1].lower()}{text[1:]}"


def related(before: str, first: str, after: str, second: str, rng: random.Random) -> str | None:
    """The texts of two acts in one, where their relation is known; None where they stay apart.

    >>> related("a.unsure", "No idea why.", "a.offer", "We can offer a visit.", random.Random(1))
    'No idea why, but we can offer a visit.'
    """
    mark = relation_of(before, after)
    if not mark or not first.endswith("."):
        return None
    last = re.split(r"(?<=[.!?]) ", first)[-1]
    begun, _, _ = second.partition(" ")
    if JOINED.search(last) or not STARTS.fullmatch(begun):
        return None
    if mark == SO and not DEEDS.fullmatch(begun):
        return None
    if before.startswith(UNSURE) and REASONS.search(last):
        return None
    head = re.split(r"(?<=[.!?]) ", second)[0]
    long = len(last.split()) + len(head.split()) > LONGEST_WORDS
    if long or JOINED.search(head) or rng.random() >= RELATES:
        return None
    if begun not in FIRST_PERSON:
        second = second[0].lower() + second[1:]
    return first[:-1] + mark + second


def relation_of(before: str, after: str) -> str:
    """The mark by which two acts are joined; "" for two that have no such relation."""
    for (first, second), mark in RELATIONS.items():
        if before.startswith(first) and after.startswith(second):
            return mark
    return ""


def joined_by(person: str, text: str, rng: random.Random) -> str:
    """A text with as many of its sentences run together as this person does."""
    rate, mark = _habit_of(person)
    if not rate:
        return text
    lines = []
    for line in text.split("\n"):
        lines.append(_joined(line, rate, mark, rng))
    return "\n".join(lines)


@lru_cache(maxsize=4096)
def _habit_of(person: str) -> tuple[float, str]:
    """How often a person joins sentences, and by what."""
    habit = random.Random(f"joining|{person}")
    return _drawn(habit, RATES), _drawn(habit, MARKS)


def _drawn(rng: random.Random, weights: Mapping[Choice, float]) -> Choice:
    """A key by its weight."""
    keys = list(weights)
    (key,) = rng.choices(keys, list(weights.values()))
    return key


def _joined(line: str, rate: float, mark: str, rng: random.Random) -> str:
    """A line in which some of the joints are joined: never three sentences in a chain."""
    made = ""
    rest = line
    is_joined = False
    while found := JOINT.search(rest):
        before = rest[: found.start()]
        after = rest[found.end() :]
        words = _words_around(before, after)
        greets = GREETING.fullmatch(before) is not None
        if is_joined or greets or rng.random() >= rate or words > LONGEST_WORDS:
            made += f"{before}. "
            rest = after
            is_joined = False
            continue
        if found.group(1) not in FIRST_PERSON:
            after = after[0].lower() + after[1:]
        made += before + mark
        rest = after
        is_joined = True
    return made + rest


def _words_around(before: str, after: str) -> int:
    """The words of the sentence that ends one text, and of the one that begins the next."""
    last = re.split(r"[.!?] ", before)[-1]
    first = re.split(r"[.!?]", after)[0]
    words = last.split() + first.split()
    return len(words)
