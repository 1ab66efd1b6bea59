"""How many calls go out and how often: AIMD, rates, and how long an answer is waited for."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.model.caller import AdaptiveTimeout
from pipeline.model.limits import Limits, Rate, RateWindow, duration
from pipeline.write.pool import side_by_side
from tests.jumping_clock import told_by_the_clock

T = TypeVar("T")


async def soon(work: Awaitable[T], seconds: float = 60) -> T:
    """The result, which must come within so many seconds."""
    return await asyncio.wait_for(work, seconds)


def limits_in(steps: list[str], most: int) -> list[tuple[float, int]]:
    """What is in force, and how many calls are under way, after each step of a random course; the
    limits' own account is compared with the course's.
    """

    async def course() -> list[tuple[float, int]]:
        limits, waiting, inside, seen = Limits(most), [], [], []
        for step in steps:
            if step == "enter":
                waiting.append(asyncio.ensure_future(limits.enter(10)))
            elif step == "cancel" and waiting:
                waiting.pop().cancel()
            elif step == "leave" and inside:
                limits.leave(inside.pop(0))
            elif step == "succeed" and inside:
                limits.succeeded()
                limits.leave(inside.pop(0))
            elif step == "too much" and inside:
                limits.too_much(inside[0], 0.0)
                limits.leave(inside.pop(0))
            for _ in range(3):
                await asyncio.sleep(0)
            inside += [task.result() for task in waiting if task.done()]
            waiting = [task for task in waiting if not task.done()]
            assert limits.active == len(inside)
            assert not waiting or limits.active >= int(limits.now_at_once)
            seen.append((limits.now_at_once, limits.active))
        for task in waiting:
            task.cancel()
        return seen

    return asyncio.run(course())


@settings(max_examples=100, deadline=None)
@given(
    steps=st.lists(
        st.sampled_from(["enter", "enter", "enter", "cancel", "leave", "succeed", "too much"]),
        max_size=60,
    ),
    most=st.integers(1, 6),
)
def test_no_course_of_calls_breaks_the_limit(steps: list[str], most: int) -> None:
    """Whatever comes in which order, cancelled waiters too: never more under way than allowed,
    never a free place while one waits, never below one.
    """
    for at_once, active in limits_in(steps, most):
        assert 1 <= at_once <= most
        assert active <= most


def test_many_refusals_at_once_halve_once() -> None:
    """Eight calls that were under way together and are all refused halve the number once; one let
    through afterwards halves it again.
    """

    async def course() -> list[float]:
        limits = Limits(8)
        tickets = [await limits.enter(1) for _ in range(8)]
        for ticket in tickets:
            limits.too_much(ticket, 0.0)
            limits.leave(ticket)
        first = limits.now_at_once
        limits.too_much(await limits.enter(1), 0.0)
        return [first, limits.now_at_once, limits.cuts]

    assert asyncio.run(course()) == [4.0, 2.0, 2]


@given(most=st.integers(2, 200), start=st.floats(1, 50), rounds=st.integers(1, 5))
def test_a_round_of_successes_adds_at_most_one(most: int, start: float, rounds: int) -> None:
    """A full round of successes makes room for at most one more call, and never for more than the
    person allowed.
    """
    limits = Limits(most)
    limits.now_at_once = min(start, most)
    for _ in range(rounds):
        before = limits.now_at_once
        for _ in range(int(before)):
            limits.succeeded()
        assert before <= limits.now_at_once <= min(before + 1 + 1e-9, most)
    assert limits.now_at_once > min(start, most - 0.01)


def test_nothing_starts_while_the_endpoint_asks_to_wait() -> None:
    """After a refusal with a pause the next call starts when the pause is over, and not later."""

    async def course() -> float:
        limits = Limits(4)
        ticket = await limits.enter(1)
        limits.too_much(ticket, 0.25)
        limits.leave(ticket)
        await soon(limits.enter(1))
        return asyncio.get_running_loop().time()

    assert told_by_the_clock(course()) == pytest.approx(0.25, abs=1e-6)


def test_a_cancelled_waiter_holds_up_nobody() -> None:
    """A waiter that was too large for what is left this minute and is cancelled doesn't keep a
    small one behind it waiting.
    """

    async def course() -> float:
        limits = Limits(4)
        limits.heard({"x-ratelimit-remaining-tokens": "50", "x-ratelimit-reset-tokens": "1h"})
        large = asyncio.ensure_future(limits.enter(500))
        small = asyncio.ensure_future(limits.enter(5))
        await asyncio.sleep(0)
        large.cancel()
        await soon(small)
        return asyncio.get_running_loop().time()

    assert told_by_the_clock(course()) == 0.0


def test_a_place_given_to_a_cancelled_caller_is_given_back() -> None:
    """A caller that is cancelled in the moment its place is given leaves the place free."""

    async def course() -> int:
        limits = Limits(1)
        ticket = await limits.enter(1)
        waiter = asyncio.ensure_future(limits.enter(1))
        await asyncio.sleep(0)
        limits.leave(ticket)
        waiter.cancel()
        await asyncio.gather(waiter, return_exceptions=True)
        await soon(limits.enter(1))
        return limits.active

    assert asyncio.run(course()) == 1


# --- rates


def test_what_the_headers_leave_is_not_overrun() -> None:
    """With three requests left until a reset in 0.3 seconds, three start at once and the fourth
    then.
    """

    async def course() -> list[float]:
        limits = Limits(10)
        limits.heard({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "300ms"})
        times = []
        for _ in range(4):
            await soon(limits.enter(1))
            times.append(asyncio.get_running_loop().time())
        return times

    times = told_by_the_clock(course())
    assert times[:3] == [0.0, 0.0, 0.0]
    assert times[3] == pytest.approx(0.3, abs=1e-6)


def test_a_prompt_larger_than_what_is_ever_left_goes_after_the_reset() -> None:
    """A call of more tokens than a whole window holds waits for the reset once, not for ever."""
    window = RateWindow()
    window.heard(10.0, "1000", "2s")
    assert window.wait(10.5, 5000) == pytest.approx(1.5)
    assert window.wait(12.0, 5000) == 0.0


@given(left=st.text(max_size=6) | st.integers().map(str), reset=st.none() | st.text(max_size=6))
@example(left="--5", reset="1s")
@example(left="²", reset="1s")
def test_no_header_breaks_the_window(left: str, reset: str | None) -> None:
    """Whatever stands in the headers is heard or passed over."""
    window = RateWindow()
    window.heard(1.0, left, reset)
    assert window.wait(1.0, 1) >= 0


@settings(max_examples=100, deadline=None)
@given(
    per_minute=st.integers(1, 6000),
    amounts=st.lists(st.integers(1, 300), min_size=1, max_size=60),
    idle=st.floats(0, 100),
)
def test_a_rate_is_kept_over_any_stretch(per_minute: int, amounts: list[int], idle: float) -> None:
    """Who waits as told sends, over any stretch of time, no more than the rate allows plus a
    second's worth or one call.
    """
    rate, now, sent = Rate(per_minute), 1000.0, [(1000.0, 0)]
    for at, amount in enumerate(amounts):
        now += idle if at == len(amounts) // 2 else 0.0
        while (wait := rate.wait(now, amount)) > 1e-6:
            now += wait
        rate.take(amount)
        sent.append((now, amount))
    burst = max(per_minute / 60, max(amounts))
    for first in range(len(sent)):
        total = sum(amount for _, amount in sent[first:])
        assert (
            total
            <= (sent[-1][0] - sent[first][0]) * per_minute / 60 + burst + sent[first][1] + 1e-3
        )


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("6m0s", 360.0),
        ("20ms", 0.02),
        ("1.5s", 1.5),
        ("1h2m3s", 3723.0),
        ("1d", 86400.0),
        ("12", 12.0),
        ("0.5", 0.5),
        ("soon", 1.0),
        ("", 1.0),
        ("nan", 0.0),
        ("-4", 0.0),
    ],
)
def test_durations_are_read_as_endpoints_write_them(text: str, seconds: float) -> None:
    """Units, several units, a bare number of seconds; one second where it can't be read, none where
    it is over.
    """
    assert duration(text) == pytest.approx(seconds)


# --- patience


@given(seconds=st.lists(st.floats(0, 1000), min_size=20, max_size=300))
def test_patience_stays_between_half_a_minute_and_ten(seconds: list[float]) -> None:
    """With enough answers a timeout is four times what nearly all took, within its bounds."""
    patience = AdaptiveTimeout()
    patience.seconds.extend(seconds)
    last = sorted(seconds[-200:])
    assert patience.timeout() == min(max(4 * last[int(len(last) * 0.99)], 30.0), 600.0)


def test_the_first_calls_have_a_minute_and_more_after_each_silence() -> None:
    """Before any answer a call has a minute, then two, then four: a local model may be slow."""
    patience = AdaptiveTimeout()
    waits = []
    for _ in range(5):
        waits.append(patience.timeout())
        patience.was_silent()
    assert waits == [60.0, 120.0, 240.0, 480.0, 600.0]


@pytest.mark.parametrize(("slowest", "timeout"), [(1.0, 60.0), (20.0, 160.0), (90.0, 600.0)])
def test_a_few_answers_tell_already_what_is_usual(slowest: float, timeout: float) -> None:
    """While few answers are known, a call has eight times the slowest, a minute at least."""
    patience = AdaptiveTimeout()
    patience.seconds.extend([0.5, slowest])
    assert patience.timeout() == timeout


# --- work side by side


def test_side_by_side_starts_no_more_workers_than_there_is_work() -> None:
    """However many could work at once, two pieces of work start two workers."""

    async def work(item: int) -> int:
        return len(asyncio.all_tasks())

    assert max(asyncio.run(side_by_side([1, 2], work, 100_000))) <= 3
