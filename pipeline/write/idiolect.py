"""How one person words things: whether they contract.

The same person contracts, or doesn't, in all their mails and chats. Works on texts; knows no cases
and no facts.
"""

import random
import re

# How many people write "cannot" for "can't". Chosen by eye.
EXPANDS = 0.4

# What stands in full where somebody doesn't contract. Not where a pronoun follows: nobody asks
# "cannot you".
FULL_FORMS = (
    (re.compile(r"\b([Cc])an't\b(?! (?:you|I|we|it|they|this|that|there)\b)"), r"\1annot"),
    (re.compile(r"\b([Ww])on't\b(?! (?:you|I|we|it|they|this|that|there)\b)"), r"\1ill not"),
    (
        re.compile(
            r"\b([Dd]o|[Dd]oes|[Dd]id|[Ii]s|[Aa]re|[Ww]as|[Ww]ere|[Hh]ave|[Hh]as|[Hh]ad|[Cc]ould|"
            r"[Ww]ould|[Ss]hould)n't\b(?! (?:you|I|we|it|they|this|that|there)\b)"
        ),
        r"\1 not",
    ),
    (re.compile(r"\bI'm\b"), "I am"),
    (re.compile(r"\b(I|[Yy]ou|[Ww]e|[Tt]hey)'ve\b(?! got)"), r"\1 have"),
    (re.compile(r"\b([Yy]ou|[Ww]e|[Tt]hey)'re\b"), r"\1 are"),
    (re.compile(r"\b(I|[Yy]ou|[Ww]e|[Tt]hey)'ll\b"), r"\1 will"),
)


def worded_by(person: str, text: str) -> str:
    """A text in the words of this person: `I am` for `I'm` where they do not contract."""
    habits = random.Random(f"idiolect|{person}")
    if habits.random() >= EXPANDS:
        return text
    for pattern, full in FULL_FORMS:
        text = pattern.sub(full, text)
    return text
