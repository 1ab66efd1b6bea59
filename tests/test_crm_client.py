"""One connection to a CRM: what it asks again, and what its errors say."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from orgweave.crm.client import CrmConnection, PartlyRefused
from schemas.errors import BadInput, CrmUnreachable, QueryRefused, Refused, UploadFailed


class Scripted(BaseHTTPRequestHandler):
    """Gives one answer of the server's script after the other: a status and a body."""

    def answer(self) -> None:
        """The next one; what was asked is kept."""
        length = int(self.headers.get("Content-Length") or 0)
        asked = self.command, self.path, self.rfile.read(length)
        self.server.asked.append(asked)  # type: ignore[attr-defined]
        status, body = self.server.script.pop(0)  # type: ignore[attr-defined]
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_PUT = answer  # noqa: N815

    def log_message(self, *parts: object) -> None:
        """Nothing."""


@contextmanager
def scripted(
    *answers: tuple[int, object], pauses: Sequence[float] = ()
) -> Iterator[tuple[CrmConnection, list[tuple[str, str, bytes]]]]:
    """A connection to a server that gives these answers, and what it was asked."""
    server = HTTPServer(("127.0.0.1", 0), Scripted)
    server.script, server.asked = list(answers), []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    connection = CrmConnection(f"http://127.0.0.1:{server.server_port}", "token", pauses)
    try:
        yield connection, server.asked  # type: ignore[attr-defined]
    finally:
        connection.close()
        server.shutdown()
        thread.join()
        server.server_close()


def refusal(code: str, message: str = "no") -> list[dict[str, object]]:
    """An error as the API words it."""
    return [{"errorCode": code, "message": message, "fields": ["Name"]}]


BUSY = (503, refusal("SERVER_UNAVAILABLE", "busy"))


def test_all_pages_of_a_query_are_read() -> None:
    """Records of every page come in order, with the number that the CRM tells."""
    first = {"records": [{"Id": "1"}], "totalSize": 2, "nextRecordsUrl": "/services/data/v59.0/q/1"}
    second = {"records": [{"Id": "2"}], "totalSize": 2}
    with scripted((200, first), (200, second)) as (connection, asked):
        assert connection.query("SELECT Id FROM Case") == ([{"Id": "1"}, {"Id": "2"}], 2)
    assert [path for _, path, _ in asked] == [
        "/services/data/v59.0/query?q=SELECT+Id+FROM+Case",
        "/services/data/v59.0/q/1",
    ]


def test_reads_are_asked_again_and_writes_are_not() -> None:
    """After two busy answers a read has its own; a busy write is told at once."""
    pauses = (0.0, 0.0)
    with scripted(BUSY, BUSY, (200, {"sobjects": []}), pauses=pauses) as (connection, asked):
        assert connection.get("sobjects", "sobjects") == {"sobjects": []}
        assert connection.calls == len(asked) == 3
    with scripted(BUSY, pauses=pauses) as (connection, asked):
        with pytest.raises(CrmUnreachable, match="can't answer now"):
            connection.write("POST", "composite/sobjects", {})
        assert len(asked) == 1


def test_a_read_that_is_never_answered_is_told() -> None:
    """When its tries are over, the last busy answer is told."""
    with (
        scripted(BUSY, BUSY, pauses=(0.0,)) as (connection, _),
        pytest.raises(CrmUnreachable, match="503"),
    ):
        connection.search("FIND {a}")


def test_a_refused_query_has_the_crms_own_words() -> None:
    """Code, message and fields stay as they are, for agents read them."""
    with (
        scripted((400, refusal("INVALID_FIELD", "No such column"))) as (connection, _),
        pytest.raises(QueryRefused) as caught,
    ):
        connection.query("SELECT Foo FROM Case")
    told = caught.value
    assert (told.code, str(told), told.fields) == ("INVALID_FIELD", "No such column", ("Name",))


def test_a_refused_call_says_which_and_what_to_do() -> None:
    """Any other call is named in the message, with the CRM's code."""
    with (
        scripted((404, refusal("NOT_FOUND", "gone"))) as (connection, _),
        pytest.raises(Refused, match=r"refused jobs/ingest/7: gone \(NOT_FOUND\)") as caught,
    ):
        connection.get("jobs/ingest/7", "state")
    assert caught.value.code == "NOT_FOUND"


def test_a_token_that_is_not_taken_is_no_refused_query() -> None:
    """A wrong token is bad input, whoever asks."""
    with (
        scripted((401, refusal("INVALID_SESSION_ID"))) as (connection, _),
        pytest.raises(BadInput, match="the token isn't taken") as caught,
    ):
        connection.query("SELECT Id FROM Case")
    assert not isinstance(caught.value, QueryRefused)


def test_used_up_calls_end_an_upload() -> None:
    """The daily limit is no fault of a record: the same command goes on tomorrow."""
    with (
        scripted((403, refusal("REQUEST_LIMIT_EXCEEDED"))) as (connection, _),
        pytest.raises(UploadFailed, match="calls of the day are used up"),
    ):
        connection.write("POST", "jobs/ingest", {})


def test_an_action_refused_in_part_tells_of_each_input() -> None:
    """An action answers 400 where one input fails, with a result for every one."""
    results = [{"isSuccess": True, "errors": None}, {"isSuccess": False, "errors": []}]
    with scripted((400, results)) as (connection, _), pytest.raises(PartlyRefused) as caught:
        connection.write("POST", "actions/standard/publishKnowledgeArticles", {})
    assert [result["isSuccess"] for result in caught.value.results] == [True, False]


def test_text_goes_and_comes_as_it_is() -> None:
    """CSV keeps its line breaks and letters; a byte order mark is no part of it."""
    with scripted((201, ""), (200, "\ufeffId,Name\n1,Zoë\n")) as (connection, asked):
        connection.put_text("jobs/ingest/7/batches", 'Name\n"a\nb"\n')
        assert connection.get_text("jobs/ingest/7/successfulResults") == "Id,Name\n1,Zoë\n"
    assert asked[0][2] == b'Name\n"a\nb"\n'


def test_a_write_may_be_answered_with_nothing() -> None:
    """204 has no body."""
    with scripted((204, "")) as (connection, _):
        assert connection.write("PATCH", "sobjects/Case/500", {"Status": "New"}) is None
