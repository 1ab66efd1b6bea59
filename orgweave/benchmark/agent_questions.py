"""What handle time and transfer count share on the hidden story's side: the agent at one end of
some values, among those who managed more than n cases in a window.

A question is drawn only where every sensible reading of it has the same answer. Readings of
"managed": handed a case in the window; handed one first, not by transfer; owner in the end of a
case created in the window.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice
from random import Random

import numpy as np
import numpy.typing as npt

from orgweave.benchmark.choice import (
    agreed,
    best,
    edges,
    random_window,
    twin_windows,
    windows_nearby,
)
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped, TwinGroup
from orgweave.benchmark.story import Assignment, HiddenCase, Story
from orgweave.benchmark.tally import NameNumbers, Tally, places_before, tally_of
from orgweave.benchmark.task import Draws
from orgweave.benchmark.windows import NUMBERS, Timeline, TimeWindow

AgentValues = Mapping[str, float]
Readings = list[AgentValues]
"""What agents have, a mapping for each reading of the query."""
Ranking = list[tuple[float, str]]
"""Agents with their values, the least first."""
ReadingsIn = Callable[[TimeWindow, bool], Readings]
"""The readings in a window; the second argument says whether its end is closed."""
ManagedSpans = tuple[tuple[int, int], tuple[int, int]]
"""The places of assignments, and of cases, from which to which."""
DISAGREE = Dropped("readings of the query disagree, or two are equally good")
AT_THE_TOP = 4
"""So many numbers of a window are asked about at most, the largest that have an answer."""
BY_NUMBER = 0.4
"""How often twins differ in n, not in the window."""
ANSWERED_TWINS = 2
"""A question that nothing answers has so many twins that have answers: with one twin each, what is
asked alone would tell half of them.
"""
NEARLY = 0.75
"""A twin's n is at least this share of the number that nobody reaches, which nothing answers."""
TRIED_ELSEWHERE = 16
"""So many windows of another length, or that lie elsewhere, are tried for a twin."""
READINGS_KEPT = 256
"""More than there are months, quarters and seasons, which are drawn again and again."""
SEEDS = ("named", "rolling_find", "rolling_average")


@dataclass(frozen=True, slots=True)
class Extremum:
    """One end of the values: its name in parameters, words that say it and words that say the other
    end; `without` says who doesn't enter.
    """

    name: str
    largest: bool
    words: tuple[str, ...]
    opposite: tuple[str, ...]
    without: str = ""
    says_without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ManagedCases:
    """Who managed which cases when: who was handed one, and who owned it in the end.

    `before` is the place at which the same agent was handed the same case before, `is_first` says
    which assignments are a case's first.
    """

    handed: Timeline[Assignment]
    agents: Tally
    before: NameNumbers
    is_first: npt.NDArray[np.bool_]
    cases: Timeline[HiddenCase]
    owners: Tally

    @classmethod
    def of(cls, story: Story) -> "ManagedCases":
        """Those of a story."""
        handed = Timeline(story.assignments, lambda step: step.moment)
        cases = Timeline(story.cases, lambda case: case.created)
        steps = handed.items
        return cls(
            handed=handed,
            agents=tally_of(step.new for step in steps),
            before=places_before((step.new, step.case) for step in steps),
            is_first=np.array([step.old is None for step in steps], dtype=bool),
            cases=cases,
            owners=tally_of(case.owner for case in cases.items),
        )

    def spans(self, window: TimeWindow, closed: bool) -> ManagedSpans:
        """The places of the assignments and of the cases of a window."""
        return self.handed.span(window, closed), self.cases.span(window, closed)

    def readings(self, spans: ManagedSpans) -> Readings:
        """How many cases each agent managed, on the three readings of it."""
        handed, created = spans
        return [
            self.agents.counted_once(self.before, *handed),
            self.agents.counted_where(self.is_first, *handed),
            self.owners.counted(*created),
        ]

    def is_busy(self, window: TimeWindow, number: int) -> bool:
        """Whether two agents or more were handed more than so many cases: else there is no answer,
        and nothing more is counted.
        """
        counts = self.agents.counts(*self.handed.span(window))
        return int(np.count_nonzero(counts > number)) > 1


