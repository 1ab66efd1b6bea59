"""Top issue and monthly trend: what goes wrong most with a product in a window, and in which month its cases stand out.

Drawn and answered from the hidden story. A window of a year that begins in mid-month holds two halves of one month's name; instances
are drawn only where counting by name and counting by month of the year agree.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from random import Random

from pipeline.tasks.choice import agreed, best, edges, random_window
from pipeline.tasks.instance import NOTHING, Candidate, Dropped
from pipeline.tasks.story import HiddenCase, Story
from pipeline.tasks.windows import MONTHS, Window, rolling_window

TIED = Dropped("the best is not unique or has no rival, or readings of the window disagree")
NOT_EMPTY = Dropped("the product has cases in the window after all")
TREND_MONTHS = (7, 12)
STANDS_OUT = 2


def top_issue(story: Story, rng: Random, answerable: bool) -> Iterator[Candidate | Dropped]:
    """Endless draws; a product is as likely as it has cases, and has some at least at another time where the window holds none."""
    cases = _cases_by_product(story)
    while True:
        product, (seed, window) = rng.choice(story.cases).product, random_window(rng, story, ("named", "rolling"))
        if window is None:
            continue
        counts = [Counter(case.issue for case in cases.get(product, ()) if one.holds(case.created, closed)) for one, closed in edges(window)]
        if not answerable:
            yield NOT_EMPTY if any(counts) else _candidate(story, seed, window, product, NOTHING)
            continue
        answer = agreed(best(count, largest=True) for count in counts)
        yield _candidate(story, seed, window, product, answer) if answer and len(counts[0]) > 1 else TIED


def monthly_trend(story: Story, rng: Random, answerable: bool) -> Iterator[Candidate | Dropped]:
    """Endless draws; there is always an answer."""
    cases = _cases_by_product(story)
    while True:
        product = rng.choice(story.cases).product
        window = rolling_window(rng, story.first, story.last, ("month",), TREND_MONTHS)
        if window is None:
            continue
        counts = [count for one, closed in edges(window) for count in _by_month([case for case in cases[product] if one.holds(case.created, closed)])]
        answer = agreed(best(count, largest=True) for count in counts)
        clear = len(counts[0]) > 1 and max(counts[0].values()) >= STANDS_OUT
        yield _candidate(story, "rolling", window, product, answer) if answer and clear else TIED


def _by_month(cases: list[HiddenCase]) -> tuple[Counter[str], Counter[str]]:
    """By a month's name, and by month and year under the month's name (the larger of two halves)."""
    names = Counter(MONTHS[case.created.month - 1] for case in cases)
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


def _candidate(story: Story, seed: str, window: Window, product: str, answer: tuple[str, ...]) -> Candidate:
    name = story.products[product].name
    return Candidate(
        seed=seed,
        parameters={"product": product, **window.parameters},
        slots={"product": name, "window": window.period or window.interval},
        must=((name,), window.forms),
        answer=answer,
    )
