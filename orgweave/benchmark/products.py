"""Top issue and monthly trend: what goes wrong most with a product in a window, and in which month
its cases stand out.

Drawn and answered from the hidden story. A window of a year that begins in mid-month holds two
halves of one month's name; instances
are drawn only where counting by name and counting by month of the year agree.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from random import Random

from orgweave.benchmark.choice import Twins, agreed, best, edges, random_window, twin_window
from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped
from orgweave.benchmark.story import HiddenCase, Story
from orgweave.benchmark.windows import MONTHS, TimeWindow, rolling_around, rolling_window

TIED = Dropped("the best is not unique or has no rival, or readings of the window disagree")
NOT_EMPTY = Dropped("the product has cases in the window after all")
TREND_MONTHS = (7, 12)
STANDS_OUT = 2
FEWEST, LATER = 3, 45
Read = Callable[[HiddenCase], str]


def top_issue(
    story: Story, rng: Random, twins: Twins | None = None
) -> Iterator[Candidate | Dropped]:
    """Endless draws; a product is as likely as it has cases.

    With `twins` its window holds none, though it has some at another time.
    """
    cases = _cases_by_product(story)
    while True:
        own = cases[rng.choice(story.cases).product]
        seed, window = (
            random_window(rng, story, ("named", "rolling"))
            if twins is None
            else twin_window(rng, story, twins)
        )
        if twins is None and seed == "rolling":
            window = _around_some(rng, story, own)
        if window is None:
            continue
        counts = [
            Counter(case.issue for case in own if one.holds(case.created, closed))
            for one, closed in edges(window)
        ]
        if twins is not None:
            yield (
                NOT_EMPTY if any(counts) else _candidate(story, seed, window, own, NOTHING, _issue)
            )
            continue
        answer = agreed(best(count, largest=True) for count in counts)
        yield (
            _candidate(story, seed, window, own, answer, _issue)
            if answer and len(counts[0]) > 1
            else TIED
        )


def monthly_trend(story: Story, rng: Random) -> Iterator[Candidate | Dropped]:
    """Endless draws; there is always an answer."""
    cases = _cases_by_product(story)
    while True:
        own = cases[rng.choice(story.cases).product]
        window = rolling_window(rng, story.first, story.last, ("month",), TREND_MONTHS)
        if window is None:
            continue
        counts = [
            count
            for one, closed in (*edges(window), *_whole_months(window))
            for count in _by_month([case for case in own if one.holds(case.created, closed)])
        ]
        answer = agreed(best(count, largest=True) for count in counts)
        clear = len(counts[0]) > 1 and _margin(counts[0]) >= STANDS_OUT
        yield (
            _candidate(story, "rolling", window, own, answer, _month) if answer and clear else TIED
        )


def _whole_months(window: TimeWindow) -> tuple[tuple[TimeWindow, bool], ...]:
    """The reading in which the past months are whole ones: from the first of the month that the
    window starts in, to the first of today's.
    """
    start, end = window.start.replace(day=1), window.end.replace(day=1)
    return ((TimeWindow(start, end, interval=window.interval), False),)


def _margin(counts: Counter[str]) -> int:
    """By how much the first is ahead of the second."""
    ranked = [number for _, number in counts.most_common(2)]
    return ranked[0] - ranked[1]


def _around_some(rng: Random, story: Story, own: Sequence[HiddenCase]) -> TimeWindow | None:
    """A rolling window that begins just before one of the cases and ends some days after a later
    one.
    """
    if len(own) < FEWEST:
        return None
    begin, end = sorted(rng.sample(range(len(own)), 2))
    today = own[end].created.date() + timedelta(days=rng.randint(1, LATER))
    after = max(
        own[begin - 1].created.date() if begin else story.first, story.first - timedelta(days=1)
    )
    return (
        rolling_around(rng, today, after, own[begin].created.date())
        if today <= story.last
        else None
    )


def _shortcuts(
    window: TimeWindow, own: Sequence[HiddenCase], answer: Answer, read: Read
) -> frozenset[str]:
    """What would find the answer without counting in the window: its first or last case, all of the
    product's cases, the window before.
    """
    length = window.end - window.start
    inside = [case for case in own if window.holds(case.created)]
    earlier = [case for case in own if window.start - length <= case.created < window.start]
    guesses = {"first": inside[:1], "last": inside[-1:], "ever": own, "before": earlier}
    return frozenset(
        name
        for name, cases in guesses.items()
        if answer and best(Counter(map(read, cases)), largest=True) == answer
    )


def _issue(case: HiddenCase) -> str:
    return case.issue


def _month(case: HiddenCase) -> str:
    return MONTHS[case.created.month - 1]


def _by_month(cases: list[HiddenCase]) -> tuple[Counter[str], Counter[str]]:
    """By a month's name, and by month and year under the month's name (the larger of two
    halves).
    """
    names = Counter(map(_month, cases))
    halves = Counter((case.created.year, case.created.month) for case in cases)
    apart: Counter[str] = Counter()
    for (_, month), number in halves.items():
        apart[MONTHS[month - 1]] = max(apart[MONTHS[month - 1]], number)
    return names, apart


def _cases_by_product(story: Story) -> dict[str, list[HiddenCase]]:
    found: dict[str, list[HiddenCase]] = defaultdict(list)
    for case in story.cases:
        found[case.product].append(case)
    return dict(found)


def _candidate(
    story: Story,
    seed: str,
    window: TimeWindow,
    own: Sequence[HiddenCase],
    answer: Answer,
    read: Read,
) -> Candidate:
    product = own[0].product
    name = story.products[product].name
    return Candidate(
        seed=seed,
        parameters={"product": product, **window.parameters},
        slots={"product": name, "window": window.period or window.interval},
        must=((name,), window.forms),
        answer=answer,
        easy=_shortcuts(window, own, answer, read),
        subject=product,
    )
