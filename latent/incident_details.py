"""Details of incidents: facts that are told of a case though no cause hangs on them.

A merchant, the day on which something happened, or the two rates that a customer compares, the one
agreed on and the one in use. They are drawn by what the incident's plan says of them, under the
values of its signs and under its cause. Knows no words and no tables.
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from latent.drawn_figures import figure_of
from latent.elapsed import DAYS_A_YEAR
from schemas.incidents import (
    FIGURE,
    NEEDED_NAMES,
    IncidentCause,
    IncidentDetail,
    IncidentPlan,
)

LENDS = ("loan", "line")
"""What an account holds where a lower rate is the better one."""

# What an account runs at that isn't opened yet: between these, in percent a year. By eye.
RATE_UNKNOWN = (3.2, 6.4)
LOWEST_RATE = 0.01
POINTS = " points"
PERCENT = 100


@dataclass(frozen=True, slots=True)
class DetailCase:
    """What of a case its details follow from.

    `days` is how old the order is, `rate` what its account runs at, None where it has none; `mends`
    says whether something is put right, after which the account runs at the rate agreed on.
    """

    category: str
    day: date
    days: int
    holds: str
    rate: float | None
    mends: bool
    stake: str


def details_text(
    rng: random.Random,
    plan: IncidentPlan,
    cause: IncidentCause,
    signs: Sequence[tuple[str, str]],
    case: DetailCase,
) -> str:
    """The details of a case by their names, as JSON; "" where its plan has none."""
    found: dict[str, str] = {}
    stated = list(plan.details)
    for sign, value in signs:
        stated += plan.signs[sign][value].details
    for detail in (*stated, *cause.details):
        if not detail.products or case.category in detail.products:
            found |= _drawn(rng, detail, case)
    return json.dumps(found) if found else ""


def needed_by(rng: random.Random, within: tuple[int, int], day: date) -> date:
    """The day by which somebody needs it, so many days after they first wrote.

    Nobody calls the day that they write on by its weekday.
    """
    least, most = within
    days = [day + timedelta(days=ahead) for ahead in range(least, most + 1)]
    return rng.choice([other for other in days if other.weekday() != day.weekday()] or days)


def with_needed(details: str, needed: date) -> str:
    """Details with the words for the day by which somebody needs it.

    >>> with_needed("", date(2026, 3, 6))
    '{"needed_on": "March 6", "needed_day": "Friday"}'
    """
    found = json.loads(details) if details else {}
    told = (f"{needed:%B} {needed.day}", f"{needed:%A}")
    return json.dumps(found | dict(zip(NEEDED_NAMES, told, strict=True)))


def _drawn(rng: random.Random, detail: IncidentDetail, case: DetailCase) -> Mapping[str, str]:
    told: tuple[str, ...]
    if detail.rates:
        told = _rates(rng, case)
    elif detail.days is not None:
        day = _day(rng, detail, case)
        told = (
            f"{day:%B} {day.day}",
            f"{day:%A}",
            f"{day:%B}",
        )
    elif detail.part is not None:
        part = rng.uniform(*detail.part)
        told = (_part(case.stake, part),)
    else:
        row = rng.choice(detail.values)
        told = tuple(figure_of(rng, text) for text in row)
    return dict(zip(detail.names, told, strict=False))


def _day(rng: random.Random, detail: IncidentDetail, case: DetailCase) -> date:
    """A day before or after the case; none of what is past lies before the order.

    Nobody calls today by its weekday: a day of the same name is drawn only where there is no other.
    """
    first, last = detail.days or (0, 0)
    days = []
    for back in range(first, last + 1):
        ago = min(back, case.days)
        days.append(case.day - timedelta(days=ago))
    fitting = [day for day in days if f"{day:%A}" in detail.weekdays] or days
    named_otherwise = [day for day in fitting if day.weekday() != case.day.weekday()]
    return rng.choice(named_otherwise or fitting)


def _part(stake: str, part: float) -> str:
    """A part of a sum, in the sum's own form; the stake itself where it holds no figure."""
    for figure in FIGURE.findall(stake)[:1]:
        whole = float(figure.replace(",", ""))
        shown = f"{whole * part:,.2f}"
        return stake.replace(figure, shown)
    return stake


def _rates(rng: random.Random, case: DetailCase) -> tuple[str, str]:
    """The rate agreed on and the worse one in use, as far apart as the stake says.

    The account shows what it runs at in the end: where it was put right, that is the agreed one.
    """
    (figure,) = FIGURE.findall(case.stake) or ("0.25",)
    apart = float(figure)
    if case.holds not in LENDS:
        # Who saves is short of interest, who borrows pays too much of it.
        apart = -apart
    known = case.rate
    if known is None:
        known = rng.uniform(*RATE_UNKNOWN)
    agreed = known if case.mends else known - apart
    if min(agreed, agreed + apart) < LOWEST_RATE:
        # No rate is below the lowest one: the account runs at the worse of the two all the same.
        agreed = max(known, LOWEST_RATE) + abs(apart)
    applied = agreed + apart
    return f"{agreed:.2f}%", f"{applied:.2f}%"


def owed_by(stake: str, held: float, days: int) -> float:
    """What a rate that is off by the stake has cost on a sum since the account was opened.

    >>> owed_by("0.50 points", 7300.0, 60), owed_by("$12.00", 7300.0, 60)
    (6.0, 0.0)
    """
    if not stake.endswith(POINTS):
        return 0.0
    (figure,) = FIGURE.findall(stake) or ("0",)
    return round(held * float(figure) / PERCENT * days / DAYS_A_YEAR, 2)
