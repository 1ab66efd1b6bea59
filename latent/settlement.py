"""What is arranged with a remedy: the sum, the day and the hour, and what goes back by when.

A part of CaseStory: the options' data, the prices that were paid and the moment of the arrangement
come in, the facts that agents tell go out. Knows no acts and no words.
"""

import math
import random
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np

from latent.dialogue import MEND, SIZED
from latent.drawn_figures import figure_of
from latent.holidays import closed_between
from pipeline.world.org import Org
from pipeline.world.streams import text_stream
from pipeline.world.tables import NONE, Array, Table, strings
from schemas.incidents import FIGURE, plan_for

DAYS_A_YEAR = 365
SATURDAY = 5
"""The day of the week on which no desk and no technician works any more; Monday is 0."""

# What is told of a remedy only where its sum is known.
NEEDS_SUM = frozenset({"refund", "credit", "discount"})
# What comes on a day, and what a customer can ask a day of.
VISIT = "visit"
SESSION = "session"
SHIPS = "ships"
RETURN = "return"
KEEP = "keep"
BILLING = "billing"
"""The kind of issues in which what was bought is in order, so that nobody asks if it goes back."""

EXCHANGE = "exchange"
"""The option that sends the same thing in another size."""

# When technicians come and specialists call, by the customer's clock. Chosen by eye: windows of
# two or three hours, calls at every half hour of an office's day.
WINDOWS = (
    "8 to 11 AM",
    "between 9 AM and noon",
    "10 AM to 1 PM",
    "noon to 3 PM",
    "1-4 PM",
    "2 to 5 PM",
    "between 4 and 7 PM",
    "9-11 AM",
    "3-6 PM",
    "5 to 7:30 PM",
)
FIRST_CALL, LAST_CALL = 18, 32  # half hours since midnight: 9 AM and 4 PM

# Until so many days after the arrangement the old thing is to be sent back. By eye.
BACK_WITHIN = (10, 14)

LONGEST_AFTER = timedelta(days=120)
"""So long after the period's end something that was granted in it may be due."""

# Six hours are the time of a customer in the middle of the country behind UTC.
AT_HOME = timedelta(hours=6)

# What is too short comes in the next size, what slips in the one before; who took a whole size more
# than usual gets the usual one, which is two half sizes smaller.
SMALLER_FOR = {"heel": 1, "half_up": 1, "full_up": 2}
WIDER_FOR = ("width",)
# Who was sent another size than was ordered gets the one on the order.
AS_ORDERED_FOR = frozenset({"mislabelled"})
HALF_SIZE = re.compile(r"\d{1,2}\.5")


@dataclass(frozen=True, slots=True)
class Settled:
    """The facts of one case's remedy; empty where there are none."""

    due: date | None = None
    time: str = ""
    back: date | None = None
    piece: str = ""


def told_of(org: Org, cases: Table) -> list[tuple[str, ...]]:
    """What agents can tell of each case's remedy, in order; nothing where nothing is granted.

    A sum is told where it is known. Of what never came nothing is sent back, and of what is in
    order nothing is sent back or kept where only the bill is wrong. What the cause wants done at
    once comes first, where the option granted undoes the problem: a lock that is lifted.
    """
    options = org.table("Solution.options")
    kinds = dict(zip(options["key"], options["tells"], strict=True))
    granted = org.table("PolicyViolation.outcomes")["granted"]
    has_it = has_faulty(org, cases)
    sized = org.table("ShoppingHabit.items")["size"][cases["item"]]
    sums = sums_back(org, cases)
    at_once = _done_at_once(org, cases)
    told = []
    for case, option in enumerate(granted):
        known = [MEND] if at_once[case] else []
        for kind in str(kinds.get(option, "")).split(","):
            if kind in NEEDS_SUM and not sums[case]:
                continue
            if kind in (RETURN, KEEP) and not has_it[case]:
                continue
            known.append(SIZED if kind == SHIPS and sized[case] else kind)
        told.append(tuple(kind for kind in known if kind))
    return told


def _done_at_once(org: Org, cases: Table) -> list[bool]:
    """Whether each case's option undoes the problem, and its cause wants something done at once."""
    issues = org.table("Solution.issues")
    fixes = [set(keys.split(",")) for keys in issues["mended_by"].astype(str)]
    plans = [plan_for(org.setting.world.incidents, str(key)) for key in issues["key"]]
    causes = [plan.causes if plan else {} for plan in plans]
    granted = org.table("PolicyViolation.outcomes")["granted"].astype(str)
    drawn = org.table("Incident.cases")["cause"].astype(str)
    done = []
    for issue, option, key in zip(cases["issue"].tolist(), granted, drawn, strict=True):
        cause = causes[issue].get(str(key))
        done.append(bool(option) and option in fixes[issue] and bool(cause and cause.more_to_do))
    return done


