"""Policy violation: which knowledge article the agent of a case broke, if any.

Drawn from the hidden outcomes; the text must show it.

A grant is lawful where the issue's article lists the option and the order is not older than its
limit. The text must hold the evidence: in a
breach the agent names the option (and, where it came late, the days and the order's date), and the
article does not allow it; in a case without one,
the article lists what was granted, within its limit both on the day the case came and on the day it
closed.
"""

from collections.abc import Iterator, Mapping
from random import Random

from orgweave.benchmark.conversations import Conversation
from orgweave.benchmark.instance import NOTHING, Candidate, Dropped
from orgweave.benchmark.story import Article, HiddenCase, Story
from orgweave.benchmark.texts import has_number, naming, passage
from verifiers.content import date_forms, without_article

LAWFUL = ("granted", "granted_other")
UNSAID = Dropped("the conversation doesn't show what the agent granted")
UNSTATED = Dropped("the article doesn't state what makes it a breach, or lawful")
ON_THE_EDGE = Dropped("the grant is lawful by one date and not by another")


def policy_violation(
    story: Story, conversations: Mapping[str, Conversation], rng: Random, answerable: bool
) -> Iterator[Candidate | Dropped]:
    """Each closed case once, in random order: those in breach, or those with a lawful grant."""
    articles = {
        article.issue_key: article for article in story.articles if article.kind == "solution"
    }
    cases = [
        case
        for case in story.cases
        if case.closed and (case.violated if answerable else case.ending in LAWFUL)
    ]
    for case in rng.sample(cases, len(cases)):
        article = articles[case.issue_key]
        yield (
            _breach(story, case, article, conversations[case.id])
            if answerable
            else _lawful(story, case, article, conversations[case.id])
        )


def _forms(story: Story, option: str) -> tuple[str, ...]:
    name, phrase = story.options[option]
    return name, without_article(phrase)


def _breach(
    story: Story, case: HiddenCase, article: Article, talk: Conversation
) -> Candidate | Dropped:
    forms = _forms(story, case.granted)
    limits = {key: limit for key, _, limit in article.options}
    granted = talk.by_agent(forms)
    if not granted:
        return UNSAID
    if case.ending == "unlisted_grant":
        return (
            _candidate(case, article, granted[-1], "")
            if not naming(article.text, forms)
            else UNSTATED
        )
    days, ordered = (
        has_number(talk.agents_words, case.days),
        any(
            form in talk.agents_words
            for form in date_forms(f"{case.ordered:%B} {case.ordered.day}, {case.ordered.year}")
        ),
    )
    if not (days and ordered):
        return UNSAID
    stated = passage(article.text, forms, limits[case.granted])
    if not stated:
        return UNSTATED
    return (
        _candidate(case, article, granted[-1], stated)
        if case.days > limits[case.granted] + 1
        else ON_THE_EDGE
    )


def _lawful(
    story: Story, case: HiddenCase, article: Article, talk: Conversation
) -> Candidate | Dropped:
    forms = _forms(story, case.granted)
    granted, stated = talk.by_agent(forms), passage(article.text, forms, case.limit)
    if not granted:
        return UNSAID
    if not stated:
        return UNSTATED
    days_at_close = (case.closed.date() - case.ordered).days if case.closed else 0
    return (
        _candidate(case, article, granted[-1], stated, breach=False)
        if max(case.days, days_at_close) < case.limit
        else ON_THE_EDGE
    )


def _candidate(
    case: HiddenCase, article: Article, grant: tuple[str, str], stated: str, breach: bool = True
) -> Candidate:
    message, sentence = grant
    return Candidate(
        seed="case",
        parameters={"case": case.id},
        slots={"case": case.id},
        must=((case.id,),),
        answer=(article.id,) if breach else NOTHING,
        evidence={
            "article": article.id,
            "article_text": stated,
            "message": message,
            "grant": sentence,
        },
    )
