"""Forms of a word: `boots` and `boot`, `running` and `run`, `returned` and `return`.

Each word may come from a few base words, by the rules of English endings and a few plurals that
follow none. Two words are forms of one another where they may come from the same. Knows no text.

Example: `forms("planned")` holds `plan`, `plans` and `planning`, but not `planes`.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

VOWEL = re.compile(r"[aeiouy]")
DOUBLED = re.compile(r"([bdfgmnprt])\1")
"""What English doubles before -ing and -ed; `fall`, `miss` and `buzz` have theirs of themselves."""
ENDINGS = ("s", "ing", "ed")
"""How regular forms end; most words of an index end otherwise, and are looked at no further."""
WITH_ES = ("xes", "ses", "zes", "ches", "shes", "oes")
"""The plurals of words that don't end in an e themselves: boxes, dishes."""
NO_PLURALS = ("ss", "us", "is")
"""How words end that only look like plurals, and below some of them."""
NO_PLURAL = frozenset({"news", "lens", "series", "species", "always", "does", "perhaps"})
SHORTEST = 3
"""Letters of a base word: `king` comes from no `k`, and `its` from no `it`."""
IRREGULAR: Mapping[str, str] = {
    "children": "child",
    "feet": "foot",
    "geese": "goose",
    "halves": "half",
    "knives": "knife",
    "leaves": "leaf",
    "loaves": "loaf",
    "men": "man",
    "mice": "mouse",
    "people": "person",
    "scarves": "scarf",
    "shelves": "shelf",
    "teeth": "tooth",
    "wives": "wife",
    "women": "woman",
}
PLURALS = {singular: plural for plural, singular in IRREGULAR.items()}


def bases(word: str) -> frozenset[str]:
    """Returns the base words that a word in lower case may come from, itself among them."""
    irregular = IRREGULAR.get(word)
    if not word.endswith(ENDINGS) and irregular is None:
        return frozenset((word,))
    found = {word, irregular or word}
    if word.isascii() and word.isalpha():
        found.update(_singulars(word))
        found.update(_infinitives(word, "ing"))
        found.update(_infinitives(word, "ed"))
    return frozenset(found)


@lru_cache(1024)
def forms(word: str) -> frozenset[str]:
    """Returns all forms of a word in lower case, itself among them, in use or not.

    A search asks for the same words of every object type, so they are kept for a while.
    """
    found: set[str] = set()
    for base in bases(word):
        found.update(_inflected(base))
    return frozenset(found)


def _inflected(base: str) -> set[str]:
    """A base word with each ending that `bases` takes off."""
    found = {base, PLURALS.get(base, base)}
    if not base.isascii() or not base.isalpha():
        return found
    found.add(base + "s")
    if base.endswith("y"):
        found |= {base[:-1] + "ies", base[:-1] + "ied"}
    if (base + "es").endswith(WITH_ES):
        found.add(base + "es")
    stems = {base, base + base[-1], base.removesuffix("e")}
    for stem in stems:
        found |= {stem + "ing", stem + "ed"}
    return {form for form in found if base in bases(form)}


def _singulars(word: str) -> set[str]:
    """What a plural may be of."""
    plural = word.endswith("s") and not word.endswith(NO_PLURALS) and word not in NO_PLURAL
    if not plural or len(word) <= SHORTEST:
        return set()
    found = {word[:-1]}
    if word.endswith("ies"):
        found.add(word[:-3] + "y")
    if word.endswith(WITH_ES):
        found.add(word[:-2])
    return found


def _infinitives(word: str, ending: str) -> set[str]:
    """What a form in -ing or -ed may be of: `returned`, `sized`, `shipped` and `tried`."""
    rest = word.removesuffix(ending)
    if rest == word or not VOWEL.search(rest):
        return set()
    found: set[str] = set()
    if len(rest) >= SHORTEST:
        found.add(rest)
        if DOUBLED.fullmatch(rest[-2:]):
            found.add(rest[:-1])
        if ending == "ed" and rest.endswith("i"):
            found.add(rest[:-1] + "y")
    if len(rest) + 1 >= SHORTEST and not VOWEL.fullmatch(rest[-1]):
        found.add(rest + "e")
    return found