def has_faulty(org: Org, cases: Table) -> Array:
    """Whether each case's customer has got something that is not in order, and may send it back."""
    issues = org.table("Solution.issues")
    came = ~issues["never_came"][cases["issue"]]
    billed = issues["kind"][cases["issue"]] == BILLING
    return np.asarray(came & ~billed)


def sums_back(org: Org, cases: Table) -> list[str]:
    """What is paid back or credited in each case: `$24.99`; "" where nobody knows how much.

    The price or a part of it, by what is granted, what the case is about, or what the remedy is
    worth by itself. A part that has no name of its own ("20%") is a round sum.
    """
    currency = org.setting.country.currency
    options = org.table("Solution.options")
    places = {str(key): place for place, key in enumerate(options["key"])}
    paid = org.table("ShoppingHabit.items")["amount"][cases["item"]].tolist()
    granted = org.table("PolicyViolation.outcomes")["granted"]
    incidents = org.table("Incident.cases")
    stakes, owed = incidents["stake"], incidents["owed"]
    billed = org.table("Solution.issues")["kind"][cases["issue"]] == BILLING
    sums = []
    for case, key in enumerate(granted):
        option = places.get(str(key), NONE)
        if option == NONE:
            sums.append("")
            continue
        part = float(options["share"][option])
        if options["prorated"][option]:
            part = max(1 - int(cases["days"][case]) / DAYS_A_YEAR, 0.0)
        stake = str(stakes[case])
        is_sum = stake.startswith(currency.symbol)
        whole = options["share"][option] == 1 and not options["prorated"][option]
        if billed[case] and whole and is_sum:
            # Who was charged too much gets that back, and not the price of what is in order.
            sums.append(stake)
            continue
        exact = (
            options["refunded"][option]
            or options["prorated"][option]
            or _names_figure(str(options["phrase"][option]))
            or part == 1
        )
        if part and exact:
            sums.append(currency.shown(paid[case] * part))
        elif part:
            sums.append(currency.shown(_rounded(paid[case] * part)))
        elif options["accrues"][option] and owed[case] > 0:
            sums.append(currency.shown(float(owed[case])))
        elif options["repays"][option] and is_sum:
            sums.append(stake)
        else:
            sums.append(_worth(org, case, str(options["worth"][option])))
    return sums


def _names_figure(phrase: str) -> bool:
    """Whether a remedy's name holds its share: `a 20% partial refund`."""
    return any(sign.isdigit() for sign in phrase)


def exceeds(back: str, stake: str) -> bool:
    """Whether one sum is more than another; False where either is none.

    >>> exceeds("$25", "$9.95"), exceeds("$25", "0.35 points"), exceeds("", "$9.95")
    (True, False, False)
    """
    # Both begin with the sign of the same money.
    are_sums = back[:1] == stake[:1] and back[1:2].isdigit() and stake[1:2].isdigit()
    return are_sums and not back[0].isdigit() and _figure(back) > _figure(stake)


def _figure(stated: str) -> float:
    """The number of a sum: `$1,024.50` is 1024.5."""
    (amount,) = FIGURE.findall(stated)
    return float(amount.replace(",", ""))


def _step(amount: float) -> float:
    """Between which sums an agent chooses: whole ones below ten, fives below a hundred."""
    digits = math.floor(math.log10(max(amount, 1)))
    return max(math.pow(10, digits) / 2, 1.0)


def _rounded(amount: float) -> float:
    """The round sum nearest to an amount, which is never nothing.

    >>> [_rounded(amount) for amount in (7.69, 28.79, 163.0)]
    [8.0, 30.0, 150.0]
    """
    step = _step(amount)
    return max(round(amount / step), 1) * step


def _worth(org: Org, case: int, stated: str) -> str:
    """What a remedy is worth in one case, as its option states it; "" where it doesn't."""
    if not stated:
        return ""
    node = org.setting.salted("CaseStory")
    figure = figure_of(text_stream(org.setting.seed, node, f"worth|{case}"), stated)
    currency = org.setting.country.currency
    if figure.startswith(currency.symbol):
        return figure
    return currency.shown(_figure(figure) * currency.rate)


