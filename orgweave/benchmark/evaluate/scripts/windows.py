"""The window that a query names, worked out by the tools from its words: `the third quarter of
2021`, `6 weeks` before today.
"""

import re
from datetime import datetime

from orgweave.benchmark.evaluate.scripts.script import Given, Use

NAMES = {"first": "Q1", "second": "Q2", "third": "Q3", "fourth": "Q4", "fall": "Autumn"}
FORMAT = "%Y-%m-%dT%H:%M:%SZ"
Window = tuple[str, str]


async def window_of(given: Given, use: Use) -> Window:
    """Start and end of the instance's window, by get_period or get_start_date; as they are where
    its words aren't known.
    """
    known = given.parameters
    if "period" in known:
        name, year = period_named(known["period"])
        period = await use("get_period", period_name=name, year=year)
        return str(period["start_date"]), str(period["end_date"])
    if "interval" not in known:
        return str(known["start"]), str(known["end"])
    count, unit = interval_named(known["interval"])
    return str(
        await use("get_start_date", end_date=known["end"], period=unit, interval_count=count)
    ), str(known["end"])


def period_named(period: str) -> tuple[str, int]:
    """Name and year as get_period takes them: `the third quarter of 2021` is Q3 of 2021, `June
    2022` June of 2022.
    """
    words = period.removeprefix("the ").replace(" of ", " ").split()
    return NAMES.get(words[0], words[0].capitalize()), int(words[-1])


def interval_named(interval: str) -> tuple[int, str]:
    """Count and unit: `6 weeks` is 6 and week."""
    found = re.fullmatch(r"(\d+) (\w+?)s?", interval)
    if found is None:
        raise ValueError(f"{interval!r} is no interval such as `6 weeks`")
    return int(found[1]), found[2]


def shifted(window: Window) -> Window:
    """The window of the same length that ends where this one starts."""
    start, end = (datetime.strptime(one, FORMAT) for one in window)
    return (start - (end - start)).strftime(FORMAT), window[0]
