"""A call over real sockets until it is answered, and the end where nothing gets through."""

import asyncio
import random
import socket
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TypeVar

import pytest
from pydantic import SecretStr

from orgweave.testing.faults import Behaviour
from orgweave.testing.server import ModelServer
from orgweave.testing.words import Words
from pipeline.config import RunRequest, load_job
from pipeline.model.caller import FAILURES, EndpointCaller
from pipeline.model.limits import Limits
from pipeline.model.openai_client import OpenAITransport
from pipeline.model.transport import ModelReply
from pipeline.write.pool import side_by_side
from schemas.errors import CallFailed, Unreachable
from tests.jumping_clock import told_by_the_clock

T = TypeVar("T")

Calls = Callable[[EndpointCaller], Awaitable[T]]


def body(number: int) -> dict[str, object]:
    """A request for no entries at all, unlike every other number's."""
    return {
        "model": "toy",
        "messages": [{"role": "user", "content": f"Object type: Product2\nNumber {number}"}],
    }


def calling(url: str, calls: Calls[T], most: int = 8) -> tuple[T, EndpointCaller]:
    """What the calls give, and the caller that they went through."""

    async def work() -> tuple[T, EndpointCaller]:
        transport = OpenAITransport(url, SecretStr("none"), most)
        caller = EndpointCaller(
            transport, Limits(most), "toy at its place", first_wait=0.01, rng=random.Random(1)
        )
        try:
            return await calls(caller), caller
        finally:
            await transport.close()

    return asyncio.run(work())


async def thirty(caller: EndpointCaller) -> list[ModelReply]:
    """Thirty different calls side by side."""
    return list(
        await asyncio.gather(
            *(caller.call(partial(body, number), 20, partial(str, number)) for number in range(30))
        )
    )


@pytest.fixture(scope="module")
def words() -> Words:
    """Answers for a small shoe company."""
    return Words(load_job(RunRequest("shoes", scale=0.05)))


@pytest.mark.parametrize("fault", ["error_500", "dropped", "busy"])
def test_each_call_gets_through_a_faulty_endpoint_once(words: Words, fault: str) -> None:
    """With a third of the calls refused, dropped or failed, every call ends with its answer, only
    lost answers are asked again, and the tally tells the faults.
    """
    with ModelServer(words, Behaviour(faults={fault: 0.34}, retry_after=0.02)) as server:
        replies, caller = calling(server.url, thirty)
        assert [reply.status for reply in replies] == [200] * 30
        lost = server.counts["fault dropped"]
        assert (server.counts["answers"], server.counts["answers repeated"]) == (30 + lost, lost)
        assert server.counts[f"fault {fault}"] > 0
        assert caller.tally.busy + caller.tally.failed == server.counts[f"fault {fault}"]
        assert caller.tally.sent == server.counts["calls"]


def test_the_number_of_calls_settles_where_the_endpoint_has_room(words: Words) -> None:
    """An endpoint that takes three at once is tried with more, and left with about as many as it
    takes; all is answered.
    """
    with ModelServer(words, Behaviour(most_at_once=3, retry_after=0.05, latency=0.02)) as server:
        replies, caller = calling(server.url, thirty, most=16)
    assert [reply.status for reply in replies] == [200] * 30
    assert caller.limits.cuts >= 1
    assert caller.limits.now_at_once < 8
    assert caller.limits.active == 0


