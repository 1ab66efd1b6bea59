"""What an article answers to a question on its remedies or its figures, read off its words alone.

Knows no tools and no org: an agent's script hands it the article.
"""

import re

from orgweave.benchmark.scripts import reading
from orgweave.benchmark.scripts.script import ScriptInput

OF_REMEDIES = ("limit", "remaining", "which", "longest", "shortest", "left", "open")
OF_MONEY = re.compile(r"\b(?:much|cost|fee|amount|dollars?|price|minimum|spend)\b", re.IGNORECASE)


def read_off(
    given: ScriptInput,
    span: str,
    article: str,
) -> str:
    """The answer: by what is asked of remedies, else the figure of the sentence whose unit the
    query names.
    """
    limits = reading.remedies(article)
    asks = str(given.parameters.get("asks", ""))
    if not limits or asks not in OF_REMEDIES:
        return _figure(given.query, asks, span)
    ranked = sorted(limits, key=lambda name: limits[name])
    if asks in ("limit", "remaining"):
        option = reading.meant(given.parameters["option"], limits) or ranked[0]
        gone = int(given.parameters.get("days", 0))
        return f"{limits[option] - gone} days"
    if asks in ("shortest", "longest"):
        return f"{limits[ranked[0 if asks == 'shortest' else -1]]} days"
    days = int(given.parameters["days"])
    if asks == "which":
        return ", ".join(name for name, limit in limits.items() if limit == days)
    return ", ".join(name for name, limit in limits.items() if limit >= days)


def _figure(
    query: str,
    asks: str,
    span: str,
) -> str:
    """The sentence's figure in the unit that is asked for (`hold_days`), else whose unit the query
    names, else its first; the sentence where it has none.
    """
    figures = reading.figures(span)
    unit = reading.words(asks.rpartition("_")[2])
    in_unit = [figure for figure in figures if unit & reading.words(figure)]
    money = []
    if OF_MONEY.search(query):
        money = [figure for figure in figures if figure[0] in "$€£¥"]
    query_words = {word for word in reading.words(query) if not word.isdigit()}
    named = [figure for figure in figures if query_words & reading.words(figure)]
    preferred = [*in_unit, *money, *named, *figures]
    return preferred[0] if preferred else span
