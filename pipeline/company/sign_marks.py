"""Whether a line tells the value of a sign that it is for, in each of its wordings, and no other.

What stands in slots isn't known here: a line with a slot may tell its value by that.
"""

import re
from collections.abc import Iterator, Sequence

from pipeline.company.faults import FileFault
from pipeline.company.lexicon_map import LexiconMap
from pipeline.write.grammar import chosen, parse, slots, wordings
from schemas.errors import SchemaError
from schemas.incidents import Incidents, SignValue, tells_value

MOST_WORDINGS = 200
"""So many wordings of a line are looked at, evenly over all that it has."""

TOLD_BY = ("issue.{}.sign.{}", "chat.issue.{}.sign.{}")
"""The rules by which a customer tells a value, by issue and by sign and value."""


def mark_remarks(words: LexiconMap, incidents: Incidents) -> list[FileFault]:
    """The lines of one's own that don't tell their value, or tell another: no run stops at them,
    but the org's texts then say something else than its hidden truth.
    """
    found = []
    for issue, plan in incidents.items():
        for sign, values in plan.signs.items():
            for key, value in values.items():
                others = {name: other for name, other in values.items() if name != key}
                for pattern in TOLD_BY:
                    rule = pattern.format(issue, f"{sign}.{key}")
                    found += _of_rule(words, rule, value, others)
    return found


def _of_rule(
    words: LexiconMap,
    rule: str,
    value: SignValue,
    others: dict[str, SignValue],
) -> list[FileFault]:
    found = []
    for name in words.variants(rule):
        if not words.is_own(name):
            continue
        for number, line in enumerate(words.lexicon.rules[name]):
            for says in _wrong(line, value, others):
                place = words.place(name, number)
                fault = FileFault(
                    *place,
                    f"rule {name}: this line {says}",
                    remark=True,
                    text=line,
                )
                found.append(fault)
    return found


def _wrong(line: str, value: SignValue, others: dict[str, SignValue]) -> Iterator[str]:
    if not all(tell(line, value.marks)) and not _has_slots(line):
        yield f"has none of the marks {', '.join(value.marks)} in one of its wordings"
    for key, other in others.items():
        if any(tell(line, other.marks)):
            yield f"has a mark of {key}, which it isn't"


def tell(line: str, marks: Sequence[str]) -> list[bool]:
    """Whether each wording of a line tells what some marks stand for.

    A line that can't be read has no wordings; the check of its rule tells of it.
    """
    known = tuple(marks)
    return [tells_value(text, known) for text in _texts(line)]


def _has_slots(line: str) -> bool:
    try:
        return bool(slots(parse(line)))
    except SchemaError:
        return False


def _texts(line: str) -> Iterator[str]:
    """Yields the wordings of a line in small letters, without what stands in its slots."""
    try:
        phrase = parse(line)
    except SchemaError:
        return
    number = wordings(phrase)
    for place in range(0, number, max(1, number // MOST_WORDINGS)):
        words = [node for node in chosen(phrase, place) if isinstance(node, str)]
        yield re.sub(r"\s+", " ", "".join(words)).lower()