@dataclass(frozen=True, slots=True)
class AgentQuestion:
    """What a task asks of agents: its two ends, the readings of its value, and the share by which
    the best must be ahead.
    """

    extremes: tuple[Extremum, ...]
    values: ReadingsIn
    clearly: float

    def draws(
        self,
        story: Story,
        rng: Random,
        nothing: bool,
    ) -> Draws:
        """Endless draws of twins; with `nothing` one of them has no answer."""
        managed = ManagedCases.of(story)

        @lru_cache(maxsize=READINGS_KEPT)
        def read(window: TimeWindow) -> WindowReading:
            # Edges between which nothing happened are one reading, so it is made once.
            distinct = {managed.spans(*edge): edge for edge in edges(window)}
            counts, values = [], []
            for spans, edge in distinct.items():
                counts.append(managed.readings(spans))
                values.append([ranking_of(worth) for worth in self.values(*edge)])
            return WindowReading(window, counts, values, self.clearly)

        read_busy = partial(_read_busy, managed, read)
        while True:
            seed, window = random_window(rng, story, SEEDS)
            if window is None:
                continue
            extremum = rng.choice(self.extremes)
            ask = partial(_candidate, seed, extremum)
            reading = read(window)
            if not nothing and rng.random() < BY_NUMBER:
                yield _twins_by_number(rng, reading, extremum, ask) or DISAGREE
                continue
            number = reading.nobody()
            nearby = windows_nearby(rng, story, window)
            answered = _twins_by_window(
                number,
                read_busy(number, nearby),
                extremum,
                ask,
            )
            if nothing:
                yield _with_nothing(reading, answered, extremum, ask) or DISAGREE
                continue
            if len(answered) < ANSWERED_TWINS:
                near = islice(twin_windows(rng, story, window), TRIED_ELSEWHERE)
                others = partial(read_busy, others=near)
                answered = _twins_elsewhere(rng, reading, others, extremum, ask) or answered
            yield answered or DISAGREE


@dataclass(frozen=True, slots=True)
class WindowReading:
    """A window with how many cases agents managed in it, and how their values rank, on every
    reading.

    What was answered is kept: each n is asked about several times, and in many draws.
    """

    window: TimeWindow
    counts: Sequence[Readings]
    values: Sequence[Sequence[Ranking]]
    clearly: float
    _known: dict[tuple[int, bool], Answer] = field(default_factory=dict, compare=False, repr=False)

    def answer(self, more_than: int, largest: bool) -> Answer:
        """The single best among two or more on which all readings of "managed", of the window and
        of the value agree; NOTHING where there is none.
        """
        asked = more_than, largest
        found = self._known.get(asked)
        if found is None:
            found = self._known[asked] = self._answer(more_than, largest)
        return found

    def _answer(self, more_than: int, largest: bool) -> Answer:
        if len(_leaders(self.values[0][0], self.counts[0][0], more_than, largest)) < 2:
            return NOTHING
        return agreed(self._answers(more_than, largest)) or NOTHING

    def _answers(self, more_than: int, largest: bool) -> Iterator[Answer]:
        """On every reading the best of those who managed more than n; readings on which the same
        lead as on the one before have its answer.
        """
        before: AgentValues | None = None
        for counts, rankings in zip(self.counts, self.values, strict=True):
            for count in counts:
                for ranking in rankings:
                    leaders = _leaders(ranking, count, more_than, largest)
                    if leaders != before:
                        yield best(leaders, largest, self.clearly)
                    before = leaders

    def answers(self, largest: bool) -> dict[int, Answer]:
        """The answer for the largest few n that have one: with a small n hardly anything hangs on
        it, and where nothing answers n is large too.
        """
        found: dict[int, Answer] = {}
        for more_than in range(self.nobody() - 1, 0, -1):
            answer = self.answer(more_than, largest)
            if answer:
                found[more_than] = answer
            if len(found) == AT_THE_TOP:
                break
        return found

    def is_rough(self, more_than: int, largest: bool) -> bool:
        """Whether one less has the same answer, so that the exact number decides nothing."""
        return self.answer(more_than - 1, largest) == self.answer(more_than, largest)

    def nobody(self) -> int:
        """The least n on which, on every reading, no agent is left who has a value; 0 where there
        were no cases.
        """
        most = 0.0
        for edge_counts, edge_values in zip(self.counts, self.values, strict=True):
            for count in edge_counts:
                for ranking in edge_values:
                    managed = [count.get(agent, 0) for _, agent in ranking]
                    most = max(most, *managed, 0)
        return max(int(most), 1) if any(map(_largest, self.counts[0])) else 0


AskForNumber = Callable[[TimeWindow, int, Answer], Candidate]
ReadForNumber = Callable[[int], Iterable[WindowReading]]
"""Some windows in which at least two agents managed more than so many cases."""


def _read_busy(
    managed: ManagedCases,
    read: Callable[[TimeWindow], WindowReading],
    number: int,
    others: Iterable[TimeWindow],
) -> Iterator[WindowReading]:
    """The windows in which at least two agents managed more than so many cases; of the others
    nothing has to be read to know that they have no answer.
    """
    for other in others:
        if number and managed.is_busy(other, number):
            yield read(other)


