"""An upload broken off at any call, or whose answers are lost on the way, goes on: nothing is lost,
nothing is there twice.
"""

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from orgweave.crm.seam import RecordResult
from orgweave.load.client import Client
from orgweave.load.idmap import Identity, opened
from orgweave.load.load import identity_of, infos_of
from orgweave.load.settings import login_of
from orgweave.load.source import UploadSource
from schemas.errors import BadInput, CrmUnreachable, Unreachable
from tests.server_client import client
from tests.tiers import tried_on
from tests.upload_orgs import connected, differences, empty, ids, loading, reading

ONE_WAY = ("create", "update", "publish", "fill_job", "end_job")
WRITES = (*ONE_WAY, "open_job")
"""`open_job` may be asked again: a job that was never filled does nothing."""
HERE = Identity("http://127.0.0.1:1", "00Dsb0000000001AAA", "3f2a")


class Killed(BaseException):
    """The process ends here."""


class Breaking:
    """A real client that breaks at a write: `after` so many of them, before the request goes out or
    when its answer is on the way.
    """

    def __init__(
        self,
        real: Client,
        after: int,
        sent: bool,
        fault: BaseException,
        again: bool = False,
        writes: tuple[str, ...] = WRITES,
    ) -> None:
        self._names = writes
        self._real, self._left, self._sent, self._fault, self._again, self._every = (
            real,
            after,
            sent,
            fault,
            again,
            after,
        )

    def __getattr__(self, name: str) -> Any:
        work = getattr(self._real, name)
        if name not in self._names:
            return work

        def call(*values: Any) -> Any:
            self._left -= 1
            if self._left >= 0:
                return work(*values)
            if self._again:
                self._left = self._every
            if self._sent:
                work(*values)
            raise self._fault

        return call


@tried_on(
    "external_id, bulk_from, turns",
    [("", 30, 5), ("Synth_Id__c", 30, 5), ("", 100_000, 2)],
)
@tried_on("sent", [True, False])
def test_broken_off_at_every_write_it_goes_on(
    tiny: Path,
    tmp_path: Path,
    external_id: str,
    bulk_from: int,
    turns: int,
    sent: bool,
) -> None:
    """Killed at one of its first writes (a bulk job takes three), continued and killed again, and
    so on to the end: the CRM then holds the org, whether the last request went out or not.
    """
    idmap, kills = tmp_path / "idmap.jsonl", 0
    with empty(tiny, external_id) as server:
        read = reading(connected(server), tiny)
        while kills < 100:
            target = Breaking(connected(server), kills % turns, sent, Killed())
            start = loading(target, tiny, idmap, bulk_from, read=read)
            with suppress(Killed), start as (load, out):
                load.run(out)
                break
            kills += 1
        assert differences(client(server), tiny, idmap) == []
        assert (
            client(server).query("SELECT COUNT() FROM LiveChatVisitor")["totalSize"]
            == client(server).query("SELECT COUNT() FROM LiveChatTranscript")["totalSize"]
            > 0
        )
    assert kills > 10


@tried_on("external_id", ["", "Synth_Id__c"])
@tried_on("sent", [True, False])
def test_lost_answers_are_looked_up(
    tiny: Path,
    tmp_path: Path,
    external_id: str,
    sent: bool,
) -> None:
    """Where every fourth write finds no answer, whether the CRM took it or not, one run still loads
    everything once.
    """
    with empty(tiny, external_id) as server:
        target = Breaking(
            connected(server),
            3,
            sent,
            CrmUnreachable("the line is dead"),
            again=True,
            writes=ONE_WAY,
        )
        with loading(target, tiny, tmp_path / "idmap.jsonl", 30) as (load, out):
            load.run(out)
        assert load.sender.tally.refused == 0
        assert differences(client(server), tiny, tmp_path / "idmap.jsonl") == []


def test_a_lost_id_map_is_found_again_by_the_external_id(tiny: Path, tmp_path: Path) -> None:
    """Where the CRM has an external id field, the same org loaded again without its id map finds
    its own records and doubles none.
    """
    with empty(tiny) as server:
        for name in ("first.jsonl", "second.jsonl"):
            with loading(connected(server), tiny, tmp_path / name) as (load, out):
                load.run(out)
            assert differences(client(server), tiny, tmp_path / name) == []
    assert {
        key: value for key, value in ids(tmp_path / "first.jsonl").items() if "Visitor" not in key
    } == {
        key: value for key, value in ids(tmp_path / "second.jsonl").items() if "Visitor" not in key
    }


