"""How somebody calls what they bought through one message: once by its name, then as "it".

Works on the facts of a turn, as texts; knows no acts and no rules.
"""

import re
from collections.abc import Sequence

# The given name in what somebody is called: `Renee` in `Renee in billing`.
GIVEN = re.compile(r"\b[A-Z][a-z]+\b")


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
