"""Facts in the form in which people write them: `$25`, `20%`, `Thursday, August 17`.

Works on facts as texts; knows no rules and no acts.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

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
        written[name] = _in_signs(texts.get(name, ""))
    for fact, name in DAYS.items():
        written[name] = YEAR.sub("", texts.get(fact, ""))
    written["due"] = f"{texts.get('due_day', '')}, {written['due']}"
    return written


@lru_cache(maxsize=4096)
def _in_signs(phrase: str) -> str:
    return PERCENT.sub(r"\1%", DOLLARS.sub(r"$\1", phrase))
