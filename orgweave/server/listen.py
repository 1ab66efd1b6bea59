"""`serve`: opens the org, prints where it is and the token, and listens until it is interrupted.

It listens on this machine only, unless told otherwise. Knows no endpoint. Example of what it
prints:

    instance URL  http://127.0.0.1:40123
    bearer token  2bq...
    read-only; --writable serves a private copy (Ctrl-C ends)
"""

import secrets
import signal
import socket
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from orgweave.server.certificate import Certificate, own_certificate
from orgweave.server.served import Served, ServeOptions, served
from schemas.errors import BadInput

if TYPE_CHECKING:
    import uvicorn

WAITING = 2048
"""Connections that may wait to be accepted: a loader opens hundreds at once."""
KEPT_ALIVE = 120
"""Seconds that an idle connection stays open: clients that poll a job every few seconds must not
find it closed under their request."""
HEAD_SECONDS = 20
"""Seconds from a request's first byte, or a connection's begin, until its head must be there."""
MOST_CONNECTIONS = 1000
"""Connections at once; a loader opens hundreds."""
GRACE = 3
"""Seconds that requests under way have to end when serving ends."""


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """Where it listens, whom it lets in, and whether it speaks https.

    Port 0 is a free one; without a token there is a random one.
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str = ""
    tls: bool = False


def serve(folder: Path, choice: ServeOptions, listen: ListenOptions) -> None:
    """Serves an org until interrupted.

    Raises BadInput where the address can't be used or a library is missing.
    """
    heed_sigterm()
    # Letters and digits only: some clients take no other token.
    given = listen.token or secrets.token_hex(24)
    with ExitStack() as stack:
        org = stack.enter_context(served(folder, choice))
        listening = stack.enter_context(closing(bound(listen.host, listen.port)))
        certificate = None
        if listen.tls:
            certificate = stack.enter_context(own_certificate(listen.host))
        running = server(org, given, certificate)
        heed_ends(running)
        print(f"instance URL  {url_of(listening, listen.tls)}\nbearer token  {given}")
        if certificate is not None:
            print(f"certificate   {certificate.certificate}")
        print(_manner(choice), flush=True)
        until_ended(running, listening)


def heed_sigterm() -> None:
    """Lets SIGTERM end the process as Ctrl-C does.

    So private copies are removed, also one that is still being made.
    """
    signal.signal(signal.SIGTERM, _ended)


def heed_ends(running: "uvicorn.Server") -> None:
    """Lets Ctrl-C and SIGTERM end a server that is about to run, and not only one that runs.

    Whoever has read the address may interrupt at once; an exception in the midst of the server's
    start would come out as a traceback or a warning.
    """

    def ended(number: int, frame: FrameType | None) -> None:
        running.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ended)


def until_ended(running: "uvicorn.Server", listening: socket.socket) -> None:
    """Runs a server on a socket until it is interrupted."""
    try:
        running.run(sockets=[listening])
    except KeyboardInterrupt:
        return


def server(org: Served, token: str, certificate: Certificate | None = None) -> "uvicorn.Server":
    """Returns the HTTP server, ready to run on a socket; raises BadInput without its library.

    With a certificate it speaks https, and nothing else.
    """
    try:
        import uvicorn

        from orgweave.server.app import App, BoundedProtocol, BoundedServer
    except ImportError as error:
        raise BadInput(
            f"serve needs {error.name}, which isn't installed; run: pip install 'orgweave[serve]'"
        ) from error
    config = uvicorn.Config(
        App(org, token),
        http=BoundedProtocol,
        timeout_keep_alive=KEPT_ALIVE,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=GRACE,
        server_header=False,
        ssl_certfile=certificate.certificate if certificate else None,
        ssl_keyfile=certificate.key if certificate else None,
    )
    return BoundedServer(config)


def bound(host: str, port: int) -> socket.socket:
    """Returns a listening socket; raises BadInput where the address is taken or isn't one."""
    if not host.strip():
        # To the system an empty name means every address of the machine.
        raise BadInput(
            "--host: is empty; name an address, such as 127.0.0.1, which only this machine can"
            " reach, or 0.0.0.0 for every address of this machine"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server(
            (host, port),
            family=family,
            backlog=WAITING,
        )
    except (OSError, OverflowError) as error:
        raise BadInput(
            f"{host}, port {port}: can't listen there ({error}); choose another address or port"
        ) from error
    # Head and body of an answer are two writes; held back until the first is acknowledged, each
    # answer would take 40 ms.
    listening.setsockopt(
        socket.IPPROTO_TCP,
        socket.TCP_NODELAY,
        1,
    )
    return listening


def url_of(listening: socket.socket, tls: bool = False) -> str:
    """Returns the instance URL of a listening socket."""
    host, port = listening.getsockname()[:2]
    scheme = "https" if tls else "http"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def _manner(choice: ServeOptions) -> str:
    """What becomes of changes, in a line."""
    if choice.empty:
        return (
            "the org's schema with empty tables; what is loaded is gone when serving ends (Ctrl-C)"
        )
    if choice.writable:
        return "changes go to a private copy, gone when serving ends (Ctrl-C)"
    return "read-only; --writable serves a private copy (Ctrl-C ends)"


def _ended(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
