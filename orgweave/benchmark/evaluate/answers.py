"""From what an agent submitted to its answer, by rules alone: JSON, a bare value, values inside a
sentence, a refusal. Pure.

Example: `extract("The best agent is 005zz0000000001AAA.", "id") == ["005zz0000000001AAA"]` and
`extract("No agent found.", "id") == [None]`.

A refusal counts as one only where it is the whole answer. Where the rules find nothing, they say so
(None), and another reader may be asked.
"""

import calendar
import json
import re
from collections.abc import Callable

from orgweave.benchmark.evaluate.refusals import ID_LIKE, refuses, says_nothing_answers
from orgweave.benchmark.metrics import is_id, is_refusal
from orgweave.benchmark.task import AnswerKind
from schemas.country import DEFAULT_LOCALE, load_country

Extracted = list[str | None]
TAGS = re.compile(r"</?(?:respond|submit|answer)>|^\s*```\w*|```\s*$", re.IGNORECASE)
LABEL = re.compile(
    r"^\s*(?:(?:the|my)\s+)?(?:final\s+)?(?:answer|result)(?:\s+is\b\s*:?|\s*[:=])\s*",
    re.IGNORECASE,
)
MONTHS = {name.casefold(): name for name in calendar.month_name[1:]}
SHORT_MONTHS = {name[:3]: full for name, full in MONTHS.items()} | {"sept": "September"}
MONTH_PATTERN = "|".join(MONTHS)
MONTH = re.compile(rf"\b({MONTH_PATTERN})\b", re.IGNORECASE)
SHORT_MONTH_PATTERN = "|".join(key.title() for key in SHORT_MONTHS)
SHORT_MONTH = re.compile(rf"\b({SHORT_MONTH_PATTERN})\b\.?")
NUMBERED_MONTH = re.compile(r"\b(?:19|20)\d\d-(\d\d)\b")
STATE_CODES = {
    "alabama": "AL", "alaska": "AK", "arizona": "AZ", "arkansas": "AR", "california": "CA",
    "colorado": "CO", "connecticut": "CT", "delaware": "DE", "district of columbia": "DC",
    "florida": "FL", "georgia": "GA", "hawaii": "HI", "idaho": "ID", "illinois": "IL",
    "indiana": "IN", "iowa": "IA", "kansas": "KS", "kentucky": "KY", "louisiana": "LA",
    "maine": "ME", "maryland": "MD", "massachusetts": "MA", "michigan": "MI", "minnesota": "MN",
    "mississippi": "MS", "missouri": "MO", "montana": "MT", "nebraska": "NE", "nevada": "NV",
    "new hampshire": "NH", "new jersey": "NJ", "new mexico": "NM", "new york": "NY",
    "north carolina": "NC", "north dakota": "ND", "ohio": "OH", "oklahoma": "OK", "oregon": "OR",
    "pennsylvania": "PA", "puerto rico": "PR", "rhode island": "RI", "south carolina": "SC",
    "south dakota": "SD", "tennessee": "TN", "texas": "TX", "utah": "UT", "vermont": "VT",
    "virginia": "VA", "washington": "WA", "west virginia": "WV", "wisconsin": "WI", "wyoming": "WY",
}  # fmt: skip
"""The states of the US, the District of Columbia and Puerto Rico by name."""
CODE = re.compile(r"\b[A-Z]{2}\b")
# The longest name first: West Virginia is not Virginia.
STATE_PATTERN = "|".join(sorted(STATE_CODES, key=len, reverse=True))
STATE_NAMED = re.compile(rf"\b({STATE_PATTERN})\b", re.IGNORECASE)
SPLIT = re.compile(r"\s*(?:,|;|\n|\band\b|&)\s*", re.IGNORECASE)


def extract(submitted: str, kind: AnswerKind, locale: str = DEFAULT_LOCALE) -> Extracted | None:
    """The answer in a submitted text, `[None]` for a refusal, or None where no rule finds one.

    States are those of the company's locale.
    """
    text = cleaned(submitted)
    if not text:
        return None
    if kind == "text":
        return _text_answer(text)
    listed = _json_items(text)
    if listed is not None:
        return _of_items(listed, kind, locale)
    return _of_words(text, kind, locale)


