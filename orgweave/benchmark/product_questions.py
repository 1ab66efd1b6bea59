"""What top issue and monthly trend share on the hidden story's side: the cases of a product in a
window, counted by something, and twins that differ in the window alone.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from random import Random

from orgweave.benchmark.choice import twin_windows, windows_elsewhere
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped, TwinGroup
from orgweave.benchmark.story import HiddenCase, Story
from orgweave.benchmark.task import Draws
from orgweave.benchmark.windows import Spans, TimeWindow, named_windows, rolling_before

TIED = Dropped("readings of the window disagree, two are equally good, or there is only one")
NOT_EMPTY = Dropped("no two windows of one length, one with cases of the product and one without")
FEWEST = 3
"""A product with fewer cases has no best with a rival."""
LATER = 90
"""A rolling window ends so many days after a case at most, so that it is not mostly empty."""
MOST_TWINS = 60
"""How many other lengths of a window are tried for a twin."""
CountInWindow = Callable[[Sequence[HiddenCase], TimeWindow], Iterator[Counter[str]]]
"""Counts a product's cases in a window, once for each reading of the question."""
ChooseAnswer = Callable[[Sequence[Counter[str]]], Answer]
"""The answer on which all counts agree; NOTHING where they don't, or where it is not clear."""


@dataclass(frozen=True, slots=True)
class ProductQuestion:
    """What a task asks of a product: its seed queries, how cases are counted, which count is the
    answer, how long windows are.
    """

    seeds: tuple[str, ...]
    count: CountInWindow
    choose: ChooseAnswer
    spans: Spans

    def draws(
        self,
        story: Story,
        rng: Random,
        nothing: bool,
    ) -> Draws:
        """Endless draws of twins, each product as likely; with `nothing` one of them has no
        answer.
        """
        cases = cases_by_product(story)
        products = [product for product, own in cases.items() if len(own) >= FEWEST]
        while products:
            own = cases[rng.choice(products)]
            seed = rng.choice(self.seeds)
            window = self._window(rng, story, seed, rng.choice(own))
            if window is None:
                continue
            ask = partial(_candidate, story, seed, own[0].product)
            answer = self.choose(list(self.count(own, window)))
            if not answer:
                yield TIED
            elif nothing:
                others = windows_elsewhere(rng, story, window)
                yield self._with_nothing(own, (window, answer), others, ask)
            else:
                others = twin_windows(rng, story, window, self.spans, MOST_TWINS)
                yield self._twins(own, (window, answer), others, ask)

    def _window(
        self,
        rng: Random,
        story: Story,
        seed: str,
        case: HiddenCase,
    ) -> TimeWindow | None:
        """A window around a case: a period that holds it, or one that ends some days after it."""
        if seed == "named":
            periods = named_windows(story.first, story.last)
            holding = [period for period in periods if period.holds(case.created)]
            return rng.choice(holding) if holding else None
        today = case.created.date() + timedelta(days=rng.randint(1, LATER))
        return None if today > story.last else rolling_before(rng, today, story.first, self.spans)

    def _with_nothing(
        self,
        own: Sequence[HiddenCase],
        first: tuple[TimeWindow, Answer],
        others: Iterable[TimeWindow],
        ask: Callable[[TimeWindow, Answer], Candidate],
    ) -> TwinGroup | Dropped:
        for other in others:
            if not any(self.count(own, other)):
                return ask(*first), ask(other, NOTHING)
        return NOT_EMPTY

    def _twins(
        self,
        own: Sequence[HiddenCase],
        first: tuple[TimeWindow, Answer],
        others: Iterable[TimeWindow],
        ask: Callable[[TimeWindow, Answer], Candidate],
    ) -> TwinGroup:
        """The window and another one with another answer; it alone where none has."""
        for other in others:
            answer = self.choose(list(self.count(own, other)))
            if answer and answer != first[1]:
                return ask(*first), ask(other, answer)
        return (ask(*first),)


def cases_by_product(story: Story) -> dict[str, list[HiddenCase]]:
    """The cases of each product, in the order of their creation."""
    found: dict[str, list[HiddenCase]] = defaultdict(list)
    for case in story.complaints:
        found[case.product].append(case)
    return dict(found)


def _candidate(
    story: Story,
    seed: str,
    product: str,
    window: TimeWindow,
    answer: Answer,
) -> Candidate:
    """A question about a product and a window."""
    name = story.products[product].name
    return Candidate(
        seed=seed,
        parameters={"product": product, **window.parameters},
        slots={"product": name, "window": window.name},
        must=((name,), window.forms),
        answer=answer,
        subject=product,
    )
