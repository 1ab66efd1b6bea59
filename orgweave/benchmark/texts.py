"""Texts read by rules: sentences, and those that name a remedy. Knows no files and no story."""

import re
from collections.abc import Sequence


def sentences(text: str) -> list[str]:
    """A text's sentences, line breaks included as ends."""
    return [piece.strip() for piece in re.split(r"(?<=[.!?])\s+|\n+", text) if piece.strip()]


def naming(text: str, forms: Sequence[str]) -> list[str]:
    """The sentences in which one of the forms stands, whatever its case."""
    return [
        sentence
        for sentence in sentences(text)
        if any(form.casefold() in sentence.casefold() for form in forms)
    ]


def passage(text: str, forms: Sequence[str], number: float) -> str:
    """Where a text states a number of something: the sentence that names it, with the next one
    where the number stands only there; empty where nowhere.
    """
    named = naming(text, forms)
    if found := next((sentence for sentence in named if has_number(sentence, number)), ""):
        return found
    whole = sentences(text)
    for sentence in named:
        at = whole.index(sentence)
        if at + 1 < len(whole) and has_number(whole[at + 1], number):
            start = text.index(sentence)
            return text[start : text.index(whole[at + 1], start) + len(whole[at + 1])]
    return ""


def has_number(text: str, number: float) -> bool:
    """Whether the number stands in the text by itself, in digits."""
    return re.search(rf"(?<![\d.]){re.escape(f'{number:g}')}(?!\d|\.\d)", text) is not None
