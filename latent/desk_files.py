"""The files that agents send with their mails: a label for the parcel, a credit note, a letter.

A part of AttachmentHabit. Which acts of an agent bring a file says the trade; knows no words.
"""

from dataclasses import dataclass

import numpy as np

from latent.dialogue import AGENT
from pipeline.world.org import Org
from pipeline.world.tables import Array

DIGIT = "#"
DIGITS = 10


@dataclass(frozen=True, slots=True)
class DeskFiles:
    """What agents sent: by which mail (its row), and what each file is called."""

    message: Array
    title: list[str]


def desk_files(org: Org) -> DeskFiles:
    """A file for some of the mails whose acts bring one, at most one a mail; in their order."""
    rng = org.setting.stream("AttachmentHabit", "desk")
    mails = org.table("CaseStory.messages")
    enclosed = org.setting.world.trade.contact.enclosed
    points = rng.random(mails.size)
    rows: list[int] = []
    titles: list[str] = []
    said = np.flatnonzero(mails["speaker"] == AGENT)
    for row in said.tolist():
        acts = str(mails["beats"][row]).split(",")
        bringing = [act for act in acts if act in enclosed]
        if not bringing:
            continue
        file = enclosed[bringing[0]]
        if points[row] < file.share:
            rows.append(row)
            digits = rng.integers(DIGITS, size=len(file.title))
            titles.append(_numbered(file.title, digits))
    return DeskFiles(np.array(rows, dtype=np.int64), titles)


def _numbered(title: str, digits: Array) -> str:
    """The title with a digit in each of its places."""
    signs = zip(title, digits.tolist(), strict=True)
    return "".join(str(digit) if sign == DIGIT else sign for sign, digit in signs)
