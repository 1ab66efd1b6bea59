"""How one person runs sentences together: never, now and then, or mostly, by a mark of their own.

Example: `It's the heel. I have a photo.` becomes `It's the heel, I have a photo.` Works on texts;
knows no cases and no facts.
"""

import random
import re
from collections.abc import Mapping
from typing import TypeVar

Choice = TypeVar("Choice")

# How often two sentences that could be joined are, and how many people do it so often. By eye:
# a third of all people keep to full stops, a third hardly know them.
RATES = {0.0: 0.34, 0.3: 0.33, 0.65: 0.33}
# What people join by: mostly a comma, though school forbids it.
MARKS = {", ": 0.45, ", and ": 0.35, " - ": 0.2}

# A sentence that grows beyond this is hard to read even for who wrote it.
LONGEST_WORDS = 24

# Only after a plain sentence, and only before a word that begins a statement, does any mark do.
JOINT = re.compile(
    r"(?<=[a-z0-9])\. (?=(I|I'm|I've|I'd|I'll|It|It's|They|They're|The|My|We|We're|We've|There|"
    r"There's|You|Nothing|Nobody) [a-z])"
)
FIRST_PERSON = ("I", "I'm", "I've", "I'd", "I'll")


def joined_by(person: str, text: str, rng: random.Random) -> str:
    """A text with as many of its sentences run together as this person does."""
    habit = random.Random(f"joining|{person}")
    rate = _drawn(habit, RATES)
    mark = _drawn(habit, MARKS)
    if not rate:
        return text
    lines = []
    for line in text.split("\n"):
        lines.append(_joined(line, rate, mark, rng))
    return "\n".join(lines)


def _drawn(rng: random.Random, weights: Mapping[Choice, float]) -> Choice:
    """A key by its weight."""
    keys = list(weights)
    (key,) = rng.choices(keys, list(weights.values()))
    return key


def _joined(line: str, rate: float, mark: str, rng: random.Random) -> str:
    """A line in which some of the joints are joined; what is joined is no joint any more."""
    made = ""
    rest = line
    while found := JOINT.search(rest):
        before = rest[: found.start()]
        after = rest[found.end() :]
        words = _words_around(before, after)
        if rng.random() >= rate or words > LONGEST_WORDS:
            made += f"{before}. "
            rest = after
            continue
        if found.group(1) not in FIRST_PERSON:
            after = after[0].lower() + after[1:]
        made += before + mark
        rest = after
    return made + rest


def _words_around(before: str, after: str) -> int:
    """The words of the sentence that ends one text, and of the one that begins the next."""
    last = re.split(r"[.!?] ", before)[-1]
    first = re.split(r"[.!?]", after)[0]
    words = last.split() + first.split()
    return len(words)
