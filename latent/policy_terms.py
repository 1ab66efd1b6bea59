"""What agents tell customers of policies beside a remedy, and which of it the article forbids.

A part of PolicyViolation. A term names a figure of a policy ("gift cards start at $25"). Told
lawfully it is the article's own; told in breach of the article it is a kinder one. Both stand in
the same words, so that only the article tells them apart. Knows no remedies but by their keys.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from latent.dialogue import AGENT, Turn
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Table, strings, table
from schemas.lexicon import PolicyTerm

# How many terms go with a grant: mostly none, for agents tell their terms to who asks for them.
# Nearly half of those who ask have two questions, so that a term alone never tells which article
# is broken; and more ask who are told the truth than others, so that no question tells it either.
NUMBERS = {0: 0.86, 1: 0.08, 2: 0.06}
MOST_TERMS = 2

# A term on what was granted is asked for seven times as often as another. Chosen by eye.
ON_THE_GRANT = 7.0

ALTERNATIVES = re.compile(r"\[([^\[\]]*)\]")

TERM_BEATS = ("a.term_1", "a.term_2")
QUESTION_BEATS = ("c.asks_1", "c.asks_2")

# What a customer asks where the lexicon has no question for a term.
UNKNOWN_QUESTION = "what are your rules on {policy}?"

# A mail or chat line says these after everything else.
FAREWELLS = frozenset({"a.close", "a.sign", "a.bye"})
CLOSINGS = frozenset({"c.ps", "c.sign", "c.sign.reply"})


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
    """A term's figure with its unit, as texts have it."""
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
            rows[key] = row
            figures[key] = json.loads(str(articles["figures"][row]))
    candidates = {policy.key: policy.figures for policy in world.policies}
    titles = {policy.key: policy.title for policy in world.policies}
    known = []
    for term in world.terms:
        if term.policy in rows:
            stated = figures[term.policy][term.figure]
            others = candidates[term.policy][term.figure]
            kinder = [figure for figure in others if _is_kinder(term, figure, stated)]
            title = titles[term.policy].lower()
            known.append(KnownTerm(term, rows[term.policy], stated, tuple(kinder), title))
    return known


def _is_kinder(term: PolicyTerm, figure: float, stated: float) -> bool:
    return figure > stated if term.kinder == "more" else figure < stated


def fitting(known: Sequence[KnownTerm], granted: str) -> list[KnownTerm]:
    """The terms that may be told with a remedy."""
    return [item for item in known if not item.term.after or granted in item.term.after]


def told_with(
    rng: Stream, known: Sequence[KnownTerm], granted: str, breaks: bool
) -> list[ToldTerm]:
    """The terms that go with a grant, each of another policy.

    With `breaks` one of them is told in breach of its article: `known` must have one whose figure
    could be kinder.
    """
    numbers = np.array(list(NUMBERS))
    shares = np.array(list(NUMBERS.values()))
    if breaks:
        shares = np.where(numbers == 0, 0.0, shares)
    wanted = int(rng.choice(numbers, p=shares / shares.sum()))
    fits = fitting(known, granted)
    breakable = [item for item in fits if item.kinder]
    chosen: list[KnownTerm] = []
    if breaks:
        chosen.append(_any_of(rng, breakable, granted))
    while len(chosen) < wanted:
        policies = {item.term.policy for item in chosen}
        left = [item for item in fits if item.term.policy not in policies]
        if not left:
            break
        chosen.append(_any_of(rng, left, granted))
    told = [_told(rng, item, item.stated) for item in chosen]
    if breaks:
        kinder = chosen[0].kinder
        told[0] = _told(rng, chosen[0], kinder[int(rng.integers(len(kinder)))])
    return [told[place] for place in rng.permutation(len(told))]


def _any_of(rng: Stream, known: Sequence[KnownTerm], granted: str) -> KnownTerm:
    weights = np.array([ON_THE_GRANT if granted in item.term.after else 1.0 for item in known])
    return known[int(rng.choice(len(known), p=weights / weights.sum()))]


def _told(rng: Stream, known: KnownTerm, figure: float) -> ToldTerm:
    says = known.term.says[int(rng.integers(len(known.term.says)))]
    phrase = _worded(rng, says).replace("{shown}", shown(known.term, figure))
    questions = known.term.asks or (UNKNOWN_QUESTION.replace("{policy}", known.title),)
    asked = _worded(rng, questions[int(rng.integers(len(questions)))])
    return ToldTerm(known, figure, phrase, asked)


def _worded(rng: Stream, says: str) -> str:
    """One form of a clause: each `[a|b]` in it is one of its alternatives."""

    def chosen(found: re.Match[str]) -> str:
        options = found.group(1).split("|")
        return options[int(rng.integers(len(options)))]

    return ALTERNATIVES.sub(chosen, says)


def terms_table(told: Sequence[Sequence[ToldTerm]]) -> Table:
    """`PolicyViolation.terms`: what was told in each case, in order."""
    rows: list[tuple[int, int, ToldTerm]] = []
    for case, terms in enumerate(told):
        for place, item in enumerate(terms):
            rows.append((case, place, item))
    return table(
        "PolicyViolation.terms",
        {"case": "Case"},
        case=np.array([case for case, _, _ in rows], dtype=np.int64),
        place=np.array([place for _, place, _ in rows], dtype=np.int64),
        policy=strings([item.known.term.policy for _, _, item in rows]),
        figure=strings([item.known.term.figure for _, _, item in rows]),
        told=np.array([item.told for _, _, item in rows], dtype=float),
        stated=np.array([item.known.stated for _, _, item in rows], dtype=float),
        broken=np.array([item.broken for _, _, item in rows], dtype=bool),
        phrase=strings([item.phrase for _, _, item in rows]),
        shown=strings([item.shown for _, _, item in rows]),
        asked=strings([item.asked for _, _, item in rows]),
    )


def with_terms(turns: Sequence[Turn], terms: int) -> list[Turn]:
    """A conversation in which the customer asks for so many terms, and an agent tells them.

    The last agent tells them, for they answer for what is told; in the first of their turns after
    the last words of the customer before it, so that the question is answered at once if it can be.
    """
    told = list(turns)
    spoken = [place for place, turn in enumerate(told) if turn.speaker == AGENT]
    if not terms or not spoken:
        return told
    number = min(terms, MOST_TERMS)
    asking, answering = _places(told, spoken[-1])
    if asking is not None:
        told[asking] = _before(told[asking], QUESTION_BEATS[:number], CLOSINGS)
    told[answering] = _before(told[answering], TERM_BEATS[:number], FAREWELLS)
    return told


def _places(turns: Sequence[Turn], last: int) -> tuple[int | None, int]:
    """The turn in which a customer asks, and the agent's that answers; `last` is their last turn.

    No customer asks in a chat line that another one of theirs follows.
    """
    for asking in range(last - 1, -1, -1):
        answer = turns[asking + 1]
        if turns[asking].speaker == AGENT or answer.speaker != AGENT:
            continue
        return asking, asking + 1 if answer.step == turns[last].step else last
    return None, last


def _before(turn: Turn, beats: Sequence[str], ends: frozenset[str]) -> Turn:
    """The turn with more beats before those that end it."""
    end = len(turn.beats)
    while end and turn.beats[end - 1] in ends:
        end -= 1
    return replace(turn, beats=(*turn.beats[:end], *beats, *turn.beats[end:]))
