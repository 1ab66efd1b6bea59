"""Samplers that need nothing but a random stream: ids, choices, ranges, distributions, sequences,
patterns and constants.
"""

from collections.abc import Callable
from datetime import timedelta

import numpy as np

from latent.holidays import closed_between
from pipeline.sample.apart import numbers_before, own_pattern, own_steps, shard_of
from pipeline.sample.draw import Draw
from pipeline.world.id_column import id_column
from pipeline.world.numbers import running
from pipeline.world.paths import along
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, objects, strings
from schemas.capacity import ALPHABETS
from schemas.errors import SchemaError
from schemas.paths import ValuePath
from schemas.sources import (
    LARGEST_NUMBER,
    ChoiceSource,
    ConstantSource,
    DistributionSource,
    IdSource,
    LaterSource,
    PatternSource,
    RangeSource,
    Scalar,
    SequenceSource,
)

OFFICE_HOURS = (14, 22)
"""Hours in UTC at which offices in America are open."""

ALIKE = 0.9
"""Of what hangs on one record so many have one value, where a field says that they do."""

SET_UP_WITHIN = timedelta(days=120)
"""Before the period, the days in which a CRM is set up."""

SECONDS_AN_HOUR = 3600
SECONDS_A_DAY = 86400
WORKDAYS_A_WEEK = 5
DAYS_A_WEEK = 7


def draw_id(draw: Draw[IdSource]) -> Array:
    """Ids in running order: that of the rows, or that in which the records were made."""
    shard = shard_of(draw)
    first = 1 if shard is None else shard.first_id(draw.item.name)
    return id_column(draw.item.key_prefix, draw.size, first)[_turns(draw)]


def _turns(draw: Draw[IdSource] | Draw[SequenceSource]) -> Array:
    """Which in turn each row is, by the moments at the path's end; without a path its own place."""
    path = draw.source.by
    if path is None:
        return np.arange(draw.size)
    made = np.argsort(along(draw.org, draw.table, path), kind="stable")
    turns = np.empty_like(made)
    turns[made] = np.arange(draw.size)
    return turns


def draw_choice(draw: Draw[ChoiceSource]) -> Array:
    """One of the values for each row, evenly or by weight; no value twice in a unique field."""
    choice = draw.source.choice
    once = draw.field.unique
    values = list(choice)
    if once:
        # A list may name a value twice, which makes it twice as likely; here it may come once.
        values = list(dict.fromkeys(choice))
    weights = np.ones(len(values))
    if isinstance(choice, dict):
        weights = np.array(list(choice.values()))
    if once:
        own = own_steps(draw, len(values))
        values, weights = [values[step] for step in own], weights[own]
    shares = weights / weights.sum()
    rng = draw.stream()
    drawn = rng.choice(
        len(values),
        size=draw.size,
        replace=not once,
        p=shares,
    )
    if draw.source.each is not None:
        drawn = _alike(rng, along(draw.org, draw.table, draw.source.each), drawn)
    return objects(values)[drawn]


def _alike(rng: Stream, referred: Array, drawn: Array) -> Array:
    """What was drawn, in most records of one referred record as in its first one."""
    _, first, group = np.unique(referred, return_index=True, return_inverse=True)
    usual = drawn[first]
    same = rng.random(len(drawn)) < ALIKE
    return np.where(same, usual[group], drawn)


def draw_range(draw: Draw[RangeSource]) -> Array:
    """Evenly between the bounds, both included.

    The field's type and format decide: whole numbers, numbers with two places, days or seconds.
    """
    if draw.field.format in ("date", "date-time"):
        return _draw_moments(draw)
    low, high = (float(bound or 0) for bound in draw.source.range)
    if draw.field.type == "integer":
        return _draw_integers(draw, int(low), int(high))
    if draw.field.unique:
        hundredths = _apart(draw, round(low * 100), round(high * 100))
        return hundredths / 100
    numbers = draw.stream().uniform(low, high, size=draw.size)
    return np.round(numbers, 2)


def _draw_integers(draw: Draw[RangeSource], low: int, high: int) -> Array:
    if draw.field.unique:
        return _apart(draw, low, high)
    return draw.stream().integers(low, high + 1, size=draw.size)


