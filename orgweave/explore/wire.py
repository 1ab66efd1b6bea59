"""What bounds a connection to the site before anybody is asked for a token.

h11 bounds a request's head at 64 KB, and uvicorn the time that a connection may lie idle after an
answer. This bounds the rest: how long a head may take to come, and how many connections there are.
Knows no page and no token.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from orgweave.server.listen import HEAD_SECONDS, MOST_CONNECTIONS


class HeadProtocol(H11Protocol):
    """uvicorn's own protocol, which closes a connection whose request's head doesn't come.

    The attributes `conn`, `loop`, `connections` and `transport` are not documented by uvicorn;
    test_explore_wire has a test for each bound.
    """

    head_seconds: float = HEAD_SECONDS
    most_connections = MOST_CONNECTIONS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes a connection, or closes it where there are too many."""
        super().connection_made(transport)
        self._waiting: asyncio.TimerHandle | None = None
        self._await_head()
        if len(self.connections) > self.most_connections:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Takes bytes off the wire."""
        # The first bytes after an answer begin the next request.
        self._await_head()
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._head_came()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        self._head_came()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._waiting is None and self.conn.their_state is h11.IDLE:
            self._waiting = self.loop.call_later(self.head_seconds, self.transport.close)

    def _head_came(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
