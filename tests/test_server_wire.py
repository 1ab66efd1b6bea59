"""What comes over the wire before a token is shown: long and slow heads, too many connections."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
import uvicorn
from uvicorn.server import ServerState

from orgweave.server.app import LONGEST_HEADERS, LONGEST_URL, BoundedProtocol, BoundedServer
from orgweave.testing.org_server import OrgServer

LINE = b"GET /services/data/ HTTP/1.1\r\nHost: x\r\n"


def connected(server: OrgServer) -> socket.socket:
    """A connection to the server."""
    host, _, port = server.url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=30)


def answered(connection: socket.socket, sent: bytes) -> bytes:
    """What comes back until the server closes, however much of what is sent it reads."""
    parts: list[bytes] = []
    with suppress(ConnectionError):
        connection.sendall(sent)
    with suppress(ConnectionError):
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"GET /" + b"a" * (LONGEST_URL + 1) + b" HTTP/1.1\r\n", 414, "URI_TOO_LONG"),
        (b"GET /" + b"a" * (LONGEST_URL + 1), 414, "URI_TOO_LONG"),
        (LINE + b"X: " + b"a" * (LONGEST_HEADERS + 1) + b"\r\n\r\n", 431, "REQUEST_HEADER_TOO"),
        (LINE + b"X: aaaaaaaaaaaa\r\n" * 10_000, 431, "REQUEST_HEADER_TOO"),
        (b"nonsense\r\n\r\n", 400, "MALFORMED_REQUEST"),
    ],
)
def test_a_long_head_is_refused_before_it_is_whole(
    server: OrgServer,
    sent: bytes,
    status: int,
    code: str,
) -> None:
    """One answer in the CRM's form, with no token asked for, and the connection is closed."""
    with connected(server) as connection:
        answer = answered(connection, sent)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert json.loads(body)[0]["errorCode"].startswith(code)


def test_one_header_that_never_ends_is_refused(server: OrgServer) -> None:
    """20 MB of one header line are not gathered."""
    with connected(server) as connection:
        answer = answered(connection, LINE + b"X: " + b"a" * 20_000_000)
    assert not answer or answer.startswith(b"HTTP/1.1 4")


class Hasty(BoundedProtocol):
    """The protocol that waits for a head as long as a test can wait."""

    head_seconds = 0.05


class Narrow(BoundedProtocol):
    """The protocol that takes two connections."""

    most_connections = 2


async def nobody(scope: object, receive: object, send: object) -> None:
    """An application that is never asked."""


@asynccontextmanager
async def listening(kind: type[BoundedProtocol]) -> AsyncIterator[int]:
    """The port of a server that speaks this protocol."""
    config, state = uvicorn.Config(nobody, ws="none", lifespan="off"), ServerState()

    def protocol() -> BoundedProtocol:
        return kind(config, state, {})

    serving = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
    try:
        yield serving.sockets[0].getsockname()[1]
    finally:
        serving.close()


@pytest.mark.parametrize("sent", [b"", b"GET", LINE, LINE + b"X: a\r\n"])
def test_a_head_that_does_not_come_ends_the_connection(sent: bytes) -> None:
    """Whoever sends nothing, or a head without its end, is cut off."""

    async def cut_off() -> bytes:
        async with listening(Hasty) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            answer = await reader.read()
            writer.close()
        return answer

    assert asyncio.run(cut_off()) == b""


def test_connections_beyond_the_bound_are_closed() -> None:
    """The first ones stay."""

    async def opened() -> list[bool]:
        async with listening(Narrow) as port:
            pairs = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
            with suppress(ConnectionError):
                await pairs[2][0].read()
            closed = [reader.at_eof() or reader.exception() is not None for reader, _ in pairs]
            for _, writer in pairs:
                writer.close()
        return closed

    assert asyncio.run(opened()) == [False, False, True]


def test_a_server_without_file_handles_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    """asyncio tells of each connection that waits; the log has a line, and other faults in full."""
    server = BoundedServer(uvicorn.Config(nobody, lifespan="off"))

    async def told() -> None:
        loop = asyncio.get_running_loop()
        fault = OSError(24, "Too many open files")
        message = "socket.accept() out of system resource"
        for _ in range(1000):
            server.failed(loop, {"message": message, "exception": fault})
        server.failed(loop, {"message": "another"})

    asyncio.run(told())
    assert len(caplog.records) == 2
    assert "Too many open files" in caplog.records[0].getMessage()