def _apart(draw: Draw[RangeSource], low: int, high: int) -> Array:
    """Whole numbers within both bounds, none twice."""
    if shard_of(draw) is None:
        return low + draw.stream().choice(high - low + 1, size=draw.size, replace=False)
    own = own_steps(draw, high - low + 1)
    return low + draw.stream().choice(own, size=draw.size, replace=False)


def _draw_moments(draw: Draw[RangeSource]) -> Array:
    """Days or seconds, drawn as whole numbers since 1970 and turned into numpy's datetime64."""
    dtype = "datetime64[D]" if draw.field.format == "date" else "datetime64[s]"
    first, last = (_as_number(draw, bound, dtype) for bound in draw.source.range)
    low = np.full(draw.size, first)
    high = np.full(draw.size, last)
    if draw.source.after:
        moments = along(draw.org, draw.table, draw.source.after)
        try:
            after = moments.astype(dtype).astype(np.int64)
        except ValueError as error:
            raise SchemaError(
                f"{draw.where}.x-source.after: {draw.source.after} gives no date ({error}); name a"
                " field of the format date or date-time"
            ) from error
        low = np.minimum(np.maximum(low, after), high)
    elif draw.field.unique and draw.size:
        apart = _apart(draw, first, last)
        return apart.astype(dtype)
    numbers = draw.stream().integers(low, high + 1)
    return numbers.astype(dtype)


def _as_number(draw: Draw[RangeSource], bound: Scalar, dtype: str) -> int:
    if bound == "period.start":
        moment = draw.org.setting.first_day
    elif bound == "period.end":
        moment = draw.org.setting.last_day
    else:
        moment = np.datetime64(str(bound))
    return int(moment.astype(dtype).astype(np.int64))


def draw_later(draw: Draw[LaterSource]) -> Array:
    """The moments at a path's end, some of them moved on; an empty one stays empty.

    What would come after the period hasn't happened: such a moment stays where it is.
    """
    source, rng = draw.source, draw.stream()
    found, moments = _moments(draw, source.later, "later")
    closed = _closed_days(draw)
    if found.dtype.kind == "M" and np.datetime_data(found.dtype)[0] == "D":
        drawn = rng.uniform(*source.hours, size=draw.size) * SECONDS_AN_HOUR
        days = _prepared(moments, source.ahead, closed)
        moments = days + _in_turn(days, drawn).astype("timedelta64[s]")
        # What was there before is imported, unless it is what the CRM was set up with.
        begins = draw.org.setting.first_day.astype("datetime64[s]")
        there = (moments < begins + SECONDS_A_DAY) & (not source.set_up)
        moments = np.where(there, draw.org.setting.imported, moments)
    over = (draw.org.setting.last_day + 1).astype("datetime64[s]")
    late = rng.random(draw.size) < source.share
    if source.only is not None:
        late &= along(draw.org, draw.table, source.only).astype(bool)
    if source.after is not None:
        _, least = _moments(draw, source.after, "after")
        # Of two moments fmax gives the later, and the one there is beside none.
        moments = np.fmax(moments, least)
    changed = _changed(rng, moments, source.days, closed)
    return np.where(late & (changed < over), changed, moments)


def _in_turn(days: Array, seconds: Array) -> Array:
    """The same seconds of each day, rising with its rows: Ids are given in the order of making."""
    rows = np.argsort(days, kind="stable")
    turn = np.lexsort((seconds, days))
    risen = np.empty_like(seconds)
    risen[rows] = seconds[turn]
    return risen


def _closed_days(draw: Draw[LaterSource]) -> Array:
    """The public holidays on which nobody changes or prepares anything."""
    setting = draw.org.setting
    period, closed_on = setting.profile.period, setting.world.trade.staff.closed_on
    first = period.start - SET_UP_WITHIN
    found = closed_between(
        setting.country.holidays,
        closed_on,
        first,
        period.end,
    )
    return np.array([free.day for free in found], dtype="datetime64[D]")


def _prepared(days: Array, ahead: int, closed: Array) -> Array:
    """The same days; where something is done so many days ahead, the last working day by then."""
    if not ahead:
        return days
    known = ~np.isnat(days)
    before = days[known].astype("datetime64[D]") - np.timedelta64(ahead, "D")
    moved = days.copy()
    moved[known] = np.busday_offset(
        before,
        0,
        roll="backward",
        holidays=closed,
    )
    return moved