def test_records_that_were_there_before_are_not_taken_for_ours(tiny: Path, tmp_path: Path) -> None:
    """Without an external id, a batch of unknown fate is not mapped onto records alike that the CRM
    had before.
    """
    with empty(tiny, "") as server:
        sf = client(server)
        issues = json.loads((tiny / "upload" / "Issue__c.json").read_text())["records"]
        before = {
            sf.Issue__c.create({"Name": one["Name"], "Description__c": "an older one"})["id"]
            for one in issues
        }
        read = reading(connected(server), tiny)
        for after in range(60):
            target = Breaking(connected(server), after, False, Killed())
            start = loading(target, tiny, tmp_path / "idmap.jsonl", read=read)
            with suppress(Killed), start as (load, out):
                load.run(out)
                break
        assert not before & set(ids(tmp_path / "idmap.jsonl").values())
        assert sf.query("SELECT COUNT() FROM Issue__c")["totalSize"] == 2 * len(issues)


def test_a_line_cut_off_by_a_kill_is_taken_away(tmp_path: Path) -> None:
    """Half a line at the file's end is dropped with the next opening, and the lines before it are
    kept.
    """
    path = tmp_path / "idmap.jsonl"
    with opened(path, HERE) as idmap:
        idmap.take("Account", [("001zz00000000001AA", "001sb00000000001AA")])
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"type":"Account","id":"00')
    with opened(path, HERE) as idmap:
        assert idmap.org_id("001zz00000000001AA") == "001sb00000000001AA"
    assert path.read_bytes() == whole


def test_a_batch_is_pending_until_its_fate_is_known(tmp_path: Path) -> None:
    """What was said to be sent and not told as sent is pending after a new opening, with its keys,
    its job and what the CRM had before.
    """
    path = tmp_path / "idmap.jsonl"
    with opened(path, HERE) as idmap:
        first = idmap.send("Account", keys=["a", "b"], known=["k"])
        second = idmap.send("Order", job="750")
        idmap.sent(second, [("o", "801")])
    with opened(path, HERE) as idmap:
        assert idmap.pending("Account") == [first]
        assert (first.keys, first.known) == (("a", "b"), frozenset({"k"}))
        assert idmap.pending("Order") == []
        assert idmap.org_id("o") == "801"
        assert idmap.send("Case").number == 3


def test_a_damaged_id_map_is_refused(tmp_path: Path) -> None:
    """A line that isn't what was written, with a later write behind it, is refused by number and
    left as it is, for nothing may be guessed about what the CRM has.
    """
    path = tmp_path / "idmap.jsonl"
    with opened(path, HERE) as idmap:
        for key in "abc":
            idmap.take("Account", [(key, f"001{key}"), (f"{key}{key}", f"001{key}{key}")])
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for number in range(len(lines) - 2):
        for broken in (b"half a line\n", lines[number].replace(b'"type"', b'"tYpe"', 1)[:-9]):
            path.write_bytes(b"".join([*lines[:number], broken + b"\n", *lines[number + 1 :]]))
            damaged = path.read_bytes()
            with pytest.raises(BadInput, match=f"line {number + 1} is damaged"), opened(path, HERE):
                pass
            assert path.read_bytes() == damaged


def test_a_torn_last_write_is_cut_off_wherever_it_is_torn(tmp_path: Path) -> None:
    """Of a write of several lines any part may be missing, in the middle too, as after a loss of
    power: the lines before the gap are kept, and the file is whole again.
    """
    path = tmp_path / "idmap.jsonl"
    with opened(path, HERE) as idmap:
        sending = idmap.send("Account", keys=["a", "b", "c"])
        before = path.stat().st_size
        idmap.sent(sending, [("a", "001a"), ("b", "001b"), ("c", "001c")])
    whole = path.read_bytes()
    for start in range(before, len(whole)):
        path.write_bytes(whole[:start] + bytes(min(9, len(whole) - start)) + whole[start + 9 :])
        with opened(path, HERE) as idmap:
            assert idmap.pending("Account") == [sending]
            kept = whole[before:start].count(b"\n")
            assert idmap.ids_of("Account") == set(["001a", "001b", "001c"][:kept])
        assert path.read_bytes() == whole[: whole.rfind(b"\n", 0, start) + 1]


