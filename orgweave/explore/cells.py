"""Values as HTML: links with labels, dates, amounts, states, long texts with their line breaks,
chats line by line. Reads no database.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from markupsafe import Markup, escape

from orgweave.explore.views import FieldView
from orgweave.soql.sql import SqlValue
from verifiers.transcript import CUSTOMER, SYSTEM

DATABASE = "org"
TURN = re.compile(
    r"^\[(?P<at>\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?)\] (?P<name>.+?) \((?P<role>[^)]+)\):"
    r" (?P<says>.*)$"
)
EXCERPT = 160
"""Characters of a long text in a list."""
YES = '<span class="yes">Yes</span>'
NO = '<span class="no">No</span>'
TONES = {
    "good": ("Closed", "Activated", "Completed", "Active"),
    "warn": ("Escalated", "High", "Overdue", "Cancelled", "Late"),
    "busy": ("New", "Working", "Waiting on Customer", "Medium", "Draft"),
}
"""Colours of common states; every other one is grey."""


@dataclass(frozen=True, slots=True)
class Link:
    """A record that something refers to: its object type, id and label."""

    kind: str
    id: str
    label: str

    @property
    def url(self) -> str:
        """Its page."""
        return record_url(self.kind, self.id)


def record_url(kind: str, key: str) -> str:
    """The page of a record."""
    return f"/{DATABASE}/{kind}/{key}"


def ids_in(column: FieldView, value: SqlValue) -> list[str]:
    """The ids that a link's value holds; a list that is none holds nothing."""
    if value is None or not column.targets:
        return []
    if not column.many:
        return [str(value)]
    try:
        held = json.loads(str(value))
    except ValueError:
        return []
    return [str(key) for key in held] if isinstance(held, list) else []


def cell(
    column: FieldView,
    value: SqlValue,
    links: Mapping[str, Link],
    short: bool = False,
) -> Markup:
    """A value as it stands on a page; `short` cuts long texts to an excerpt and moments to their
    day, as in a list.
    """
    if value is None or value == "":
        return Markup('<span class="none">–</span>')
    if column.targets:
        shown = [_link(links.get(key), key) for key in ids_in(column, value)]
        return Markup(", ").join(shown) or Markup(escape(value))
    return _plain(column, value, short)


def _plain(column: FieldView, value: SqlValue, short: bool) -> Markup:
    match column.form:
        case "boolean":
            return Markup(YES if value else NO)
        case "date" | "moment":
            return moment(str(value), short)
        case "number" if isinstance(value, int | float):
            return Markup(f"{value:,.{column.decimals}f}")
        case "choice":
            return Markup('<span class="pill {}">{}</span>').format(_tone(str(value)), value)
        case "prose":
            return Markup(escape(_excerpt(str(value)))) if short else prose(str(value))
    return Markup(escape(value))


def moment(text: str, short: bool = False) -> Markup:
    """`2022-03-01T09:30:00.000+0000` as Mar 1, 2022 09:30, or `short` as Mar 1, 2022; what is no
    date stays as it is.
    """
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        return Markup(escape(text))
    hour = Markup("")
    if len(text) > len("2022-03-01T") and not short:
        hour = Markup(' <span class="hour">{}</span>').format(text[11:16])
    return Markup('<time datetime="{0}" title="{0}">{1}{2}</time>').format(
        text,
        f"{day:%b} {day.day}, {day.year}",
        hour,
    )


def prose(text: str) -> Markup:
    """A long text as it was written; a chat as its turns.

    The customer is on one side, all others are on the other; where nobody is called so, it is
    whoever speaks first. The chat window's own lines belong to the other side.
    """
    turns = [TURN.match(line) for line in text.splitlines() if line.strip()]
    matched = [turn for turn in turns if turn]
    if len(matched) < 2 or len(matched) < len(turns):
        return Markup('<div class="prose">{}</div>').format(text)
    roles = [turn["role"] for turn in matched]
    first = next((role for role in roles if role != SYSTEM), None)
    opener = CUSTOMER if CUSTOMER in roles else first
    return Markup('<ol class="chat">{}</ol>').format(
        Markup("").join(_turn(turn, turn["role"] == opener) for turn in matched)
    )


def _turn(turn: re.Match[str], opened: bool) -> Markup:
    head = Markup("<b>{}</b> {} <time>{}</time>").format(
        turn["name"],
        turn["role"],
        turn["at"][11:16],
    )
    return Markup('<li class="{}"><p class="by">{}</p><p class="says">{}</p></li>').format(
        "theirs" if opened else "ours",
        head,
        turn["says"],
    )


def _link(link: Link | None, key: str) -> Markup:
    if link is None:
        return Markup("<code>{}</code>").format(key)
    return Markup('<a href="{}">{}</a>').format(link.url, link.label)


def _tone(value: str) -> str:
    for tone, values in TONES.items():
        if value in values:
            return tone
    return "plain"


def _excerpt(text: str) -> str:
    flat = " ".join(text.split())
    if len(flat) <= EXCERPT:
        return flat
    whole_words = flat[:EXCERPT].rsplit(" ", 1)[0]
    return f"{whole_words} …"
