"""From an answer's text to its entries.

That is the text's JSON as it stands, else every whole entry found in it, else what json-repair
makes of it. A text that was cut off keeps its whole entries only: a half-written one must never
look finished. Entries are raw; verifiers judge them.
"""

import json
import re

UNIT_NUMBER = re.compile(r"(?:unit\s*)?#?(\d{1,9})(?:\.0)?", re.IGNORECASE)
# How many keys may stand around the list of entries: `{"output": {"entries": [...]}}` has two.
DEEPEST_WRAPPING = 3
# Half of a character, which has no text in UTF-8, comes as `\ud800` only.
ESCAPED = re.compile(r"\\u[dD]|[\ud800-\udfff]")
START, END = re.compile(r"[\[{]"), re.compile(r"[\]}]")


def entries_of(text: str, cut: bool = False) -> list[object]:
    """Raw entries, none where the text holds no JSON.

    `entries_of('Sure! {"entries": [{"unit": 1}]}')` is `[{"unit": 1}]`.
    """
    found = _found(text, cut)
    if not ESCAPED.search(text):
        return found
    return [entry for entry in found if _can_be_kept(entry)]


def _found(text: str, cut: bool) -> list[object]:
    try:
        return _listed(json.loads(text, strict=False))
    except (ValueError, RecursionError):
        found = _whole_entries(text)
    return found if found or cut else _repaired(text)


def _can_be_kept(entry: object) -> bool:
    """Whether an entry has a text in UTF-8.

    Half of an escaped character, as models write it now and then, has none.
    """
    try:
        json.dumps(entry, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True


def _listed(data: object, depth: int = 0) -> list[object]:
    """The list of entries in an answer.

    It may come bare, as one entry, keyed by the units' numbers, or wrapped in other keys.
    """
    if isinstance(data, list):
        return [_numbered(entry) for entry in data]
    if not isinstance(data, dict) or depth > DEEPEST_WRAPPING:
        return []
    if "unit" in data:
        return [_numbered(data)]
    keyed = _keyed(data)
    if keyed:
        return keyed
    wrapped = [data["entries"]] if "entries" in data else list(data.values())
    for value in wrapped:
        found = _listed(value, depth + 1) if isinstance(value, list | dict) else []
        if any(isinstance(entry, dict) for entry in found):
            return found
    return []


def _keyed(data: dict[str, object]) -> list[object]:
    """Entries in a mapping from a unit's number to the entry, which need not repeat it."""
    entries: list[object] = []
    for key, value in data.items():
        if not (key.isdecimal() and isinstance(value, dict)):
            return []
        entries.append(_numbered({"unit": int(key), **value}))
    return entries


def _numbered(entry: object) -> object:
    """The entry with its unit as a whole number: models also write `"3"`, 3.0 or `"unit 3"`."""
    if not isinstance(entry, dict) or "unit" not in entry:
        return entry
    unit = entry["unit"]
    if isinstance(unit, float) and unit.is_integer():
        return {**entry, "unit": int(unit)}
    if isinstance(unit, str):
        number = UNIT_NUMBER.fullmatch(unit.strip())
        if number:
            return {**entry, "unit": int(number.group(1))}
    return entry


def _whole_entries(text: str) -> list[object]:
    """All complete JSON objects with a `unit`, wherever they stand in the text."""
    decoder = json.JSONDecoder(strict=False)
    found: list[object] = []
    start = text.find("{")
    while start >= 0:
        try:
            data, end = decoder.raw_decode(text, start)
            found += _listed(data)
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)
    return found


def _repaired(text: str) -> list[object]:
    from json_repair import repair_json

    start = START.search(text)
    if start is None or not END.search(text, start.end()):
        return []  # it breaks off before anything was whole: to complete it would be to invent
    try:
        return _listed(repair_json(text[start.start() :], return_objects=True))
    except (ValueError, RecursionError):
        return []
