"""How one person's grammar goes: contractions, past or perfect, a "that" or none, long or short.

Each habit is one person's, in all their mails and chats, and changes no fact. Knows no words that
stand for others: those are in `pipeline.write.idiolect`.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

# How many people write "cannot" for "can't" and all else in full. Of the others some do so for one
# kind of words, but not for another: "I would like" is common among those who write "I'm", "I am"
# is not. A desk is more formal than those who write to it. Chosen by eye.
EXPANDS_ALL = 0.06
AGENT_EXPANDS_ALL = 0.22
# How many write "I sent it" for "I've sent it": most Americans do so now and then.
TELLS_IN_PAST = 0.5
# How many leave out each "that" they can, and how many write it; the others do both.
LEAVES_THAT, WRITES_THAT = 0.35, 0.3

# How many make two sentences of what others join by "and" or "so".
SPLITS = 0.5

# Nobody asks "cannot you", or "did not he finish".
NO_PRONOUN = (
    r"(?! (?:you|I|we|it|he|she|they|this|that|these|those|there|anyone|anybody|someone|somebody|"
    r"everyone|everybody|people)\b)"
)
# Behind these a contracted verb is "is" for sure, and no "has".
PLAIN_BE = (
    r"(?= (?:an?|the|not|no|on|in|at|my|our|your|for|what|how|why|where|when|from|too|very|under|"
    r"with|nothing|something|right|fine|good|okay|likely|probably)\b)"
)

# Behind these it may be either.
NO_PERFECT = r"(?!(?:\w+ed|\w+en|gone|come|been|had|got|done|begun|put|set|sent|left|run|lost)\b)"

Rewrites = tuple[tuple[re.Pattern[str], str], ...]

# What stands in full where somebody doesn't contract, kind by kind, and how many of those who
# contract the rest write this kind in full: (customers, agents). By eye.
FULL_FORMS: tuple[tuple[tuple[float, float], Rewrites], ...] = (
    ((0.1, 0.2), ((re.compile(rf"\b([Cc])an't\b{NO_PRONOUN}"), r"\1annot"),)),
    (
        (0.06, 0.08),
        (
            (re.compile(rf"\b([Ww])on't\b{NO_PRONOUN}"), r"\1ill not"),
            (
                re.compile(
                    r"\b([Dd]o|[Dd]oes|[Dd]id|[Ii]s|[Aa]re|[Ww]as|[Ww]ere|[Hh]ave|[Hh]as|[Hh]ad|"
                    rf"[Cc]ould|[Ww]ould|[Ss]hould)n't\b{NO_PRONOUN}"
                ),
                r"\1 not",
            ),
        ),
    ),
    ((0.04, 0.06), ((re.compile(r"\bI'm\b"), "I am"),)),
    ((0.1, 0.3), ((re.compile(r"\b(I|[Yy]ou|[Ww]e|[Tt]hey)'ve\b(?! got)"), r"\1 have"),)),
    ((0.04, 0.06), ((re.compile(r"\b([Yy]ou|[Ww]e|[Tt]hey)'re\b"), r"\1 are"),)),
    ((0.1, 0.35), ((re.compile(r"\b(I|[Yy]ou|[Ww]e|[Tt]hey|[Ii]t|[Tt]hat)'ll\b"), r"\1 will"),)),
    ((0.05, 0.08), ((re.compile(rf"\b([Ii]t|[Tt]hat|[Tt]here)'s\b{PLAIN_BE}"), r"\1 is"),)),
    (
        (0.3, 0.45),
        (
            (
                re.compile(r"\b(I|[Yy]ou|[Ww]e|[Tt]hey)'d (?=(?:like|be|need|say|suggest)\b)"),
                r"\1 would ",
            ),
        ),
    ),
)
# Who contracts nothing writes these in full, too.
NOTHING_SHORT: Rewrites = (
    (re.compile(r"\b([Ii]t|[Tt]hat|[Ww]hat|[Tt]here)'s (?=(?:been|had|got|taken)\b)"), r"\1 has "),
    (re.compile(rf"\b([Ii]t|[Tt]hat|[Ww]hat|[Tt]here|[Hh]ere)'s (?={NO_PERFECT}[a-z])"), r"\1 is "),
    (
        re.compile(
            r"\b(I|[Yy]ou|[Ww]e|[Tt]hey|[Ii]t|[Tt]hat)'d "
            r"(?=(?:just |also |still |really )?(?:have|get|love|appreciate|prefer|want|take|see|"
            r"pay|keep|send|go|do|give|expect|rather|know)\b)"
        ),
        r"\1 would ",
    ),
)
# Verbs whose perfect and past are one word, and of which the past tells the same: "I've sent it".
# None that tells of what still goes on ("I've had them since May").
DONE = (
    "set up|sent|found|booked|approved|checked|opened|added|emailed|mailed|changed|moved|switched|"
    "processed|scheduled|passed|attached|looked|forwarded|canceled|updated|fixed|put in|asked|"
    "put through|removed|posted|refunded|filed|noted|escalated|corrected|credited|ordered a|issued|"
    "paid"
)
IN_PAST: Rewrites = (
    (re.compile(rf"\bI(?:'ve| have) (?=(?:just |already |also )?(?:{DONE})\b)"), "I "),
)
LEFT_OUT: Rewrites = (
    (
        re.compile(
            r"\b([Kk]now|[Tt]hink|[Ss]ure|[Aa]fraid|[Ss]orry|[Gg]lad|[Bb]elieve|[Hh]ope) that"
            r"(?= (?:I|you|we|they|the|your)\b)"
        ),
        r"\1",
    ),
    (re.compile(r"\b(I(?: can)? see) that(?= (?:you|we|they)\b)"), r"\1"),
)
WRITTEN: Rewrites = (
    (
        re.compile(
            r"\b(I (?:know|understand|can see|see)|(?:I'm|I am) sorry)"
            r"(?= (?:you|we|they)(?:'\w+)? [a-z])"
        ),
        r"\1 that",
    ),
)
# What is begun by one of these hangs on what follows, and what asks has no second sentence.
HANGS = re.compile(
    r"\b(?:if|when|once|since|because|as|while|before|after|unless|that|whether|so|what|how|why|"
    r"where|which|who|both|between|either|until|till|not only)\b|[?:(\"]",
    re.IGNORECASE,
)
JOINED = re.compile(r"(?<=[a-z0-9]), (?:and|so) (?=(?:I|we|you|they|it)(?:'\w+)? [a-z])")
# A regret is short, and a sentence of its own all the same.
REGRET = re.compile(r"(?<=[a-z0-9]), and (?=I(?:'m| am) sorry(?:[.!]| about\b))")
SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
# A piece of fewer words is no sentence of its own.
LEAST_SPLIT = 4


@dataclass(frozen=True, slots=True)
class Grammar:
    """One person's habits: what is rewritten in whatever they write, in this order."""

    rewrites: Rewrites
    splits: bool = False


