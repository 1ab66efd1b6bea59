"""The window that a query names, worked out by the tools from its words: `the third quarter of
2021`, `6 weeks` before today.
"""

import re
from datetime import datetime

from orgweave.benchmark.scripts.script import CallTool, ScriptInput

TOOL_NAMES = {"first": "Q1", "second": "Q2", "third": "Q3", "fourth": "Q4", "fall": "Autumn"}
"""What get_period calls a quarter or season, where it has another word for it."""
FORMAT = "%Y-%m-%dT%H:%M:%SZ"
WindowEnds = tuple[str, str]


async def window_of(given: ScriptInput, call: CallTool) -> WindowEnds:
    """Start and end of the instance's window, by get_period or get_start_date; as they are in the
    parameters where its words aren't known.
    """
    known = given.parameters
    if "period" in known:
        name, year = period_named(known["period"])
        period = await call("get_period", period_name=name, year=year)
        return str(period["start_date"]), str(period["end_date"])
    if "interval" not in known:
        return str(known["start"]), str(known["end"])
    count, unit = interval_named(known["interval"])
    start = await call(
        "get_start_date",
        end_date=known["end"],
        period=unit,
        interval_count=count,
    )
    return str(start), str(known["end"])


def period_named(period: str) -> tuple[str, int]:
    """Name and year as get_period takes them: `the third quarter of 2021` is Q3 of 2021, `June
    2022` June of 2022.
    """
    words = period.removeprefix("the ").replace(" of ", " ").split()
    name = TOOL_NAMES.get(words[0], words[0].capitalize())
    return name, int(words[-1])


def interval_named(interval: str) -> tuple[int, str]:
    """Count and unit: `6 weeks` is 6 and week."""
    found = re.fullmatch(r"(\d+) (\w+?)s?", interval)
    if found is None:
        raise ValueError(f"{interval!r} is no interval such as `6 weeks`")
    return int(found[1]), found[2]


def shifted(window: WindowEnds) -> WindowEnds:
    """The window of the same length that ends where this one starts."""
    start = datetime.strptime(window[0], FORMAT)
    end = datetime.strptime(window[1], FORMAT)
    earlier = start - (end - start)
    return earlier.strftime(FORMAT), window[0]
