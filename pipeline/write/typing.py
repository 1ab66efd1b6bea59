"""How people type: small letters, missing stops, abbreviations, smileys, and errors.

A manner is a list of habits in words, as the facts of a conversation have it. Words of names and
of other facts stay as they are, so that what must be said can still be found. Knows no cases.
"""

import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pipeline.write.hands import (
    AGENT_MAIL_SLIPS,
    APOSTROPHES_LOST,
    ERRING_HABIT,
    LAST_LOST,
    SHORTENS,
    SMALL,
    agent_hand,
    hand_of,
)
from pipeline.write.haste import (
    APOSTROPHES,
    AT_KEYBOARD,
    CAPITALS,
    DAYS,
    FIRSTS,
    LAST_STOP,
    NAMES,
    PRONOUNS,
    Haste,
    hidden,
    shown,
    typed_in_haste,
    with_wrong_keys,
    with_wrong_words,
    without_last_stop,
)
from pipeline.write.style import sentences
from verifiers.wording import SMALL_NUMBERS

WORD = re.compile(r"(?<![\w'@#$*/.-])[a-z]{4,14}(?![\w'@/-])")
LETTERS = re.compile(r"[a-z']+")
FIRST_LETTER = re.compile(r"(^|[.!?]\s+|\n+)([A-Z])(?=[a-z' ])")
PRONOUN = re.compile(r"\bI(?:\b(?=[' a-z]|$)|(?:m|ve)\b)")
# What has a capital within a sentence: a name, a product, a day; no `USB` and no mailbox.
NAMED = re.compile(
    r"(?<![\w./@#'])(?<!\w-)[A-Z][^\W\d_A-Z]+(?:(?: & | |-)[A-Z][^\W\d_A-Z]+)*(?![\w@/]|[.-]\w)"
)
CALENDAR = re.compile(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Jan|Febr)uary|March|April|May|June|July|August"
    r"|(?:Septem|Octo|Novem|Decem)ber|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
BEGINS = re.compile(r"(?:^|[.!?]\s|\n)\s*$")
SMALL_PRONOUN = re.compile(r"\bi(?:'(?:m|ve|d|ll))?\b(?!\.)")

# Who mends an error in a second line does so for some of those that they see.
MENDS = 0.5
# A short line of an agent's has so many words and sentences at most.
SHORT_LINE = 14
FEW_SENTENCES = 2
# Words of spans and sums, by which a day or an amount of the facts may be told: nobody errs in one.
OF_SPANS = frozenset(SMALL_NUMBERS) | {
    "today", "tomorrow", "tonight", "noon", "morning", "afternoon", "evening", "hour", "hours",
    "business", "days", "week", "weeks", "month", "months", "year", "years", "next", "within",
    "dollars", "percent", "free",
}  # fmt: skip
# Nobody overlooks an error in a line of so few words.
LEAST_WORDS = 5
# Who abbreviates does so mostly, not always.
ABBREVIATED = 0.7
# Who shouts does so in some lines: two marks at the end, or a word in capitals. By eye.
SHOUTS = 0.45
IN_CAPITALS = 0.4
MARKS = ("!!", "!!", "!", "!!!")
ASKING_MARKS = ("?", "?", "??", "!")
# Most who send smileys have a keyboard that draws them.
EMOJI = (" 🙂", " 😊", " 👍", " 🙏")
DRAWN = 0.6
# Smileys stand behind a thanks or a greeting, and not behind each of them.
SMILES = 0.4

NEIGHBORS = {
    "a": "s", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj",
    "i": "uo", "j": "hk", "k": "jl", "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o",
    "q": "w", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc",
    "y": "tu", "z": "x",
}  # fmt: skip
"""The keys beside each key, as fingers take them for it."""
KINDS = {"neighbor": 0.2, "dropped": 0.52, "doubled": 0.08, "swapped": 0.2}
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
# The style of agents who mind their form.
FORMAL = "formal"
# Devices on whose keyboards a capital takes a second key.
PHONES = ("iOS", "Android")

CARE = Haste()
KeptWords = tuple[Sequence[str], Iterable[str]]
"""Names that keep their capitals at a sentence's start, and all facts, in whose words nobody
errs."""
HANDS = {
    SMALL_LETTERS: SMALL,
    "no final stops": LAST_LOST,
    "abbreviations": SHORTENS,
    ERRS: ERRING_HABIT,
    NO_APOSTROPHES: APOSTROPHES_LOST,
}
"""The habits that go more or less far, as the facts name them and as hands do."""


