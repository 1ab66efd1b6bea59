"""What top issue and monthly trend share on the hidden story's side: the cases of a product in a
window, counted by something, and twins that differ in the window alone.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from random import Random

from orgweave.benchmark.choice import best, windows_nearby
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped, TwinGroup
from orgweave.benchmark.story import HiddenCase, Story
from orgweave.benchmark.task import Draws
from orgweave.benchmark.windows import (
    Spans,
    TimeWindow,
    before,
    named_windows,
    period_kind,
    rolling_windows,
)

NOT_EMPTY = Dropped("no two windows of one length, one with cases of the product and one without")
FEWEST = 3
"""A product with fewer cases has no best with a rival."""
YEAR = 12  # months
ENDS = 0.7
"""On this share of all days rolling windows end."""
LENGTHS = 12
"""So many rolling windows end on one day at most."""
TO_THE_HARD = 3
"""How much windows are preferred whose answer few short ways find: of the windows of one answer a
draw takes the one that lies at a random number from 0 to 1 to this power.
"""


ANY_SEED = ""
"""Stands for all seed queries."""
CaseSpan = tuple[int, int]
"""The place of the first case, and the place behind the last one."""
CaseSpans = tuple[CaseSpan, ...]


@dataclass(frozen=True, slots=True)
class ProductCases:
    """A product's cases in the order of their creation: the moment of each, and its label, under
    which it is counted.
    """

    product: str
    moments: tuple[datetime, ...]
    labels: tuple[str, ...]

    def span(self, window: TimeWindow, closed: bool = False) -> CaseSpan:
        """The places of its cases in [start, end); with `closed` in [start, end]."""
        find_end = bisect_right if closed else bisect_left
        return bisect_left(self.moments, window.start), find_end(self.moments, window.end)

    def edge_spans(self, window: TimeWindow) -> CaseSpans:
        """The places on every reading of the window's end, the plain one first, none twice."""
        # As `edges` has them, which begin alike: a task looks at hundreds of thousands of windows.
        begin, end = self.span(window)
        closed = bisect_right(self.moments, window.end)
        today = bisect_left(self.moments, window.end_of_today)
        return tuple((begin, each) for each in dict.fromkeys((end, closed, today)))

    def counted(self, span: CaseSpan) -> Counter[str]:
        """How many cases of these places have each label."""
        return Counter(self.labels[slice(*span)])


SpansInWindow = Callable[[ProductCases, TimeWindow], CaseSpans]
"""The places of a product's cases in a window, once for each reading of it, the plain one first,
none twice.
"""
CountSpan = Callable[[ProductCases, CaseSpan], Iterator[Counter[str]]]
"""Counts the cases of these places, in each way that the question can be read, the plain one first.
"""
ChooseAnswer = Callable[[Iterator[Counter[str]]], Answer]
"""The answer on which all counts agree; NOTHING where they don't, or where it is not clear."""
NameFact = Callable[[ProductCases, TimeWindow, Answer], str]
"""Names what of the org an answer rests on; an empty text where that is product and answer."""
AskInWindow = Callable[[TimeWindow, Answer], Candidate]


@dataclass(frozen=True, slots=True)
class AnsweredWindow:
    """A window of a product with its answer, and how many short ways find that; `kind` is equal
    for windows of one form and length.
    """

    window: TimeWindow
    answer: Answer
    ways: int
    kind: str

    @property
    def seed(self) -> str:
        """The seed query that it fits."""
        return "named" if self.window.period else "rolling"


@dataclass(frozen=True, slots=True)
class ProductQuestion:
    """What a task asks of a product: its seed queries, under which label a case is counted, which
    cases a window holds, how they are counted, which count is the answer, how long windows are,
    what an answer rests on.
    """

    seeds: tuple[str, ...]
    label: Callable[[HiddenCase], str]
    readings: SpansInWindow
    counts: CountSpan
    choose: ChooseAnswer
    spans: Spans
    fact: NameFact

    def draws(
        self,
        story: Story,
        rng: Random,
        nothing: bool,
    ) -> Draws:
        """Endless draws of twins, each answer of a product as likely; with `nothing` one of them
        has no answer.
        """
        windows = list(self._windows(story, rng))
        of_kind = _by_kind(windows)
        menus = []
        for own in _products(story, self.label):
            answered = self._answered(own, windows)
            # Of equally hard ones none comes first for its date.
            rng.shuffle(answered)
            answered.sort(key=lambda each: each.ways)
            twins = _twin_finder(answered)
            for answer in sorted({each.answer for each in answered}):
                given = [each for each in answered if each.answer == answer]
                menus.append((own, _by_seed(given), twins))
        while menus:
            own, alike, twins = rng.choice(menus)
            seed = rng.choice(self.seeds)
            first = _hard(rng, alike.get(seed) or alike[ANY_SEED])
            ask = partial(self._candidate, story, own)
            if nothing:
                near = windows_nearby(rng, story, first.window)
                nearest = _nearest(first, of_kind[first.kind])
                yield self._with_nothing(own, first, chain(near, nearest), ask)
                continue
            others = twins.of(first)
            group = [first, _hard(rng, others)] if others else [first]
            yield tuple(ask(each.window, each.answer) for each in group)

    def _windows(self, story: Story, rng: Random) -> Iterator[TimeWindow]:
        """The windows that are looked at: all named ones where they are asked about, and some
        rolling ones.
        """
        if "named" in self.seeds:
            yield from named_windows(story.first, story.last)
        day = story.first
        while day < story.last:
            day += timedelta(days=1)
            if rng.random() < ENDS:
                yield from rolling_windows(rng, day, story.first, self.spans, LENGTHS)

    def _answered(self, own: ProductCases, windows: Iterable[TimeWindow]) -> list[AnsweredWindow]:
        """The windows that have an answer.

        Thousands of windows hold the same few cases, so those are counted once.
        """
        found = []
        answers: dict[CaseSpans, Answer] = {}
        tops: dict[CaseSpan, Answer] = {}
        for window in windows:
            begin, end = own.span(window)
            if end - begin < FEWEST:
                continue
            spans = self.readings(own, window)
            answer = answers.get(spans)
            if answer is None:
                answer = answers[spans] = self.choose(self._counted(own, spans))
            if answer:
                ways = _short_ways(own, window, tops).count(answer)
                found.append(AnsweredWindow(window, answer, ways, _kind(window)))
        return found

    def _counted(self, own: ProductCases, spans: CaseSpans) -> Iterator[Counter[str]]:
        for span in spans:
            yield from self.counts(own, span)

    def _with_nothing(
        self,
        own: ProductCases,
        first: AnsweredWindow,
        others: Iterable[TimeWindow],
        ask: AskInWindow,
    ) -> TwinGroup | Dropped:
        for other in others:
            if not any(begin < end for begin, end in self.readings(own, other)):
                return ask(first.window, first.answer), ask(other, NOTHING)
        return NOT_EMPTY

    def _candidate(
        self,
        story: Story,
        own: ProductCases,
        window: TimeWindow,
        answer: Answer,
    ) -> Candidate:
        """A question about a product and a window."""
        name = story.products[own.product].name
        return Candidate(
            seed="named" if window.period else "rolling",
            parameters={"product": own.product, **window.parameters},
            slots={"product": name, "window": window.name},
            must=((name,), window.forms),
            answer=answer,
            subject=own.product,
            fact=self.fact(own, window, answer) if answer else "",
        )


