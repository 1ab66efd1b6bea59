"""Does a sentence about an incident fit what is seen of it, the product, and the day?

A cause may be worded as if the sole had opened at the toe, and this one opened at the heel: such a
wording is for another case. So is one of last month's trouble with what was bought three days ago,
one that answers what an agent will ask, and one that promises something for this week on a Friday.
Works on a text and the facts of one case; knows no
rules.
"""

import re
from collections.abc import Mapping, Sequence

from pipeline.write.behalf import HEARD
from schemas.incidents import IncidentPlan, Incidents, plan_for, tells_value
from schemas.world import World

# Acts that speak of the incident: who tells one of its signs may name another one beside it.
ABOUT = (
    "a.unsure",
    "a.traced",
    "issue.cause",
    "issue.advice",
    "issue.complaint",
    "issue.impact",
    "issue.story",
    "issue.sign",
    "issue.doubt",
    "issue.contest",
    "issue.wonders",
    "issue.clears",
)

FINDS = ("issue.cause.", "a.unsure", "a.traced")
"""Acts that say what an agent makes of a problem, whether they know the cause or not."""
ECHO = "issue.echo."
ASKED = "issue.ask."
SIGN = "issue.sign."
STAKE = "issue.stake"

# The facts hold what is seen as `spot: heel (heel, back end); wear: daily (every day)`.
SEEN = re.compile(r"(\w+): (\w+) \(")


UNPROMPTED = ("issue.complaint", "issue.impact", "issue.story", "c.tried")
"""Acts of a customer that answer no question; what will be asked is not in them."""

TIMED = (
    "issue.complaint",
    "issue.impact",
    "issue.story",
    "issue.cause",
    "issue.sign",
    "issue.doubt",
    "issue.contest",
)
"""Acts that speak of the time since the order."""

# What says that something has gone on for so many days at least, whatever the number before it.
LASTS = {
    re.compile(r"\b(?:several|a few|some|for) days\b"): 3,
    re.compile(r"\b(?:over|on|at) the weekend\b"): 3,
    re.compile(r"\b(?:last|past) week\b"): 5,
    re.compile(r"\bweeks\b|\b(?:each|every) week\b|\bweekly\b"): 12,
    re.compile(r"\b(?:last|past) month\b|\ba month\b|\bmonth ago\b"): 28,
    re.compile(r"\bused to\b|\bevery (?:mon|tues|wednes|thurs|fri)day\b"): 21,
    re.compile(r"\bmonths\b|\b(?:each|every) month\b|\bmonthly\b"): 45,
    # An offer's first or free year has not gone by, nor has the second or the next one.
    re.compile(
        r"\b(?:last|past) year\b|\byears\b|(?<!first )(?<!free )(?<!second )(?<!next )\byear\b"
    ): 330,
}


WEEK_ENDS = ("Friday", "Saturday", "Sunday")
OF_THE_WEEK = {
    re.compile(r"\bthis week\b"): ("Monday", *WEEK_ENDS),
    re.compile(r"\b(?:friday|end of the week|(?:before|by) the weekend)\b"): (
        "Thursday",
        *WEEK_ENDS,
    ),
}
"""Words of the week, and the days on which they make no sense: the week has hardly begun, or is
over."""


def is_unsaid(text: str, category: str, world: World, group: str = "") -> bool:
    """Whether a text has a word that nobody uses of what a category holds for a target group."""
    words = world.unsaid_of(category, group)
    return bool(words) and tells_value(text.lower(), words)


