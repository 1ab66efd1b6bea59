"""Knowledge question answering: short questions on what articles state.

The truth is what an article had to state, and its text must state it. Of solution articles is
asked: how long a remedy is open, or still open after so many days, which one it is, when the last
or the first of them runs out, which are open after so many days. Of policies their figures are
asked, where the lexicon has a question for them (`policy.<key>.question.<figure>`). No query
decides this, so the evidence is looked up instead.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from random import Random

from orgweave.benchmark.drawn_groups import in_twins
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped, Parameters, TwinGroup
from orgweave.benchmark.judge_readings import article_text, shuffled_reading
from orgweave.benchmark.org_facts import OrgArticle, OrgFacts
from orgweave.benchmark.scripts import reading
from orgweave.benchmark.scripts.article import OF_REMEDIES, read_off
from orgweave.benchmark.scripts.script import NONE, UNPROVED, CallTool, ScriptInput
from orgweave.benchmark.story import Article, Story
from orgweave.benchmark.task import (
    Draws,
    JudgeReading,
    TaskDefinition,
    TaskSources,
    TaskTexts,
)
from orgweave.benchmark.texts import has_number, passage, sentences
from verifiers.content import without_article

NOT_STATED = Dropped("the article doesn't state the answer in so many words")
AMBIGUOUS = Dropped("the article states the figure more than once, or several remedies share it")
TIMED = ("_days", "_months", "_years", "_hours")
"""The ends of figures' names whose sentence must have the unit beside the number."""
HEDGED = re.compile(r"\b(?:most|usually|typically|often|generally|about|around|on average)\b")
"""What is so for most customers is no answer to how long it may take."""
ASKED_ALIKE = {
    "limit": "limit",
    "remaining": "remaining",
    "which": "which",
    "longest": "end",
    "shortest": "end",
    "left": "still open",
    "open": "still open",
}
"""What makes two questions twins: they differ in the remedy, the days, the end or the article."""
NARROWEST = 9
"""Days between two limits that leave room for days near neither of them."""
DrawnQuestions = Iterator[Candidate | Dropped]
AskRemedy = Callable[[str, dict[str, str], list[str], str], Candidate | Dropped]
"""Asks something of an article's remedies: what, the slots, the answer, the remedy that proves
it.
"""
TEXTS = TaskTexts(
    seeds={
        "remedy_limit": (
            "For how many days after the {order_noun} may {option} be granted for {issue}?"
        ),
        "remedy_remaining": (
            "For how many more days may {option} be granted for {issue}, {days} days after the"
            " {order_noun}?"
        ),
        "remedy_which": (
            "Which remedy for {issue} may be granted up to {days} days after the {order_noun}?"
        ),
        "remedy_longest": (
            "How many days after the {order_noun} does the last remedy for {issue} run out?"
        ),
        "remedy_shortest": (
            "How many days after the {order_noun} does the first remedy for {issue} run out?"
        ),
        "remedy_left": "Which remedy for {issue} is still open {days} days after the {order_noun}?",
        "remedy_open": (
            "Which remedies for {issue} are still open {days} days after the {order_noun}?"
        ),
    },
    figure="What does the article on {article} say about this figure: {figure}?",
    required=(
        "Answer from the knowledge articles, as short as possible; where several remedies answer,"
        " with all of their names."
    ),
    optional="Articles are in Knowledge__kav: Title, Summary, FAQ_Answer__c.",
)


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Each question once, in random order, two that are asked alike together: on one article, or
    where no other is left there, on two.
    """
    pairs: dict[str, list[Candidate]] = {}
    for article in sources.story.articles:
        for drawn in _of_article(sources, article, rng):
            if isinstance(drawn, Dropped):
                yield drawn
                continue
            slots = {**drawn.slots, "order_noun": sources.order_noun}
            candidate = replace(drawn, slots=slots)
            key = f"{candidate.parameters['article']}|{_form(candidate)}"
            pairs.setdefault(key, []).append(candidate)
    groups: list[TwinGroup] = []
    left: dict[str, list[Candidate]] = {}
    for alike in pairs.values():
        for group in in_twins(rng.sample(alike, len(alike))):
            if len(group) > 1:
                groups.append(group)
            else:
                left.setdefault(_form(group[0]), []).extend(group)
    for alike in left.values():
        groups += in_twins(rng.sample(alike, len(alike)))
    yield from _every_article_first(rng.sample(groups, len(groups)))


def _every_article_first(groups: Sequence[TwinGroup]) -> list[TwinGroup]:
    """The groups, those in front that ask about an article for the first time: a few articles list
    remedies and have most of the questions, and the others should be read as well.
    """
    asked: set[str] = set()
    first: list[TwinGroup] = []
    later: list[TwinGroup] = []
    for group in groups:
        articles = {str(candidate.parameters["article"]) for candidate in group}
        (later if articles <= asked else first).append(group)
        asked |= articles
    return first + later


def _form(candidate: Candidate) -> str:
    """Equal for questions that are asked alike, of whatever article."""
    return ASKED_ALIKE.get(str(candidate.parameters["asks"]), "figure")


def _of_article(sources: TaskSources, article: Article, rng: Random) -> DrawnQuestions:
    if article.kind == "solution":
        yield from _of_remedies(sources.story, article, rng)
    for figure, value in article.figures.items():
        for kind in ("policy", "article"):
            rule = f"{kind}.{article.key}.question.{figure}"
            if rule in sources.figure_rules:
                yield _of_figure(article, rule, figure, value)


def _of_remedies(story: Story, article: Article, rng: Random) -> DrawnQuestions:
    ask = partial(_question, article, _issue_of(story, article))
    ranked = sorted((limit, name, key) for key, name, limit in article.options)
    limits = [limit for limit, _, _ in ranked]
    names = [name for _, name, _ in ranked]
    for limit, name, key in ranked:
        phrase = without_article(story.options[key][1]) if key in story.options else name
        remedy = {"option": name, "wish": phrase}
        yield ask("limit", remedy, [f"{limit} days"], name)
        for days in _days_gone(rng, limit):
            asked = {**remedy, "days": str(days)}
            yield ask("remaining", asked, [f"{limit - days} days"], name)
        if limits.count(limit) == 1:
            yield ask("which", {"days": str(limit)}, [name], name)
        else:
            yield AMBIGUOUS
    # The days are asked, not the remedy: of an issue's two or three names every org says one.
    for asks, place in (("shortest", 0), ("longest", -1)):
        several = limits[0] != limits[-1]
        answer = f"{limits[place]} days"
        yield ask(asks, {}, [answer], names[place]) if several else AMBIGUOUS
    yield from _still_open(rng, ask, [(limit, name) for limit, name, _ in ranked])


def _still_open(
    rng: Random,
    ask: AskRemedy,
    ranked: list[tuple[int, str]],
) -> DrawnQuestions:
    """Which remedies are open after so many days, for days between two limits."""
    low = 0
    for place, (high, _) in enumerate(ranked):
        left = [name for _, name in ranked[place:]]
        asks = "open" if len(left) > 1 else "left"
        for days in _between(rng, low, high):
            yield ask(asks, {"days": str(days)}, left, left[0])
        low = high


def _issue_of(story: Story, article: Article) -> tuple[str, str]:
    """The name of an article's issue, and what goes wrong as a clause; empty texts where no case
    has it.
    """
    keys = {case.issue_key: case.issue for case in story.cases}
    issue = keys.get(article.issue_key, "")
    clause = story.descriptions.get(issue, "").strip().rstrip(".")
    return story.issues.get(issue, ""), clause[:1].lower() + clause[1:]


def _between(rng: Random, low: int, high: int) -> list[int]:
    """Two days between two limits, neither of them near one; none where the limits are too close.

    They are drawn, so that of two orgs with the same limits hardly any ask for the same days.
    """
    if high - low < NARROWEST:
        return []
    margin = (high - low) // 5
    return sorted(rng.sample(range(low + margin, high - margin + 1), 2))


def _days_gone(rng: Random, limit: int) -> list[int]:
    """Two numbers of days that leave a good part of a limit: of two orgs with one limit hardly any
    ask for the same days.
    """
    margin = max(limit // 6, 1)
    possible = range(margin, limit - margin + 1)
    return rng.sample(possible, min(2, len(possible)))


def _question(
    article: Article,
    issue: tuple[str, str],
    asks: str,
    slots: dict[str, str],
    answer: list[str],
    option: str,
) -> Candidate | Dropped:
    """A question whose answer is a list of words; `option` names the remedy whose sentence is the
    evidence.
    """
    limits = {name: days for _, name, days in article.options}
    span = passage(article.text, [option], limits[option])
    name, clause = issue
    if not name or not span:
        return NOT_STATED
    must: list[tuple[str, ...]] = [(name, clause) if clause else (name,)]
    if "days" in slots:
        must.append((f" {slots['days']} day", f" {slots['days']}-day"))
    if "option" in slots:
        must.append((slots["option"], slots["wish"]))
    parameters = {key: value for key, value in slots.items() if key != "wish"}
    return Candidate(
        seed=f"remedy_{asks}",
        parameters={"article": article.id, "asks": asks, **parameters},
        slots={"issue": name, "trouble": clause or name, **slots},
        must=tuple(must),
        answer=tuple(answer),
        evidence={"article": article.id, "span": span},
        fact=f"{article.id}|{asks}|{option}|{'|'.join(answer)}",
    )


def _of_figure(
    article: Article,
    rule: str,
    figure: str,
    value: float,
) -> Candidate | Dropped:
    stated = [sentence for sentence in sentences(article.text) if has_number(sentence, value)]
    if len(stated) == 1 and HEDGED.search(stated[0]):
        return NOT_STATED
    if len(stated) != 1:
        return AMBIGUOUS if stated else NOT_STATED
    is_timed = figure.endswith(TIMED)
    answer = as_stated(stated[0], value, is_money=not is_timed)
    if is_timed and answer == f"{value:.15g}":
        return NOT_STATED
    return Candidate(
        seed=rule,
        parameters={"article": article.id, "asks": figure},
        slots={"article": article.title},
        must=(),
        answer=(answer,),
        evidence={"article": article.id, "span": stated[0]},
        fact=f"{article.id}|{figure}",
    )


def as_stated(sentence: str, value: float, is_money: bool = True) -> str:
    """The figure with its currency or unit, as the sentence has it: `10 business days`, `$75`, `30
    percent`; no amount of money where `is_money` says that it can't be one.

    Example: `as_stated("Held for 12 days above $1200.", 12) == "12 days"`.
    """
    number = re.escape(f"{value:.15g}")
    whole = rf"{number}(?!\d|[.,]\d)"
    money = rf"[$€£¥]{number}(?:\.00)?(?!\d|[.,]\d)|" if is_money else ""
    pattern = rf"{money}(?<![\d.,$€£¥]){whole}(?:{reading.UNIT}|%)?"
    found = re.search(pattern, sentence)
    return found.group(0).replace("-", " ") if found else f"{value:.15g}"


def judge_reading(
    sources: TaskSources,
    candidate: Candidate,
    peers: Sequence[Candidate],
) -> JudgeReading:
    """The question on the article's text, with answers of other questions of its kind."""
    right = ", ".join(candidate.answer)
    answers = {", ".join(peer.answer) for peer in peers if peer.seed == candidate.seed}
    return shuffled_reading(
        sources.seed,
        candidate,
        text=article_text(sources, candidate),
        asks=TEXTS.seed_query(candidate),
        right=right,
        others=sorted(answers - {right}),
    )


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """A limit, a remedy or a figure, as the article has it that holds the proving sentence."""
    span = str(given.evidence["span"])
    alike: list[str] = []
    for term in (given.query, span):
        found = await call("search_knowledge_articles", search_term=term)
        for article in found:
            text = str(article["FAQ_Answer__c"])
            if span in text and article["Id"] == given.evidence.get("article"):
                return read_off(given, span, text)
            alike += [text] if span in text else []
    # Articles on other issues may have a sentence word for word alike, and be found before it.
    return read_off(given, span, alike[0]) if alike else UNPROVED


