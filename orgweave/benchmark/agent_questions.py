"""What handle time and transfer count share on the hidden story's side: the agent at one end of
some values, among those who managed more than n cases in a window.

A question is drawn only where every sensible reading of it has the same answer. Readings of
"managed": handed a case in the window; handed one first, not by transfer; owner in the end of a
case created in the window.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from orgweave.benchmark.choice import Twins, agreed, best, edges, random_window, twin_window
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped
from orgweave.benchmark.story import Story
from orgweave.benchmark.task import Draws
from orgweave.benchmark.windows import NUMBERS, Timeline, TimeWindow

AgentValues = Mapping[str, float]
Readings = list[AgentValues]
"""What agents have, a mapping for each reading of the query."""
ReadingsIn = Callable[[TimeWindow, bool], Readings]
"""The readings in a window; the second argument says whether its end is closed."""
TELLING = Dropped("its number would give away that nothing answers")
DISAGREE = Dropped("readings of the query disagree, or two are equally good")
NEAR_THE_TOP = 0.1
"""The share of questions with the largest possible n: few agents qualify then, as in the questions
that nothing answers, so that a large n doesn't tell that nothing does.
"""
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
        twins: Twins | None,
    ) -> Draws:
        """Endless draws; where there are `twins`, of questions that nothing answers."""
        managed = _managed(story)
        while True:
            seed, window = _window(story, rng, twins)
            if window is None:
                continue
            extremum = rng.choice(self.extremes)
            counts = [managed(each, closed) for each, closed in edges(window)]
            values = [self.values(each, closed) for each, closed in edges(window)]
            if twins is None:
                found = self._answers(counts, values, extremum.largest)
            else:
                found = _nobody(counts, values)
            if not found:
                yield DISAGREE
                continue
            more_than, answer = found[-1] if rng.random() < NEAR_THE_TOP else rng.choice(found)
            candidate = _candidate(seed, window, extremum, more_than, answer)
            yield candidate if twins is None or _usual(candidate, twins) else TELLING

    def _answers(
        self,
        counts: Sequence[Readings],
        values: Sequence[Readings],
        largest: bool,
    ) -> list[tuple[int, Answer]]:
        """Every n on which all readings of "managed", of the window and of the value name the same
        single best among two or more.
        """
        managed, worth = counts[0][0], values[0][0]
        most = max(_largest(count) for count in counts[0])
        found = []
        for more_than in range(1, int(most)):
            rivals = [agent for agent in worth if managed.get(agent, 0) > more_than]
            if len(rivals) < 2:
                # A larger number leaves no more of them.
                break
            readings = _qualified(counts, values, more_than)
            answer = agreed(best(reading, largest, self.clearly) for reading in readings)
            if answer:
                found.append((more_than, answer))
        return found


def _window(
    story: Story,
    rng: Random,
    twins: Twins | None,
) -> tuple[str, TimeWindow | None]:
    if twins is None:
        return random_window(rng, story, SEEDS)
    return twin_window(rng, story, twins)


def _usual(candidate: Candidate, twins: Twins) -> bool:
    """Whether an answerable question about no longer a window has as large a number: else the
    number would tell that nothing answers.
    """
    number = int(str(candidate.parameters["more_than"]))
    for twin in twins:
        if int(str(twin.parameters["more_than"])) >= number and twin.days <= candidate.days:
            return True
    return False


def _nobody(counts: Sequence[Readings], values: Sequence[Readings]) -> list[tuple[int, Answer]]:
    """The least number on which, on every reading, no agent is left who has a value, though there
    were cases.
    """
    most = 0.0
    for edge in counts:
        most = max(most, *(_largest(count) for count in edge))
    for number in range(1, int(most) + 1):
        if not any(_qualified(counts, values, number)):
            return [(number, NOTHING)]
    return []


def _largest(count: AgentValues) -> float:
    return max(count.values(), default=0)


def _qualified(
    counts: Sequence[Readings],
    values: Sequence[Readings],
    more_than: int,
) -> Iterator[AgentValues]:
    """On every reading the values of those who managed more than n."""
    for edge_counts, edge_values in zip(counts, values, strict=True):
        for count in edge_counts:
            for worth in edge_values:
                yield _of_qualified(worth, count, more_than)


def _of_qualified(
    worth: AgentValues,
    count: AgentValues,
    more_than: int,
) -> AgentValues:
    return {agent: value for agent, value in worth.items() if count.get(agent, 0) > more_than}


def _managed(story: Story) -> ReadingsIn:
    """How many cases each agent managed, on the three readings of it."""
    assignments = Timeline(story.assignments, lambda step: step.moment)
    cases = Timeline(story.cases, lambda case: case.created)

    def counts(window: TimeWindow, closed: bool) -> Readings:
        handed = assignments.within(window, closed)
        handed_to = {(step.new, step.case) for step in handed}
        return [
            Counter(agent for agent, _ in handed_to),
            Counter(step.new for step in handed if step.old is None),
            Counter(case.owner for case in cases.within(window, closed)),
        ]

    return counts


def _candidate(
    seed: str,
    window: TimeWindow,
    extremum: Extremum,
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
    )
