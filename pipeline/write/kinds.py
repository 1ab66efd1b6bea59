"""How a line about a product by its name becomes one about a thing of a kind: `our helpdesk`.

A name stands by itself ("We won't need Harrowick Inbox"); a kind needs a word before it that says
whose it is. Works on a text and the kind in it; knows no acts and no facts.
"""

import re

BY_KIND = "issue.request.kind"
"""The act in which a customer asks for something and calls what they have by its kind."""

DETERMINED = ("the", "my", "our", "your", "this", "that", "a", "an", "new", "old", "one", "no")


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
