"""A mail of the words of its acts: greeting, paragraphs, closing, and a postscript.

A paragraph holds what belongs together: what happened, what is known of it, what is done about it,
what else there is to say. Knows which acts belong together and none of their words.
"""

import random
from collections.abc import Sequence

from pipeline.write.style import tidy

GREETINGS = frozenset({"c.greet", "c.greet.reply", "a.greet", "a.greet.again"})
CLOSINGS = frozenset({"c.sign", "c.sign.reply", "c.sign.stranger", "a.sign"})
BELOW_NAME = frozenset({"c.ps", "c.order.below"})
"""What stands below the name: a postscript, or the number of an order."""
# What leads to the act after it never ends a paragraph.
LEADS = frozenset(
    {
        "a.again",
        "a.why",
        "c.more",
        "c.more.order",
        "c.wrong",
        "a.left",
        "a.done",
        "a.details",
        "a.next",
    }
)

# What acts are about, by the beginnings of their names; the first that fits counts. What fits none
# goes with the act before it.
TOPICS = {
    "what happened": (
        "issue.complaint",
        "issue.story",
        "issue.sign",
        "issue.stake",
        "issue.doubt",
        "issue.contest",
        "c.open",
        "c.behalf",
    ),
    "what it took": (
        "issue.needed",
        "issue.impact",
        "issue.loss",
        "c.tried",
        "c.loyal",
        "c.before",
        "c.background",
    ),
    "what is wanted": ("c.wish", "c.letter"),
    "another matter": (
        "c.second",
        "c.asks",
        "a.second",
        "a.term",
        "issue.advice",
        "issue.wonders",
        "issue.clears",
        "option.wonders",
        "option.clears",
        "a.number",
    ),
    "what was found": (
        "issue.noted",
        "issue.echo",
        "issue.cause",
        "issue.assure",
        "issue.upheld",
        "issue.mend",
        "a.unsure",
        "a.traced",
        "a.trust",
        "a.hedge",
        "a.deny",
        "a.because",
        "a.no_exception",
        "a.asked",
    ),
    "what is asked": ("issue.ask", "a.evidence", "a.again", "a.identify", "a.ask_order"),
    "what is done": (
        "a.grant",
        "a.offer",
        "a.alternative",
        "a.confirm",
        "a.follows.",
        "option.",
        "a.needed.",
        "a.return",
        "a.calls",
    ),
    "the end": ("a.close", "a.close.refused"),
}

# Who writes a mail of so few words makes no paragraphs of it, and none shorter than that stands
# before another one: by eye, as people do who write many mails a day. A few like short ones.
WHOLE_BELOW = 38
LEAST_WORDS = (9, 16, 16, 24)


def in_paragraphs(said: Sequence[tuple[str, str]], rng: random.Random) -> str:
    """Greeting, paragraphs of what belongs together, closing, and a postscript if there is one."""
    greeting: list[str] = []
    closing: list[str] = []
    remark: list[str] = []
    body: list[tuple[str, str]] = []
    for beat, text in said:
        if beat in GREETINGS:
            greeting += [text] if text else []
        elif beat in CLOSINGS:
            closing.append(text)
        elif beat in BELOW_NAME:
            remark.append(text)
        else:
            body.append((beat, text))
    least = rng.choice(LEAST_WORDS)
    if _words(" ".join(text for _, text in body)) < WHOLE_BELOW:
        least = WHOLE_BELOW
    return tidy("\n\n".join([*greeting, *_paragraphs(body, least), *closing, *remark]))


def _paragraphs(body: Sequence[tuple[str, str]], least: int) -> list[str]:
    """The texts of the acts as paragraphs of so many words at least, each about one thing."""
    paragraphs: list[str] = []
    about = leads = ""
    for beat, text in body:
        topic = _topic_of(beat) or about
        goes_on = not paragraphs or leads in LEADS or topic == about
        if paragraphs and (goes_on or _words(paragraphs[-1]) < least):
            paragraphs[-1] = f"{paragraphs[-1]} {text}"
        else:
            paragraphs.append(text)
        about = topic
        leads = beat
    if len(paragraphs) > 1 and _words(paragraphs[-1]) < least // 2:
        last = paragraphs.pop()
        paragraphs[-1] = f"{paragraphs[-1]} {last}"
    return paragraphs


def _topic_of(beat: str) -> str:
    """What an act is about; "" for one that goes with any other."""
    for topic, names in TOPICS.items():
        if beat.startswith(names):
            return topic
    return ""


def _words(text: str) -> int:
    return len(text.split())
