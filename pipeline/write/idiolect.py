"""How one person words things: whether they contract, and which of some like words they use.

The same person does so in all their mails and chats. Works on texts; knows no cases
and no facts.
"""

import random
import re
from functools import lru_cache

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


# Words of which each person uses one, whatever stands in a rule. Each fits wherever another does,
# and none is a mark by which an incident shows.
LIKE_WORDS = (
    ("right now", "at the moment", "at this point"),
    ("maybe", "perhaps"),
    ("anybody", "anyone"),
    ("everybody", "everyone"),
    ("for example", "for instance"),
)
# The same for words of which only the first may be replaced: the others mean other things, too.
FIRST_REPLACED = (
    ("a few days", "a couple of days", "several days"),
    ("a problem", "an issue"),
    ("the problem", "the issue"),
)


def worded_by(person: str, text: str) -> str:
    """A text in the words of this person: `I am` for `I'm` where they do not contract."""
    expands, favorites = _habits_of(person)
    if expands:
        for pattern, full in FULL_FORMS:
            text = pattern.sub(full, text)

    def favored(found: re.Match[str]) -> str:
        word = found.group()
        favorite = favorites[word.lower()]
        return favorite.capitalize() if word[0].isupper() else favorite

    return _replaced_words().sub(favored, text)


@lru_cache(maxsize=4096)
def _habits_of(person: str) -> tuple[bool, dict[str, str]]:
    """Whether a person writes contractions in full, and what they say for each word."""
    habits = random.Random(f"idiolect|{person}")
    expands = habits.random() < EXPANDS
    favorites: dict[str, str] = {}
    for words in LIKE_WORDS:
        favorites |= dict.fromkeys(words, habits.choice(words))
    for words in FIRST_REPLACED:
        favorites[words[0]] = habits.choice(words)
    return expands, favorites


@lru_cache(maxsize=1)
def _replaced_words() -> re.Pattern[str]:
    """Finds every word that a person may have another one for."""
    _, favorites = _habits_of("")
    words = "|".join(map(re.escape, favorites))
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
