"""From an answer's text to its entries.

That is the text's JSON as it stands, else every whole entry found in it, else what json-repair
makes of it. A text that was cut off keeps its whole entries only: a half-written one must never
look finished. Entries are raw; verifiers judge them.
"""

import json
import re

START, END = re.compile(r"[\[{]"), re.compile(r"[\]}]")


def entries_of(text: str, cut: bool = False) -> list[object]:
    """Raw entries, none where the text holds no JSON.

    `entries_of('Sure! {"entries": [{"unit": 1}]}')` is `[{"unit": 1}]`.
    """
    return [entry for entry in _found(text, cut) if _can_be_kept(entry)]


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


def _listed(data: object) -> list[object]:
    """The list of entries in an answer, which may also come bare or as one entry."""
    if isinstance(data, list):
        return list(data)
    if not isinstance(data, dict):
        return []
    entries = data.get("entries")
    if isinstance(entries, list):
        return list(entries)
    return [data] if "unit" in data else []


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