def settlements(org: Org, cases: Table, settled: list[datetime | None]) -> dict[str, Array]:
    """The facts of each case's remedy, or of what its customer waits for, as columns.

    `settled` is when each was arranged, or the day was told.
    """
    told = told_of(org, cases)
    options = org.table("Solution.options")
    places = {str(key): place for place, key in enumerate(options["key"])}
    granted = org.table("PolicyViolation.outcomes")["granted"]
    closed = _closed_days(org)
    enquiries = org.setting.world.trade.contact.enquiries
    arrive = {name: enquiry.arrives for name, enquiry in enquiries.items() if enquiry.arrives}
    found = []
    for case, moment in enumerate(settled):
        awaited = arrive.get(cases["intent"][case])
        if moment is None or not (told[case] or awaited):
            found.append(Settled())
            continue
        rng = text_stream(org.setting.seed, org.setting.salted("CaseStory"), f"settled|{case}")
        if awaited:
            day = _after((moment - AT_HOME).date(), rng.randint(*awaited), closed)
            found.append(Settled(due=day))
            continue
        option = places[str(granted[case])]
        within = (int(options["due_from"][option]), int(options["due_until"][option]))
        piece = _piece(org, cases, case, str(granted[case]))
        today = (moment - AT_HOME).date()
        due = _after(today, rng.randint(*within), closed)
        found.append(_settled(rng, told[case], today, due, piece))
    return {
        "due": _days([case.due for case in found]),
        "due_day": strings([f"{case.due:%A}" if case.due else "" for case in found]),
        "due_time": strings([case.time for case in found]),
        "back_by": _days([case.back for case in found]),
        "piece": strings([case.piece for case in found]),
    }


def _settled(
    rng: random.Random,
    told: tuple[str, ...],
    today: date,
    due: date,
    piece: str,
) -> Settled:
    time = ""
    if VISIT in told:
        time = rng.choice(WINDOWS)
    elif SESSION in told:
        time = _hour(rng.randint(FIRST_CALL, LAST_CALL))
    back = today + timedelta(days=rng.randint(*BACK_WITHIN)) if RETURN in told else None
    return Settled(
        due=due,
        time=time,
        back=back,
        piece=piece if SIZED in told else "",
    )


def _closed_days(org: Org) -> frozenset[date]:
    """The holidays on which nobody works, of the period and of the time that it reaches into."""
    setting = org.setting
    period, closed_on = setting.profile.period, setting.world.trade.staff.closed_on
    last = period.end + LONGEST_AFTER
    free = closed_between(
        setting.country.holidays,
        closed_on,
        period.start,
        last,
    )
    return frozenset(holiday.day for holiday in free)


def _after(day: date, working_days: int, closed: frozenset[date] = frozenset()) -> date:
    """The day that lies so many working days later, a working day itself.

    >>> _after(date(2026, 11, 20), 1)
    datetime.date(2026, 11, 23)
    """
    while not _is_worked(day, closed) or working_days > 0:
        working_days -= _is_worked(day, closed)
        day += timedelta(days=1)
    return day


def _is_worked(day: date, closed: frozenset[date]) -> bool:
    return day.weekday() < SATURDAY and day not in closed


def _hour(half_hours: int) -> str:
    """A time of the day: 29 half hours since midnight are `at 2:30 PM`."""
    hour, half = divmod(half_hours, 2)
    return f"at {(hour - 1) % 12 + 1}:{half * 30:02d} {'AM' if hour < 12 else 'PM'}"


def _piece(org: Org, cases: Table, case: int, option: str) -> str:
    """The size in which something is sent: `size 9.5`; the same one but for an exchange."""
    item = int(cases["item"][case])
    size = str(org.table("ShoppingHabit.items")["size"][item] or "")
    if not size:
        return ""
    incidents = org.table("Incident.cases")
    if not is_resized(option, str(incidents["cause"][case])):
        return f"size {size}"
    signs = str(incidents["signs"][case])
    if any(value in signs for value in WIDER_FOR):
        return f"size {size} wide"
    smaller = [steps for value, steps in SMALLER_FOR.items() if value in signs]
    return f"size {_moved(_sizes_of(org, item), size, -max(smaller) if smaller else 1)}"


def is_resized(option: str, cause: str) -> bool:
    """Whether what is granted is another size than the one on the order."""
    return option == EXCHANGE and cause not in AS_ORDERED_FOR


def _sizes_of(org: Org, item: int) -> tuple[str, ...]:
    """The sizes of those for whom an ordered item is made, in order; none where it has none."""
    product = org.table("ShoppingHabit.items")["product"][item]
    key = str(org.table("Assortment.products")["group_key"][product])
    groups = {group.key: tuple(group.sizes) for group in org.setting.world.groups}
    return groups.get(key, ())


def _moved(sizes: tuple[str, ...], size: str, steps: int) -> str:
    """The size so many steps from another, as far as there are any.

    What comes in whole sizes alone has no halves to step over.

    >>> _moved(("8", "8.5", "9", "10"), "9", -2), _moved(("3Y", "4Y", "5Y"), "5Y", -2)
    ('8', '4Y')
    """
    if size not in sizes:
        return size
    halved = any(HALF_SIZE.fullmatch(each) for each in sizes)
    place = sizes.index(size) + (steps if halved else max(min(steps, 1), -1))
    return sizes[min(max(place, 0), len(sizes) - 1)]


def _days(found: list[date | None]) -> Array:
    return np.array([day or np.datetime64("NaT") for day in found], dtype="datetime64[D]")