class Moody(BaseHTTPRequestHandler):
    """Answers 503 to the first two requests of each path, then as a CRM; remembers the headers that
    it saw.
    """

    seen: dict[str, list[dict[str, str]]]

    def do_GET(self) -> None:  # noqa: N802
        """A query."""
        self._answer({"records": [{"Id": "005"}], "done": True, "totalSize": 1})

    def do_POST(self) -> None:  # noqa: N802
        """A collection."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer([{"id": "001", "success": True, "errors": []}])

    def _answer(self, body: object) -> None:
        path = self.path.partition("?")[0]
        seen = self.server.seen.setdefault(path, [])  # type: ignore[attr-defined]
        seen.append(dict(self.headers))
        data = json.dumps(
            body if len(seen) > 2 else [{"errorCode": "SERVER_UNAVAILABLE", "message": "busy"}]
        ).encode()
        self.send_response(200 if len(seen) > 2 else 503)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *values: object) -> None:
        """Silent."""


def test_reads_are_tried_again_and_writes_are_not(tmp_path: Path) -> None:
    """A query is asked again after HTTP 503; a write is not, for the CRM may have taken it; both
    carry the headers that keep rules of the CRM from moving records.
    """
    server = HTTPServer(("127.0.0.1", 0), Moody)
    server.seen = {}  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        sf = Client(login_of(f"http://127.0.0.1:{server.server_port}", "s", {}), pauses=(0.0, 0.0))
        assert sf.query("SELECT Id FROM User") == [{"Id": "005"}]
        for _ in range(2):
            with pytest.raises(CrmUnreachable, match="503"):
                sf.create("Account", [{"Name": "Hale"}])
        assert sf.create("Account", [{"Name": "Hale"}]) == [RecordResult("001")]
        path = "/services/data/v59.0/composite/sobjects"
        headers = server.seen[path][-1]  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
    assert headers["Sforce-Auto-Assign"] == "FALSE"
    assert headers["Sforce-Duplicate-Rule-Header"] == "allowSave=true"
    assert sf.calls == 6


class Odd(BaseHTTPRequestHandler):
    """Answers every request with HTTP 200 and the server's one text."""

    def do_GET(self) -> None:  # noqa: N802
        """A read."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.server.text)  # type: ignore[attr-defined]

    def do_POST(self) -> None:  # noqa: N802
        """A write."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def log_message(self, *values: object) -> None:
        """Silent."""


ODD_ANSWERS = (
    b"null",
    b"5",
    b'"yes"',
    b"[]",
    b"[null]",
    b'[{"success": true}, 1]',
    b"{}",
    b'{"records": null}',
    b'{"records": [null], "totalSize": 1}',
    b'{"records": 1, "totalSize": 1}',
    b'{"records": []}',
    b'{"records": 5, "sobjects": 7, "fields": "x"}',
    b'{"records": [5], "sobjects": [7], "fields": [null]}',
    b"[" * 100_000,
)


@pytest.mark.parametrize("answer", ODD_ANSWERS)
def test_an_answer_that_tells_nothing_counts_as_none(answer: bytes) -> None:
    """HTTP 200 with `null`, with fewer results than records or with none at all is no answer, for
    every call: what was sent is of unknown fate.
    """
    server = HTTPServer(("127.0.0.1", 0), Odd)
    server.text = answer  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        sf = Client(login_of(f"http://127.0.0.1:{server.server_port}", "s", {}), pauses=())
        for ask in (
            lambda: sf.create("Account", [{"Name": "Hale"}, {"Name": "Hill"}]),
            lambda: sf.update("Account", [{"Id": "001"}, {"Id": "002"}]),
            lambda: sf.publish(["ka01", "ka02"]),
            lambda: sf.open_job("Account"),
            lambda: sf.query("SELECT Id FROM User"),
            sf.object_names,
            lambda: sf.describe("Account"),
        ):
            with pytest.raises(Unreachable):
                ask()
    finally:
        server.shutdown()
        server.server_close()


def test_a_session_with_a_line_break_is_one_line(tiny: Path) -> None:
    """What can't be sent is not tried again: the message names the token."""
    with empty(tiny) as server:
        sf = Client(login_of(server.url, "a\r\nX: y", {}), pauses=(60.0,))
        with pytest.raises(BadInput, match="the token may hold no line break"):
            sf.query("SELECT Id FROM User")


def test_a_crm_without_a_single_object_type_is_not_loaded(tiny: Path) -> None:
    """Nothing would be loaded, and the command would end well."""
    server = HTTPServer(("127.0.0.1", 0), Odd)
    server.text = b'{"sobjects": [{"name": "Spaceship"}, {}]}'  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        sf = Client(login_of(f"http://127.0.0.1:{server.server_port}", "s", {}), pauses=())
        with pytest.raises(BadInput, match="has no object type of the org, such as"):
            infos_of(sf, UploadSource(tiny))
    finally:
        server.shutdown()
        server.server_close()


def test_a_crm_that_nobody_reaches_is_one_line(tiny: Path, tmp_path: Path) -> None:
    """An address where nothing listens ends the upload with exit code 1 and one line, and leaves no
    id map.
    """
    with empty(tiny) as server:
        url = server.url
    gone = Client(login_of(url, "s", {}), pauses=())
    idmap = tmp_path / "idmap.jsonl"
    with (
        pytest.raises(CrmUnreachable, match="nothing gets through") as raised,
        opened(idmap, identity_of(gone, UploadSource(tiny))),
    ):
        pass
    assert raised.value.exit_code == 1
    assert "\n" not in str(raised.value)
    assert not idmap.exists()
