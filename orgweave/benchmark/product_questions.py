"""What top issue and monthly trend share on the hidden story's side: the cases of a product in a
window, counted by something, and twins that differ in the window alone.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from random import Random

from orgweave.benchmark.choice import best, twin_windows, windows_elsewhere
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped, TwinGroup
from orgweave.benchmark.story import HiddenCase, Story
from orgweave.benchmark.task import Draws
from orgweave.benchmark.windows import Spans, TimeWindow, before, named_windows, rolling_before

TIED = Dropped("readings of the window disagree, two are equally good, or there is only one")
NOT_EMPTY = Dropped("no two windows of one length, one with cases of the product and one without")
FEWEST = 3
"""A product with fewer cases has no best with a rival."""
HARD_TRIES = 12
"""How many windows are tried for one whose answer is not that of the year."""
YEAR = 12
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
            drawn = self._drawn(rng, story, seed, own)
            if drawn is None:
                yield TIED
                continue
            ask = partial(_candidate, story, seed, own[0].product)
            if nothing:
                others = windows_elsewhere(rng, story, drawn[0])
                yield self._with_nothing(own, drawn, others, ask)
            else:
                others = twin_windows(rng, story, drawn[0], self.spans, MOST_TWINS)
                yield self._twins(own, drawn, others, ask)

    def _drawn(
        self,
        rng: Random,
        story: Story,
        seed: str,
        own: Sequence[HiddenCase],
    ) -> tuple[TimeWindow, Answer] | None:
        """A window with its answer, one that a year would not give where some tries find it; None
        where no window has an answer.
        """
        found = None
        for _ in range(HARD_TRIES):
            window = self._window(rng, story, seed, rng.choice(own))
            answer = self.choose(list(self.count(own, window))) if window else NOTHING
            if window and answer:
                found = window, answer
                if self._hangs_on_window(own, window, answer):
                    break
        return found

    def _hangs_on_window(
        self,
        own: Sequence[HiddenCase],
        window: TimeWindow,
        answer: Answer,
    ) -> bool:
        """Whether the year before the window's end has another answer, or none."""
        start = before(window.end.date(), "month", YEAR)
        year = TimeWindow(datetime(start.year, start.month, start.day), window.end)
        return best(next(iter(self.count(own, year))), largest=True) != answer

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
        """The window and another one with another answer, which a year would not give either where
        there is such a window; it alone where none has another answer.
        """
        easy: TwinGroup = ()
        for other in others:
            answer = self.choose(list(self.count(own, other)))
            if answer and answer != first[1]:
                group = ask(*first), ask(other, answer)
                if self._hangs_on_window(own, other, answer):
                    return group
                easy = easy or group
        return easy or (ask(*first),)


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
