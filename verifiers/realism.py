"""Realism: the statistics of an org beside the bands in which real companies have them.

The statistics are the schema's (`_realism.yaml`), and a trade may state bands of its own. A figure
out of its band is no violation: it says where a person who knows such companies would look twice.
Nothing here raises on a damaged org; what can't be measured says why.
"""

import sqlite3
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from schemas.measuring_sql import register_measures
from schemas.model import Schema
from schemas.proofs import Statistic
from schemas.rule_sql import RULES_SECONDS, only_reading, until

Band = tuple[float, float]


@dataclass(frozen=True, slots=True)
class MeasuredStatistic:
    """A statistic of an org: its value, None where there is nothing to measure, and its band."""

    name: str
    topic: str
    says: str
    value: float | None
    band: Band
    source: str
    fault: str = ""

    @property
    def inside(self) -> bool:
        """Whether the value lies in the band, bounds included."""
        low, high = self.band
        return self.value is not None and low <= self.value <= high


def measure_realism(
    db: sqlite3.Connection,
    schema: Schema,
    bands: Mapping[str, Band | None],
) -> Iterator[MeasuredStatistic]:
    """Yields each statistic of the schema, with the trade's band where it states one.

    A statistic for which the trade states None has no meaning in it and is left out, as one is
    that finds nothing to measure.
    """
    register_measures(db)
    end = time.monotonic() + RULES_SECONDS
    for statistic in schema.statistics:
        band = bands.get(statistic.name, statistic.band)
        if band is None:
            continue
        measured = _measured(db, statistic, band, end)
        if measured.value is not None or measured.fault:
            yield measured


def _measured(
    db: sqlite3.Connection,
    statistic: Statistic,
    band: Band,
    end: float,
) -> MeasuredStatistic:
    value, fault = None, ""
    try:
        with only_reading(db), until(db, end):
            row = db.execute(statistic.measure).fetchone()
        if row is not None and row[0] is not None:
            value = float(row[0])
    except (sqlite3.Error, TimeoutError, ValueError, TypeError) as error:
        fault = f"can't be measured: {error}"
    return MeasuredStatistic(
        name=statistic.name,
        topic=statistic.topic,
        says=statistic.says,
        value=value,
        band=band,
        source=statistic.source,
        fault=fault,
    )


def share_inside(measured: tuple[MeasuredStatistic, ...]) -> float:
    """Which share of the statistics lies in its band; 1.0 where there are none."""
    if not measured:
        return 1.0
    return sum(statistic.inside for statistic in measured) / len(measured)
