"""How somebody types who takes little care: the same few slips all over, in whatever they write.

One loses commas and question marks, another one apostrophes and full stops, each more or less
often, and each has words that they always spell their own way. On a phone that corrects as one
types, wrong words stay instead of wrong letters. Works on texts; knows no cases. How far each
person goes is `pipeline.write.hands`'.
"""

import random
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from verifiers.wording import SMALL_NUMBERS

COMMAS, QUESTIONS, STOPS = "commas", "question marks", "stops"
APOSTROPHES, CAPITALS = "apostrophes", "capitals"
LAST_STOP = "stop at a line's end"
FIRSTS, PRONOUNS = "capitals of first letters", "capital of the pronoun"
NAMES, DAYS = "capitals of names", "capitals of days and months"
# How many of the careless lose each kind of sign. Who loses only one of them looks careful, so
# everybody loses a few. By eye, after mails to service desks.
LOST = {COMMAS: 0.7, QUESTIONS: 0.45, STOPS: 0.5, APOSTROPHES: 0.6, CAPITALS: 0.3}
FEWEST_LOST = 2
# How reliably they do so, at least and at most.
OFTEN = (0.65, 0.95)
# How somebody goes on where a full stop is lost.
GOES_ON = (", ", ", ", " ")
# Nobody runs on for ever: beyond so many words a stop stays.
LONGEST_WORDS = 26

# A wrong key comes about once in so many words, and not in a line of a few words, which anybody
# sees at a glance; the next one is likelier close behind it.
WORDS_A_SLIP = 55
LEAST_WORDS = 9
MOST_SLIPS = 3
NEXT_SLIP = 0.25
NEAR_WORDS = 8

# Each of these somebody always gets wrong, or never.
SPELT = {
    "a lot": "alot",
    "as well": "aswell",
    "at least": "atleast",
    "in case": "incase",
    "in fact": "infact",
    "every time": "everytime",
    "received": "recieved",
    "receive": "recieve",
    "definitely": "definately",
    "separate": "seperate",
    "until": "untill",
    "believe": "beleive",
    "address": "adress",
    "occurred": "occured",
    "immediately": "immediatly",
    "weird": "wierd",
    "tomorrow": "tommorow",
    "probably": "probly",
    "disappointed": "dissapointed",
    "replacement": "replacment",
    "piece": "peice",
    "really": "realy",
}
# What no phone corrects, as it is a word.
CONFUSED = {
    "you're": "your",
    "it's": "its",
    "we're": "were",
    "should have": "should of",
    "could have": "could of",
    "would have": "would of",
    "than": "then",
    "lose": "loose",
    "too": "to",
}
ALWAYS_WRONG = 0.4
# Slips of quick hands at a keyboard, which know the letters and not their order.
AT_KEYBOARD = {
    "the": "teh",
    "and": "adn",
    "just": "jsut",
    "that": "taht",
    "with": "wiht",
    "what": "waht",
    "this": "thsi",
    "because": "becuase",
    "from": "form",
    "know": "konw",
    "still": "stil",
    "when": "wehn",
    "they": "tehy",
    "would": "woudl",
    "could": "coudl",
    "should": "shoudl",
    "about": "abotu",
    "again": "agian",
    "like": "liek",
    "want": "wnat",
    "only": "olny",
    "their": "thier",
    "have": "ahve",
    "been": "bene",
}
# What a phone makes of a thumb beside the key.
CORRECTED = {
    "of": "if",
    "from": "form",
    "this": "thus",
    "they": "the",
    "can": "cam",
    "for": "fir",
    "just": "must",
    "was": "wad",
}

