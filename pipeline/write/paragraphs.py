"""A mail of the words of its acts: greeting, paragraphs, closing, and a postscript.

Knows which acts belong together and none of their words.
"""

import random
from collections.abc import Sequence

from pipeline.write.style import tidy

GREETINGS = frozenset({"c.greet", "c.greet.reply", "a.greet", "a.greet.again"})
CLOSINGS = frozenset({"c.sign", "c.sign.reply", "c.sign.stranger", "a.sign"})
POSTSCRIPT = "c.ps"
# What tells a part of a story is a paragraph of its own.
STORY = "c.story."
# What leads to the act after it never ends a paragraph.
LEADS = frozenset(
    {"a.again", "a.why", "c.more", "c.more.order", "c.wrong", "a.left", "a.done", "a.next"}
)
# Paragraphs of a mail have one to three acts, mostly two.
PARAGRAPH_ACTS = (1, 2, 2, 3)


def _before_a_story(body: Sequence[tuple[str, str]]) -> int:
    """How many acts can stand in a paragraph before one that tells a story stands alone."""
    for place, (beat, _) in enumerate(body):
        if beat.startswith(STORY):
            return max(place, 1)
    return len(body)


def in_paragraphs(said: Sequence[tuple[str, str]], rng: random.Random) -> str:
    """Greeting, paragraphs of one to three acts, closing, and a postscript if there is one."""
    greeting: list[str] = []
    closing: list[str] = []
    remark: list[str] = []
    body: list[tuple[str, str]] = []
    for beat, text in said:
        if beat in GREETINGS:
            greeting += [text] if text else []
        elif beat in CLOSINGS:
            closing.append(text)
        elif beat == POSTSCRIPT:
            remark.append(text)
        else:
            body.append((beat, text))
    paragraphs: list[str] = []
    while body:
        size = min(len(body), rng.choice(PARAGRAPH_ACTS), _before_a_story(body))
        while size < len(body) and body[size - 1][0] in LEADS:
            size += 1
        paragraphs.append(" ".join(text for _, text in body[:size]))
        body = body[size:]
    return tidy("\n\n".join([*greeting, *paragraphs, *closing, *remark]))
