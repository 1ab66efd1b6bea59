"""When each of the company's people works, as calendars in UTC, and when the desk is open.

People with the same shift share a calendar. Reads Workforce; knows no case.
"""

from dataclasses import dataclass
from datetime import datetime, time

import numpy as np

from latent.work_calendar import HOUR, ShiftKey, WorkCalendar, WorkCalendars, WorkPeriod
from pipeline.world.org import Org, RunContext
from pipeline.world.tables import Array

LAST_HOUR = 23


@dataclass(frozen=True, slots=True)
class Rota:
    """When a company's people work: the kinds of calendars, and each user's among them.

    `joined` and `left` are the first and the last day on which they are given work, in UTC, `left`
    being far ahead for whoever is there at the end; `made` is the second since 1970 at which the
    CRM has known each of them, and `tier` says how high they stand.
    """

    kinds: list[WorkCalendar]
    kind: Array
    joined: Array
    left: Array
    tier: Array
    made: Array

    def calendar(self, user: int) -> WorkCalendar:
        """The calendar of a user, who does nothing before the CRM knows them."""
        return self.kinds[int(self.kind[user])].since(int(self.made[user]))

    def leaves(self) -> list[int]:
        """The last moment at which each user is there, in seconds since 1970."""
        last: list[int] = last_seconds(self.left).tolist()
        return last

    def employed(self, day: np.datetime64) -> Array:
        """Whether each user works for the company on a day."""
        return np.asarray((self.joined <= day) & (day <= self.left))

    def waits(self, moments: Array, seconds: int = 0) -> Array:
        """How long after moments (since 1970, in UTC) there is work: moments × kinds.

        With `seconds`, how long until somebody has worked so much.
        """
        return np.stack([made.waits(moments, seconds) for made in self.kinds], axis=1)


FAR_AHEAD = np.datetime64("9999-12-31")


def left_of(org: Org) -> Array:
    """The last day on which each user is given work, far ahead for whoever is there at the end."""
    left = org.table("Workforce.people")["left"]
    return np.where(np.isnat(left), FAR_AHEAD, left)


def last_seconds(left: Array) -> Array:
    """The last moment of those days at which somebody works, in seconds since 1970."""
    # An American working day ends about then in UTC.
    last = left.astype("datetime64[s]") + np.timedelta64(LAST_HOUR * HOUR, "s")
    return np.asarray(last.astype(np.int64))


def rota_of(org: Org) -> Rota:
    """The rota of the people that Workforce has drawn."""
    people = org.table("Workforce.people")
    calendars = WorkCalendars(work_period(org.setting))
    made: dict[ShiftKey, WorkCalendar] = {}
    kind = []
    columns = ("zone", "start", "end", "week", "duty")
    for zone, start, end, week, duty in zip(*(people[name] for name in columns), strict=True):
        key = ShiftKey(str(zone), float(start), float(end), int(week), int(duty))
        if key not in made:
            made[key] = calendars.of(key)
        kind.append(list(made).index(key))
    # The first day of somebody new goes into settling in; in UTC it begins on the evening before,
    # when there is no user yet.
    is_new = people["joined"] > org.setting.first_day
    return Rota(
        kinds=list(made.values()),
        kind=np.array(kind, dtype=np.int64),
        joined=people["joined"] + is_new.astype("timedelta64[D]"),
        left=left_of(org),
        tier=people["tier"],
        made=people["created"].astype("datetime64[s]").astype(np.int64),
    )


def work_period(setting: RunContext) -> WorkPeriod:
    """The days for which calendars are wanted."""
    period = setting.profile.period
    return WorkPeriod(
        datetime.combine(period.start, time()),
        datetime.combine(period.end, time()),
        frozenset(setting.world.trade.staff.closed_on),
        setting.country.holidays,
    )
