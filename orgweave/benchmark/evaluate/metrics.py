"""How good an answer is, and how good many are: exact match, token F1, pass^k, standard error.

Pure; knows no Inspect and no task.

Answers are lists of texts; a refusal ("nothing answers this") is a list that holds only None.
"""

import math
import re
import string
from collections import Counter
from collections.abc import Sequence

from pipeline.world.ids import to_18

AnswerValues = Sequence[str | None]
ID_15, ID_18 = re.compile(r"[A-Za-z0-9]{15}"), re.compile(r"[A-Za-z0-9]{18}")
ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)
LARGEST_K = 10


def is_refusal(answer: AnswerValues) -> bool:
    """Whether it says that nothing answers: `[None]` does, `[]` (no answer was given) doesn't."""
    return len(answer) > 0 and all(one is None for one in answer)


def exact_match(said: AnswerValues, gold: AnswerValues) -> bool:
    """All of the gold answer and nothing else; order, case, repetition and the length of ids (15 or
    18) don't matter.

    `exact_match(["005ZZ0000000001aaa"], ["005zz0000000001AAA"])` holds: 18 characters tell ids
    apart without their case, 15 don't.
    """
    if is_refusal(said) or is_refusal(gold):
        return is_refusal(said) and is_refusal(gold)
    return {_comparable(one) for one in said} == {_comparable(one) for one in gold}


def is_id(text: str) -> bool:
    """Whether a text has the form of a record id: 15 characters with a digit first, or 18 whose
    check characters are right in some spelling.
    """
    if ID_18.fullmatch(text):
        return any(character.isdigit() for character in text[:15]) and _checked(text)
    return (
        bool(ID_15.fullmatch(text))
        and any(character.isdigit() for character in text)
        and not text.isdigit()
    )


def token_f1(said: str, gold: str) -> float:
    """Harmonic mean of precision and recall over words, lower case, without punctuation and
    articles; 1.0 where both have none.
    """
    said_words, gold_words = _words(said), _words(gold)
    common = sum((Counter(said_words) & Counter(gold_words)).values())
    if not said_words and not gold_words:
        return 1.0
    return 2 * common / (len(said_words) + len(gold_words))


def pass_hat_k(trials: Sequence[Sequence[bool]], k: int) -> float:
    """pass^k: the chance that k trials of an instance, drawn without putting back, all succeed; the
    mean over instances.

    Args:
        trials: for each instance whether each of its trials succeeded; every instance has at least
        k.
        k: how many of them.
    """
    return sum(math.comb(sum(one), k) / math.comb(len(one), k) for one in trials) / len(trials)


def mean(values: Sequence[float]) -> float:
    """The mean, NaN of nothing."""
    return sum(values) / len(values) if values else math.nan


def standard_error(values: Sequence[float]) -> float:
    """The standard error of the mean of independent values; NaN for fewer than two."""
    if len(values) < 2:
        return math.nan
    middle = mean(values)
    return math.sqrt(
        sum((value - middle) ** 2 for value in values) / (len(values) - 1) / len(values)
    )


def _comparable(one: str | None) -> str:
    if one is None:
        return ""
    text = one.strip()
    return (to_18(text) if ID_15.fullmatch(text) and is_id(text) else text).casefold()


def _checked(text: str) -> bool:
    """Whether the last three characters can be the check of the first fifteen in some spelling: no
    capital where there is no letter.
    """
    bits = "".join(
        format("ABCDEFGHIJKLMNOPQRSTUVWXYZ012345".find(character), "05b")[::-1]
        for character in text[15:].upper()
        if character not in "6789"
    )
    return len(bits) == 15 and all(
        bit == "0" or character.isalpha() for bit, character in zip(bits, text[:15], strict=True)
    )


def _words(text: str) -> list[str]:
    return ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split()
