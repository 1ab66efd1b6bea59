"""API names as a person reads them: `CaseHistory__c` -> Case History, its plural Case Histories,
`Product2Id` -> Product. Knows no schema.
"""

import re

WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
UNCOUNTED = frozenset({"Hours", "Knowledge"})
"""Words without a plural, or that are one already."""


def caption(name: str) -> str:
    """An object type's or a field's name in words; the `Id` at the end of a reference's name is
    dropped.
    """
    plain = name.removesuffix("__c").removesuffix("__kav")
    words = WORDS.findall(re.sub(r"(?<=[a-z])\d+(?=[A-Z]|$)", "", plain))
    if len(words) > 1 and words[-1] in ("Id", "Ids"):
        words.pop()
    return " ".join(words) or name


def plural(text: str) -> str:
    """`Product Category` -> Product Categories."""
    if text.split(" ")[-1] in UNCOUNTED:
        return text
    if re.search(r"[^aeiou]y$", text):
        return f"{text[:-1]}ies"
    return f"{text}es" if re.search(r"(s|x|ch|sh)$", text) else f"{text}s"


def initials(text: str) -> str:
    """Two letters that stand for it: `Order Item` -> OI, `Case` -> Ca."""
    words = text.split(" ")
    return words[0][0] + words[1][0] if len(words) > 1 else text[:2]
