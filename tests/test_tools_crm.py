"""The two CRMs, in process and over HTTP on a real socket, give the same answers and the same
refusals.
"""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from orgweave.testing.org_server import OrgServer
from orgweave.tools.crm import LocalCrm, local_crm
from orgweave.tools.remote import RemoteCrm
from orgweave.tools.toolbox import FUNCTIONS, Toolbox
from pipeline.run import FinishedRun
from schemas.errors import BadInput, QueryRefused, Unreachable
from tests.tools_calls import CALLS
from tests.tools_toys import toy_crm


@pytest.fixture(scope="module")
def crms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalCrm, RemoteCrm]]:
    """The toy org, opened and served."""
    folder = tmp_path_factory.mktemp("tools")
    with (
        toy_crm(folder) as local,
        OrgServer(folder) as server,
        RemoteCrm(server.url, server.token) as remote,
    ):
        yield local, remote


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_tool_answers_the_same_from_both(crms: tuple[LocalCrm, RemoteCrm], name: str) -> None:
    """Every tool's replies, refusals among them, are the same to the letter."""
    local, remote = crms
    assert [Toolbox(local).reply(name, given) for given in CALLS[name]] == [
        Toolbox(remote).reply(name, given) for given in CALLS[name]
    ]


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        ("query", "SELECT Foo FROM Case"),
        ("query", " "),
        ("search", "FIND {a}"),
        ("query", "\ud800"),
        ("search", "x" * 100_001),
    ],
)
def test_a_refusal_is_the_same_error(crms: tuple[LocalCrm, RemoteCrm], ask: str, text: str) -> None:
    """Code, message and fields of a refused text."""
    told = []
    for crm in crms:
        with pytest.raises(QueryRefused) as caught:
            getattr(crm, ask)(text)
        told.append((caught.value.code, str(caught.value), caught.value.fields))
    assert told[0] == told[1]


def test_all_pages_are_read(small_shoes: FinishedRun) -> None:
    """More records than a page of 2,000 has come whole, in order."""
    text = "SELECT Id, UnitPrice, Product2.Name FROM PricebookEntry ORDER BY Id"
    with (
        local_crm(small_shoes.folder) as local,
        OrgServer(small_shoes.folder) as server,
        RemoteCrm(server.url, server.token) as remote,
    ):
        found = remote.query(text)
        assert len(found) == small_shoes.counts["PricebookEntry"] > 2000
        assert found == local.query(text)


def test_a_wrong_token_is_told(
    crms: tuple[LocalCrm, RemoteCrm], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A token that isn't the server's is bad input, not a refused query."""
    folder: Path = tmp_path_factory.mktemp("token")
    with (
        toy_crm(folder),
        OrgServer(folder) as server,
        RemoteCrm(server.url, "another") as remote,
        pytest.raises(BadInput, match="the token isn't taken"),
    ):
        remote.query("SELECT Id FROM Case")


@pytest.mark.parametrize("url", ["", "127.0.0.1:8080", "ftp://127.0.0.1"])
def test_what_is_no_url_is_told(url: str) -> None:
    """An instance URL begins with http."""
    with RemoteCrm(url, "t") as remote, pytest.raises(BadInput, match="begins with http"):
        remote.query("SELECT Id FROM Case")


def test_a_server_that_is_not_there_is_told() -> None:
    """Nothing listens: Unreachable, with the URL."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with (
        RemoteCrm(url, "t") as remote,
        pytest.raises(Unreachable, match=f"{url}: nothing gets through"),
    ):
        remote.query("SELECT Id FROM Case")


class Speaking(BaseHTTPRequestHandler):
    """Answers every request with the server's text."""

    def do_GET(self) -> None:  # noqa: N802
        """The text."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.server.text.encode())

    def log_message(self, *parts: object) -> None:
        """Nothing."""


@contextmanager
def speaking(text: str, port: int = 0, after: float = 0.0) -> Iterator[str]:
    """An HTTP server that says this, from some seconds after now on; its URL."""
    server = HTTPServer(("127.0.0.1", port), Speaking, bind_and_activate=False)
    server.allow_reuse_address = True
    server.text = text
    server.server_bind()

    def listen() -> None:
        time.sleep(after)
        server.server_activate()
        server.serve_forever(poll_interval=0.01)

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_connection_is_tried_again() -> None:
    """A server that begins to listen half a second later is reached."""
    with (
        speaking('{"records": [{"Id": "x", "attributes": {}}], "totalSize": 1}', after=0.3) as url,
        RemoteCrm(url, "t") as remote,
    ):
        assert remote.query("SELECT Id FROM Case") == [{"Id": "x"}]


@pytest.mark.parametrize("text", ["<html>", "[]", "{}", "5", ""])
def test_what_does_not_answer_as_a_crm_is_told(text: str) -> None:
    """Another server behind the URL is told in one line, whatever it answers."""
    with (
        speaking(text) as url,
        RemoteCrm(url, "t") as remote,
        pytest.raises(Unreachable, match="answers HTTP 200, but not as a CRM does"),
    ):
        remote.query("SELECT Id FROM Case")
