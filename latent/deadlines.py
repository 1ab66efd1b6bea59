"""Deadlines: how an agent takes up the day by which a customer needs it.

A conversation only says that the two days are held against each other. Once it is known when what
was granted is due, the act becomes that it is in time, close, or too late; and whoever writes after
the customer's day is sorry for that. A part of CaseStory: knows acts and days, and no words.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

import numpy as np

from latent.case_course import CaseCourse
from latent.dialogue import Turn
from latent.telling import TAKES_UP_NEED
from pipeline.world.tables import Array

SHIPS = ("ships", "ships.sized")
"""Facts whose day is that on which a parcel leaves."""

# A parcel that leaves so many days before is there in time. By eye.
ON_THE_WAY = 4

BEFORE = "before"
CLOSE = "close"
AFTER = "after"
MISSED = "missed"


def deadlines_met(courses: Sequence[CaseCourse], due: Array, needed: Array) -> list[CaseCourse]:
    """The courses, of which those with a day by which it is needed say how it was met.

    `due` and `needed` hold a day for each case, NaT for none.
    """
    found = []
    for course in courses:
        day = needed[course.case]
        known = None if np.isnat(day) else day.astype("datetime64[D]").item()
        when = due[course.case]
        is_due = None if np.isnat(when) else when.astype("datetime64[D]").item()
        found.append(course if known is None else _met(course, is_due, known))
    return found


def _met(course: CaseCourse, due: date | None, needed: date) -> CaseCourse:
    turns = []
    for turn, moment in zip(course.turns, course.times, strict=True):
        turns.append(turn_met(turn, moment, due, needed))
    return replace(course, turns=tuple(turns))


def turn_met(turn: Turn, moment: datetime, due: date | None, needed: date) -> Turn:
    """A turn whose acts say how the day was met; the day is taken up once in it."""
    compared = any(beat.startswith(f"{TAKES_UP_NEED}.") for beat in turn.beats)
    beats = []
    for beat in turn.beats:
        if beat == TAKES_UP_NEED:
            said = f"{beat}.{MISSED}" if moment.date() >= needed else beat
            beats += [] if compared else [said]
        elif beat.startswith(f"{TAKES_UP_NEED}."):
            fact = beat.removeprefix(f"{TAKES_UP_NEED}.")
            how = "" if due is None else f".{how_met(fact, due, needed)}"
            if moment.date() > needed:
                how = f".{MISSED}"
            beats.append(f"{TAKES_UP_NEED}{how}")
        else:
            beats.append(beat)
    return replace(turn, beats=tuple(beats))


def how_met(fact: str, due: date, needed: date) -> str:
    """Whether what is told by a fact, and due on a day, is there by the day it is needed.

    >>> how_met("visit", date(2026, 3, 6), date(2026, 3, 6))
    'before'
    >>> how_met("ships", date(2026, 3, 6), date(2026, 3, 8))
    'close'
    """
    if due > needed:
        return AFTER
    travels = ON_THE_WAY if fact in SHIPS else 0
    return BEFORE if (needed - due).days >= travels else CLOSE
