"""Best region: the state in which cases are closed fastest, of the closed cases created in a
window. Drawn and answered from the hidden story.

A state counts with three such cases at least, and the fastest is so by far: a single chat of ten
minutes says nothing of a state.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from random import Random

from orgweave.benchmark.choice import agreed, best, edges, random_window
from orgweave.benchmark.instance import Candidate, Dropped
from orgweave.benchmark.story import HiddenCase, Story
from orgweave.benchmark.timeline import Timeline
from orgweave.benchmark.windows import TimeWindow

FAST = (
    "fastest",
    "quickest",
    "shortest",
    "least time",
    "most quickly",
    "lowest",
    "sooner",
    "soonest",
    "quickly",
)
SLOW = ("slowest", "longest", "most time", "highest")
LEAST_CASES, BY_FAR = 3, 0.1
TIED = Dropped("the fastest state is not unique, or readings of the window disagree")


def best_region(story: Story, rng: Random) -> Iterator[Candidate | Dropped]:
    """Endless draws; there is always an answer."""
    cases = Timeline((case for case in story.cases if case.closed), lambda case: case.created)
    while True:
        seed, window = random_window(rng, story, ("named", "rolling"))
        if window is None:
            continue
        means = [_mean_hours(cases.within(one, closed)) for one, closed in edges(window)]
        answer = agreed(best(one, largest=False, clearly=BY_FAR) for one in means)
        yield _candidate(seed, window, answer) if answer and len(means[0]) > 1 else TIED


def _mean_hours(cases: Iterable[HiddenCase]) -> dict[str, float]:
    hours: dict[str, list[float]] = defaultdict(list)
    for case in cases:
        hours[case.state].append(case.hours)
    return {
        state: sum(values) / len(values)
        for state, values in hours.items()
        if len(values) >= LEAST_CASES
    }


def _candidate(seed: str, window: TimeWindow, answer: tuple[str, ...]) -> Candidate:
    return Candidate(
        seed=seed,
        parameters={"least_cases": LEAST_CASES, **window.parameters},
        slots={"window": window.period or window.interval},
        must=(FAST, window.forms),
        answer=answer,
        avoid=SLOW,
    )