def _with_nothing(
    reading: WindowReading,
    answered: TwinGroup,
    extremum: Extremum,
    ask: AskForNumber,
) -> TwinGroup:
    """Twins of which the last one has no answer: no agent reaches its n.

    Before it stand the same question with a slightly smaller n, and the same n in a window nearby,
    both of which have an answer; so neither n nor the date tells that there is none. Empty where no
    such twin can be asked.
    """
    number = reading.nobody()
    found = reading.answers(extremum.largest)
    twins = {twin.answer: twin for twin in answered}
    fewer = max(found, default=0)
    if fewer and fewer >= int(number * NEARLY):
        twins.setdefault(found[fewer], ask(reading.window, fewer, found[fewer]))
    nearest = list(twins.values())[-ANSWERED_TWINS:]
    return (*nearest, ask(reading.window, number, NOTHING)) if nearest else ()


def _twins_by_number(
    rng: Random,
    reading: WindowReading,
    extremum: Extremum,
    ask: AskForNumber,
) -> TwinGroup:
    """Two numbers on which the same window has different answers, next to each other where there
    are such; one question alone where all answers are the same, nothing where there are none.
    """
    found = reading.answers(extremum.largest)
    pairs = []
    for number in found:
        for other in found:
            if number < other and found[number] != found[other]:
                pairs.append((number, other))
    if not found:
        return ()
    if not pairs:
        number = rng.choice(sorted(found))
        return (ask(reading.window, number, found[number]),)

    def roughness(pair: tuple[int, int]) -> tuple[int, int]:
        rough = sum(reading.is_rough(number, extremum.largest) for number in pair)
        return pair[1] - pair[0], rough

    least = min(map(roughness, pairs))
    twins = rng.choice([pair for pair in pairs if roughness(pair) == least])
    return tuple(ask(reading.window, number, found[number]) for number in twins)


def _twins_by_window(
    number: int,
    others: Iterable[WindowReading],
    extremum: Extremum,
    ask: AskForNumber,
) -> TwinGroup:
    """The same number in one or two windows that have different answers; nothing where none has
    one.

    It is one that nobody reaches in a window nearby, so that a question that nothing answers can't
    be told from these by its number, its length and its date. Windows in which one less has the
    same answer stand back: there the exact number decides nothing.
    """
    exact: dict[Answer, Candidate] = {}
    rough: dict[Answer, Candidate] = {}
    for other in others:
        answer = other.answer(number, extremum.largest)
        if answer:
            found = rough if other.is_rough(number, extremum.largest) else exact
            found.setdefault(answer, ask(other.window, number, answer))
        if len(exact) == ANSWERED_TWINS:
            break
    answered = rough | exact
    hardest = sorted(answered, key=lambda answer: answer not in exact)
    return tuple(answered[answer] for answer in hardest[:ANSWERED_TWINS])


def _twins_elsewhere(
    rng: Random,
    reading: WindowReading,
    others: ReadForNumber,
    extremum: Extremum,
    ask: AskForNumber,
) -> TwinGroup:
    """An exact number on which the window has an answer, with one of the others where that number
    has another answer; the window alone where there is none, nothing where it has no answer itself.
    """
    found = reading.answers(extremum.largest)
    exact = [number for number in found if not reading.is_rough(number, extremum.largest)]
    if not exact:
        return ()
    number = rng.choice(exact)
    first = ask(reading.window, number, found[number])
    for twin in _twins_by_window(number, others(number), extremum, ask):
        if twin.answer != first.answer:
            return first, twin
    return (first,)


def _largest(count: AgentValues) -> float:
    return max(count.values(), default=0)


def ranking_of(values: AgentValues) -> Ranking:
    """The agents by their values, made once: each n is asked of the same ranking."""
    return sorted((value, agent) for agent, value in values.items())


def _leaders(
    ranking: Ranking,
    count: AgentValues,
    more_than: int,
    largest: bool,
) -> AgentValues:
    """The best two of those who managed more than n, with their values.

    Two are enough to tell who is the best, and whether clearly.
    """
    leaders: dict[str, float] = {}
    for value, agent in reversed(ranking) if largest else ranking:
        if count.get(agent, 0) > more_than:
            leaders[agent] = value
            if len(leaders) == 2:
                break
    return leaders


def _candidate(
    seed: str,
    extremum: Extremum,
    window: TimeWindow,
    more_than: int,
    answer: Answer,
) -> Candidate:
    number: tuple[str, ...] = (f" {more_than} ",)
    if more_than < len(NUMBERS):
        number = (*number, f" {NUMBERS[more_than]} ")
    must = [extremum.words, number, window.forms]
    if extremum.without:
        must.append(extremum.says_without)
    return Candidate(
        seed=seed,
        parameters={
            "extremum": extremum.name,
            "more_than": more_than,
            **window.parameters,
        },
        slots={
            "extremum": extremum.name,
            "without": extremum.without,
            "more_than": str(more_than),
            "cases": "case" if more_than == 1 else "cases",
            "window": window.name,
        },
        must=tuple(must),
        answer=answer,
        avoid=extremum.opposite,
        subject=extremum.name,
        fact=f"{window.name} to {window.end.date()}|{extremum.name}|{','.join(answer)}",
    )
