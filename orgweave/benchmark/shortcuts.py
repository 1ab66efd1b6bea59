"""What reduced solvers are made of. A reduced solver answers a task by the org, but skips one thing
that the task is about: the window, n, a rule, a text.

A benchmark is worth something only as long as none of them passes it, so `tasks` runs them all on
what it made. They are no proof of an answer; the two computations are.

Example: `{"window: always 12 months": elsewhere(solver, twelve_months)}`.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache

from orgweave.benchmark.instance import NOTHING, SECONDS, Answer, Parameters
from orgweave.benchmark.org_facts import OrgCase, OrgFacts
from orgweave.benchmark.windows import WINDOWS_KEPT, TimeWindow, before, stamp

ReducedSolver = Callable[[OrgFacts, Parameters], Answer]
"""Answers a question by the org and the question's parameters."""
OtherWindow = Callable[[TimeWindow], TimeWindow]
MONTHS = 12


def window_in(wanted: Parameters) -> TimeWindow:
    """The window of a question."""
    return _between(str(wanted["start"]), str(wanted["end"]))


@lru_cache(maxsize=WINDOWS_KEPT)
def _between(start: str, end: str) -> TimeWindow:
    first = datetime.fromisoformat(start[:SECONDS])
    last = datetime.fromisoformat(end[:SECONDS])
    return TimeWindow(first, last)


def elsewhere(solver: ReducedSolver, other: OtherWindow) -> ReducedSolver:
    """The solver in another window than the question's."""

    def solve(facts: OrgFacts, wanted: Parameters) -> Answer:
        window = other(window_in(wanted))
        ends = {"start": stamp(window.start), "end": stamp(window.end)}
        return solver(facts, {**wanted, **ends})

    return solve


def twelve_months(window: TimeWindow) -> TimeWindow:
    """The year before the window's end."""
    start = before(window.end.date(), "month", MONTHS)
    return TimeWindow(datetime(start.year, start.month, start.day), window.end)


def all_years(window: TimeWindow) -> TimeWindow:
    """All time before the window's end, and after."""
    return TimeWindow(datetime(1970, 1, 1), datetime(2100, 1, 1))


def one_before(window: TimeWindow) -> TimeWindow:
    """As long a time that ends where the window starts."""
    return TimeWindow(window.start - (window.end - window.start), window.start)


def second_half(window: TimeWindow) -> TimeWindow:
    """The later half of the window."""
    half = timedelta(seconds=(window.end - window.start).total_seconds() // 2)
    return TimeWindow(window.start + half, window.end)


WINDOWS: dict[str, OtherWindow] = {
    "window: always 12 months": twelve_months,
    "window: all years": all_years,
    "window: the one before": one_before,
    "window: its later half": second_half,
}


def in_other_windows(solver: ReducedSolver) -> dict[str, ReducedSolver]:
    """The solver once for each way to skip the window."""
    return {skips: elsewhere(solver, other) for skips, other in WINDOWS.items()}


def top(values: Mapping[str, float], largest: bool = True) -> Answer:
    """The name at one end, of equals the first in the alphabet; NOTHING where there is no value."""
    if not values:
        return NOTHING
    ranked = sorted(values, key=lambda name: (-values[name] if largest else values[name], name))
    return (ranked[0],)


def mean_hours(
    cases: Iterable[OrgCase],
    key: Callable[[OrgCase], str],
    least: int = 1,
) -> dict[str, float]:
    """The mean hours to close by some key of a case, where there are so many at least."""
    hours: dict[str, list[float]] = {}
    for case in cases:
        hours.setdefault(key(case), []).append(case.hours)
    return {name: sum(own) / len(own) for name, own in hours.items() if len(own) >= least}


def product_cases(facts: OrgFacts, wanted: Parameters, any_product: bool = False) -> list[OrgCase]:
    """The cases on the question's product in its window, or on any product."""
    window = window_in(wanted)
    if any_product:
        return [case for case in facts.cases.within(window) if case.product]
    own = facts.of_product.get(str(wanted["product"]))
    return list(own.within(window)) if own else []


def answer_of_case(place: float, answered: Callable[[OrgCase], str]) -> ReducedSolver:
    """Takes one case for all: the first of the window (0), the last (1), or one between."""

    def solve(facts: OrgFacts, wanted: Parameters) -> Answer:
        own = product_cases(facts, wanted)
        if not own:
            return NOTHING
        return (answered(own[min(int(place * len(own)), len(own) - 1)]),)

    return solve
