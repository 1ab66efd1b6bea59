"""An empty CRM in a process of its own, and a bad network in front of it: a proxy that loses
requests or answers, hands requests on late, or twice.
"""

import http.client
import os
import random
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from orgweave.server.served import ServeOptions
from orgweave.testing.org_server import TOKEN, OrgServer
from tests.torture_trial import forked

FATES: tuple["WireFate", ...] = ("lost", "unanswered", "late", "twice", "again", "gateway")
WireFate = Literal["well", "lost", "unanswered", "late", "twice", "again", "gateway"]
"""What becomes of a request: it is lost; its answer is lost; it goes on when its connection has
died; it goes on twice, and the first answer or the second comes back; it goes on, and a gateway
says 504.
"""
WRITES = ("POST", "PATCH", "PUT", "DELETE")


@dataclass(frozen=True, slots=True)
class BadNetwork:
    """How many of the writing requests are harmed, how late the late ones are, by which seed."""

    share: float
    delay: float
    seed: int


@contextmanager
def crm(folder: Path, external_id: str, network: BadNetwork | None = None) -> Iterator[str]:
    """The URL of an empty CRM, behind a bad network if there is one; its token is TOKEN."""
    reading, writing = os.pipe()

    def serve() -> int:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        options = ServeOptions(writable=True, empty=True, external_id=external_id)
        with OrgServer(folder, options) as server:
            url = server.url
            if network is not None:
                url = proxied(url, network)
            os.write(writing, url.encode())
            while os.getppid() != 1:
                time.sleep(0.05)
        return 0

    child = forked(serve, folder)
    os.close(writing)  # The end of the file is the end of the server, then.
    try:
        url = os.read(reading, 200).decode()
        assert url, child.err.read_text()
        yield url
    finally:
        child.send(signal.SIGKILL)
        while not child.poll():
            time.sleep(0.005)
        for path in (child.out, child.err):
            path.unlink()
        os.close(reading)


def proxied(url: str, network: BadNetwork) -> str:
    """Starts a bad network in a thread; its own URL."""
    rng = random.Random(network.seed)
    lock = threading.Lock()
    place = urlsplit(url).netloc

    def fate_of(method: str) -> WireFate:
        with lock:
            harmed = method in WRITES and rng.random() < network.share
            return rng.choice(FATES) if harmed else "well"

    class Proxy(BaseHTTPRequestHandler):
        """Hands each request on, or doesn't."""

        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: object) -> None:
            """Says nothing."""

        def do_any(self) -> None:
            """One request."""
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            fate = fate_of(self.command)
            if fate in ("lost", "late"):
                if fate == "late":
                    threading.Timer(network.delay, self.sent_on, [body]).start()
                self.hang_up()
                return
            status, headers, answer = self.sent_on(body)
            if fate in ("twice", "again"):
                again = self.sent_on(body)
                status, headers, answer = again if fate == "again" else (status, headers, answer)
            if fate == "unanswered":
                self.hang_up()
                return
            if fate == "gateway":
                status, headers, answer = 504, [], b"<html>Gateway Timeout</html>"
            self.send_response(status)
            for name, value in headers:
                if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = do_any  # noqa: N815

        def sent_on(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
            """What the CRM answers."""
            with closing(http.client.HTTPConnection(place, timeout=60)) as connection:
                headers = {name: value for name, value in self.headers.items() if name != "Host"}
                connection.request(self.command, self.path, body, headers)
                found = connection.getresponse()
                return found.status, found.getheaders(), found.read()

        def hang_up(self) -> None:
            """Ends the connection without an answer."""
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def loading(url: str, folder: Path, idmap: Path, *more: str) -> list[str]:
    """The words of an upload."""
    words = ["upload", str(folder), "--instance-url", url, "--session-id", TOKEN]
    return [*words, "--idmap", str(idmap), *more]