APOSTROPHE = re.compile(
    r"\b(don|can|won|didn|isn|doesn|couldn|wouldn|shouldn|haven|hasn|wasn|weren|aren)'(t)\b"
    r"|\b(I)'(m|ve)\b|\b(you|they)'(re)\b|\b(that|it|what|there)'(s)\b",
    re.IGNORECASE,
)
# Who leaves out the apostrophe of "don't" keeps that of "it's" more often, as "its" looks odd.
OF_IS = 0.65
WORD = re.compile(r"(?<![\w'@#$*/.-])[A-Za-z][a-z]*(?![\w'@/-])")
# A comma that the ear does not miss, though school asks for it.
COMMA = re.compile(
    r"(?<=[a-z0-9\x00])(?<!\bhi)(?<!\bhello), (?=(?:but|and|so|because|since|which|or|though|then"
    r"|if|when|please|thanks|thank|thx|not|just|I|it|they|we|you|there|my|the|that|can|could|is|do"
    r"|does|how|what|where|go|sorry|even|either|too|at|in|to|no|nobody|nothing|still|now|all|as"
    r"|after|before|while|until|with|for|on|also|same|this|these|those|your|one|was|did|will|would"
    r"|should|got|had|have|never|only|again|right|maybe|ok|okay|both|everything|send|let|why|who"
    r"|are)\b)"
)
QUESTION = re.compile(r"\?(?=\s|$)")
STOP = re.compile(
    r"(?<=[a-z0-9\x00])\. (?=(I|It|Its|Im|Ive|They|The|My|We|There|But|And|So|That|Thats|This|You|"
    r"Nothing|Nobody|Please|Can|Could|What|How|Now|When|Also|Is|Do|Does|Just|Still|Not|No|All|Same|"
    r"Both|One|After|Then|Maybe|Would|Should|Who|Why|Where|If|Thanks|Tried|Got|Been)"
    r"(?:'\w+)? [a-z0-9\x00])"
)
START = re.compile(
    r"(?<=[.!?] )(?:It|They|The|My|We|There|But|And|So|That|This|You|Please|Can|Could|What|How|Now"
    r"|When|Also|Is|Do|Does|Any)\b"
)
PRONOUN = re.compile(r"\bI(?:m|ve)?\b")
ENDS = (".", "!", "?")
HIDDEN = re.compile("\x00(\\d+)\x00")
# A last stop that belongs to its word, or to a pause.
OWN_STOP = re.compile(r"(?:\.\.|\b[ap]\.m\.|\b(?:etc|inc|co)\.)$", re.IGNORECASE)

# From two to twelve: what is less stands in too many other words.
LEAST_NUMERAL, MOST_NUMERAL = 2, 12
NUMERALS = {
    word: str(number)
    for number, word in enumerate(SMALL_NUMBERS)
    if LEAST_NUMERAL <= number <= MOST_NUMERAL
}
NUMERAL = re.compile(
    rf"\b({'|'.join(NUMERALS)})(?= (?:(?:more|whole|full|business) )?(?:days?|weeks?|months?|times"
    r"|hours?|minutes?|years?|calls|mails|emails|messages)\b)"
)
"""What is counted in figures by who types in a hurry: `2 weeks`; else words stay words."""
# Small words that a thumb leaves out or types twice, and no reader stumbles over.
SMALL_WORD = re.compile(r"(?<=[a-z] )(a|the|to|is|it|my|of|was|for|and) (?=[a-z]{3})")
# Where a phone corrects, a slip is a word left out, a word twice, or another word. By eye.
LEFT_OUT, TWICE = 0.35, 0.3


FactWords = tuple[Iterable[str], Collection[str]]
"""All facts, and the words of them, which nobody spells wrong."""
Typed = Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Haste:
    """What somebody loses as they type, and what they always spell wrong.

    `lost` has how often they lose each kind of sign, from 0 to 1; `short` holds words that they
    mostly shorten, `figures` says whether they count in figures, `insists` how often they double a
    question mark, `slips` how likely a word is mistyped, and `mended` whether a phone corrects.
    """

    lost: Mapping[str, float] = field(default_factory=dict)
    goes_on: str = GOES_ON[0]
    spelt: Mapping[str, str] = field(default_factory=dict)
    confused: Mapping[str, str] = field(default_factory=dict)
    short: Mapping[str, str] = field(default_factory=dict)
    figures: bool = False
    insists: float = 0.0
    slips: float = 0.0
    mended: bool = False


@lru_cache(maxsize=4096)
def haste_of(person: str) -> Haste:
    """The slips of a careless person, the same for the same name."""
    habits = random.Random(f"haste|{person}")
    lost = {kind for kind, share in LOST.items() if habits.random() < share}
    while len(lost) < FEWEST_LOST:
        lost.add(habits.choice(list(LOST)))
    return Haste(
        dict.fromkeys(sorted(lost), habits.uniform(*OFTEN)),
        habits.choice(GOES_ON),
        {right: wrong for right, wrong in SPELT.items() if habits.random() < ALWAYS_WRONG},
        {right: wrong for right, wrong in CONFUSED.items() if habits.random() < ALWAYS_WRONG},
    )


