"""Knowledge question answering: short questions on what articles state.

Truth is what an article had to state; its text must state it.

Of solution articles: how long a remedy is open, which one it is, which is open longest or shortest,
which are open after so many days. Of policies: their
figures, where the lexicon has a question for them (`policy.<key>.question.<figure>`).
"""

import re
from collections.abc import Container, Iterator
from dataclasses import replace
from random import Random

from orgweave.benchmark.instance import Candidate, Dropped
from orgweave.benchmark.story import Article, Story
from orgweave.benchmark.texts import has_number, passage, sentences

NOT_STATED = Dropped("the article doesn't state the answer in so many words")
AMBIGUOUS = Dropped("the article states the figure more than once, or several remedies share it")
TIMED = ("_days", "_months", "_years", "_hours")
UNITS = (
    r"(?: (?:business|working|calendar|full|consecutive|banking|failed|wrong))?(?:"
    r" |-)(?:days?|weeks?|months?|years?|hours?|percent|points?|dollars?|attempts?|times?)"
)


def knowledge_questions(
    story: Story, rng: Random, known_rules: Container[str], order_noun: str = "order"
) -> Iterator[Candidate | Dropped]:
    """Each question once, in random order; what a customer does to buy is called `order_noun`."""
    asked = [
        _calling(one, order_noun)
        for article in story.articles
        for one in _of_article(story, article, known_rules)
    ]
    yield from rng.sample(asked, len(asked))


def _calling(one: Candidate | Dropped, order_noun: str) -> Candidate | Dropped:
    return (
        replace(one, slots={**one.slots, "order_noun": order_noun})
        if isinstance(one, Candidate)
        else one
    )


def _of_article(
    story: Story, article: Article, known_rules: Container[str]
) -> Iterator[Candidate | Dropped]:
    if article.kind == "solution":
        yield from _of_remedies(story, article)
    for figure, value in article.figures.items():
        rule = f"policy.{article.key}.question.{figure}"
        if rule in known_rules:
            yield _of_figure(article, rule, figure, value)


def _of_remedies(story: Story, article: Article) -> Iterator[Candidate | Dropped]:
    issue = _issue_name(story, article)
    ranked = sorted((limit, name) for _, name, limit in article.options)
    limits = [limit for limit, _ in ranked]
    for limit, name in ranked:
        yield _question(article, "limit", issue, {"option": name}, [f"{limit} days"], name)
        yield (
            _question(article, "which", issue, {"days": str(limit)}, [name], name)
            if limits.count(limit) == 1
            else AMBIGUOUS
        )
    yield _question(article, "all", issue, {}, [name for _, name in ranked], ranked[0][1])
    yield from _ends(article, issue, ranked)
    for at, (low, high) in enumerate(zip([0, *limits], limits, strict=False)):
        left = [name for _, name in ranked[at:]]
        for days in _between(low, high):
            yield _question(
                article,
                "open" if len(left) > 1 else "left",
                issue,
                {"days": str(days)},
                left,
                left[0],
            )


def _ends(
    article: Article, issue: str, ranked: list[tuple[int, str]]
) -> Iterator[Candidate | Dropped]:
    """Which remedy is open longest, and which shortest, where only one is."""
    for kind, at in (("shortest", 0), ("longest", -1)):
        limit, name = ranked[at]
        alone = [one for one, _ in ranked].count(limit) == 1 and len(ranked) > 1
        yield _question(article, kind, issue, {}, [name], name) if alone else AMBIGUOUS


def _issue_name(story: Story, article: Article) -> str:
    keys = {case.issue_key: case.issue for case in story.cases}
    return story.issues[keys[article.issue_key]] if article.issue_key in keys else ""


def _between(low: int, high: int) -> list[int]:
    """Two days between two limits, neither of them near one."""
    step = (high - low) // 3
    return [low + step, low + 2 * step] if step > 2 else []


def _question(
    article: Article, kind: str, issue: str, slots: dict[str, str], answer: list[str], option: str
) -> Candidate | Dropped:
    """A question whose answer is a list of words; `option` names the remedy whose sentence is the
    evidence.
    """
    limit = next(days for _, name, days in article.options if name == option)
    span = passage(article.text, [option], limit)
    if not issue or not span:
        return NOT_STATED
    must = tuple(
        (value,) if name != "days" else (f" {value} day", f" {value}-day")
        for name, value in slots.items()
    )
    parameters = {"article": article.id, "asks": kind, **slots}
    return Candidate(
        f"remedy_{kind}",
        parameters,
        {"issue": issue, **slots},
        ((issue,), *must),
        (", ".join(answer),),
        evidence={"article": article.id, "span": span},
    )


def _of_figure(article: Article, rule: str, figure: str, value: float) -> Candidate | Dropped:
    stated = [sentence for sentence in sentences(article.text) if has_number(sentence, value)]
    if len(stated) != 1:
        return AMBIGUOUS if stated else NOT_STATED
    answer = _as_stated(stated[0], value)
    if figure.endswith(TIMED) and answer == f"{value:g}":
        return NOT_STATED
    return Candidate(
        rule,
        {"article": article.id, "asks": figure},
        {"article": article.title},
        (),
        (answer,),
        evidence={"article": article.id, "span": stated[0]},
    )


def _as_stated(sentence: str, value: float) -> str:
    """The figure with its currency or unit, as the sentence has it: `10 business days`, `$75`, `30
    percent`.
    """
    number = re.escape(f"{value:g}")
    found = re.search(rf"\${number}(?:\.00)?|(?<![\d.]){number}(?:{UNITS}|%)?", sentence)
    return found.group(0).replace("-", " ") if found else f"{value:g}"
