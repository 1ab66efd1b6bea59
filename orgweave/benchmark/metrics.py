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
CHECK_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
"""The 32 values of a check character: each tells which of five characters are capitals."""
LARGEST_K = 10


def is_refusal(answer: AnswerValues) -> bool:
    """Whether it says that nothing answers: `[None]` does, `[]` (no answer was given) doesn't."""
    return len(answer) > 0 and all(value is None for value in answer)


def exact_match(said: AnswerValues, gold: AnswerValues) -> bool:
    """All of the gold answer and nothing else; order, case, repetition and the length of ids (15 or
    18) don't matter.

    `exact_match(["005ZZ0000000001aaa"], ["005zz0000000001AAA"])` holds: 18 characters tell ids
    apart without their case, 15 don't.
    """
    if is_refusal(said) or is_refusal(gold):
        return is_refusal(said) and is_refusal(gold)
    said_values = {_comparable(value) for value in said}
    gold_values = {_comparable(value) for value in gold}
    return said_values == gold_values


def is_id(text: str) -> bool:
    """Whether a text has the form of a record id: 15 characters with a digit first, or 18 whose
    check characters are right in some spelling.
    """
    if ID_18.fullmatch(text):
        has_digit = any(character.isdigit() for character in text[:15])
        return has_digit and _checked(text)
    if not ID_15.fullmatch(text):
        return False
    has_digit = any(character.isdigit() for character in text)
    return has_digit and not text.isdigit()


def token_f1(said: str, gold: str) -> float:
    """Harmonic mean of precision and recall over words in small letters, without punctuation and
    articles; 1.0 where both have none.
    """
    said_words = _words(said)
    gold_words = _words(gold)
    if not said_words and not gold_words:
        return 1.0
    common = Counter(said_words) & Counter(gold_words)
    return 2 * common.total() / (len(said_words) + len(gold_words))


def graded(
    said: AnswerValues,
    gold: AnswerValues,
    metric: str,
) -> float:
    """1.0 or 0.0 by exact match; by token F1 the best over the gold texts, a refusal being right
    only where it is the gold answer.
    """
    if metric == "exact_match" or is_refusal(said) or is_refusal(gold):
        return float(exact_match(said, gold))
    text = ", ".join(value for value in said if value is not None)
    return max(token_f1(text, value) for value in gold if value is not None)


def pass_hat_k(trials: Sequence[Sequence[bool]], k: int) -> float:
    """pass^k: the chance that k trials of an instance, drawn without putting back, all succeed; the
    mean over instances.

    Args:
        trials: for each instance whether each of its trials succeeded; every instance has at least
            k.
        k: how many of them.
    """
    chances = []
    for tried in trials:
        successes = math.comb(sum(tried), k)
        chances.append(successes / math.comb(len(tried), k))
    return sum(chances) / len(chances)


def mean(values: Sequence[float]) -> float:
    """The mean, NaN of nothing."""
    return sum(values) / len(values) if values else math.nan


def standard_error(values: Sequence[float]) -> float:
    """The standard error of the mean of independent values; NaN for fewer than two."""
    number = len(values)
    if number < 2:
        return math.nan
    middle = mean(values)
    squares = sum((value - middle) ** 2 for value in values)
    return math.sqrt(squares / (number - 1) / number)


def _comparable(value: str | None) -> str:
    if value is None:
        return ""
    text = value.strip()
    if ID_15.fullmatch(text) and is_id(text):
        text = to_18(text)
    return text.casefold()


def _checked(text: str) -> bool:
    """Whether the last three characters can be the check of the first fifteen in some spelling: no
    capital where there is no letter.
    """
    bits = ""
    for character in text[15:].upper():
        value = CHECK_CHARACTERS.find(character)
        if value < 0:
            return False
        bits += format(value, "05b")[::-1]
    capitals = [character for character, bit in zip(text[:15], bits, strict=True) if bit == "1"]
    return all(character.isalpha() for character in capitals)


def _words(text: str) -> list[str]:
    plain = text.lower().translate(PUNCTUATION)
    return ARTICLES.sub(" ", plain).split()
