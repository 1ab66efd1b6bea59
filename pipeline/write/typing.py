"""How people type: small letters, missing stops, abbreviations, smileys, and errors.

A manner is a list of habits in words, as the facts of a conversation have it. Words of names and
of other facts stay as they are, so that what must be said can still be found. Knows no cases.
"""

import random
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from pipeline.write.haste import (
    AT_KEYBOARD,
    Haste,
    haste_of,
    typed_in_haste,
    with_wrong_keys,
    without_apostrophes,
)
from pipeline.write.style import sentences

WORD = re.compile(r"(?<![\w'@#$*/.-])[a-z]{4,14}(?![\w'@/-])")
LETTERS = re.compile(r"[a-z']+")
FIRST_LETTER = re.compile(r"(^|[.!?]\s+|\n+)([A-Z])(?=[a-z' ])")
PRONOUN = re.compile(r"\bI(?:\b(?=[' a-z]|$)|(?:m|ve)\b)")
SMALL_PRONOUN = re.compile(r"\bi(?:'(?:m|ve|d|ll))?\b(?!\.)")

# In a chat, one word in so many is mistyped by somebody who makes errors: what hurried typists on
# phones leave (Palin et al. 2019: 2.3 % before correction). Who takes care mends what they see.
USUAL_ERRORS = 40
# Nobody overlooks an error in a line of so few words.
LEAST_WORDS = 5
# Who abbreviates does so mostly, not always.
ABBREVIATED = 0.7
# Who shouts does so in some lines: two marks at the end, or a word in capitals. By eye.
SHOUTS = 0.45
CAPITALS = 0.4
MARKS = ("!!", "!!", "!", "!!!")
# Most who send smileys have a keyboard that draws them.
EMOJI = (" 🙂", " 😊", " 👍", " 🙏")
DRAWN = 0.6
# Smileys stand behind a thanks or a greeting, and not behind each of them.
SMILES = 0.4

SHORT_FORMS = {
    "please": "pls",
    "thanks": "thx",
    "because": "bc",
    "tomorrow": "tmrw",
    "though": "tho",
    "probably": "prob",
    "minutes": "min",
}
NEIGHBORS = {
    "a": "s", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj",
    "i": "uo", "j": "hk", "k": "jl", "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o",
    "q": "w", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc",
    "y": "tu", "z": "x",
}  # fmt: skip
"""The keys beside each key, as fingers take them for it."""
KINDS = {"neighbor": 0.36, "dropped": 0.26, "doubled": 0.06, "swapped": 0.32}
"""How a word is mistyped. By eye, after slips in mails: a key beside the right one, one missed, one
pressed twice, and two in the wrong order."""
GLAD = re.compile(r"\b(?:thanks|thank you|thx|great|perfect|hi|hello|lovely|awesome)\b", re.I)


LOUD_TONES = ("angry", "annoyed")
LOUD = re.compile(r"\b(?:never|nothing|nobody|twice|again|still|really|every|weeks|days|not)\b")
CROSS = re.compile(
    r"\b(?:never|nothing|nobody|again|still|fix|fixed|want|answer|useless|ridiculous|not|no|now|"
    r"respond|today)\b|n't\b",
    re.IGNORECASE,
)
SMALL_LETTERS = "small letters"
ERRS = "typing errors"
NO_APOSTROPHES = "no apostrophes"
SHOUTS_WHEN_ANGRY = "capitals and double marks when angry"
IN_MAILS = (ERRS, NO_APOSTROPHES, SHOUTS_WHEN_ANGRY)
"""The habits that stay with somebody who writes a mail, on whatever device."""
# Devices on whose keyboards a capital takes a second key.
PHONES = ("iOS", "Android")

CARE = Haste()
KeptWords = tuple[Sequence[str], Iterable[str]]
"""Names that keep their capitals, and all facts, in whose words nobody errs."""


@dataclass(frozen=True, slots=True)
class Manner:
    """The habits of one person at the keys, and what they lose where they take no care."""

    small_letters: bool = False
    no_final_stops: bool = False
    abbreviates: bool = False
    smiles: bool = False
    errs: bool = False
    corrects: bool = False
    no_apostrophes: bool = False
    shouts: bool = False
    haste: Haste = CARE


def manner_of(named: str) -> Manner:
    """The manner that a fact names: `small letters, typing errors`."""
    habits = {habit.strip() for habit in named.split(",")}
    return Manner(
        small_letters=SMALL_LETTERS in habits,
        no_final_stops="no final stops" in habits,
        abbreviates="abbreviations" in habits,
        smiles="smileys" in habits,
        errs=ERRS in habits,
        corrects="mends them in a second line" in habits,
        no_apostrophes=NO_APOSTROPHES in habits,
        shouts=SHOUTS_WHEN_ANGRY in habits,
    )


def habits_in_mail(named: str, device: str) -> str:
    """Those of the habits that somebody's mails show: what `typed_mail` does, in words.

    >>> habits_in_mail("small letters, no final stops, typing errors", "Windows")
    'typing errors'
    """
    shown = [*IN_MAILS, SMALL_LETTERS] if device in PHONES else IN_MAILS
    habits = [habit.strip() for habit in named.split(",")]
    return ", ".join(habit for habit in habits if habit in shown)


def manner_now(named: str, tone: str, person: str = "") -> Manner:
    """The manner of one turn: nobody shouts in a calm case, and who errs takes no care at all."""
    manner = manner_of(named)
    return replace(
        manner,
        shouts=manner.shouts and tone in LOUD_TONES,
        haste=haste_of(person) if manner.errs and person else CARE,
    )


