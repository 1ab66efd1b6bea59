"""From what an agent submitted to its answer, by rules alone: JSON, a bare value, values inside a
sentence, a refusal. Pure.

Example: `extract("The best agent is 005zz0000000001AAA.", "id") == ["005zz0000000001AAA"]` and
`extract("No agent found.", "id") == [None]`.

A refusal is one only where it is the whole answer. Where the rules find nothing they say so (None),
and another reader may be asked.
"""

import calendar
import json
import re
from collections.abc import Callable, Iterable
from typing import Literal

from orgweave.benchmark.evaluate.metrics import is_id, is_refusal
from orgweave.benchmark.evaluate.states import STATES

Kind = Literal["id", "month", "state", "text"]
Found = list[str | None]
WORD = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?(?![A-Za-z0-9])")
TAGS = re.compile(r"</?(?:respond|submit|answer)>|^\s*```\w*|```\s*$", re.IGNORECASE)
LABEL = re.compile(
    r"^\s*(?:(?:the|my)\s+)?(?:final\s+)?(?:answer|result)(?:\s+is\b\s*:?|\s*[:=])\s*",
    re.IGNORECASE,
)
BARE = frozenset(
    (
        "none",
        "null",
        "nil",
        "nan",
        "n/a",
        "na",
        "no",
        "nothing",
        "nobody",
        "no one",
        "empty",
        "unanswerable",
        "not found",
        "not available",
        "not applicable",
    )
)
OPENING = re.compile(
    r"(?:there (?:is|are|was|were) (?:no|none|nothing|not any)|no|none|nothing|nobody|(?:the"
    r" )?agents? (?:did not|didn't|has not|hasn't) (?:violated?|broken?|breach(?:ed)?))\b"
)
ABOUT = frozenset(
    re.findall(
        r"[a-z']+",
        """
agent agents user users article articles knowledge issue issues product products record records case cases state states month months region regions result results violation
violations policy policies rule rules data item items order orders answer answers match matches matched matching matter was were is are be been being has have had can could did not
qualify qualifies qualified meet meets met exist exists found find fit fits available applicable broken broke break violate violated violates breach breached returned identified
handled managed handling managing closed assigned transferred ordered purchased bought reported there no none nothing nobody any such that which who with of for in to from during
the this these those them a an and or than more over at least on by it criteria criterion condition conditions requirement requirements description period window query question
date time given specified requested required quarter year week weeks day days didn't hasn't january february march april may june july august september october november december
spring summer autumn fall winter first second third fourth customer contact conversation
""",
    )
)
MONTHS = {name.casefold(): name for name in calendar.month_name[1:]}
SHORT_MONTHS = {name[:3]: full for name, full in MONTHS.items()} | {"sept": "September"}
MONTH = re.compile(rf"\b({'|'.join(MONTHS)})\b", re.IGNORECASE)
SHORT_MONTH = re.compile(rf"\b({'|'.join(key.title() for key in SHORT_MONTHS)})\b\.?")
NUMBERED_MONTH = re.compile(r"\b(?:19|20)\d\d-(\d\d)\b")
CODE = re.compile(r"\b[A-Z]{2}\b")
STATE_NAME = re.compile(rf"\b({'|'.join(sorted(STATES, key=len, reverse=True))})\b", re.IGNORECASE)
SPLIT = re.compile(r"\s*(?:,|;|\n|\band\b|&)\s*", re.IGNORECASE)


def extract(submitted: str, kind: Kind) -> Found | None:
    """The answer in a submitted text, `[None]` for a refusal, or None where no rule finds one."""
    text = cleaned(submitted)
    if not text:
        return None
    if kind == "text":
        return _text_answer(text)
    listed = _json_items(text)
    if listed is not None:
        return _of_items(listed, kind)
    return _of_words(text, kind)


def cleaned(submitted: str) -> str:
    """The text without tags, code fences, bold type, outer quotes and a label such as `Answer:`."""
    text = TAGS.sub("", submitted).strip().replace("**", "").replace("`", "")
    text = LABEL.sub("", text, count=1).strip()
    return (
        text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
    )


def refuses(text: str) -> bool:
    """Whether the whole text says that nothing answers: `None` and `There is no such agent.` do,
    `No, it is 005...` doesn't.

    A sentence must begin so and hold only words that every question uses: `No agent did better than
    Ann Lee` names one.
    """
    plain = text.replace("\u2019", "'").strip(" \t\n\"'.!()[]{}<>").casefold()
    words = re.findall(r"[a-z']+", plain)
    return plain in BARE or bool(words and OPENING.match(plain) and ABOUT.issuperset(words))


def _text_answer(text: str) -> Found:
    listed = _json_items(text)
    if listed is not None and all(isinstance(one, str) for one in listed) and listed:
        text = ", ".join(str(one) for one in listed)
    return [None] if refuses(text) or listed in ([], [None]) else [text]


def _json_items(text: str) -> list[object] | None:
    """The items of a JSON text: a list's, an object's values, a string or null as the only one;
    None where it is no JSON.
    """
    if text[0] not in '[{"' and text != "null":
        return None
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return None
    if isinstance(value, dict):
        value = next(iter(value.values())) if len(value) == 1 else list(value.values())
    return value if isinstance(value, list) else [value]


def _of_items(items: list[object], kind: Kind) -> Found | None:
    if not items:
        return [None]
    found = [_of_words(cleaned(str(item)), kind) if item is not None else [None] for item in items]
    if any(one is None for one in found):
        return None
    flat = [one for part in found if part for one in part]
    return [None] if is_refusal(flat) else flat


def _of_words(text: str, kind: Kind) -> Found | None:
    named = FINDERS[kind](text)
    if named:
        return list(dict.fromkeys(named))
    return [None] if not text or refuses(text) else None


def _ids(text: str) -> Iterable[str]:
    return [word for word in WORD.findall(text) if is_id(word)]


def _months(text: str) -> Iterable[str]:
    whole = [
        MONTHS[name.casefold()]
        for name in MONTH.findall(text)
        if name[0].isupper() or name not in ("may", "march") or name == text
    ]
    if whole:
        return whole
    short = [
        SHORT_MONTHS[name.casefold()]
        for name in SHORT_MONTH.findall(text.title() if len(text) <= len("sept.") else text)
    ]
    return short or [
        calendar.month_name[int(number)]
        for number in NUMBERED_MONTH.findall(text)
        if 1 <= int(number) <= 12
    ]


def _states(text: str) -> Iterable[str]:
    """Codes in capitals, names in full; in small letters a code counts only where the text is
    nothing but codes.
    """
    pieces = [piece.strip(" .'\"[]()").upper() for piece in SPLIT.split(text)]
    codes = set(STATES.values())
    if pieces and all(piece in codes for piece in pieces):
        return pieces
    names = [STATES[name.casefold()] for name in STATE_NAME.findall(text)]
    return [*names, *(code for code in CODE.findall(text) if code in codes and code not in names)]


FINDERS: dict[Kind, Callable[[str], Iterable[str]]] = {
    "id": _ids,
    "month": _months,
    "state": _states,
}