def cleaned(submitted: str) -> str:
    """The text without tags, code fences, bold type, outer quotes and a label such as `Answer:`."""
    text = TAGS.sub("", submitted).strip().replace("**", "").replace("`", "")
    text = LABEL.sub("", text, count=1).strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1].strip() if quoted else text


def _text_answer(text: str) -> Extracted:
    listed = _json_items(text)
    if listed in ([], [None]):
        return [None]
    if listed and all(isinstance(item, str) for item in listed):
        text = ", ".join(str(item) for item in listed)
    return [None] if refuses(text) else [text]


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
        values = list(value.values())
        value = values[0] if len(values) == 1 else values
    return value if isinstance(value, list) else [value]


def _of_items(items: list[object], kind: AnswerKind, locale: str) -> Extracted | None:
    """The values of all items; None where the rules find nothing in one of them."""
    values: Extracted = []
    for item in items:
        found = [None] if item is None else _of_words(cleaned(str(item)), kind, locale)
        if found is None:
            return None
        values += found
    return [None] if not values or is_refusal(values) else values


def _of_words(text: str, kind: AnswerKind, locale: str) -> Extracted | None:
    abroad = kind == "state" and locale != DEFAULT_LOCALE
    named = _regions(text, locale) if abroad else FINDERS[kind](text)
    if named:
        return list(dict.fromkeys(named))
    return [None] if not text or says_nothing_answers(text) else None


def _ids(text: str) -> list[str]:
    return [word for word in ID_LIKE.findall(text) if is_id(word)]


def _months(text: str) -> list[str]:
    return _whole_months(text) or _short_months(text) or _numbered_months(text)


def _whole_months(text: str) -> list[str]:
    found = []
    for name in MONTH.findall(text):
        # "may" and "march" in small letters are verbs, unless they are all there is.
        is_verb = name in ("may", "march") and name != text
        if not is_verb:
            found.append(MONTHS[name.casefold()])
    return found


def _short_months(text: str) -> list[str]:
    if len(text) <= len("sept."):
        text = text.title()
    return [SHORT_MONTHS[name.casefold()] for name in SHORT_MONTH.findall(text)]


def _numbered_months(text: str) -> list[str]:
    numbers = [int(number) for number in NUMBERED_MONTH.findall(text)]
    return [calendar.month_name[number] for number in numbers if 1 <= number <= 12]


def _states(text: str) -> list[str]:
    """Codes in capitals, names in full; in small letters a code counts only where the text is
    nothing but codes.
    """
    codes = set(STATE_CODES.values())
    pieces = [piece.strip(" .'\"[]()").upper() for piece in SPLIT.split(text)]
    if pieces and codes.issuperset(pieces):
        return pieces
    found = [STATE_CODES[name.casefold()] for name in STATE_NAMED.findall(text)]
    names = set(found)
    for code in CODE.findall(text):
        if code in codes and code not in names:
            found.append(code)
    return found


def _regions(text: str, locale: str) -> list[str]:
    """The regions of another country, by their codes in capitals or their names."""
    regions = load_country(locale).regions
    named = {name.casefold(): code for code, name in regions.items()}
    spelled = {code.casefold(): code for code in regions}
    pieces = [piece.strip(" .'\"[]()").casefold() for piece in SPLIT.split(text)]
    if all(piece in spelled for piece in pieces):
        return [spelled[piece] for piece in pieces]
    listed = sorted({*regions, *regions.values()}, key=len, reverse=True)
    # A sign of a script without spaces has no edge of a word beside it.
    edges = [rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])" for word in listed]
    found = re.findall("|".join(edges), text)
    return [word if word in regions else named[word.casefold()] for word in found]


FINDERS: dict[AnswerKind, Callable[[str], list[str]]] = {
    "id": _ids,
    "month": _months,
    "state": _states,
}
