"""What several tasks draw alike: a window, the single best of some values, one answer on which all
readings agree.

This is the hidden story's side of the truth; the org's own side must not use it.
"""

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from orgweave.benchmark.instance import NOTHING, Answer, Candidate
from orgweave.benchmark.story import Story
from orgweave.benchmark.windows import TimeWindow, named_windows, rolling_window, window_like

CLEARLY = 1e-3
"""The share by which the best must be ahead: less than a thousandth is a matter of rounding."""
Twins = Sequence[Candidate]
"""Answerable questions of a task, after which those that nothing answers are modelled."""


def random_window(
    rng: Random,
    story: Story,
    seeds: tuple[str, ...],
) -> tuple[str, TimeWindow | None]:
    """A seed query, each as likely, and a window that fits it; None where the draw fell outside the
    period.
    """
    seed = rng.choice(seeds)
    if seed == "named":
        return seed, rng.choice(named_windows(story.first, story.last))
    return seed, rolling_window(rng, story.first, story.last)


def twin_window(
    rng: Random,
    story: Story,
    twins: Twins,
) -> tuple[str, TimeWindow | None]:
    """The seed query of one of the answerable questions, and another window of its kind: so that a
    question's form does not tell whether it has an answer.
    """
    twin = rng.choice(twins)
    period = str(twin.parameters.get("period", ""))
    interval = str(twin.parameters.get("interval", ""))
    return twin.seed, window_like(rng, period, interval, story.first, story.last)


def edges(window: TimeWindow) -> tuple[tuple[TimeWindow, bool], ...]:
    """The readings of a window's end, each with whether it is closed: the end open, the end closed,
    and open with all of today.
    """
    return (window, False), (window, True), (window.with_today(), False)


def best(
    values: Mapping[str, float],
    largest: bool,
    clearly: float = CLEARLY,
) -> Answer:
    """The one name with the largest (or smallest) value.

    NOTHING where there is none, or where another is as good but for a share of `clearly`.
    """
    sign = 1 if largest else -1
    ranked = sorted((sign * value, name) for name, value in values.items())
    if not ranked:
        return NOTHING
    top, name = ranked[-1]
    if len(ranked) == 1:
        return (name,)
    rival, _ = ranked[-2]
    tied = top - rival <= clearly * max(abs(top), abs(rival))
    return NOTHING if tied else (name,)


def agreed(answers: Iterable[Answer]) -> Answer | None:
    """The answer that all readings give, NOTHING included; None where they differ.

    No reading is asked for after two that differ.
    """
    found = None
    for answer in answers:
        if found is None:
            found = answer
        elif answer != found:
            return None
    return found
