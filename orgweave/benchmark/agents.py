"""Handle time and transfer count: the agent with the longest or shortest mean handle time, or the
most or fewest transfers, among those
who managed more than n cases in a window. Drawn and answered from the hidden story, on every
sensible reading at once.

Readings of "managed": handed a case in the window; handed one first, not by transfer; owner in the
end of a case created in the window.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from orgweave.benchmark.choice import CLEARLY, Twins, best, edges, random_window, twin_window
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped
from orgweave.benchmark.story import Story
from orgweave.benchmark.timeline import Timeline
from orgweave.benchmark.windows import NUMBERS, TimeWindow

Values = Mapping[str, float]
TELLING = Dropped("its number would tell that nothing answers")
DISAGREE = Dropped("readings of the query disagree, or the best is not unique")
NEAR_THE_TOP, CLEARLY_SLOWER = 0.1, 0.05


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


LONG = ("longest", "highest", "slowest", "greatest", "most time", "largest")
SHORT = ("shortest", "lowest", "quickest", "fastest", "least time", "smallest")
MOST = (
    "most",
    "highest number",
    "largest number",
    "more often than anyone",
    "highest count",
    "largest count",
    "top",
)
FEWEST = (
    "fewest",
    "lowest number",
    "smallest number",
    "least often",
    "lowest count",
    "smallest count",
    "least",
)
SAYS_NONE_MADE = ("no transfer", "without a transfer", "at least one transfer", "any transfer")
NONE_MADE = " Agents who made no transfer at all don't count."
HANDLE_TIME = (Extremum("longest", True, LONG, SHORT), Extremum("shortest", False, SHORT, LONG))
TRANSFERS = (
    Extremum("most", True, MOST, FEWEST),
    Extremum("fewest", False, FEWEST, MOST, NONE_MADE),
)


def handle_time(
    story: Story, rng: Random, twins: Twins | None = None
) -> Iterator[Candidate | Dropped]:
    """Endless draws of handle-time questions; where there are `twins`, of such that nothing
    answers, alike in form to them.
    """
    return _draws(story, rng, twins, HANDLE_TIME, _mean_hours(story), CLEARLY_SLOWER)


def transfer_count(
    story: Story, rng: Random, twins: Twins | None = None
) -> Iterator[Candidate | Dropped]:
    """The same of transfer-count questions."""
    return _draws(story, rng, twins, TRANSFERS, _transfers(story), CLEARLY)


def _draws(
    story: Story,
    rng: Random,
    twins: Twins | None,
    extremes: tuple[Extremum, ...],
    values: Callable[[TimeWindow, bool], list[Values]],
    clearly: float,
) -> Iterator[Candidate | Dropped]:
    managed = _managed(story)
    while True:
        seed, window = (
            random_window(rng, story, ("named", "rolling_find", "rolling_average"))
            if twins is None
            else twin_window(rng, story, twins)
        )
        if window is None:
            continue
        extremum = rng.choice(extremes)
        counts = [managed(one, closed) for one, closed in edges(window)]
        worth = [values(one, closed) for one, closed in edges(window)]
        found = (
            _answers(counts, worth, extremum.largest, clearly)
            if twins is None
            else _nobody(counts, worth)
        )
        if not found:
            yield DISAGREE
            continue
        more_than, answer = found[-1] if rng.random() < NEAR_THE_TOP else rng.choice(found)
        one = _candidate(seed, window, extremum, more_than, answer)
        yield one if twins is None or _usual(one, twins) else TELLING


def _usual(one: Candidate, twins: Twins) -> bool:
    """Whether an answerable question about no longer a window has as large a number: else the
    number would tell that nothing answers.
    """
    return any(
        int(str(twin.parameters["more_than"])) >= int(str(one.parameters["more_than"]))
        and twin.days <= one.days
        for twin in twins
    )


def _answers(
    counts: list[list[Counter[str]]], worth: list[list[Values]], largest: bool, clearly: float
) -> list[tuple[int, Answer]]:
    """Every n on which all readings of "managed", of the window and of the value name the same
    single best among two or more.
    """
    found = []
    for more_than in range(
        1, max((max(count.values(), default=0) for count in counts[0]), default=0)
    ):
        answers = {best(one, largest, clearly) for one in _qualified(counts, worth, more_than)}
        rivals = [agent for agent in worth[0][0] if counts[0][0][agent] > more_than]
        if len(answers) == 1 and len(rivals) > 1 and (answer := answers.pop()):
            found.append((more_than, answer))
    return found


def _nobody(
    counts: list[list[Counter[str]]], worth: list[list[Values]]
) -> list[tuple[int, Answer]]:
    """The least number on which, on every reading, no agent is left who has a value, though there
    were cases.
    """
    most = max(max(count.values(), default=0) for edge in counts for count in edge)
    return [
        (number, NOTHING)
        for number in range(1, most + 1)
        if not any(_qualified(counts, worth, number))
    ][:1]


def _qualified(
    counts: list[list[Counter[str]]], worth: list[list[Values]], more_than: int
) -> Iterator[Values]:
    """On every reading the values of those who managed more than n."""
    return (
        {agent: value for agent, value in one.items() if count[agent] > more_than}
        for edge, at in zip(counts, worth, strict=True)
        for count in edge
        for one in at
    )


def _managed(story: Story) -> Callable[[TimeWindow, bool], list[Counter[str]]]:
    assignments, cases = (
        Timeline(story.assignments, lambda one: one.at),
        Timeline(story.cases, lambda case: case.created),
    )

    def counts(window: TimeWindow, closed: bool) -> list[Counter[str]]:
        handed = assignments.within(window, closed)
        return [
            Counter(agent for agent, _ in {(one.new, one.case) for one in handed}),
            Counter(one.new for one in handed if one.old is None),
            Counter(case.owner for case in cases.within(window, closed)),
        ]

    return counts


def _mean_hours(story: Story) -> Callable[[TimeWindow, bool], list[Values]]:
    passed_on = story.transferred()
    cases = Timeline(
        (case for case in story.cases if case.closed and case.id not in passed_on),
        lambda case: case.created,
    )

    def means(window: TimeWindow, closed: bool) -> list[Values]:
        hours: dict[str, list[float]] = defaultdict(list)
        for case in cases.within(window, closed):
            hours[case.owner].append(case.hours)
        return [{agent: sum(values) / len(values) for agent, values in hours.items()}]

    return means


def _transfers(story: Story) -> Callable[[TimeWindow, bool], list[Values]]:
    """By the transfer's own date, and by the date of the case."""
    created = {case.id: case.created for case in story.cases}
    passed = [one for one in story.assignments if one.old is not None]
    by_transfer, by_case = (
        Timeline(passed, lambda one: one.at),
        Timeline(passed, lambda one: created[one.case]),
    )

    def counts(window: TimeWindow, closed: bool) -> list[Values]:
        return [
            Counter(str(one.old) for one in timeline.within(window, closed))
            for timeline in (by_transfer, by_case)
        ]

    return counts


def _candidate(
    seed: str, window: TimeWindow, extremum: Extremum, more_than: int, answer: Answer
) -> Candidate:
    number = (
        (f" {more_than} ", f" {NUMBERS[more_than]} ")
        if more_than < len(NUMBERS)
        else (f" {more_than} ",)
    )
    slots = {
        "more_than": str(more_than),
        "cases": "case" if more_than == 1 else "cases",
        "window": window.period or window.interval,
    }
    return Candidate(
        seed=seed,
        parameters={"extremum": extremum.name, "more_than": more_than, **window.parameters},
        slots={"extremum": extremum.name, "without": extremum.without, **slots},
        must=(
            extremum.words,
            number,
            window.forms,
            *([SAYS_NONE_MADE] if extremum.without else []),
        ),
        answer=answer,
        avoid=extremum.opposite,
        subject=extremum.name,
    )
