"""Facts as the slots of a rule take them: texts, with the pronouns and verbs of one or of many.

Knows no acts and no rules.
"""

import json
from collections.abc import Mapping
from zlib import crc32

from verifiers.material import Facts

# By so many digits of a phone number people identify themselves.
PHONE_END = 4

# The fact that holds what else a case tells, as JSON by the names that wordings use.
DETAILS = "details"

SINGULAR = {
    "it": "it",
    "them": "it",
    "is": "is",
    "has": "has",
    "was": "was",
    "this": "this",
    "does": "does",
}
PLURAL = {
    "it": "they",
    "them": "them",
    "is": "are",
    "has": "have",
    "was": "were",
    "this": "these",
    "does": "do",
}


def as_texts(facts: Facts) -> dict[str, str]:
    """The facts as a rule's slots take them, with the pronouns and verbs of one or of many."""
    texts = dict(PLURAL if facts.get("plural") else SINGULAR)
    for name, value in facts.items():
        if name == DETAILS and value:
            texts.update(json.loads(str(value)))
        elif isinstance(value, str):
            texts[name] = value
        else:
            texts[name] = "" if value is None else str(value)
    return texts


def phone_end(texts: Mapping[str, str]) -> str:
    """The last four digits of the phone on file; made up from the name where none is."""
    phone = texts.get("phone", "")
    if phone:
        return phone[-PHONE_END:]
    return f"01{crc32(texts.get('customer', '').encode()) % 100:02d}"