async def first_record(given: ScriptInput, call: CallTool) -> str:
    """The first sentence of the article that matches the query best."""
    found = await call("search_knowledge_articles", search_term=given.query)
    if not found:
        return NONE
    return sentences(found[0]["FAQ_Answer__c"])[0]


def _guess(
    facts: OrgFacts,
    wanted: Parameters,
    every: bool = False,
) -> Answer:
    """Answers a question on remedies from another article than the one that is asked about; with
    `every` from the right one, but with all of its remedies.
    """
    asks = str(wanted["asks"])
    right = facts.articles[str(wanted["article"])]
    if asks not in OF_REMEDIES:
        return _first_figure(right) if every else _other_figure(facts, right)
    others = [other for other in facts.articles.values() if other.remedies and other != right]
    if every:
        return tuple(right.remedies)
    if not others:
        # Articles in another language than English list none that can be read off.
        return NOTHING
    given = ScriptInput("knowledge_qa", "", wanted)
    listing = [other for other in others if wanted.get("option", "") in other.remedies]
    chosen = (listing or others)[0]
    return (read_off(given, "", chosen.text),)


def _first_figure(article: OrgArticle) -> Answer:
    figures = reading.figures(article.text)
    return tuple(figures[:1])


def _other_figure(facts: OrgFacts, right: OrgArticle) -> Answer:
    for other in facts.articles.values():
        if other != right and not other.remedies and reading.figures(other.text):
            return _first_figure(other)
    return NOTHING


TASK = TaskDefinition(
    short="KQA",
    persona="service agent",
    answers="text",
    reward_metric="token_f1",
    texts=TEXTS,
    draws=draws,
    judge_reading=judge_reading,
    soql_truth=None,
    verify_sql=None,
    oracle=oracle,
    reduced={
        "article: another one": _guess,
        "limits: all remedies, or the first figure": partial(_guess, every=True),
    },
    first_record=first_record,
)
