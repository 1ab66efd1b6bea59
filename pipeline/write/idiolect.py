"""How one person words things: whether they contract, and which of some like words they use.

The same person does so in all their mails and chats. Works on texts; knows no cases
and no facts.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

# How many people write "cannot" for "can't". Chosen by eye.
EXPANDS = 0.25

# A favorite is kept in small letters, in which nobody is "i".
SMALL_PRONOUN = re.compile(r"\bi\b(?='(?:m|ve|d|ll)\b| )")

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


# Stands between the words of a group.
BETWEEN = " | "
# Words of which each person uses one, whatever stands in a rule. Each fits wherever another does,
# and none is a mark by which an incident shows.
LIKE_WORDS = (
    "maybe | perhaps",
    "anybody | anyone",
    "everybody | everyone",
    "for example | for instance",
    "thanks for | thank you for",
    "for the trouble | for the hassle | for the inconvenience",
    "i'm happy to | i'm glad to",
    "i'd be happy to | i'd be glad to",
    "i understand why | i can see why | i see why",
    "it looks like | it seems like",
    "keep you posted | keep you updated",
    "getting in touch | reaching out",
    "in case you need it | if you need it",
    "pretty sure | fairly sure",
)
# The same for words of which only the first may be replaced: the others mean other things, too.
FIRST_REPLACED = (
    "a few days | a couple of days | several days",
    "a problem | an issue",
    "the problem | the issue",
    "look into it | check into it | look into that | take a look at it",
    "looking into it | checking into it | looking into that | working on it",
    "i'm sorry about | i apologize for",
    "i'm sorry for | i apologize for",
    "i'm not able to | i can't",
    "i'm unable to | i can't",
    "so that i | so i",
    "figure out | find out",
    "i want to | i'd like to",
    "get back to you | write back to you | follow up with you",
    "get back to me | write back | reply",
    "my last email | my last message | my email",
    "i really appreciate | i appreciate",
    "i went ahead and | i've gone ahead and",
    "feel free to | please",
    "just wanted to | wanted to",
    "so you're all set | so that's taken care of | so you're good to go",
    "you're all set | you're good to go | that's all set",
    "i have your account open | i have your account up | i'm looking at your account",
    "i have your order open | i have your order up | i'm looking at your order",
    "i was able to find | i found | i managed to find",
    "to make up for it | as an apology | to make it up to you",
    "what i can do is | what i can offer is | what i'm able to do is",
    "what i can do instead | what i can offer instead | what i could do instead",
    "if that works for you | if you're okay with that | if that's okay with you",
    "does that work for you | would that work for you | is that okay with you",
    "does that work | would that work | is that okay | is that all right",
    "let me take a look | let me check | let me see | let me have a look",
    "let me know if | tell me if",
    "just let me know | let me know | just tell me",
    "thank you so much for | thanks so much for | many thanks for | thanks a lot for",
    "you don't need to | there's no need to | you don't have to",
    "there's nothing you need to do | you don't need to do anything",
    "i can see what happened | i see what happened | i know what happened",
    "is in the system | has been entered | is entered | is all entered",
    "has been set up | is set up | is now set up | is in place",
    "has been approved | was approved | is approved",
    "has gone through | went through | is through",
    "i just put through | i've just processed | i just entered | i've put through",
    "i've set up | i set up | i've arranged | i arranged",
    "i've approved | i approved",
    "i can set up | i could set up | i can arrange | i could arrange",
    "i can offer you | i could offer you | i can give you | i could give you",
    "i can also add | i could also add | i can add | i'd also add",
    "i can also offer you | i can also give you | i could also give you",
    "i'd also like to | i'd like to",
    "on top of that | in addition | besides that",
    "would be fair | would be only fair | would be reasonable | seems fair",
    "for what it's worth | just so you know | by the way",
    "i'd say | i think",
    "i don't think | i don't feel like | i don't believe",
    "sorry for the wait | sorry about the wait | sorry for the delay | sorry about the delay",
    "it took this long | it took so long | it's taken so long",
    "i know it's been a few days | i know it's been a while | i realize it's been days",
    "bearing with us | your patience | waiting | being so patient",
    "can you tell me | could you tell me | could you let me know",
    "can you send me | could you send me | would you send me",
    "is there any chance of | any chance of | is there any way to get",
    "what caused it | why it happened | what led to it",
    "going by what you wrote | from what you wrote | based on what you wrote",
    "that's my best guess | that's my guess | that's what it looks like",
    "for your records | for reference | for your reference",
    "i know that's disappointing | i realize that's disappointing | i know that's hard to hear",
    "you won't have to | you don't have to | you won't need to",
    "nobody has gotten back to me | nobody has replied | i've had no reply",
    "get this fixed | get this resolved | get this taken care of | get this sorted out",
    "what's going on | what's happening",
    "i just want | i really just want | i only want",
    "i just need | i really just need | i only need",
    "i was hoping for | i'd hoped for",
    "after all this | after everything | after all that",
    "as we discussed | as discussed | as we agreed",
    "thanks for getting back to me | thanks for the reply | thanks for writing back",
    "i went through | i looked through | i've been through | i've gone through",
    "in this case | here | for this",
    "i'd really appreciate | i'd appreciate | i'd be grateful for",
)
# Where these follow, the words mean something else: "your email address".
NOT_BEFORE = {
    "your email": r"(?! address| account| client| program|s)",
    "my last email": r"(?!s)",
    "so that i": r"(?!')",
    "get back to me": r"(?! about| on| with)",
    "for the trouble": r"(?! with| of)",
    "does that work": r"(?= ?[?,.])",
    "let me take a look": r"(?! at)",
    "just let me know": r"(?= ?[,.]| and| if)",
    "it took this long": r"(?! to| for)",
    "is there any chance of": r"(?! getting| it)",
    "what caused it": r"(?! to)",
    "you're all set": r"(?= ?[,.!])",
    "bearing with us": r"(?! on)",
    "in this case": r"(?= ?[,.?!]|$)",
    "i'd say": r"(?! so| no| yes)",
    "i'd really appreciate": r"(?! it| that)",
    "what i can do is": r"(?! (?:try|set|see|make|add|give|send|ask)\b)",
}


KEPT_WHOLE = ("option", "wish", "product", "thing", "other_short", "stake", "said")
"""The facts that are such phrases."""


def worded_by(person: str, text: str, kept: Iterable[str] = ()) -> str:
    """A text in the words of this person: `I am` for `I'm` where they do not contract.

    What is kept, such as the name of a remedy, stays as it is.
    """
    expands, favorites = _habits_of(person)
    # Small letters are searched far faster than any letters, and few texts have such words.
    if _replaced_words().search(text.lower()):
        text = _favored(text, favorites, _places(kept, text))
    if expands and "'" in text:
        for pattern, full in FULL_FORMS:
            text = pattern.sub(full, text)
    return SMALL_PRONOUN.sub("I", text) if "i " in text or "i'" in text else text


def _favored(text: str, favorites: Mapping[str, str], fixed: Sequence[tuple[int, int]]) -> str:
    """A text with somebody's favorites for their like words, but for those in fixed places."""

    def favored(found: re.Match[str]) -> str:
        word = found.group()
        if any(start < found.end() and found.start() < end for start, end in fixed):
            return word
        favorite = favorites[word.lower()]
        return favorite[0].upper() + favorite[1:] if word[0].isupper() else favorite

    return _replaced_words(re.IGNORECASE).sub(favored, text)


