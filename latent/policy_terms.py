"""What agents tell customers of policies beside a remedy, and which of it the article forbids.

A part of PolicyViolation. A term names a figure of a policy ("gift cards start at $25"). Told
lawfully it is the article's own; told in breach of the article it is a kinder one. Both stand in
the same words, so that only the article tells them apart. Knows no remedies but by their keys.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from latent.dialogue import AGENT, Turn
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Table, strings, table
from schemas.articles import PolicyTerm

# How many terms go with a grant: mostly none, for agents tell their terms to who asks for them.
# Of the truth more are told than of anything else, so that no question tells which article is
# broken. By eye: a question beside the matter is rare, and one is enough.
NUMBERS = {0: 0.965, 1: 0.035}
# More go with a grant that breaks the issue's article, and many who break a policy's tell of
# another one, too: else the agents' words alone would tell which article is broken. By the share
# that a classifier guesses of them.
NUMBERS_BESIDE = {0: 0.8, 1: 0.2}
NUMBERS_OF_A_BREACH = {1: 0.8, 2: 0.2}
MOST_TERMS = 2

# A term on what was granted is asked for so many times as often as another. Chosen by eye: who gets
# something asks about that rather than about anything else.
ON_THE_GRANT = 4.0

ALTERNATIVES = re.compile(r"\[([^\[\]]*)\]")

TERM_BEATS = ("a.term_1", "a.term_2")
QUESTION_BEATS = ("c.asks_1", "c.asks_2")
# Who only waits asks for nothing else, unless they say nothing more before the decision.
ANYTHING_ELSE, NOTHING_ELSE, THANKS = "a.else", "c.nothing", "c.thanks"
"""The act by which an agent asks for more, what most say to it, and what follows an answer."""
WAITS = frozenset({"c.there", "c.hold", "c.transferred"})

IN_DAYS = "{n} days"
YEARS: Mapping[float, str] = {365: "one year", 730: "two years", 1095: "three years"}

# What a customer asks where the lexicon has no question for a term.
UNKNOWN_QUESTION = "what are your rules on {policy}?"

# By these an agent decides.
DECIDES = frozenset(
    {"a.offer", "a.offer.besides", "a.grant", "a.grant.instead", "a.grant.fix"}
    | {"a.alternative", "a.alternative.fix"}
)

# By these a customer takes what is offered.
ACCEPTS = frozenset({"c.accept", "c.accept.instead", "c.accept.later"})

# A mail or chat line says these after everything else.
FAREWELLS = frozenset({"a.close", "a.sign", "a.bye", "a.hold", "a.check"})
CLOSINGS = frozenset({"c.ps", "c.sign"})
"""The acts that come last, and all kinds of them: an agent answers before they ask for a moment."""


@dataclass(frozen=True, slots=True)
class KnownTerm:
    """A term that agents of this company can tell.

    `article` is the row of the policy's article, `stated` the figure in it, `kinder` are figures
    that customers would rather hear; `title` is the policy's, in small letters.
    """

    term: PolicyTerm
    article: int
    stated: float
    kinder: tuple[float, ...]
    title: str


@dataclass(frozen=True, slots=True)
class ToldTerm:
    """A term as an agent told it, `told` being its figure; `asked` is how a customer asks for it.

    Example of such a question: `how long does store credit last?`
    """

    known: KnownTerm
    told: float
    phrase: str
    asked: str

    @property
    def broken(self) -> bool:
        """Whether the policy's article says another figure."""
        return self.told != self.known.stated

    @property
    def shown(self) -> str:
        """The figure with its unit: `24 months`."""
        return shown(self.known.term, self.told)


def shown(term: PolicyTerm, figure: float) -> str:
    """A term's figure with its unit, as texts have it; nobody says years in days.

    >>> covers = PolicyTerm(policy="a", figure="b", kinder="more", shown=IN_DAYS, says=("a",))
    >>> shown(covers, 730), shown(covers, 90)
    ('two years', '90 days')
    """
    if term.shown == IN_DAYS and figure in YEARS:
        return YEARS[figure]
    return term.shown.replace("{n}", f"{figure:.15g}")


def known_terms(org: Org) -> list[KnownTerm]:
    """The terms of the world whose policies have an article here."""
    world = org.setting.world
    articles = org.table("IssueSolution.articles")
    figures: dict[str, dict[str, float]] = {}
    rows: dict[str, int] = {}
    for row in range(articles.size):
        if articles["kind"][row] == "policy":
            key = str(articles["key"][row])
            stated_figures = str(articles["figures"][row])
            rows[key] = row
            figures[key] = json.loads(stated_figures)
    policies = {policy.key: policy for policy in world.policies}
    known = []
    for term in world.terms:
        if term.policy not in rows:
            continue
        policy = policies[term.policy]
        stated = figures[term.policy][term.figure]
        others = policy.figures[term.figure]
        kinder = [figure for figure in others if _is_kinder(term, figure, stated)]
        title = policy.title.lower()
        known.append(KnownTerm(term, rows[term.policy], stated, tuple(kinder), title))
    return known


