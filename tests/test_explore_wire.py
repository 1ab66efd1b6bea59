"""What bounds a connection to `explore` before a token is shown: time, and number."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import uvicorn
from uvicorn.server import ServerState

from orgweave.explore.listen import server
from orgweave.explore.wire import HeadProtocol
from pipeline.private_folder import OWN_LOCK, private_folder
from tests.explore_orgs import toy_run
from tests.tiers import THOROUGH, tried_on

ANSWER = b"HTTP/1.1 200 OK"


class Hasty(HeadProtocol):
    """The protocol that waits for a head as long as a test can wait."""

    head_seconds = 0.2


class Narrow(HeadProtocol):
    """The protocol that takes two connections."""

    most_connections = 2


async def empty(scope: object, receive: object, send: Callable[..., object]) -> None:
    """An application that answers nothing to everything."""
    start = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]}
    await send(start)
    await send({"type": "http.response.body", "body": b""})


@asynccontextmanager
async def listening(kind: type[HeadProtocol]) -> AsyncIterator[int]:
    """The port of a server that speaks this protocol."""
    config, state = uvicorn.Config(empty, ws="none", lifespan="off"), ServerState()
    config.load()

    def protocol() -> HeadProtocol:
        return kind(config, state, {})

    serving = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
    try:
        yield serving.sockets[0].getsockname()[1]
    finally:
        serving.close()


async def everything(reading: asyncio.StreamReader) -> bytes:
    """All that comes until the server closes; what was sent to a closed connection resets it."""
    found = b""
    try:
        while piece := await reading.read(1000):
            found += piece
    except ConnectionError:
        pass
    return found


async def dripping(port: int, before: bytes) -> bytes:
    """Sends a whole request or none, and then a byte of a header every moment, until the server
    closes; all that it answered."""
    reading, writing = await asyncio.open_connection("127.0.0.1", port)
    writing.write(before)
    answer = asyncio.create_task(everything(reading))
    writing.write(b"GET / HTTP/1.1\r\nX: ")
    while not answer.done():
        try:
            writing.write(b"a")
            await writing.drain()
        except ConnectionError:
            break
        await asyncio.sleep(0.01)
    return await answer


@pytest.mark.parametrize("before", [b"", b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"])
def test_a_head_that_drips_is_not_waited_for(before: bytes) -> None:
    """A client that sends one byte at a time is closed, in its first request and in a later one;
    each byte doesn't begin the time anew."""

    async def tried() -> bytes:
        async with listening(Hasty) as port:
            return await dripping(port, before)

    assert asyncio.run(tried()).startswith(ANSWER if before else b"")


def test_a_silent_connection_is_closed() -> None:
    """A connection on which nothing is said is closed, too."""

    async def tried() -> bytes:
        async with listening(Hasty) as port:
            reading, _ = await asyncio.open_connection("127.0.0.1", port)
            return await reading.read()

    assert asyncio.run(tried()) == b""


def test_one_connection_too_many_is_closed_at_once() -> None:
    """Those before it stay."""

    async def tried() -> list[bytes]:
        async with listening(Narrow) as port:
            opened = []
            for _ in range(3):
                opened.append(await asyncio.open_connection("127.0.0.1", port))
            answers = []
            for reading, writing in opened[:2]:
                writing.write(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
                answers.append(await reading.read())
            try:
                answers.append(await opened[2][0].read())
            except ConnectionError:
                answers.append(b"")
            return answers

    first, second, third = asyncio.run(tried())
    assert first.startswith(ANSWER)
    assert second.startswith(ANSWER)
    assert third == b""


def test_the_site_speaks_this_protocol() -> None:
    """`explore` listens with these bounds."""

    class Nothing:
        def app(self) -> object:
            return empty

    assert server(Nothing(), "token", "127.0.0.1", 1).config.http is HeadProtocol


@tried_on("words, use", [(["serve", "--writable"], "serve"), (["explore"], "explore")])
@THOROUGH
def test_a_killed_servers_private_copy_is_swept_away(
    words: list[str],
    use: str,
    tmp_path: Path,
) -> None:
    """After kill -9 the next server of its kind removes the copy that was left; the copies of
    living ones, and folders that only look like one, stay."""
    org, temp = toy_run(tmp_path / "made"), tmp_path / "temp"
    temp.mkdir()
    stranger = temp / f"orgweave-{use}-mine"
    stranger.mkdir()
    (stranger / "thesis.txt").write_text("years of work")

    def started() -> "subprocess.Popen[str]":
        command, *more = words
        process = subprocess.Popen(
            [sys.executable, "-m", "pipeline", command, str(org), *more, "--port", "0"],
            env={**os.environ, "TMPDIR": str(temp)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None and "http" in process.stdout.readline()
        return process

    def copies() -> set[str]:
        return {path.parent.name for path in temp.glob(f"*/{OWN_LOCK}")}

    living = started()
    (first,) = copies()
    killed = started()
    (left,) = copies() - {first}
    killed.kill()
    killed.wait()
    assert left in copies()
    last = started()
    assert left not in copies()
    assert first in copies()
    assert (stranger / "thesis.txt").is_file()
    for process in (living, last):
        process.terminate()
        process.wait()
    assert not copies()


def test_a_private_folder_is_its_owners_alone() -> None:
    """Nobody else may read it, and it goes in the end, also after an error."""
    with pytest.raises(ValueError, match="of a test"), private_folder("trial") as folder:
        assert folder.stat().st_mode & 0o077 == 0
        raise ValueError("of a test")
    assert not folder.exists()
