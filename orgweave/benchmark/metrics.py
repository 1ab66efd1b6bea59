"""How good an answer is, and how good many are: exact match, token F1, pass^k, standard error.

Pure; knows no Inspect and no task.

Answers are lists of texts; a refusal ("nothing answers this") is a list that holds only None.
"""

import math
import re
import string
from collections import Counter
from collections.abc import Sequence
from random import Random

from pipeline.world.ids import to_18

AnswerValues = Sequence[str | None]
ID_15, ID_18 = re.compile(r"[A-Za-z0-9]{15}"), re.compile(r"[A-Za-z0-9]{18}")
ARTICLES = re.compile(r"\b(a|an|the)\b")
QUOTES = "\u2018\u2019\u201c\u201d\u00b4\u2013\u2014"
PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation + QUOTES, " "))
"""Every sign becomes a space, as in the paper's F1: `Store-Credit` is two words."""
NUMBER = re.compile(r"[$€£¥]?\d+(?:,\d{3})*(?:\.\d+)?%?")
UNITS_TEXT = """
business working calendar full day days week weeks month months year years hour hours minute minutes
percent dollar dollars usd euro euros pound pounds yen point points attempt attempts time times per
"""
UNITS = frozenset(UNITS_TEXT.split())
CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen"}
BETWEEN_TEXT = """
and or also as well plus the a an following remedies remedy solutions solution options option are is
be may can still open available possible granted for in of to with these all i you grant offer up
until within after order date limit days day
"""
BETWEEN = frozenset(BETWEEN_TEXT.split())
"""What may stand between and around the items of a list without being one."""
CHECK_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
"""The 32 values of a check character: each tells which of five characters are capitals."""
LARGEST_K = 10
REDRAWN = 400
"""How often clusters are drawn anew for a standard error: it is then known to some 4 %."""


def answer_list(values: Sequence[str]) -> list[str | None]:
    """The values as an answer; `[None]` where there are none."""
    return list(values) or [None]


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


def same_number(said: str, gold: str) -> bool:
    """Whether both are one number, with its unit or without it: `30` and `30 days`, `$25` and `25
    dollars`; two units must be the same.
    """
    said_number, said_unit = _figure(said)
    gold_number, gold_unit = _figure(gold)
    if not said_number or said_number != gold_number:
        return False
    return not said_unit or not gold_unit or said_unit == gold_unit


def same_items(said: str, gold: Sequence[str]) -> bool:
    """Whether a text lists these items and no other, in any order, with what may stand between
    them: numbers and words such as `and`.
    """
    left = f" {' '.join(_words(said))} "
    for item in sorted(gold, key=len, reverse=True):
        wanted = f" {' '.join(_words(item))} "
        if wanted not in left:
            return False
        # What was said twice is no other item.
        while wanted in left:
            left = left.replace(wanted, " ")
    return all(word in BETWEEN or word.isdigit() for word in left.split())


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
    """1.0 or 0.0 by exact match. By token F1 a single gold text gives words in common, or 1.0 for
    the same number; several are a list, which is right as a whole. A refusal is right only where it
    is the gold answer.
    """
    if metric != "token_f1" or is_refusal(said) or is_refusal(gold):
        return float(exact_match(said, gold))
    text = ", ".join(value for value in said if value is not None)
    wanted = [value for value in gold if value is not None]
    if len(wanted) > 1:
        return float(same_items(text, wanted))
    return 1.0 if same_number(text, wanted[0]) else token_f1(text, wanted[0])


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


def clustered_error(values: Sequence[float], clusters: Sequence[str]) -> float:
    """The standard error of the mean of values that hang together in clusters, by drawing whole
    clusters anew; NaN for fewer than two clusters.

    The draws are always the same, so that a figure is.
    """
    own: dict[str, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        own.setdefault(cluster, []).append(value)
    if len(own) < 2:
        return math.nan
    sums = [sum(group) for group in own.values()]
    sizes = [len(group) for group in own.values()]
    rng = Random(len(values))
    places = range(len(sums))
    means = []
    for _ in range(REDRAWN):
        drawn = rng.choices(places, k=len(sums))
        total = sum(sums[place] for place in drawn)
        means.append(total / sum(sizes[place] for place in drawn))
    middle = mean(means)
    return math.sqrt(sum((value - middle) ** 2 for value in means) / (REDRAWN - 1))


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


def _figure(text: str) -> tuple[str, str]:
    """A text's one number and its unit; an empty number where the text holds anything else."""
    found = NUMBER.findall(text)
    if len(found) != 1:
        return "", ""
    number = found[0]
    words = _words(text.replace(number, " ", 1))
    if not UNITS.issuperset(words):
        return "", ""
    unit = " ".join(sorted(word.removesuffix("s") for word in words))
    if number[0] in CURRENCIES:
        unit = CURRENCIES[number[0]]
    if number.endswith("%"):
        unit = "percent"
    plain = number.strip("$€£¥%").replace(",", "")
    return f"{float(plain):.15g}", unit


def _words(text: str) -> list[str]:
    plain = text.lower().translate(PUNCTUATION)
    return ARTICLES.sub(" ", plain).split()