def _is_kinder(term: PolicyTerm, figure: float, stated: float) -> bool:
    if term.kinder == "more":
        return figure > stated
    return figure < stated


def fitting(known: Sequence[KnownTerm], granted: str, category: str = "") -> list[KnownTerm]:
    """The terms that may be told with a remedy for a product of a category."""
    fits = []
    for item in known:
        goes_with = item.term.after
        sold = item.term.fits
        on_product = not sold or category in sold
        if on_product and (not goes_with or granted in goes_with):
            fits.append(item)
    return fits


def coming_to_mind(known: Sequence[KnownTerm], issue: str, category: str) -> list[KnownTerm]:
    """The terms that an issue brings to mind: its own, else those that are no other issue's.

    Nobody who is locked out asks how long a transfer takes.
    """
    own = [item for item in known if issue in item.term.about]
    own = [item for item in own if not item.term.fits or category in item.term.fits]
    return own or [item for item in known if not item.term.about]


def breakable_terms(
    known: Sequence[KnownTerm],
    own: Sequence[KnownTerm],
    granted: str,
    category: str = "",
) -> list[KnownTerm]:
    """The terms of which a kinder figure may be told with a grant; `own` come to mind with the
    issue.

    Where those are of one policy, which the matter would give away, all that belong to the remedy
    join them. Where there are none at all, any may be told.
    """
    found = [item for item in fitting(own, granted, category) if item.kinder]
    if len({item.term.policy for item in found}) <= 1:
        for item in fitting(known, granted, category):
            if item.kinder and granted in item.term.after and item not in found:
                found.append(item)
    kinder_ones = [item for item in known if item.kinder]
    anywhere = [item for item in kinder_ones if not item.term.after]
    return found or anywhere or kinder_ones


def told_with(
    rng: Stream,
    known: Sequence[KnownTerm],
    granted: str,
    breaks: KnownTerm | None = None,
    category: str = "",
    beside: bool = False,
) -> list[ToldTerm]:
    """The terms that go with a grant, each of another policy.

    What `breaks` its article is one of them, and is told with a kinder figure. With `beside` the
    grant itself is a breach.
    """
    likely = NUMBERS_BESIDE if beside else NUMBERS
    wanted = _drawn_number(rng, NUMBERS_OF_A_BREACH if breaks else likely)
    fits = fitting(known, granted, category)
    chosen = [breaks] if breaks else []
    while len(chosen) < wanted:
        policies = {item.term.policy for item in chosen}
        left = [item for item in fits if item.term.policy not in policies]
        if not left:
            break
        chosen.append(_any_of(rng, left, granted))
    told = [_told(rng, item, item.stated) for item in chosen]
    if breaks:
        place = int(rng.integers(len(breaks.kinder)))
        told[0] = _told(rng, breaks, breaks.kinder[place])
    order = rng.permutation(len(told))
    return [told[place] for place in order]


def _drawn_number(
    rng: Stream,
    likely: Mapping[int, float],
) -> int:
    """How many terms go with a grant."""
    numbers = np.array(list(likely))
    weights = np.array(list(likely.values()))
    shares = weights / weights.sum()
    return int(rng.choice(numbers, p=shares))


def _any_of(rng: Stream, known: Sequence[KnownTerm], granted: str) -> KnownTerm:
    weights = []
    for item in known:
        is_on_grant = granted in item.term.after
        weights.append(ON_THE_GRANT if is_on_grant else 1.0)
    shares = np.array(weights) / np.sum(weights)
    place = int(rng.choice(len(known), p=shares))
    return known[place]


def _told(rng: Stream, known: KnownTerm, figure: float) -> ToldTerm:
    says = _any_wording(rng, known.term.says)
    phrase = _worded(rng, says)
    phrase = phrase.replace("{shown}", shown(known.term, figure))
    unknown = UNKNOWN_QUESTION.replace("{policy}", known.title)
    question = _any_wording(rng, known.term.asks or (unknown,))
    asked = _worded(rng, question)
    return ToldTerm(known, figure, phrase, asked)


def _any_wording(rng: Stream, wordings: Sequence[str]) -> str:
    place = int(rng.integers(len(wordings)))
    return wordings[place]


def _worded(rng: Stream, says: str) -> str:
    """One form of a clause: each `[a|b]` in it is one of its alternatives."""

    def chosen(found: re.Match[str]) -> str:
        options = found.group(1).split("|")
        return _any_wording(rng, options)

    return ALTERNATIVES.sub(chosen, says)


