"""Who holds a seat from when to when: people leave, and others take their places.

Knows seats and days only; what the seats are stands in `latent.workforce`.
"""

from dataclasses import dataclass, replace

from latent.elapsed import DAYS_A_YEAR
from pipeline.world.streams import Stream

# Nobody leaves within the first two months, and nobody in the period's last ten weeks, so that a
# successor still has a life in it. A seat stays empty for one to six weeks. Chosen by eye.
SHORTEST_STAY = 60
LAST_LEAVING = 70
EMPTY_DAYS = (7, 42)

# A company grows: a sixth of the seats are new within the first half of the period. A service desk
# grows with what is sold, for customers stay and write: cases triple within three years, so that
# three quarters of its seats are new, and they come until the last quarter. Chosen by eye.
NEW_SEATS, NEW_WITHIN = 1 / 6, 0.5
NEW_SEATS_OF_DESK, NEW_WITHIN_AT_DESK = 3 / 4, 0.75

# Of four people one stays for good, one at least: somebody must know how things are done.
LOYAL = 4

# Who is there from the first day has been for up to six years: their number tells, no date does.
EARLIER_DAYS = 6 * 365


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


def tenures(
    rng: Stream,
    people: int,
    leave_a_year: float,
    days: int,
    desk: bool = False,
) -> list[Tenure]:
    """The tenures of exactly `people` people, seat by seat; `desk` says that they serve customers,
    of whom there are more from month to month.
    """
    seats = seats_for(people, leave_a_year, days)
    share = NEW_SEATS_OF_DESK if desk else NEW_SEATS
    within = round(days * (NEW_WITHIN_AT_DESK if desk else NEW_WITHIN))
    held = [_first_of(rng, seat, seats, share, within) for seat in range(seats)]
    earliest = SHORTEST_STAY
    latest = max(days - LAST_LEAVING, earliest + 1)
    leaving = sorted(int(day) for day in rng.integers(earliest, latest, size=people - seats))
    for day in leaving:
        held.append(_next_in(rng, held, loyal_seats(seats), day, seats))
    return sorted(held, key=lambda tenure: (tenure.seat, tenure.joined))


def loyal_seats(seats: int) -> int:
    """How many of the first seats are held by the same people on every day of the period."""
    return max(1, seats // LOYAL)


def _first_of(rng: Stream, seat: int, seats: int, share: float, within: int) -> Tenure:
    """Who holds a seat first: of a share of those that aren't loyal, somebody new."""
    joined = -int(rng.integers(1, EARLIER_DAYS))
    new = int(rng.integers(1, max(within, 2)))
    is_new = seat >= loyal_seats(seats) and rng.random() < share
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
