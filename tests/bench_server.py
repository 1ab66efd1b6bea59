"""`python -m tests.bench_server`: what HTTP adds to a query, queries a second with 16 clients,
memory over 100,000 queries; each beside its bound.

The server is a process of its own, as `serve` starts it, over the shoe company at scale 1; clients
are real ones.
"""

import http.client
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from urllib.parse import quote

import orgweave
from tests.figures import Figures

TOKEN = "bench"
V = "/services/data/v59.0"
SOQL = (
    "SELECT Id, Subject, Status, CreatedDate FROM Case WHERE Status = 'Closed' ORDER BY CreatedDate"
    " DESC LIMIT 20"
)
SQL = (
    "SELECT Id, Subject, Status, CreatedDate FROM \"Case\" WHERE Status = 'Closed' ORDER BY"
    " CreatedDate DESC LIMIT 20"
)
CLIENTS, PROCESSES, MANY = 16, 2, 100_000


def main() -> None:
    """Prints every figure; exits 1 where one misses its bound."""
    figure = Figures()
    with tempfile.TemporaryDirectory(prefix="orgweave-server-") as folder:
        org = Path(folder) / "shoes"
        subprocess.run(
            [sys.executable, "-m", "pipeline", "generate", "--company", "shoes", "--out", str(org)],
            check=True,
            capture_output=True,
        )
        with subprocess.Popen(
            [sys.executable, "-m", "pipeline", "serve", str(org), "--token", TOKEN],
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                assert process.stdout is not None
                port = int(process.stdout.readline().rsplit(":", 1)[1])
                _times(port, org, figure)
                _throughput(port, figure)
                _memory(port, process.pid, figure)
            finally:
                process.terminate()
    figure.end()


def _times(port: int, org: Path, figure: Figures) -> None:
    print("one client, simple-salesforce, median of 300")
    sf = orgweave.connect(f"http://127.0.0.1:{port}", TOKEN)
    with sqlite3.connect(f"file:{org}/org.sqlite?mode=ro", uri=True) as db:
        plain = _median(lambda: db.execute(SQL).fetchall())
    db.close()
    empty = _median(lambda: sf.restful("", method="GET"))
    query = _median(lambda: sf.query(SOQL))
    figure("the SQL alone, plain sqlite3", plain, 50, "ms")
    figure("an empty request", empty, 5, "ms")
    figure(
        "the SOQL over HTTP, by the SQL and an empty request together",
        query / (plain + empty),
        1.5,
        "x",
    )


def _throughput(port: int, figure: Figures) -> None:
    print(f"{CLIENTS} clients, each with a connection of its own, in {PROCESSES} processes")
    for says, text in (
        ("20 cases by status", SOQL),
        ("a user by id of another text each time", ""),
    ):
        started = time.perf_counter()
        with get_context("spawn").Pool(PROCESSES) as pool:
            pool.starmap(_nothing, [()] * PROCESSES)
            started = time.perf_counter()
            done = sum(
                pool.starmap(
                    _load, [(port, text, 2000 // PROCESSES, seed) for seed in range(PROCESSES)]
                )
            )
        figure(
            f"queries a second: {says}",
            done / (time.perf_counter() - started),
            500,
            "1/s",
            at_least=True,
        )


def _memory(port: int, pid: int, figure: Figures) -> None:
    print(f"{MANY:,} queries, each another text")
    _load(port, "", 10_000, 99)
    before = _resident(pid)
    _load(port, "", MANY, 100)
    figure("memory that the server grew by", _resident(pid) - before, 20, "MB")


def _nothing() -> None:
    """Starts a process of the pool before the clock does."""


def _load(port: int, text: str, count: int, seed: int) -> int:
    """That many queries by this process's share of the clients; an empty text stands for a text of
    its own each.
    """

    def client(number: int) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        each = count // (CLIENTS // PROCESSES)
        for turn in range(each):
            own = f"SELECT Id, Name FROM User WHERE Name != '{seed} {number} {turn}' LIMIT 1"
            _get(connection, f"{V}/query?q={quote(text or own)}")
        return each

    with ThreadPoolExecutor(CLIENTS // PROCESSES) as pool:
        return sum(pool.map(client, range(CLIENTS // PROCESSES)))


def _get(client: http.client.HTTPConnection, path: str) -> object:
    client.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
    answer = client.getresponse()
    body = json.loads(answer.read())
    assert answer.status == 200, body
    return body


def _resident(pid: int) -> float:
    """Megabytes of memory that a process holds."""
    return (
        int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    )


def _median(work: Callable[[], object]) -> float:
    times = []
    for _ in range(300):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    main()
