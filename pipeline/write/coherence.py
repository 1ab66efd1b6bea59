"""Does a sentence about an incident fit what is seen of it?

A cause may be worded as if the sole had opened at the toe, and this one opened at the heel: such a
wording is for another case. Works on a text and the signs of one case; knows no rules.
"""

import re
from collections.abc import Mapping

from schemas.incidents import Incidents, plan_for, tells_value

# Acts that speak of the incident without telling one of its signs.
ABOUT = ("issue.cause", "issue.advice", "issue.complaint", "issue.impact")

# The facts hold what is seen as `spot: heel (heel, back end); wear: daily (every day)`.
SEEN = re.compile(r"(\w+): (\w+) \(")


def clashes(beat: str, text: str, facts: Mapping[str, str], incidents: Incidents) -> bool:
    """Whether an act's text shows another value of a sign than the case's, and not the case's."""
    plan = plan_for(incidents, facts.get("issue_key", ""))
    if plan is None or not beat.startswith(ABOUT):
        return False
    said = text.lower()
    for sign, value in SEEN.findall(facts.get("seen", "")):
        values = plan.signs.get(sign, {})
        if value not in values or tells_value(said, values[value].marks):
            continue
        others = [known for name, known in values.items() if name != value]
        if any(tells_value(said, known.marks) for known in others):
            return True
    return False