def _hard(rng: Random, answered: Sequence[AnsweredWindow]) -> AnsweredWindow:
    """One of them, the likelier the further to the front it stands."""
    return answered[int(len(answered) * rng.random() ** TO_THE_HARD)]


def _nearest(first: AnsweredWindow, alike: Iterable[TimeWindow]) -> Iterator[TimeWindow]:
    """The windows of its form and length, the nearest first: the date must not tell which of two
    has no answer. They are sorted only when somebody asks for the first of them.
    """
    yield from sorted(alike, key=lambda window: abs(window.end - first.window.end))


def _by_seed(alike: Sequence[AnsweredWindow]) -> Mapping[str, Sequence[AnsweredWindow]]:
    """The windows that fit each seed query, and all of them."""
    found: dict[str, list[AnsweredWindow]] = {ANY_SEED: list(alike)}
    for each in alike:
        found.setdefault(each.seed, []).append(each)
    return found


def _by_kind(windows: Iterable[TimeWindow]) -> Mapping[str, Sequence[TimeWindow]]:
    found: dict[str, list[TimeWindow]] = {}
    for window in windows:
        found.setdefault(_kind(window), []).append(window)
    return found


def _kind(window: TimeWindow) -> str:
    """Equal for windows of one form and length."""
    return window.interval or period_kind(window.period)


@dataclass(frozen=True, slots=True)
class TwinFinder:
    """A product's answered windows by their form and length, and the rolling ones by their end."""

    by_kind: Mapping[str, Sequence[AnsweredWindow]]
    by_end: Mapping[datetime, Sequence[AnsweredWindow]]

    def of(self, first: AnsweredWindow) -> list[AnsweredWindow]:
        """The windows that have another answer and differ in one thing: in where they lie, or in
        length with the same end. The hardest come first.
        """
        alike = [*self.by_kind[first.kind]]
        if first.window.interval:
            alike += self.by_end[first.window.end]
        others = [each for each in alike if each.answer != first.answer]
        return sorted(others, key=lambda each: each.ways)


def _twin_finder(answered: Iterable[AnsweredWindow]) -> TwinFinder:
    by_kind: dict[str, list[AnsweredWindow]] = {}
    by_end: dict[datetime, list[AnsweredWindow]] = {}
    for each in answered:
        by_kind.setdefault(each.kind, []).append(each)
        if each.window.interval:
            by_end.setdefault(each.window.end, []).append(each)
    return TwinFinder(by_kind, by_end)


def _products(story: Story, label: Callable[[HiddenCase], str]) -> Sequence[ProductCases]:
    """The products with cases enough, each with its cases."""
    cases: dict[str, list[HiddenCase]] = {}
    for case in story.complaints:
        cases.setdefault(case.product, []).append(case)
    found = []
    for product, own in cases.items():
        if len(own) >= FEWEST:
            own.sort(key=lambda case: case.created)
            moments = tuple(case.created for case in own)
            found.append(ProductCases(product, moments, tuple(label(case) for case in own)))
    return found


def _short_ways(
    own: ProductCases,
    window: TimeWindow,
    tops: dict[CaseSpan, Answer],
) -> list[Answer]:
    """What those answer who take the year before the window's end, or the window's later half, or
    who count nothing and take its first, its middle or its last case.

    They are what the task's reduced solvers do with the org; a window in which they fail shows who
    does the task. `tops` keeps the most common label of each span.
    """
    begin, end = own.span(window)
    start = before(window.end.date(), "month", YEAR)
    year = TimeWindow(datetime(start.year, start.month, start.day), window.end)
    half = TimeWindow(window.start + (window.end - window.start) / 2, window.end)
    middle = begin + (end - begin) // 2
    ways: list[Answer] = [(own.labels[place],) for place in (begin, middle, end - 1)]
    for other in (year, half):
        span = own.span(other)
        if span not in tops:
            tops[span] = best(own.counted(span), largest=True)
        ways.append(tops[span])
    return ways
