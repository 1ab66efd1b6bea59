"""Who holds a seat from when to when: people leave, and others take their places.

Knows seats and days only; what the seats are stands in `latent.workforce`.
"""

from dataclasses import dataclass, replace

from pipeline.world.streams import Stream

# Nobody leaves within the first two months, and nobody in the period's last ten weeks, so that a
# successor still has a life in it. A seat stays empty for one to six weeks. Chosen by eye.
SHORTEST_STAY = 60
LAST_LEAVING = 70
EMPTY_DAYS = (7, 42)

# A company grows: a sixth of the seats are new within the first half of the period.
NEW_SEATS = 1 / 6

# Of four people one stays for good, one at least: somebody must know how things are done.
LOYAL = 4

# Who is there from the first day has been for up to six years: their number tells, no date does.
EARLIER_DAYS = 6 * 365

DAYS_A_YEAR = 365.25


@dataclass(frozen=True, slots=True)
class Tenure:
    """One person's time in a seat, in days since the period's first; `left` is None for good.

    `joined` is below 0 for who was there before.
    """

    seat: int
    joined: int
    left: int | None = None


def seats_for(people: int, leave_a_year: float, days: int) -> int:
    """The number of seats that so many people fill one after the other."""
    expected = 1 + leave_a_year * days / DAYS_A_YEAR
    return max(1, round(people / expected)) if people else 0


def tenures(rng: Stream, people: int, leave_a_year: float, days: int) -> list[Tenure]:
    """The tenures of exactly `people` people, seat by seat."""
    seats = seats_for(people, leave_a_year, days)
    held = [_first_of(rng, seat, seats, days) for seat in range(seats)]
    earliest = SHORTEST_STAY
    latest = max(days - LAST_LEAVING, earliest + 1)
    leaving = sorted(int(day) for day in rng.integers(earliest, latest, size=people - seats))
    for day in leaving:
        held.append(_next_in(rng, held, loyal_seats(seats), day, seats))
    return sorted(held, key=lambda tenure: (tenure.seat, tenure.joined))


def loyal_seats(seats: int) -> int:
    """How many of the first seats are held by the same people on every day of the period."""
    return max(1, seats // LOYAL)


def _first_of(rng: Stream, seat: int, seats: int, days: int) -> Tenure:
    joined = -int(rng.integers(1, EARLIER_DAYS))
    new = int(rng.integers(1, max(days // 2, 2)))
    is_new = seat >= loyal_seats(seats) and rng.random() < NEW_SEATS
    return Tenure(seat, new if is_new else joined)


def _next_in(rng: Stream, held: list[Tenure], loyal: int, day: int, seats: int) -> Tenure:
    """Somebody leaves on a day, or as soon as anybody may; gives who comes in their place.

    Where nobody may leave at all, whoever comes has a new seat.
    """
    may_leave = []
    for place, tenure in enumerate(held):
        if tenure.left is None and tenure.seat >= loyal and tenure.joined <= day - SHORTEST_STAY:
            may_leave.append(place)
    if not may_leave:
        return Tenure(max(seats, *(tenure.seat + 1 for tenure in held)), day)
    place = may_leave[int(rng.integers(len(may_leave)))]
    held[place] = replace(held[place], left=day)
    return Tenure(held[place].seat, day + int(rng.integers(*EMPTY_DAYS)))