def clashes(beat: str, text: str, facts: Mapping[str, str], incidents: Incidents) -> bool:
    """Whether an act's text shows another value of a sign than the case's, and not the case's."""
    plan = plan_for(incidents, facts.get("issue_key", ""))
    said = text.lower()
    today = facts.get("weekday", "")
    if any(today in days and words.search(said) for words, days in OF_THE_WEEK.items()):
        return True
    if beat.startswith(TIMED) and _too_long(said, facts.get("days", "")):
        return True
    if beat.startswith(TIMED) and today and re.search(rf"(?<!every )\b{today.lower()}\b", said):
        # What happens today is not called by its weekday.
        return True
    if plan is None:
        return False
    if beat.startswith(UNPROMPTED) and _answers(said, facts.get("asks", ""), plan):
        return True
    if not beat.startswith(ABOUT):
        return False
    for sign, value in SEEN.findall(facts.get("seen", "")):
        values = plan.signs.get(sign, {})
        if value not in values or tells_value(said, values[value].marks):
            continue
        others = [known for name, known in values.items() if name != value]
        if any(tells_value(said, known.marks) for known in others):
            return True
    return False


def is_echoed(echo: str, beat: str, text: str, facts: Mapping[str, str], known: Incidents) -> bool:
    """Whether a finding names what the act before it only repeats: nobody says it twice."""
    plan = plan_for(known, facts.get("issue_key", ""))
    if plan is None or not echo.startswith(ECHO) or not beat.startswith(FINDS):
        return False
    sign, _, value = echo.removeprefix(ECHO).partition(".")
    told = plan.signs.get(sign, {}).get(value)
    return told is not None and tells_value(text.lower(), told.marks)


def is_told(
    beat: str, said: str, beats: Sequence[str], facts: Mapping[str, str], incidents: Incidents
) -> bool:
    """Whether what was said before tells the sign of an act already.

    `You spelled my name wrong. My name is wrong.` says it twice. A sign that has to name what is at
    stake is told all the same, unless another act of the message names it.
    """
    if not beat.startswith(SIGN) or (facts.get("stake") and STAKE not in beats):
        return False
    plan = plan_for(incidents, facts.get("issue_key", ""))
    sign, _, value = beat.removeprefix(SIGN).partition(".")
    known = plan.signs.get(sign, {}).get(value) if plan else None
    return known is not None and tells_value(said.lower(), known.marks)


def takes_up(beat: str, text: str, facts: Mapping[str, str], incidents: Incidents) -> bool:
    """Whether a finding names what the customer answered, and nothing that nobody has told.

    What a picture shows needs no telling. True of every act that is no finding.
    """
    plan = plan_for(incidents, facts.get("issue_key", ""))
    cause = plan.causes.get(facts.get("cause", "")) if plan else None
    if plan is None or cause is None or not beat.startswith(FINDS):
        return True
    said, heard = text.lower(), facts.get(HEARD, "").lower()
    asked = facts.get("asks", "").split(",")
    for sign, value in SEEN.findall(facts.get("seen", "")):
        known = plan.signs.get(sign, {}).get(value)
        if known is None:
            continue
        names = tells_value(said, known.marks)
        if sign == cause.tells and sign in asked:
            if not names:
                return False
        elif names and sign not in plan.pictured and not tells_value(heard, known.marks):
            return False
    return True


def foretells(beat: str, text: str, facts: Mapping[str, str], incidents: Incidents) -> bool:
    """Whether an agent names a detail of the case that nobody has told them.

    Who asks has not looked yet, and knows none but what was told; who has looked knows all but what
    only the customer can know.
    """
    plan = plan_for(incidents, facts.get("issue_key", ""))
    if plan is None or facts.get("speaker") != "Agent":
        return False
    heard = facts.get(HEARD, "").lower()
    for name in plan.told_names if beat.startswith(ASKED) else plan.their_names:
        value = facts.get(name, "")
        if len(value) > 1 and value in text and value.lower() not in heard:
            return True
    return False


def _answers(said: str, asks: str, plan: IncidentPlan) -> bool:
    """Whether a text tells a value of a sign that an agent asks for later."""
    for sign in asks.split(","):
        values = plan.signs.get(sign, {}).values()
        if any(tells_value(said, known.marks) for known in values):
            return True
    return False


def _too_long(said: str, days: str) -> bool:
    """Whether a text speaks of more time than has gone by since the order."""
    if not days.isdecimal():
        return False
    return any(int(days) < least and span.search(said) for span, least in LASTS.items())
