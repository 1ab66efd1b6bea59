"""What nobody says twice in one message: an apology, thanks, that they have looked it up.

Each act is worded by itself, and three of them may be polite by themselves: `Sorry for the wait.
... I'm sorry to say ... Sorry again.` reads as a machine. Works on texts; knows no acts.
"""

import re
from collections.abc import Sequence

# What is said once, by the words that say it.
ONCE = (
    re.compile(r"\b(?:sorry|apolog\w+|forgive|regret\w*|excuse)\b", re.IGNORECASE),
    re.compile(r"\b(?:thanks?|thank you|appreciate\w*|grateful)\b", re.IGNORECASE),
    re.compile(r"\bI(?:'ve| have)?(?: just| also)? (?:checked|looked|gone (?:through|over))\b"),
)
GIVES_THANKS = re.compile(r"\b(?:thanks?|thx|appreciate)\b", re.IGNORECASE)
# An apology that hangs on a sentence which says enough without it.
HANGS_ON = re.compile(r", (?:and )?(?:I'm |I am |so )?(?:sorry|I'm afraid|unfortunately)(?=[.!]|$)")


def repeats(text: str, said: Sequence[str]) -> bool:
    """Whether a text says again what the message has said already.

    >>> repeats("I'm sorry to say that it's too late.", ["Sorry for the wait."])
    True
    """
    before = " ".join(said)
    return any(words.search(text) and words.search(before) for words in ONCE)


def without_hanging(text: str) -> str:
    """A text without the apologies that hang on its sentences.

    >>> without_hanging("It's too late for a refund, I'm sorry. I did ask.")
    "It's too late for a refund. I did ask."
    """
    return HANGS_ON.sub("", text)


def signed_after(said: str, closing: str) -> str:
    """A closing behind what was said last: the bare name where thanks stand there already.

    >>> signed_after("Great, thank you.", "Thanks again,\\nRosa")
    'Rosa'
    """
    thanks = GIVES_THANKS.match(closing.removeprefix("Many "))
    if thanks and GIVES_THANKS.search(said):
        return closing.rpartition("\n")[2]
    return closing