def _changed(rng: Stream, moments: Array, mean_days: float, closed: Array) -> Array:
    """Moments so many days after others, exponentially.

    People come back to a record on another working day and in office hours; what is mended within
    the same day is mended at any time.
    """
    days = rng.exponential(mean_days, size=len(moments))
    if mean_days < 1:
        return np.asarray(moments + (days * SECONDS_A_DAY).astype("timedelta64[s]"))
    # Counted in working days: were weekends pushed on, Monday would have three days' changes.
    steps = np.ceil(days * WORKDAYS_A_WEEK / DAYS_A_WEEK).astype(np.int64)
    found = ~np.isnat(moments)
    since = moments[found].astype("datetime64[D]")
    working = np.full(len(moments), np.datetime64("NaT", "D"))
    working[found] = np.busday_offset(
        since,
        steps[found],
        roll="backward",
        holidays=closed,
    )
    seconds = rng.uniform(*OFFICE_HOURS, size=len(moments)) * SECONDS_AN_HOUR
    return np.asarray(working.astype("datetime64[s]") + seconds.astype("timedelta64[s]"))


def _moments(draw: Draw[LaterSource], path: ValuePath, key: str) -> tuple[Array, Array]:
    """What stands at a path's end, and the same as moments.

    Raises SchemaError, which names the source's `key`, where that is no date.
    """
    found = along(draw.org, draw.table, path)
    try:
        return found, found.astype("datetime64[s]")
    except ValueError as error:
        raise SchemaError(
            f"{draw.where}.x-source.{key}: {path} gives no date ({error}); name a field of the"
            " format date or date-time"
        ) from error


def draw_distribution(draw: Draw[DistributionSource]) -> Array:
    """Numbers of a numpy distribution, clipped to `low` and `high`.

    They are rounded to whole numbers in a field of integers, and to two places elsewhere.
    """
    source = draw.source
    distribution = getattr(draw.stream(), source.distribution)
    try:
        values = distribution(*source.args, size=draw.size)
    except (TypeError, ValueError) as error:
        raise SchemaError(
            f"{draw.where}.x-source.args: numpy's {source.distribution} doesn't take them"
            f" ({error}); mend args"
        ) from error
    if source.low is not None or source.high is not None:
        values = np.clip(values, source.low, source.high)
    if not np.all(np.abs(values) <= LARGEST_NUMBER):
        raise SchemaError(
            f"{draw.where}.x-source.args: numpy's {source.distribution} gives numbers beyond 2^53"
            " with them; mend args, or set low and high"
        )
    if draw.field.type == "integer":
        return np.asarray(np.round(values).astype(np.int64))
    return np.asarray(np.round(values, 2))


def draw_sequence(draw: Draw[SequenceSource]) -> Array:
    """A running number in its format."""
    source = draw.source
    own = running(draw.stream(), source, draw.size)
    used = int(own[-1]) - source.start + 1 if draw.size else 0
    numbers = (own + numbers_before(draw, used))[_turns(draw)]
    return strings([source.written(number) for number in numbers.tolist()])


def draw_pattern(draw: Draw[PatternSource]) -> Array:
    """Random characters in the pattern's places; drawn again where the field must be unique."""
    pattern, rng = draw.source.pattern, draw.stream()

    def drawn() -> str:
        return own_pattern(draw, pattern, _patterned(pattern, rng))

    values = [drawn() for _ in range(draw.size)]
    if draw.field.unique:
        values = _redrawn(values, drawn)
    return strings(values)


def _redrawn(values: list[str], drawn: Callable[[], str]) -> list[str]:
    """The values, each that stood before replaced by a new one."""
    seen: dict[str, None] = {}
    for value in values:
        while value in seen:
            value = drawn()
        seen[value] = None
    return list(seen)


def _patterned(pattern: str, rng: Stream) -> str:
    made = []
    for sign in pattern:
        alphabet = ALPHABETS.get(sign)
        if alphabet is None:
            made.append(sign)
        else:
            number = rng.integers(len(alphabet))
            made.append(alphabet[number])
    return "".join(made)


def draw_constant(draw: Draw[ConstantSource]) -> Array:
    """The same value for all rows."""
    return np.full(draw.size, draw.source.constant, dtype=object)
