"""When each of the company's people works, as calendars in UTC, and when the desk is open.

People with the same shift share a calendar. Reads Workforce; knows no case.
"""

from dataclasses import dataclass
from datetime import datetime, time

import numpy as np

from latent.work_calendar import ShiftKey, WorkCalendar, WorkPeriod, work_calendar
from pipeline.world.org import Org, RunContext
from pipeline.world.tables import Array


@dataclass(frozen=True, slots=True)
class Rota:
    """The calendars of a company's people, one a user, and their first and last days.

    `left` is far ahead for whoever is there at the end.
    """

    calendars: list[WorkCalendar]
    joined: Array
    left: Array
    tier: Array

    def employed(self, day: np.datetime64) -> Array:
        """Whether each user works for the company on a day."""
        return np.asarray((self.joined <= day) & (day <= self.left))

    def on_shift(self, moment: int) -> Array:
        """Whether each user's shift covers a moment, in seconds since 1970 in UTC."""
        working = {id(calendar): calendar.covers(moment) for calendar in self.calendars}
        return np.array([working[id(calendar)] for calendar in self.calendars], dtype=bool)


FAR_AHEAD = np.datetime64("9999-12-31")


def rota_of(org: Org) -> Rota:
    """The rota of the people that Workforce has drawn."""
    people = org.table("Workforce.people")
    period = work_period(org.setting)
    made: dict[ShiftKey, WorkCalendar] = {}
    calendars = []
    columns = ("zone", "start", "end", "tuesday", "duty")
    for zone, start, end, tuesday, duty in zip(*(people[name] for name in columns), strict=True):
        key = ShiftKey(str(zone), float(start), float(end), bool(tuesday), int(duty))
        if key not in made:
            made[key] = work_calendar(key, period)
        calendars.append(made[key])
    left = np.where(np.isnat(people["left"]), FAR_AHEAD, people["left"])
    return Rota(calendars, people["joined"], left, people["tier"])


def work_period(setting: RunContext) -> WorkPeriod:
    """The days for which calendars are wanted."""
    period = setting.profile.period
    return WorkPeriod(
        datetime.combine(period.start, time()),
        datetime.combine(period.end, time()),
        frozenset(setting.world.trade.staff.closed_on),
    )
