"""Knowledge questions by rules: the article that holds the proving sentence is found by search, and
the answer read off its text.
"""

import re

from orgweave.benchmark.evaluate.scripts import reading
from orgweave.benchmark.evaluate.scripts.oracle import UNPROVED
from orgweave.benchmark.evaluate.scripts.script import Given, Use

OF_REMEDIES = ("limit", "which", "all", "longest", "shortest", "left", "open")


async def knowledge_qa(given: Given, use: Use) -> str:
    """A limit, a remedy or a figure, as the article has it."""
    span = str(given.evidence["span"])
    found = await use("search_knowledge_articles", search_term=given.query)
    article = next((one for one in found if span in one["FAQ_Answer__c"]), None)
    if article is None:
        found = await use("search_knowledge_articles", search_term=span)
        article = next((one for one in found if span in one["FAQ_Answer__c"]), None)
    return UNPROVED if article is None else read_off(given, span, article["FAQ_Answer__c"])


def read_off(given: Given, span: str, article: str) -> str:
    """The answer: by what is asked of remedies, else the figure of the sentence whose unit the
    query names.
    """
    limits = reading.remedies(article)
    asked = str(given.parameters.get("asks", ""))
    if not limits or asked not in OF_REMEDIES:
        return _figure(given.query, asked, span)
    ranked = sorted(limits, key=lambda name: limits[name])
    if asked == "limit":
        return f"{limits[reading.meant(given.parameters['option'], limits) or ranked[0]]} days"
    if asked in ("which", "open", "left"):
        days = int(given.parameters["days"])
        return ", ".join(
            name
            for name in limits
            if (limits[name] == days if asked == "which" else limits[name] >= days)
        )
    return {"all": ", ".join(limits), "shortest": ranked[0]}.get(asked, ranked[-1])


def _figure(query: str, asks: str, span: str) -> str:
    """The sentence's figure in the unit that is asked for (`hold_days`), else whose unit the query
    names, else its first; the sentence where it has none.
    """
    figures = reading.figures(span)
    asked, unit = reading.words(query), reading.words(asks.rpartition("_")[2])
    wanted = [figure for figure in figures if unit & reading.words(figure)]
    named = [
        figure
        for figure in figures
        if asked & {word for word in reading.words(figure) if not word.isdigit()}
    ]
    money = [
        figure
        for figure in figures
        if figure.startswith("$")
        and re.search(
            r"\b(?:much|cost|fee|amount|dollars?|price|minimum|spend)\b", query, re.IGNORECASE
        )
    ]
    return next(iter([*wanted, *money, *named, *figures]), span)