def typed_line(text: str, manner: Manner, kept: KeptWords, rng: random.Random) -> str:
    """A chat line as this person types it, and below it the line that mends its error, if any.

    Somebody who errs and corrects sends `"The hele is loose"` and `"*heel"` behind it.
    """
    names, facts = kept
    protected = _words([*names, *facts])
    typed, mended = typed_in_haste(text, manner.haste, (facts, protected), rng), ""
    # Who neither mends errors nor makes others would leave a single one in a clean line.
    if manner.corrects or typed != text:
        typed, mended = _with_error(typed, manner, protected, rng)
    text = typed
    if manner.abbreviates:
        text = _abbreviated(text, rng)
    if manner.smiles and GLAD.search(text) and rng.random() < SMILES:
        text = text.rstrip(".") + (rng.choice(EMOJI) if rng.random() < DRAWN else " :)")
    if manner.no_apostrophes:
        text = without_apostrophes(text)
    text = _in_temper(text, manner, protected, rng)
    if manner.no_final_stops and text.endswith(".") and not text.endswith(".."):
        text = text[:-1]
    typed = _small(text, names) if manner.small_letters else _with_capital_pronoun(text)
    return f"{typed}\n{mended}" if mended and manner.corrects else typed


def typed_mail(
    text: str,
    manner: Manner,
    on_phone: bool,
    kept: KeptWords,
    rng: random.Random,
) -> str:
    """A mail as this person types it: errors stay, and small letters only on a phone.

    A phone on which capitals come by themselves mends words, too.
    """
    names, facts = kept
    protected = _words([*names, *facts])
    if manner.errs:
        corrected = on_phone and not manner.small_letters
        typed = typed_in_haste(text, manner.haste, (facts, protected), rng, corrected)
        # Where nothing else is wrong, a single wrong key would be the one that anybody mends.
        text = with_wrong_keys(typed, protected, rng, corrected) if typed != text else text
    if manner.no_apostrophes:
        text = without_apostrophes(text)
    paragraphs = text.split("\n\n")
    if len(paragraphs) > 1:
        paragraphs[1] = _in_temper(paragraphs[1], manner, protected, rng)
    text = "\n\n".join(paragraphs)
    return _small(text, names) if manner.small_letters and on_phone else text


def _in_temper(text: str, manner: Manner, protected: Collection[str], rng: random.Random) -> str:
    """The text louder, by somebody who writes so."""
    if not manner.shouts or rng.random() >= SHOUTS:
        return text
    loud = [found for found in LOUD.finditer(text) if found.group() not in protected]
    if loud and rng.random() < CAPITALS:
        word = rng.choice(loud)
        return text[: word.start()] + word.group().upper() + text[word.end() :]
    cross = [said for said in sentences(text) if said.endswith(".") and _is_cross(said)]
    if not cross:
        return text
    said = rng.choice(cross)
    return text.replace(said, said[:-1] + rng.choice(MARKS), 1)


def _is_cross(said: str) -> bool:
    """Whether a sentence is one that somebody shouts; nobody shouts a sum or a day."""
    return bool(CROSS.search(said)) and not any(sign.isdigit() for sign in said)


def _with_error(
    text: str,
    manner: Manner,
    protected: Collection[str],
    rng: random.Random,
) -> tuple[str, str]:
    """The text with at most one mistyped word, and the correction of it."""
    if not manner.errs or len(text.split()) < LEAST_WORDS:
        return text, ""
    for found in WORD.finditer(text):
        word = found.group()
        if word in protected or rng.random() * USUAL_ERRORS >= 1:
            continue
        wrong = AT_KEYBOARD.get(word) or _mistyped(word, rng)
        return f"{text[: found.start()]}{wrong}{text[found.end() :]}", f"*{word}"
    return text, ""


def _mistyped(word: str, rng: random.Random) -> str:
    """A word with one letter beside the right one, left out, typed twice, or before the next one;
    its first stays.
    """
    place = rng.randrange(1, len(word) - 1)
    before, letter, behind = word[:place], word[place], word[place + 1 :]
    (kind,) = rng.choices(list(KINDS), list(KINDS.values()))
    match kind:
        case "neighbor":
            return before + rng.choice(NEIGHBORS[letter]) + behind
        case "doubled":
            return before + letter + letter + behind
        case "swapped" if behind[0] != letter:
            return before + behind[0] + letter + behind[1:]
        case _:
            return before + behind


def _abbreviated(text: str, rng: random.Random) -> str:
    """The text with some of its words in their short forms."""
    pieces = re.split(r"(\W+)", text)
    for place, piece in enumerate(pieces):
        short = SHORT_FORMS.get(piece.lower())
        if short and rng.random() < ABBREVIATED:
            pieces[place] = short.capitalize() if piece[0].isupper() else short
    return "".join(pieces)


def _small(text: str, named: Sequence[str]) -> str:
    """The text without capitals at sentences' starts; names keep theirs."""
    names = tuple(name for name in named if name)

    def lowered(found: re.Match[str]) -> str:
        if text.startswith(names, found.start(2)):
            return found.group(0)
        return found.group(1) + found.group(2).lower()

    return PRONOUN.sub(_begun_small, FIRST_LETTER.sub(lowered, text))


def _begun_small(found: re.Match[str]) -> str:
    return found.group().lower()


def _with_capital_pronoun(text: str) -> str:
    return SMALL_PRONOUN.sub(lambda found: found.group(0).capitalize(), text)


def _words(names: Iterable[str]) -> frozenset[str]:
    # All in one search: a turn has nearly a hundred facts, and no word reaches over a line's end.
    return frozenset(LETTERS.findall("\n".join(names).lower()))
