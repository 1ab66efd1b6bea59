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
from pipeline.model.aiohttp_client import AiohttpTransport
from pipeline.model.caller import FAILURES, AdaptiveTimeout, EndpointCaller
from pipeline.model.limits import Limits
from pipeline.model.transport import ModelReply
from pipeline.write.pool import side_by_side
from schemas.errors import CallFailed, PromptRefused, Unreachable
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
        transport = AiohttpTransport(url, SecretStr("none"), most)
        caller = EndpointCaller(
            transport,
            Limits(most),
            "toy at its place",
            first_wait=0.01,
            rng=random.Random(1),
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
                range(20),
                lambda number: caller.call(partial(body, number), 20, str),
                1,
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
    """A wrong key, an unknown model or too long a prompt ends the first call at once."""

    async def once(caller: EndpointCaller) -> int:
        with pytest.raises(CallFailed):
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


class Endpoint:
    """A transport that answers by a rule of the request's number and the moment; seconds to take.

    A rule gives the status, or None for silence.
    """

    def __init__(self, rule: Callable[[int, float], int | None], takes: float = 0.1) -> None:
        self.calls: list[int] = []
        self._rule = rule
        self._takes = takes

    async def post(self, path: str, body: Mapping[str, object], timeout: float) -> ModelReply:
        """An answer, a refusal, or nothing for as long as anybody waits."""
        messages = body["messages"]
        assert isinstance(messages, list)
        number = int(messages[0]["content"].rsplit(" ", 1)[1])
        self.calls.append(number)
        status = self._rule(number, asyncio.get_running_loop().time())
        if status is None:
            await asyncio.sleep(10**6)
        await asyncio.sleep(self._takes)
        if status != 200:
            return ModelReply(status or 0, {"error": {"message": "out of order"}}, {}, "no")
        message = {"role": "assistant", "content": "{}"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return ModelReply(200, {"model": "toy", "choices": [choice]})

    async def close(self) -> None:
        """Nothing is open."""


def one_after_another(endpoint: Endpoint, numbers: range, patience: float = 300.0) -> list[object]:
    """What each call came to: a status, or the error that it raised; under a clock that jumps."""

    async def course() -> list[object]:
        caller = EndpointCaller(endpoint, Limits(4), "toy", rng=random.Random(1), patience=patience)
        ends: list[object] = []
        for number in numbers:
            try:
                reply = await caller.call(partial(body, number), 20, str)
                ends.append(reply.status)
            except CallFailed as error:
                ends.append(error)
        return ends

    return told_by_the_clock(course())


def test_an_outage_is_waited_for() -> None:
    """In a run that had answers, two minutes of failures end in the answer, nothing is lost."""
    endpoint = Endpoint(lambda number, now: 500 if 0.2 < now < 120 else 200)
    assert one_after_another(endpoint, range(5)) == [200] * 5


def test_an_outage_is_told_while_it_lasts() -> None:
    """After some seconds without an answer it is said for how long and how long it is borne; a
    single fault is no outage, and after an answer there is none.
    """

    async def course() -> list[str]:
        endpoint = Endpoint(lambda number, now: 500 if 0.2 < now < 60 else 200)
        caller = EndpointCaller(endpoint, Limits(4), "toy", rng=random.Random(1))
        said = []

        async def watch() -> None:
            for _ in range(90):
                said.append(caller.outage())
                await asyncio.sleep(1)

        watching = asyncio.create_task(watch())
        for number in range(4):
            await caller.call(partial(body, number), 20, str)
        await watching
        return said

    said = told_by_the_clock(course())
    assert said[:4] == [""] * 4 and said[-1] == ""
    assert "endpoint has not answered for 40 s; waiting up to 300 s" in said


def test_an_outage_beyond_all_patience_ends_the_run() -> None:
    """After as long without any answer as the patience says, a call ends in one line."""
    endpoint = Endpoint(lambda number, now: 200 if now < 0.05 else 502)
    first, second = one_after_another(endpoint, range(2), patience=60.0)
    assert first == 200
    assert isinstance(second, Unreachable)
    assert "nothing got through for 60 seconds" in str(second)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_one_stray_refusal_does_not_end_a_healthy_run(status: int) -> None:
    """A gateway's single 401, 403, 404 or 400 in a run that had answers is asked again."""
    seen: list[int] = []

    def rule(number: int, now: float) -> int:
        seen.append(number)
        return status if len(seen) == 3 else 200

    assert one_after_another(Endpoint(rule), range(5)) == [200] * 5


def test_a_key_that_is_taken_back_ends_the_run() -> None:
    """Where every call is refused from some moment on, the run ends after a handful of tries."""
    endpoint = Endpoint(lambda number, now: 200 if now < 0.05 else 401)
    ends = one_after_another(endpoint, range(3))
    assert ends[0] == 200
    assert "the key was not accepted" in str(ends[1])
    assert len(endpoint.calls) == 1 + FAILURES


def test_a_prompt_that_is_never_answered_fails_alone() -> None:
    """A prompt that only ever fails while others get through is given up, the others go on."""

    async def course() -> list[object]:
        endpoint = Endpoint(lambda number, now: 500 if number == 7 else 200)
        caller = EndpointCaller(endpoint, Limits(4), "toy", rng=random.Random(1))

        async def others() -> None:
            for number in range(100, 600):
                await caller.call(partial(body, number), 20, str)

        return await asyncio.gather(
            caller.call(partial(body, 7), 20, str),
            others(),
            return_exceptions=True,
        )

    poisoned, rest = told_by_the_clock(course())
    assert isinstance(poisoned, PromptRefused)
    assert rest is None


def test_a_call_that_hangs_among_the_first_is_soon_asked_again() -> None:
    """Silence costs a minute while others answer quickly, not ten."""
    silent: list[int] = []

    def rule(number: int, now: float) -> int | None:
        if number == 1 and not silent:
            silent.append(number)
            return None
        return 200

    async def course() -> float:
        caller = EndpointCaller(Endpoint(rule), Limits(4), "toy", rng=random.Random(1))
        await asyncio.gather(*(caller.call(partial(body, number), 20, str) for number in range(4)))
        return asyncio.get_running_loop().time()

    assert told_by_the_clock(course()) < 65


class Dripping:
    """A server that answers by a raw script over a real socket, a piece of bytes at a time."""

    def __init__(self, pieces: list[bytes], pause: float = 0.0) -> None:
        self._pieces = pieces
        self._pause = pause

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Reads the request's head and sends the pieces."""
        await reader.readuntil(b"\r\n\r\n")
        try:
            for piece in self._pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(self._pause)
        except ConnectionError:
            return
        writer.close()


async def replied(script: Dripping, timeout: AdaptiveTimeout) -> str:
    """What a caller says in the end of an endpoint that follows the script."""
    server = await asyncio.start_server(script, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    transport = AiohttpTransport(f"http://127.0.0.1:{port}/v1", SecretStr("none"), 2)
    caller = EndpointCaller(transport, Limits(2), "toy", first_wait=0.01, timeout=timeout)
    try:
        with pytest.raises(Unreachable) as caught:
            await caller.call(partial(body, 1), 20, str)
        return str(caught.value)
    finally:
        await transport.close()
        server.close()


def test_a_body_that_keeps_dripping_has_an_end() -> None:
    """The timeout is the whole call's: bytes that come now and then don't stretch it."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n"
    script = Dripping([head, *[b"\n"] * 1000], pause=0.05)
    quick = AdaptiveTimeout(least=0.1, most=0.3, first=0.2)
    assert "no answer within" in asyncio.run(replied(script, quick))


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/9.9 boo\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 20_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"\x00\xff\x00 what is this\r\n\r\n",
    ],
    ids=["version", "negative", "no number", "long header", "no colon", "chunk", "garbage"],
)
def test_what_is_no_http_is_a_fault_like_any_other(head: bytes) -> None:
    """Broken HTTP is a failed try of the call, and told in a line; nothing else escapes."""
    told = asyncio.run(replied(Dripping([head]), AdaptiveTimeout()))
    assert "tries failed and nothing got through" in told