class BusyTransport:
    """An endpoint that refuses its first calls with a pause; it keeps each call's moment."""

    def __init__(self, refusals: int, pause: float) -> None:
        self.moments: list[float] = []
        self._refusals = refusals
        self._pause = pause

    async def post(self, path: str, body: Mapping[str, object], timeout: float) -> ModelReply:
        """A refusal with Retry-After, then answers."""
        self.moments.append(asyncio.get_running_loop().time())
        if len(self.moments) <= self._refusals:
            return ModelReply(429, {}, {"retry-after": f"{self._pause:g}"}, "slow down")
        message = {"role": "assistant", "content": "{}"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return ModelReply(200, {"model": "toy", "choices": [choice]})

    async def close(self) -> None:
        """Nothing is open."""


def test_retry_after_is_waited_for() -> None:
    """A refused call starts again after the pause that the reply asked for, not before."""
    transport = BusyTransport(refusals=3, pause=0.3)

    async def once() -> int:
        caller = EndpointCaller(transport, Limits(4), "toy", first_wait=0.01, rng=random.Random(1))
        await caller.call(partial(body, 1), 20, str)
        return caller.tally.busy

    assert told_by_the_clock(once()) == 3
    assert transport.moments == pytest.approx([0.0, 0.3, 0.6, 0.9], abs=1e-6)


def test_the_headers_rate_is_kept(words: Words) -> None:
    """Where the endpoint tells what is left, calls one after another are never over its rate."""
    with ModelServer(words, Behaviour(per_minute=8)) as server:
        calling(
            server.url,
            lambda caller: side_by_side(
                range(20), lambda number: caller.call(partial(body, number), 20, str), 1
            ),
        )
        assert server.counts["answers"] == 20
        assert server.counts["over the rate"] <= 1


def test_a_dead_endpoint_ends_a_call_after_a_few_tries() -> None:
    """Where nobody listens, a call ends in one line after a handful of tries that says the work is
    kept.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"

    async def once(caller: EndpointCaller) -> int:
        with pytest.raises(
            CallFailed,
            match=(
                f"^toy at its place: {FAILURES} tries failed and nothing got through .*what was"
                " written is kept"
            ),
        ):
            await caller.call(partial(body, 1), 20, str)
        return caller.tally.sent

    assert calling(url, once)[0] == FAILURES


def test_an_endpoint_that_only_fails_ends_all_calls(words: Words) -> None:
    """Where every call fails, each of many side by side ends in Unreachable, and no place stays
    taken.
    """

    async def many(caller: EndpointCaller) -> list[object]:
        return list(
            await asyncio.gather(
                *(caller.call(partial(body, number), 20, str) for number in range(12)),
                return_exceptions=True,
            )
        )

    with ModelServer(words, Behaviour(faults={"error_500": 1.0})) as server:
        ended, caller = calling(server.url, many)
    assert {type(one) for one in ended} == {Unreachable}
    assert (caller.limits.active, caller.tally.sent) == (0, 12 * FAILURES)


@pytest.mark.parametrize(
    "behaviour", [Behaviour(models=("other",)), Behaviour(key="another"), Behaviour(context=3)]
)
def test_what_no_repetition_mends_is_sent_once(words: Words, behaviour: Behaviour) -> None:
    """A wrong key, an unknown model or too long a prompt ends the call at the first reply."""

    async def once(caller: EndpointCaller) -> int:
        with pytest.raises(CallFailed, match="^toy at its place: "):
            await caller.call(partial(body, 1), 20, str)
        return caller.tally.sent

    with ModelServer(words, behaviour) as server:
        assert calling(server.url, once)[0] == 1


def test_a_pause_beyond_all_patience_ends_the_calls(words: Words) -> None:
    """An endpoint that asks to wait for a day ends the calls, those still waiting too, instead of a
    run that stands still.
    """

    async def many(caller: EndpointCaller) -> list[object]:
        return await asyncio.wait_for(
            asyncio.gather(
                *(caller.call(partial(body, number), 20, str) for number in range(12)),
                return_exceptions=True,
            ),
            5,
        )

    with ModelServer(words, Behaviour(faults={"busy": 1.0}, retry_after=86_400.0)) as server:
        ended, _ = calling(server.url, many, most=4)
    assert {type(one) for one in ended} == {Unreachable}
    assert all("asks to wait for 1440 minutes" in str(one) for one in ended)
