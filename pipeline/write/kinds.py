"""How a line about a product by its name becomes one about a thing of a kind: `our helpdesk`.

A name stands by itself ("We won't need Harrowick Inbox"); a kind needs a word before it that says
whose it is. Works on a text and the kind in it; knows no acts and no facts.
"""

import re

BY_KIND = "issue.request.kind"
"""The act in which a customer asks for something and calls what they have by its kind."""

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


def owned(text: str, kind: str) -> str:
    """The text in which each kind has a word for whose it is.

    >>> owned("How do I stop helpdesk? The helpdesk is fine.", "helpdesk")
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
        return f"{'Our' if begins else 'our'} {kind}"

    return re.sub(rf"\b{re.escape(kind)}\b", named, text)