def typed_in_haste(
    text: str,
    haste: Haste,
    kept: FactWords,
    rng: random.Random,
    corrected: bool = False,
) -> str:
    """A text as this person types it, without its signs; `corrected` by a phone.

    Where a fact has a comma or a stop of its own, such as a day with its year, it keeps it.

    >>> haste = Haste({COMMAS: 1.0, QUESTIONS: 1.0, APOSTROPHES: 1.0})
    >>> typed_in_haste("I can't wait, so what now?", haste, ((), ()), random.Random(1))
    'I cant wait so what now'
    """
    facts, protected = kept
    text, whole = hidden(text, facts)
    text = _spelt(text, haste.confused, protected)
    if not corrected:
        text = _spelt(text, haste.spelt, protected)
        if APOSTROPHES in haste.lost:
            text = _some_apostrophes(text, haste.lost[APOSTROPHES], rng)
    if haste.figures:
        text = NUMERAL.sub(lambda found: NUMERALS[found.group(1)], text)
    text = "\n".join(_line(line, haste, rng, corrected) for line in text.split("\n"))
    return shown(text, whole)


def hidden(text: str, facts: Iterable[str]) -> tuple[str, list[str]]:
    """A text with signs in place of the facts of several words in it, and those facts.

    >>> hidden("It broke on May 5, at noon.", ("May 5, at noon", "May"))
    ('It broke on \\x000\\x00.', ['May 5, at noon'])
    """
    found = [fact for fact in facts if " " in fact and fact in text]
    # Of facts as long as one another the first one is hidden: a set would have them in any order.
    whole = sorted(dict.fromkeys(found), key=len, reverse=True)
    for place, fact in enumerate(whole):
        text = text.replace(fact, f"\x00{place}\x00")
    return text, whole


def shown(text: str, whole: Sequence[str]) -> str:
    """A text with its facts where `hidden` has put signs."""
    return HIDDEN.sub(lambda found: whole[int(found.group(1))], text)


def with_wrong_words(
    text: str,
    protected: Collection[str],
    rng: random.Random,
    slips: float,
) -> str:
    """A text as a phone lets it pass: a small word left out or typed twice, or another word.

    One slip at most, and none in a short line; `slips` is how likely each word is one.
    """
    words = text.split()
    if len(words) < LEAST_WORDS or rng.random() >= slips * len(words):
        return text
    kind, point = rng.random(), rng.random()
    found = [each for each in SMALL_WORD.finditer(text) if each.group(1) not in protected]
    if kind >= LEFT_OUT + TWICE or not found:
        found = [each for each in WORD.finditer(text) if each.group() in CORRECTED]
        found = [each for each in found if each.group() not in protected]
    if not found:
        return text
    slip = found[int(point * len(found))]
    word = slip.group().strip()
    if kind >= LEFT_OUT + TWICE or slip.re is WORD:
        instead = CORRECTED[word]
    else:
        instead = "" if kind < LEFT_OUT else f"{word} {word} "
    return text[: slip.start()] + instead + text[slip.end() :]


def with_wrong_keys(
    text: str,
    protected: Collection[str],
    rng: random.Random,
    corrected: bool = False,
) -> str:
    """A text with a wrong key here and there, close to each other; no protected word is one."""
    if len(text.split()) < LEAST_WORDS:
        return text
    slips = CORRECTED if corrected else AT_KEYBOARD
    made: list[str] = []
    done, last, count = 0, -NEAR_WORDS, 0
    for place, found in enumerate(WORD.finditer(text)):
        word = found.group()
        if count == MOST_SLIPS or word not in slips or word in protected:
            continue
        near = 0 < place - last <= NEAR_WORDS
        if rng.random() >= (NEXT_SLIP if near else _share(slips)):
            continue
        made += [text[done : found.start()], slips[word]]
        done, last, count = found.end(), place, count + 1
    return "".join([*made, text[done:]])


def _share(slips: Mapping[str, str]) -> float:
    """How likely one of such words is mistyped: they are every third word of a text or so."""
    return 3 / WORDS_A_SLIP if slips is AT_KEYBOARD else 2 / WORDS_A_SLIP