@dataclass(frozen=True, slots=True)
class Manner:
    """The habits of one person at the keys, and how far each of them goes (`haste`)."""

    smiles: bool = False
    errs: bool = False
    corrects: bool = False
    shouts: bool = False
    haste: Haste = CARE


def habits_in_mail(named: str, device: str) -> str:
    """Those of the habits that somebody's mails show: what `typed_mail` does, in words.

    >>> habits_in_mail("small letters, no final stops, typing errors", "Windows")
    'typing errors'
    """
    shown = [*IN_MAILS, SMALL_LETTERS] if device in PHONES else IN_MAILS
    habits = [habit.strip() for habit in named.split(",")]
    return ", ".join(habit for habit in habits if habit in shown)


def manner_now(
    named: str,
    tone: str,
    person: str = "",
    on_phone: bool = False,
    in_mail: bool = False,
) -> Manner:
    """The manner of one turn, of habits as a fact names them: `small letters, typing errors`.

    Nobody shouts in a calm case, and at a keyboard a mail has its capitals.
    """
    habits = {habit.strip() for habit in named.split(",")}
    typed = {hand for habit, hand in HANDS.items() if habit in habits}
    if in_mail and not on_phone:
        typed.discard(SMALL)
    return Manner(
        smiles="smileys" in habits,
        errs=ERRS in habits,
        corrects="mends them in a second line" in habits,
        shouts=SHOUTS_WHEN_ANGRY in habits and tone in LOUD_TONES,
        haste=hand_of(person, frozenset(typed), on_phone, in_mail) if person else CARE,
    )


def typed_line(
    text: str,
    manner: Manner,
    kept: KeptWords,
    rng: random.Random,
) -> str:
    """A chat line as this person types it, and below it the line that mends its error, if any.

    Somebody who errs and corrects sends `"The hele is loose"` and `"*heel"` behind it.
    """
    names, facts = kept
    protected = _words([*names, *facts])
    haste = manner.haste
    text = _in_temper(text, manner, protected, rng)
    text = typed_in_haste(text, haste, (facts, protected), rng, haste.mended)
    text, whole = hidden(text, facts)
    text, mended = _with_slip(text, haste, protected, rng)
    if haste.short:
        text = _abbreviated(text, haste.short, rng)
    text = shown(text, whole)
    if manner.smiles and GLAD.search(text) and rng.random() < SMILES:
        text = text.rstrip(".") + (rng.choice(EMOJI) if rng.random() < DRAWN else " :)")
    typed = _small(text, names, haste, rng)
    mends = mended and manner.corrects and rng.random() < MENDS
    return f"{typed}\n{mended}" if mends else typed


def typed_mail(
    text: str,
    manner: Manner,
    kept: KeptWords,
    rng: random.Random,
) -> str:
    """A mail as this person types it: errors stay, and small letters are those of a phone.

    A phone on which capitals come by themselves mends words, too.
    """
    names, facts = kept
    protected = _words([*names, *facts])
    haste = manner.haste
    paragraphs = text.split("\n\n")
    if len(paragraphs) > 1:
        paragraphs[1] = _in_temper(paragraphs[1], manner, protected, rng)
    text = "\n\n".join(paragraphs)
    typed = typed_in_haste(text, haste, (facts, protected), rng, haste.mended)
    wrong, whole = hidden(typed, facts)
    if typed != text:
        # Where nothing else is wrong, a single wrong key would be the one that anybody mends.
        if manner.errs:
            wrong = with_wrong_keys(wrong, protected, rng, haste.mended)
        wrong, _ = _with_slip(wrong, haste, protected, rng)
    return _small(shown(wrong, whole), names, haste, rng)


def typed_by_agent(
    text: str,
    person: str,
    style: str,
    kept: KeptWords,
    rng: random.Random,
    in_mail: bool,
    by_hand: bool = True,
) -> str:
    """What an agent types: quick in chats, and hardly ever wrong in a mail.

    A text that they keep for the purpose isn't typed `by_hand`: it has their stops, and no slips.

    >>> typed_by_agent("Let me check.", "Ann Lee", "formal", ((), ()), random.Random(1), False)
    'Let me check.'
    """
    names, facts = kept
    hand = agent_hand(person, style == FORMAL)
    if in_mail:
        hand = Haste(slips=hand.slips * AGENT_MAIL_SLIPS)
    typed = text
    if by_hand:
        protected = _words([*names, *facts])
        lost = {kind: often for kind, often in hand.lost.items() if kind == APOSTROPHES}
        typed = typed_in_haste(text, Haste(lost), (facts, protected), rng)
        typed, whole = hidden(typed, facts)
        typed, _ = _with_slip(typed, hand, protected, rng)
        typed = shown(typed, whole)
    if len(text.split()) > SHORT_LINE or len(sentences(text)) > FEW_SENTENCES:
        return typed
    if rng.random() < hand.lost.get(LAST_STOP, 0.0):
        typed = without_last_stop(typed)
    is_small = rng.random() < hand.lost.get(FIRSTS, 0.0) and not typed.startswith(tuple(names))
    return FIRST_LETTER.sub(_begun_small, typed, count=1) if is_small else typed


