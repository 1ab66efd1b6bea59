"""Facts in the form in which people write them: `$25`, `20%`, `Thursday, August 17`.

Works on facts as texts; knows no rules and no acts.
"""

import re
from collections.abc import Mapping

# Facts that name a remedy, and what of them people write in signs.
REMEDIES = ("option", "wish")
DOLLARS = re.compile(r"\b(\d+) dollars\b")
PERCENT = re.compile(r"\b(\d+) percent\b")
DAYS = {"due_date": "due", "back_date": "back_by"}
"""Facts that are days, and what rules call them as people write them."""
# The year of a day that is weeks away goes without saying.
YEAR = re.compile(r",? \d{4}$")


def as_written(texts: Mapping[str, str]) -> dict[str, str]:
    """Facts in the form in which people write them: `$25`, `20%`, `Thursday, August 17`."""
    written = {}
    for name in REMEDIES:
        phrase = DOLLARS.sub(r"$\1", texts.get(name, ""))
        written[name] = PERCENT.sub(r"\1%", phrase)
    for fact, name in DAYS.items():
        written[name] = YEAR.sub("", texts.get(fact, ""))
    written["due"] = f"{texts.get('due_day', '')}, {written['due']}"
    return written