def kept_whole(facts: Mapping[str, str]) -> list[str]:
    """The phrases of a plan, whose words nobody has others for."""
    return [facts.get(name, "") for name in KEPT_WHOLE]


def _places(kept: Iterable[str], text: str) -> list[tuple[int, int]]:
    """From where to where each of some phrases stands in a text."""
    places = []
    for phrase in kept:
        start = text.find(phrase) if phrase else -1
        if start >= 0:
            places.append((start, start + len(phrase)))
    return places


@lru_cache(maxsize=4096)
def _habits_of(person: str) -> tuple[bool, dict[str, str]]:
    """Whether a person writes contractions in full, and what they say for each word."""
    habits = random.Random(f"idiolect|{person}")
    expands = habits.random() < EXPANDS
    favorites: dict[str, str] = {}
    for like in LIKE_WORDS:
        words = like.split(BETWEEN)
        favorites |= dict.fromkeys(words, habits.choice(words))
    for like in FIRST_REPLACED:
        words = like.split(BETWEEN)
        favorites[words[0]] = habits.choice(words)
    return expands, favorites


@lru_cache(maxsize=2)
def _replaced_words(flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Finds every word that a person may have another one for."""
    _, favorites = _habits_of("")
    # By their first words: where none of those stands, nothing else is tried.
    begun: dict[str, list[str]] = {}
    for word in sorted(favorites, key=len, reverse=True):
        first, space, rest = word.partition(" ")
        ending = re.escape(space + rest) + r"\b" + NOT_BEFORE.get(word, "")
        begun.setdefault(re.escape(first), []).append(ending)
    words = [f"{first}(?:{'|'.join(endings)})" for first, endings in begun.items()]
    # "Many thanks for" has no other words for its end.
    return re.compile(rf"\b(?<!many )(?:{'|'.join(words)})", flags)
