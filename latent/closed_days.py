"""ClosedDays: the days of the period on which nobody serves customers.

It draws `days` (a name and a date), without a stream: they are the country's public holidays on
which the trade closes.
It is drawn from no table.
It drives the CRM's holidays, on which days customers come to a counter and are called back, and
through them when orders, cases and returns come.
It knows no people: who is on duty on the other holidays is `latent.work_calendar`'s.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.holidays import closed_between
from latent.statistics import difference
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Table, strings, table

# Each weekday between the first and the last mail of the desk's people: whether it is a closed day,
# and how many mails they sent on it. A weekend is no comparison for a desk that rests then.
CLOSED_AND_MAILS = """
    WITH RECURSIVE
        sent AS (
            SELECT substr(m.MessageDate, 1, 10) AS day
            FROM EmailMessage m
            JOIN User u ON u.Email = m.FromAddress
            WHERE NOT m.Incoming
        ),
        spell AS (
            SELECT min(day) AS day, max(day) AS last FROM sent
            UNION ALL
            SELECT date(day, '+1 day'), last FROM spell WHERE day < last
        ),
        counted AS (SELECT day, count(*) AS mails FROM sent GROUP BY day)
    SELECT spell.day IN (SELECT substr(day, 1, 10) FROM latent."ClosedDays.days"), total(mails)
    FROM spell
    LEFT JOIN counted USING (day)
    WHERE strftime('%w', spell.day) BETWEEN '1' AND '5'
    GROUP BY spell.day
"""


class ClosedDays:
    """The days on which the desk and the counters are closed."""

    name = "ClosedDays"
    reads: tuple[str, ...] = ()
    tables: Mapping[str, tuple[str, ...]] = {"days": ("name", "day")}
    drives = ("Holiday", "Order.EffectiveDate", "Case.CreatedDate", "EmailMessage.MessageDate")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """The closed days of the period, the earliest first."""
        setting = org.setting
        period, closed_on = setting.profile.period, setting.world.trade.staff.closed_on
        found = closed_between(setting.country.holidays, closed_on, period.start, period.end)
        days = table(
            "ClosedDays.days",
            name=strings([free.name for free in found]),
            day=np.array([free.day for free in found], dtype="datetime64[D]"),
        )
        return (days,)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Closed weekdays against the mails of the desk's people."""
        days = org.execute(CLOSED_AND_MAILS).fetchall()
        says = "on closed days the desk's people write fewer mails"
        return (difference(self.name, says, "mails a day", days, sign=-1),)