def terms_table(told: Sequence[Sequence[ToldTerm]]) -> Table:
    """`PolicyViolation.terms`: what was told in each case, in order."""
    cases: list[int] = []
    places: list[int] = []
    items: list[ToldTerm] = []
    for case, terms in enumerate(told):
        for place, item in enumerate(terms):
            cases.append(case)
            places.append(place)
            items.append(item)
    figures = [item.told for item in items]
    stated = [item.known.stated for item in items]
    broken = [item.broken for item in items]
    return table(
        "PolicyViolation.terms",
        {"case": "Case"},
        case=np.array(cases, dtype=np.int64),
        place=np.array(places, dtype=np.int64),
        policy=strings([item.known.term.policy for item in items]),
        figure=strings([item.known.term.figure for item in items]),
        told=np.array(figures, dtype=float),
        stated=np.array(stated, dtype=float),
        broken=np.array(broken, dtype=bool),
        phrase=strings([item.phrase for item in items]),
        shown=strings([item.shown for item in items]),
        asked=strings([item.asked for item in items]),
    )


def with_terms(turns: Sequence[Turn], terms: int) -> list[Turn]:
    """A conversation in which the customer asks for so many terms, and an agent tells them.

    The last agent tells them, for they answer for what is told. Whoever is asked in a chat whether
    there is anything else asks then. All others ask in a turn of theirs, and hear it in the first
    of that agent's turns after it, so that the question is answered at once if it can be.
    """
    told = list(turns)
    spoken = [place for place, turn in enumerate(told) if turn.speaker == AGENT]
    if not terms or not spoken:
        return told
    number = min(terms, MOST_TERMS)
    asked_last = _asked_last(told, told[spoken[-1]].step, number)
    if asked_last:
        return asked_last
    asking, answering = _places(told, spoken[-1])
    if asking is not None:
        questions = QUESTION_BEATS[:number]
        told[asking] = _before(told[asking], questions, CLOSINGS)
    answers = TERM_BEATS[:number]
    told[answering] = _before(told[answering], answers, FAREWELLS)
    return told


def _asked_last(turns: Sequence[Turn], step: int, number: int) -> list[Turn]:
    """The chat with the questions where its customer would say that there is nothing else; or none.

    `step` is the last agent's.
    """
    for place, turn in enumerate(turns[1:], 1):
        invited = ANYTHING_ELSE in turns[place - 1].beats and turns[place - 1].step == step
        if turn.beats == (NOTHING_ELSE,) and invited:
            asks = replace(turn, beats=QUESTION_BEATS[:number])
            tells = Turn(AGENT, step, TERM_BEATS[:number])
            thanks = replace(turn, beats=(THANKS,))
            return [*turns[:place], asks, tells, thanks, *turns[place + 1 :]]
    return []


def _places(turns: Sequence[Turn], last: int) -> tuple[int | None, int]:
    """The turn in which a customer asks, and the agent's that answers; `last` is their last turn.

    Who accepts what is offered asks what they want to know of it then; others do so with what they
    write last before the decision. No customer asks in a chat line that another one of theirs
    follows.
    """
    last_step = turns[last].step
    decision = _decision(turns, last_step)
    asking = waiting = None
    for place in range(last - 1, -1, -1):
        question = turns[place]
        answer = turns[place + 1]
        if question.speaker == AGENT or answer.speaker != AGENT:
            continue
        if ACCEPTS.intersection(question.beats) and answer.step == last_step:
            return place, place + 1
        if place >= decision:
            continue
        if WAITS.intersection(question.beats):
            waiting = place if waiting is None else waiting
        elif asking is None:
            asking = place
    asking = waiting if asking is None else asking
    if asking is None:
        return None, last
    answering = asking + 1
    if turns[answering].step != last_step:
        return asking, last
    return asking, max(decision, answering)


def _decision(turns: Sequence[Turn], step: int) -> int:
    """The first turn of the agents from that one on that decides; the last one where none does."""
    last = 0
    for place, turn in enumerate(turns):
        if turn.speaker == AGENT and turn.step == step:
            last = place
            if DECIDES.intersection(turn.beats):
                return place
    return last


def _kinds(beat: str) -> set[str]:
    """An act, and the one that it is a kind of: `a.bye.refused` is an `a.bye`."""
    return {beat, ".".join(beat.split(".")[:2])}


def _before(turn: Turn, beats: Sequence[str], ends: frozenset[str]) -> Turn:
    """The turn with more beats before those that end it."""
    end = len(turn.beats)
    while end and not ends.isdisjoint(_kinds(turn.beats[end - 1])):
        end -= 1
    head = turn.beats[:end]
    tail = turn.beats[end:]
    return replace(turn, beats=(*head, *beats, *tail))