def _in_temper(text: str, manner: Manner, protected: Collection[str], rng: random.Random) -> str:
    """The text louder, by somebody who writes so."""
    if not manner.shouts or rng.random() >= SHOUTS:
        return text
    if text.endswith("?"):
        return text + rng.choice(ASKING_MARKS)
    loud = [found for found in LOUD.finditer(text) if found.group() not in protected]
    if loud and rng.random() < IN_CAPITALS:
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


def _with_slip(
    text: str,
    haste: Haste,
    protected: Collection[str],
    rng: random.Random,
) -> tuple[str, str]:
    """The text with at most one mistyped word, and the correction of it.

    On a phone that corrects, the slip is a word too many, one too few, or another one, which nobody
    mends.
    """
    words = len(text.split())
    if not haste.slips or words < LEAST_WORDS:
        return text, ""
    if haste.mended:
        return with_wrong_words(text, protected, rng, haste.slips), ""
    if rng.random() >= haste.slips * words:
        return text, ""
    open_words = [found for found in WORD.finditer(text) if found.group() not in OF_SPANS]
    open_words = [found for found in open_words if found.group() not in protected]
    if not open_words:
        return text, ""
    found = rng.choice(open_words)
    word = found.group()
    wrong = AT_KEYBOARD.get(word) or _mistyped(word, rng)
    return f"{text[: found.start()]}{wrong}{text[found.end() :]}", f"*{word}"


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


def _abbreviated(text: str, short_forms: Mapping[str, str], rng: random.Random) -> str:
    """The text with some of its words in their short forms.

    >>> _abbreviated("You said you're in.", {"you": "u"}, random.Random(1))
    "U said you're in."
    """
    pieces = re.split(r"(\W+)", text)
    for place, piece in enumerate(pieces):
        short = short_forms.get(piece.lower())
        # No part of a contraction has a short form: "you're".
        joined = "'" in "".join(pieces[place + 1 : place + 2])[:1]
        if short and not joined and rng.random() < ABBREVIATED:
            pieces[place] = short.capitalize() if piece[0].isupper() else short
    return "".join(pieces)


def _small(text: str, named: Sequence[str], haste: Haste, rng: random.Random) -> str:
    """The text without most capitals, by who types small letters; without any change by others.

    What is one of the names has the capitals of names wherever it stands.
    """
    lost = haste.lost
    if FIRSTS not in lost:
        return text if CAPITALS in lost else _with_capital_pronoun(text)
    names = tuple(name for name in named if name)

    def begun(found: re.Match[str]) -> str:
        kept = text.startswith(names, found.start(2)) or rng.random() >= lost[FIRSTS]
        return found.group(0) if kept else found.group(1) + found.group(2).lower()

    def within(found: re.Match[str]) -> str:
        word = found.group()
        if BEGINS.search(typed[: found.start()]) and not word.startswith(names):
            return word
        kind = DAYS if CALENDAR.match(word) else NAMES
        return word.lower() if rng.random() < lost.get(kind, 0.0) else word

    typed = FIRST_LETTER.sub(begun, text)
    typed = NAMED.sub(within, typed)
    often = lost.get(PRONOUNS, 0.0)
    return PRONOUN.sub(
        lambda found: _begun_small(found) if rng.random() < often else found.group(), typed
    )


def _begun_small(found: re.Match[str]) -> str:
    return found.group().lower()


def _with_capital_pronoun(text: str) -> str:
    return SMALL_PRONOUN.sub(lambda found: found.group(0).capitalize(), text)


def with_capitals(text: str, names: Iterable[str]) -> str:
    r"""A text in which these names, typed in whole, have the capitals that they have.

    >>> with_capitals("the brindle tent leaks.\n\nrosa lind", ["Brindle Tent", "Rosa Lind"])
    'the Brindle Tent leaks.\n\nRosa Lind'
    """
    for name in names:
        text = re.sub(re.escape(name), name.replace("\\", r"\\"), text, flags=re.IGNORECASE)
    return text


def _words(names: Iterable[str]) -> frozenset[str]:
    # All in one search: a turn has nearly a hundred facts, and no word reaches over a line's end.
    return frozenset(LETTERS.findall("\n".join(names).lower()))
