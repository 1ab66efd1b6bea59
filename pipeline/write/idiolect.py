"""How one person words things: the asides they are fond of, and whether they contract.

The same person uses the same few asides in all their mails and chats, and two people hardly ever
word a longer sentence alike. Works on single sentences; knows no cases and no facts.
"""

import random
import re

# Sentences of so many words may take an aside; shorter ones are said as they come.
LEAST_WORDS = 6
# How many of them do, and how many asides of each kind one person has. Chosen by eye.
TAKES_ASIDE = 0.45
OPENS = 0.5  # rather than to end with one
OWN_ASIDES = 3
EXPANDS = 0.4

OPENERS = (
    ("honestly", "frankly", "to be fair", "to be honest", "really", "truth be told", "well")
    + ("I must say", "as it is", "so", "for the record", "by now", "as things are", "basically")
    + ("mind you", "I'm sorry to say", "sadly", "unfortunately", "as far as I can tell", "look")
    + ("in short", "the thing is", "to my mind", "you see", "all in all", "believe me")
)
TAILS = (
    ("honestly", "frankly", "to be fair", "to be honest", "I think", "I believe", "I'd say")
    + ("as far as I can see", "sadly", "I'm afraid", "for what it's worth", "if you ask me")
    + ("as it is", "you know", "I guess", "to say the least", "in my view", "more or less")
    + ("by the look of it", "believe it or not", "so to speak", "I suppose", "at any rate")
    + ("in plain words", "no joke", "believe me")
)

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
SENTENCE = re.compile(r"[^.!?]+(?:[.!?]+|$)\s*")
# Words that begin a sentence and have no capital of their own; before others no opener stands.
COMMON = re.compile(
    r"(?:a|an|the|it|its|they|there|this|that|these|those|my|our|your|his|her|we|you|he|she|one|two"
    r"|both|some|somebody|someone|something|nobody|nothing|no|not|all|when|while|after|before|since"
    r"|what|how|is|are|was|were|do|does|did|can|could|would|will|has|have|just|only|at|in|on|by"
    r"|for|from|with|if|as|once|every|each|any|more|most|half|even|still)\b",
    re.IGNORECASE,
)
PRONOUN = re.compile(r"I\b")


def worded_by(person: str, text: str, rng: random.Random) -> str:
    """A text in the words of this person; `rng` decides which sentences take an aside."""
    habits = random.Random(f"idiolect|{person}")
    openers = habits.sample(OPENERS, OWN_ASIDES)
    tails = habits.sample(TAILS, OWN_ASIDES)
    expands = habits.random() < EXPANDS
    pieces = []
    for sentence in SENTENCE.findall(text):
        if expands:
            sentence = _in_full(sentence)
        if len(sentence.split()) >= LEAST_WORDS and rng.random() < TAKES_ASIDE:
            sentence = _with_aside(sentence, openers, tails, rng)
        pieces.append(sentence)
    return "".join(pieces)


def _in_full(sentence: str) -> str:
    for pattern, full in FULL_FORMS:
        sentence = pattern.sub(full, sentence)
    return sentence


def _with_aside(sentence: str, openers: list[str], tails: list[str], rng: random.Random) -> str:
    """The sentence with an opener before it or a tail behind it: `Honestly, it came off.`"""
    body = sentence.rstrip()
    space = sentence[len(body) :]
    mark = body[-1] if body[-1] in ".!?" else ""
    pronoun, common = PRONOUN.match(body), COMMON.match(body)
    opens = mark == "?" or rng.random() < OPENS
    if opens and (pronoun or common):
        opener = rng.choice(openers)
        rest = body if pronoun else body[0].lower() + body[1:]
        return f"{opener[0].upper()}{opener[1:]}, {rest}{space}"
    if mark == "?":
        return sentence
    return f"{body.rstrip('.!?')}, {rng.choice(tails)}{mark}{space}"
