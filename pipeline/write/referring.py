"""How somebody calls what they bought through one message: once by its name, then as "it".

Works on the facts of a turn, as texts; knows no acts and no rules.
"""

import re
from collections.abc import Mapping, Sequence

from pipeline.write.kinds import OWN

# The given name in what somebody is called: `Renee` in `Renee in billing`.
GIVEN = re.compile(r"\b[A-Z][a-z]+\b")
YOUR = "your"
"""Whose the thing is to the desk."""
# "Another pair of the boots" and "the boots that you ordered" say which ones by themselves.
NOT_OF = r"(?<!pair of )(?<!kind of )"
NOT_WHICH = r"(?!['-]| (?:that|which|who|I|we|you|they|from|with|in)\b)"
# What stands behind the one who does something.
IS_SUBJECT = (
    r" (?:still |just |now |never |only |both |all )?(?:is|are|was|were|has|have|had|do|does|did"
    r"|came|come|comes|went|got|gets|keeps?|kept|looks?|won|can|could|will|would|should|shows?"
    r"|takes?|took|stopped|started|failed|worked|works?)\b"
)


def in_short(texts: dict[str, str]) -> None:
    """Lets who knows a product by its full name say that once, where an act asks for it.

    `my Skerrin Hikers` is `my boots` elsewhere.
    """
    thing = texts.get("thing", "")
    short = texts.get("product_short", "")
    product = texts.get("product", thing)
    if not short:
        return
    if product not in thing:
        return
    own = thing[: thing.index(product)].rstrip()
    texts["thing"] = f"{own} {short}"


def refer_back(said: str, texts: dict[str, str]) -> None:
    """Lets what has been named be "it" or "them" from here on."""
    thing = texts.get("thing", "")
    if not thing:
        return
    if thing.lower() in said.lower():
        texts["thing"] = texts["them"]


def told_of_own(text: str, texts: Mapping[str, str], by_agent: bool) -> str:
    """A text that says whose the thing is: of an account or a plan nobody speaks as "the plan".

    To a customer it is theirs, where they don't write for somebody else; of a pair customers do
    say "the boots", if that is their habit. What comes behind may say which one it is.

    >>> facts = {"product_short": "savings account", "thing": "my savings account", "it": "it"}
    >>> told_of_own("You charged the savings account.", facts, False)
    'You charged my savings account.'
    >>> told_of_own("The savings account is open.", facts, True)
    'Your savings account is open.'
    """
    kind = texts.get("product_short", "")
    whose, _, _ = texts.get("thing", "").partition(" ")
    if by_agent:
        whose = "" if texts.get("writes_for") else YOUR
    elif whose not in OWN or texts.get("it") != "it":
        whose = ""
    if not kind or not whose:
        return text

    def owned(found: re.Match[str]) -> str:
        return f"{whose.capitalize() if found.group(1) == 'T' else whose} {found.group(2)}"

    return re.sub(rf"{NOT_OF}\b([Tt])he ({re.escape(kind)})\b{NOT_WHICH}", owned, text)


def pointed_back(text: str, thing: str, texts: Mapping[str, str]) -> str:
    """A text that names a thing once, and calls it "it" or "them" from there on.

    >>> facts = {"it": "they", "them": "them"}
    >>> pointed_back("My boots leak. I dried my boots. My boots are wet.", "my boots", facts)
    'My boots leak. I dried them. They are wet.'
    """
    first = re.search(rf"\b{re.escape(thing)}\b", text, re.IGNORECASE) if thing else None
    if not first:
        return text
    one, many = texts.get("it", "it"), texts.get("them", "it")

    def referred(found: re.Match[str]) -> str:
        begins = found.group()[0].isupper()
        is_subject = begins or found.group(1)
        word = one if is_subject else many
        return f"{word.capitalize() if begins else word}{found.group(1) or ''}"

    again = re.compile(rf"\b{re.escape(thing)}\b(?!['-])({IS_SUBJECT})?", re.IGNORECASE)
    return text[: first.end()] + again.sub(referred, text[first.end() :])


def is_named(texts: dict[str, str]) -> bool:
    """Whether the thing has been named in this message."""
    return texts.get("thing") == texts["them"]


def named_once(text: str, people: Sequence[str]) -> str:
    """A text that tells once who somebody is, and calls them by their given name from there on.

    >>> named_once("Ann in sales saw it. Ann in sales waits.", ["Ann in sales"])
    'Ann in sales saw it. Ann waits.'
    """
    for person in people:
        given = GIVEN.search(person)
        called = re.compile(re.escape(person), re.IGNORECASE)
        first = called.search(text)
        if given and first:
            told = first.end()
            text = text[:told] + called.sub(given.group(), text[told:])
    return text
