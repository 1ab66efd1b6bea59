"""What several tasks draw alike: a window, the single best of some values, one answer on which all
readings agree.

This is the hidden story's side of the truth; the org's own side must not use it.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from random import Random
from typing import TypeVar

from orgweave.benchmark.instance import NOTHING, Answer
from orgweave.benchmark.story import Story
from orgweave.benchmark.windows import (
    SPANS,
    WINDOWS_KEPT,
    Spans,
    TimeWindow,
    named_windows,
    other_lengths,
    rolling_window,
    shifted,
    window_like,
)

CLEARLY = 1e-3
"""The share by which the best must be ahead: less than a thousandth is a matter of rounding."""
BOTH_SIDES = 0.5
TRIES = 12
"""How many windows are tried for a twin before a draw is given up."""
MOST_MOVES = 6
"""How often a window is moved for a twin that lies near: by a month and a half at most."""

Drawn = TypeVar("Drawn")


def random_window(
    rng: Random,
    story: Story,
    seeds: tuple[str, ...],
    spans: Spans = SPANS,
) -> tuple[str, TimeWindow | None]:
    """A seed query, each as likely, and a window that fits it; None where the draw fell outside the
    period.
    """
    seed = rng.choice(seeds)
    if seed == "named":
        return seed, rng.choice(named_windows(story.first, story.last))
    return seed, rolling_window(rng, story.first, story.last, spans)


def twin_windows(
    rng: Random,
    story: Story,
    window: TimeWindow,
    spans: Spans = SPANS,
    tries: int = TRIES,
) -> Iterator[TimeWindow]:
    """Some windows that differ from this one in one thing: in length, with the same end, or in
    where they lie, with the same length and kind.
    """
    lengths = other_lengths(rng, window, story.first, spans, tries) if window.interval else []
    elsewhere = list(windows_elsewhere(rng, story, window))
    both = [lengths, elsewhere]
    rng.shuffle(both)
    yield from chain.from_iterable(both)


def windows_elsewhere(
    rng: Random,
    story: Story,
    window: TimeWindow,
) -> Iterator[TimeWindow]:
    """Some windows of the same length and kind that lie elsewhere, the earlier ones first or the
    later ones, each half of the time.
    """
    found = []
    for _ in range(TRIES):
        other = window_like(
            rng,
            window.period,
            window.interval,
            story.first,
            story.last,
        )
        if other is not None and other != window:
            found.append(other)
    found.sort(key=lambda other: other.end, reverse=rng.random() < BOTH_SIDES)
    yield from found


def windows_nearby(
    rng: Random,
    story: Story,
    window: TimeWindow,
) -> Iterator[TimeWindow]:
    """The windows of the same length and kind next to it, the nearest first, earlier and later
    ones by turns.

    A company grows: a quiet window has busy ones behind it, and of windows that lie far apart the
    date alone would tell which of them is quiet.
    """
    step = -1 if rng.random() < BOTH_SIDES else 1
    for moves in range(1, MOST_MOVES + 1):
        for side in (step, -step):
            other = shifted(window, side * moves, story.first, story.last)
            if other is not None:
                yield other


@lru_cache(maxsize=WINDOWS_KEPT)
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
    if not values:
        return NOTHING
    name = (max if largest else min)(values, key=values.__getitem__)
    if len(values) == 1:
        return (name,)
    top, rival, *_ = sorted(values.values(), reverse=largest)
    tied = abs(top - rival) <= clearly * max(abs(top), abs(rival))
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


def mixed(rng: Random, drawn: dict[str, Iterator[Drawn]]) -> Iterator[Drawn]:
    """Draws of several kinds, each time of any kind that has more; empties `drawn`."""
    while drawn:
        kind = rng.choice(sorted(drawn))
        group = next(drawn[kind], None)
        if group is None:
            del drawn[kind]
        else:
            yield group
