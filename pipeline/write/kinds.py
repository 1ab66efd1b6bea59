"""How a line about a product by its name becomes one about a thing of a kind: `our helpdesk`.

A name stands by itself ("We won't need Harrowick Inbox"); a kind needs a word before it that says
whose it is. Works on a text and the kind in it; knows no acts and no facts.
"""

import re
from collections.abc import Mapping

from latent.naming import MY, OUR, made_by

BY_KIND = "issue.request.kind"
"""The act in which a customer asks for something and calls what they have by its kind."""

BY_MAKER = "issue.request.made"
"""The same where they say its maker besides: `my Trellick car loan`."""

# Half sentences and sentences that give a product's name beside its kind: once it is called by its
# kind they would say the same again.
NAMING = (
    r"(?:it's|it is|that's|that'd be|for|i mean|ours is|mine is|my plan is|product:|plan:"
    r"|my bill says|on the bill it says|it says|the (?:plan's )?name is|(?:i|we) have"
    r"|(?:the|our|my) plan is called|(?:i'm|we're) on)"
)
ADDED = (
    r"(?: with you| here| on (?:it|them)|,? according to [^.?!]*|,? in case [^.?!]*"
    r"|,? if (?:that|it) [^.?!]*|,? that is)?"
)


def called(act: str, texts: Mapping[str, str]) -> str:
    """What a customer calls in that act what they ask about; "" where that is its name."""
    kind = texts.get("product_short", "")
    if act == BY_MAKER:
        return made_by(texts.get("product", ""), kind)
    return kind if act == BY_KIND else ""


def as_called(act: str, text: str, texts: Mapping[str, str]) -> str:
    """The text of an act about a thing by its name as one about a thing of a kind."""
    words = called(act, texts)
    if not words:
        return text
    text = owned(told_once(text, words), words, _whose(text, texts))
    if act == BY_KIND:
        # A line that is there to give the name, and cannot go, gives the maker at least.
        made = called(BY_MAKER, texts)
        kind = rf" (?:(?:the|our|my|a|an) )?{re.escape(words)}\b"
        text = re.sub(rf"\b({NAMED}){kind}", rf"\g<1> {made}", text, flags=re.IGNORECASE)
        text = re.sub(rf"\b({HAVING}){kind}", rf"\g<1> the {made}", text, flags=re.IGNORECASE)
    return text


def _whose(text: str, texts: Mapping[str, str]) -> str:
    """Whose the thing is in a text: somebody's by habit, and "our" where it speaks of "us"."""
    habit, _, _ = texts.get("thing", "").partition(" ")
    if SPEAKS_FOR_US.search(text):
        return OUR
    return habit if habit in OWN else MY


OWN = (MY, OUR)
SPEAKS_FOR_US = re.compile(r"\bour\b", re.IGNORECASE)
# What stands before a name as such, and before what somebody has of several.
NAMED = (
    r"product:|plan:|bill says|it says|plan's name is|the name is|is called|listed as"
    r"|for your records:"
)
HAVING = (
    r"(?:i|we) (?:have|use|got)|(?:i'm|we're|i am|we are) on"
    r"|(?:it's|its|that's|thats|ours is|mine is|our plan is|my plan is)"
)
DETERMINED = ("the", "my", "our", "your", "this", "that", "a", "an", "new", "old", "one", "no")


def told_once(text: str, kind: str) -> str:
    """The text without what names the kind again, as it would a product.

    >>> told_once("Do I need a form for my car loan (the car loan, that is)?", "car loan")
    'Do I need a form for my car loan?'
    >>> told_once("We love our gas plan, the gas plan. Who do I tell?", "gas plan")
    'We love our gas plan. Who do I tell?'
    >>> told_once("Can I see my calls in the helpdesk? It's helpdesk.", "helpdesk")
    'Can I see my calls in the helpdesk?'
    """
    if not kind:
        return text
    named = re.escape(kind)
    asides = (
        rf"\s*\([^()]*\b{named}\b[^()]*\)",
        rf",? (?:- )?{NAMING} (?:the |our |my )?{named}{ADDED}(?=[.?!])",
        rf"(?<=[.?!]) {NAMING} (?:the |our |my )?{named}{ADDED}[.?!]",
        rf",(?: the| our| my)? {named}(?:,(?= and\b)|(?=[,.?!]))",
    )
    for aside in reversed(asides):
        for found in reversed(list(re.finditer(aside, text, re.IGNORECASE))):
            rest = text[: found.start()] + text[found.end() :]
            if re.search(rf"\b{named}\b", rest, re.IGNORECASE):
                text = rest
    return text


def owned(text: str, kind: str, own: str) -> str:
    """The text in which each kind has a word for whose it is.

    >>> owned("How do I stop helpdesk? The helpdesk is fine.", "helpdesk", "our")
    'How do I stop our helpdesk? The helpdesk is fine.'
    """
    if not kind:
        return text

    def named(found: re.Match[str]) -> str:
        before = text[: found.start()].rstrip()
        word = re.split(r"[^A-Za-z']", before)[-1].lower()
        if word in DETERMINED and not before.endswith((".", "?", "!")):
            return found.group()
        begins = not before or before.endswith((".", "?", "!"))
        return f"{own.capitalize() if begins else own} {kind}"

    return re.sub(rf"\b{re.escape(kind)}\b", named, text)