@lru_cache(maxsize=4096)
def grammar_of(person: str, by_agent: bool = False) -> Grammar:
    """The habits of a person, the same for the same name."""
    habits = random.Random(f"grammar|{person}")
    rewrites: list[tuple[re.Pattern[str], str]] = []
    if habits.random() < TELLS_IN_PAST:
        rewrites.extend(IN_PAST)
    drawn = habits.random()
    if drawn < LEAVES_THAT:
        rewrites.extend(LEFT_OUT)
    elif drawn < LEAVES_THAT + WRITES_THAT:
        rewrites.extend(WRITTEN)
    expands_all = habits.random() < (AGENT_EXPANDS_ALL if by_agent else EXPANDS_ALL)
    for shares, kind in FULL_FORMS:
        if habits.random() < shares[by_agent] or expands_all:
            rewrites.extend(kind)
    if expands_all:
        rewrites.extend(NOTHING_SHORT)
    return Grammar(tuple(rewrites), splits=habits.random() < SPLITS)


def said_in(grammar: Grammar, text: str, kept: Sequence[str] = ()) -> str:
    """A text in somebody's grammar; phrases that are kept, such as a remedy's name, stay.

    >>> said_in(Grammar(IN_PAST), "I've sent the label.")
    'I sent the label.'
    """
    for pattern, replaced in grammar.rewrites:
        text = _rewritten(text, pattern, replaced, kept)
    if grammar.splits and ", " in text:
        text = REGRET.sub(". ", text)
        text = SENTENCE.sub(lambda found: _split(found.group()), text)
    return text


def _split(sentence: str) -> str:
    """A sentence as two where it is joined, and neither part hangs on the other.

    >>> _split("I found the order, and I emailed you the label.")
    'I found the order. I emailed you the label.'
    """
    found = JOINED.search(sentence)
    if found is None:
        return sentence
    before, after = sentence[: found.start()], sentence[found.end() :]
    if HANGS.search(before) or "?" in after:
        return sentence
    if min(len(before.split()), len(after.split())) < LEAST_SPLIT:
        return sentence
    return f"{before}. {after[0].upper()}{after[1:]}"


def _rewritten(text: str, pattern: re.Pattern[str], replaced: str, kept: Sequence[str]) -> str:
    def instead(found: re.Match[str]) -> str:
        within = any(found.group() in phrase for phrase in kept if phrase in text)
        return found.group() if within else found.expand(replaced)

    return pattern.sub(instead, text)