def without_apostrophes(text: str) -> str:
    """A text by somebody who knows no apostrophes; a name keeps its own.

    >>> without_apostrophes("It's O'Brien, I don't know why.")
    "Its O'Brien, I dont know why."
    """
    return APOSTROPHE.sub(_without_apostrophe, text)


def _line(line: str, haste: Haste, rng: random.Random, corrected: bool) -> str:
    """A line without some of its signs; a greeting and a name below a mail have none to lose."""
    if not line.endswith(ENDS):
        return line
    lost = haste.lost
    if COMMAS in lost:
        line = _now_and_then(COMMA, _blank, line, lost[COMMAS], rng)
    if STOPS in lost:
        line = _run_on(line, haste, rng)
    if CAPITALS in lost and not corrected:
        line = _now_and_then(START, _small, line, lost[CAPITALS], rng)
        line = _now_and_then(PRONOUN, _small, line, lost[CAPITALS], rng)
    if QUESTIONS in lost:
        line = _now_and_then(QUESTION, _unasked, line, lost[QUESTIONS], rng)
    if line.endswith("?") and rng.random() < haste.insists:
        line += "?"
    if LAST_STOP in lost and line.endswith(".") and rng.random() < lost[LAST_STOP]:
        line = without_last_stop(line)
    return line


def without_last_stop(line: str) -> str:
    """A line without its last stop, if that is one of its own.

    >>> without_last_stop("It came at 5 p.m."), without_last_stop("It came.")
    ('It came at 5 p.m.', 'It came')
    """
    return line if OWN_STOP.search(line) else line.removesuffix(".")


def _unasked(found: re.Match[str]) -> str:
    """Nothing for a question mark that ends a line, and a stop for any other."""
    return "" if found.end() == len(found.string) else "."


def _run_on(line: str, haste: Haste, rng: random.Random) -> str:
    """A line with some sentences run together, none of them endless."""
    made, done = "", 0
    for found in STOP.finditer(line):
        made += line[done : found.start()]
        done = found.end()
        so_far = re.split(r"[.!?] ", made)[-1]
        ahead = re.split(r"[.!?](?: |$)", line[done:])[0]
        too_long = len(f"{so_far} {ahead}".split()) > LONGEST_WORDS
        asks = "?" in line[done : done + len(ahead) + 1]
        if too_long or (asks and haste.goes_on == " ") or rng.random() >= haste.lost[STOPS]:
            made += ". "
            continue
        begun = found.group(1)
        made += haste.goes_on + (begun if begun in ("I", "Im", "Ive") else begun.lower())
        done += len(begun)
    return made + line[done:]


def _spelt(text: str, wrong: Mapping[str, str], protected: Collection[str]) -> str:
    """A text in which some words are always spelt wrong."""
    small = text.lower()
    for right, other in wrong.items():
        if right in small and not all(word in protected for word in right.split()):
            text = re.sub(rf"\b{right}\b(?!')", _capital_of(other), text, flags=re.IGNORECASE)
    return text


def _capital_of(other: str) -> Typed:
    """Another word, with a capital where the one that was found has it."""
    large = other[0].upper() + other[1:]
    return lambda found: large if found.group()[0].isupper() else other


def _some_apostrophes(text: str, often: float, rng: random.Random) -> str:
    """A text without most of its apostrophes; those of `it's` are lost less often."""

    def lost(found: re.Match[str]) -> str:
        share = often * OF_IS if found.group().lower().endswith("'s") and often < 1 else often
        return _without_apostrophe(found) if rng.random() < share else found.group()

    return APOSTROPHE.sub(lost, text)


def _without_apostrophe(found: re.Match[str]) -> str:
    return "".join(part for part in found.groups() if part)


def _small(found: re.Match[str]) -> str:
    return found.group().lower()


def _blank(found: re.Match[str]) -> str:  # noqa: ARG001 - a change is told what it changes
    return " "


def _now_and_then(
    pattern: re.Pattern[str],
    change: Typed,
    text: str,
    often: float,
    rng: random.Random,
) -> str:
    """A text in which most of what a pattern finds is changed."""
    return pattern.sub(lambda found: change(found) if rng.random() < often else found.group(), text)
