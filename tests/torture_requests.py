"""Torture by requests: whatever comes over the wire, each server answers, and goes on as before.

No answer may be a 500, none may take long, nobody is let in without the token, and in the end the
server says what it said in the beginning.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from tests.torture_orgs import prepared
from tests.torture_trial import HANGS, Budget, digests
from tests.upload_kills import ROOT

CONNECTIONS = 8
TOKEN = "torture"
BASE = "/services/data/v59.0"
ODD = (
    *(
        "",
        "0",
        "-1",
        "null",
        "é",
        "日本",
        "\u202e",
        "'",
        '"',
        "\\",
        "%",
        "%00",
        "../..",
        "a" * 5000,
    ),
    *("' OR Id != '", "{{7*7}}", "<script>", "1e999", "001zz0000000001AAA", "\x00", "\r\nX: y"),
    *("SELECT Id FROM Case", "SELECT COUNT() FROM Account", "FIND {a} RETURNING Case(Id)"),
    *("SELECT Id, (SELECT Id FROM Cases) FROM Account WHERE Name LIKE '%_%' LIMIT 5", "{", "[]"),
    *(
        "select zeroblob(300000000)",
        "select 1",
        "with recursive a(b) as (select 1) select b from a",
    ),
)
KEYS = (
    *("Id", "Name", "records", "attributes", "type", "allOrNone", "compositeRequest", "method"),
    *("url", "referenceId", "body", "graphs", "graphId", "object", "operation", "state", "ids"),
    *("jsonrpc", "id", "params", "arguments", "name", "protocolVersion", "LastName", "fields"),
)
PATHS = {
    "serve": (
        *("/", BASE, f"{BASE}/", f"{BASE}/sobjects", f"{BASE}/sobjects/Account/describe"),
        *(f"{BASE}/sobjects/Account", f"{BASE}/sobjects/Case/~", f"{BASE}/sobjects/~/~/~"),
        *(f"{BASE}/query?q=~", f"{BASE}/search?q=~", f"{BASE}/queryAll?q=~", f"{BASE}/query/~"),
        *(f"{BASE}/composite", f"{BASE}/composite/sobjects", f"{BASE}/composite/graph"),
        *(f"{BASE}/composite/tree/Account", f"{BASE}/composite/sobjects/Account?ids=~&fields=~"),
        *(f"{BASE}/jobs/ingest", f"{BASE}/jobs/ingest/~", f"{BASE}/jobs/query", f"{BASE}/~/~"),
        *(f"{BASE}/jobs/ingest/~/batches", f"{BASE}/limits", "/services/Soap/u/59.0", "/~"),
    ),
    "explore": (
        *("/", "/org", "/org/Case", "/org/Account?_search=~", "/org/Case?_sort=~", "/org/~/~"),
        *("/org.json?sql=~", "/org/Case.json?_where=~", "/org/Case?_facet=~&_size=~", "/~"),
        *("/-/~", "/-/static/~", "/org/Case/~.json", "/org/Case.json?_next=~", "/org?sql=~&_~=~"),
    ),
    "mcp": ("/mcp", "/mcp", "/mcp", "/mcp?~=~", "/~"),
}
METHODS = ("GET", "GET", "GET", "POST", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS", "BREW")


@dataclass(frozen=True, slots=True)
class FuzzedServer:
    """A server under torture: its place, its process, and the path whose answer stays the same."""

    name: str
    port: int
    process: "subprocess.Popen[bytes]"
    log: Path
    same: bytes


@dataclass(slots=True)
class WireAnswers:
    """What came back: counts by status, and what was wrong with whom."""

    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[str, bytes]] = field(default_factory=list)
    late: list[tuple[bytes, bool]] = field(default_factory=list)
    """Requests that took long while others were answered, and whether each was broken."""


def requests_to(name: str, *words: str) -> Callable[[Budget], None]:
    """The part that tortures one server."""

    def part(budget: Budget) -> None:
        whole = prepared(budget.scratch)
        before = digests(whole)
        with listening(name, whole, words) as server:
            budget.started = time.monotonic()
            first = asyncio.run(exchange(server.port, server.same, False))
            answers = WireAnswers()
            asyncio.run(fuzzed(budget, server, answers))
            asyncio.run(repeated(server, answers))
            last = asyncio.run(exchange(server.port, server.same, False))
            alive = server.process.poll() is None
            report(budget, answers, server.log)
        if not alive:
            budget.tally.fail("traceback", "the server has died")
        elif "--writable" not in words and body(first) != body(last):
            budget.tally.fail("lost", "the server answers otherwise than in the beginning")
        if digests(whole) != before:
            budget.tally.fail("lost", "the org has changed")

    return part


@contextmanager
def listening(name: str, whole: Path, words: tuple[str, ...]) -> Iterator[FuzzedServer]:
    """A server in a process of its own, what it complains of in a file."""
    handle, log = tempfile.mkstemp()
    line = [sys.executable, "-m", "pipeline", name, str(whole), *words]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=handle, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[-1].decode()
            place, _, token = url.partition("?token=")
            port = int(place.rstrip("/").removesuffix("/mcp").rpartition(":")[2])
            if token:
                PASSES["explore"] = token
            path = {"serve": f"{BASE}/query?q={quote('SELECT Id, Name FROM Account')}"}
            same = request(
                "GET",
                path.get(name, "/org/Case.json?_size=5&_shape=array"),
                b"",
                name,
                port,
            )
            yield FuzzedServer(name, port, process, Path(log), same)
        finally:
            process.terminate()
            process.wait()
            os.close(handle)
            Path(log).unlink()


PASSES = {"serve": TOKEN, "mcp": ""}
"""The token of each server."""


def request(
    method: str,
    path: str,
    content: bytes,
    name: str,
    port: int,
    token: bool = True,
) -> bytes:
    """A request as it goes over the wire."""
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Content-Length: {len(content)}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
    ]
    if token and PASSES[name]:
        lines.append(f"Authorization: Bearer {PASSES[name]}")
    return "\r\n".join([*lines, "", ""]).encode() + content


async def fuzzed(budget: Budget, server: FuzzedServer, answers: WireAnswers) -> None:
    """Several clients that share the trials."""
    trials = budget.trials()

    async def client() -> None:
        for _, rng in trials:
            broken = rng.random() < 0.15
            token = rng.random() > 0.05
            sent, path = drawn(rng, server, token)
            if broken:
                sent = mangled(rng, sent)
            try:
                found = await asyncio.wait_for(exchange(server.port, sent, broken), HANGS)
            except TimeoutError:
                answers.late.append((sent, broken))
                continue
            except OSError:
                found = b""
            status = found[9:12].decode(errors="replace")
            answers.statuses[status or "closed"] += 1
            if status.startswith("5") and status not in ("501", "503"):
                answers.wrong.append(("traceback", sent))
            inside = server.name != "mcp" and path.startswith((f"{BASE}/", "/org"))
            if not token and not broken and inside and status.startswith("2"):
                answers.wrong.append(("silent", sent))
            if server.process.poll() is not None:
                return

    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))


async def repeated(server: FuzzedServer, answers: WireAnswers) -> None:
    """Sends what took long again, while nobody else asks: on a busy machine eight pages that are
    asked for at a time may take long together, and only what takes long alone hangs.
    """
    for sent, broken in answers.late:
        try:
            await asyncio.wait_for(exchange(server.port, sent, broken), HANGS)
        except TimeoutError:
            answers.wrong.append(("hang", sent))
        except OSError:
            pass


def drawn(rng: random.Random, server: FuzzedServer, token: bool) -> tuple[bytes, str]:
    """A random request, and its path."""
    path = rng.choice(PATHS[server.name])
    while "~" in path:
        path = path.replace("~", quote(rng.choice(ODD), safe=""), 1)
    method = rng.choice(METHODS)
    if server.name == "explore" and rng.random() < 0.8:
        method = "GET"  # It only shows.
    content = b""
    if method not in ("GET", "HEAD"):
        content = json.dumps(tree(rng, 3)).encode()
        if rng.random() < 0.2:
            content = rng.choice([b"", b"{", b"\xff", b"[" * 3000, b"Name\nx\n", b"null", b"0"])
    if server.name == "mcp" and rng.random() < 0.6:
        method, content = "POST", json.dumps(rpc(rng)).encode()
    return request(method, path, content, server.name, server.port, token), path


def tree(rng: random.Random, depth: int) -> object:
    """A random value of JSON, with keys that the servers know."""
    kind = rng.random()
    if depth and kind < 0.5:
        return {rng.choice(KEYS): tree(rng, depth - 1) for _ in range(rng.randrange(4))}
    if depth and kind < 0.65:
        return [tree(rng, depth - 1) for _ in range(rng.randrange(4))]
    odd: tuple[object, ...] = (*ODD, 0, -1, 1e300, 2**70, True, None, "Account", "GET", BASE)
    return rng.choice(odd)


def rpc(rng: random.Random) -> dict[str, object]:
    """A call of the Model Context Protocol, more or less."""
    method = rng.choice(
        ["tools/call", "tools/list", "resources/read", "initialize", rng.choice(ODD)]
    )
    names = ["search_products", "issue_soql_query", "get_cases", "calculate_average_handle_time"]
    params = {"name": rng.choice([*names, *ODD[:5]]), "arguments": tree(rng, 2)}
    return {"jsonrpc": "2.0", "id": rng.choice([1, "a", None]), "method": method, "params": params}


def mangled(rng: random.Random, sent: bytes) -> bytes:
    """The same with some bytes otherwise."""
    content = bytearray(sent)
    for _ in range(rng.randrange(1, 5)):
        place = rng.randrange(max(1, len(content)))
        match rng.randrange(3):
            case 0:
                content[place : place + 1] = bytes([rng.randrange(256)])
            case 1:
                del content[place : place + rng.randrange(40)]
            case _:
                content[place:place] = content[: rng.randrange(1, 60)]
    return bytes(content)


async def exchange(port: int, sent: bytes, broken: bool) -> bytes:
    """What comes back on a connection of its own; of a broken request all until its end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        with suppress(ConnectionError):
            writer.write(sent)
            await writer.drain()
        if broken:
            with suppress(OSError):
                writer.write_eof()
            return await reader.read()
        head = await reader.readuntil(b"\r\n\r\n")
        lowered = head.lower()
        if sent.startswith(b"HEAD") or head[9:12] in (b"204", b"304"):
            return head
        if b"content-length:" in lowered:
            size = int(lowered.partition(b"content-length:")[2].split(b"\r\n")[0])
            return head + await reader.readexactly(size)
        if b"text/event-stream" in lowered and sent.startswith(b"GET"):
            return head  # A stream of what the server may tell one day: it has no end.
        if b"chunked" in lowered:
            return head + await reader.readuntil(b"0\r\n\r\n")
        return head + await reader.read()
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
        return b""
    finally:
        writer.close()


def body(answer: bytes) -> bytes:
    """An answer without its head, which has the time."""
    return answer.partition(b"\r\n\r\n")[2]


def report(budget: Budget, answers: WireAnswers, log: Path) -> None:
    """Counts what was wrong, and tells what else came."""
    for how, sent in answers.wrong:
        budget.tally.fail(how, repr(sent.replace(b"\r\n", b" ")[:300]))  # type: ignore[arg-type]
    said = log.read_text(errors="replace")
    for text in said.split("Traceback (most recent call last)")[1:]:
        budget.tally.fail("traceback", "the server's log: " + text.strip()[-300:])
    statuses = ", ".join(f"{status} {count}" for status, count in answers.statuses.most_common(12))
    budget.tally.notes.append(f"answers by status: {statuses}")
    if answers.late:
        budget.tally.notes.append(
            f"requests that took long and were sent again: {len(answers.late)}"
        )
