"""The figures of the writer that calls a model, for `make bench` (or alone: `python -m
tests.bench_model`).

The endpoint is the package's own server in a process of its own; the client is the real one. Ideal
time is calls × latency ÷ calls at once.
"""

import asyncio
import hashlib
import json
import math
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from pipeline.config import RunRequest, load_job
from pipeline.ledger import Ledger, LedgerEntry
from pipeline.plan import Plan, make_plan

ROOT = Path(__file__).parent.parent
Figure = Callable[..., None]
NOTE = """
$schema: https://json-schema.org/draft/2020-12/schema
title: Note
description: A note of five written fields.
type: object
x-key-prefix: "0no"
x-count: {{number: {count}}}
x-unit: {{batch: {batch}}}
x-facts: {{number: Number}}
properties:
  Id: {{type: string, x-source: {{id: true}}}}
  Number: {{type: string, x-source: {{sequence: "note {{:06d}}"}}}}
"""
FIELD = (
    '  {name}: {{type: string, minLength: 2, x-source: {{written: "A few words about the note.",'
    " words: 8}}}}\n"
)
PROFILE = (
    "name: Bramble Notes\nindustry: stationery\ndescription: Sells notebooks by mail.\nschema:"
    " {schema}\nperiod: {{start: 2021-01-01, end: 2021-12-31}}\n"
)


def model_figures(figure: Figure, folder: Path) -> None:
    """All of them, the quick ones first."""
    _tokens(figure)
    _one_object(figure, folder)
    _transports(figure)
    _shoes(figure, folder)
    _faults(figure, folder)
    _kills(figure, folder)
    _many(figure, folder)


def notes(folder: Path, count: int, batch: int, fields: int = 5) -> Path:
    """A company with one object type of so many records, so many a call."""
    schema = folder / f"notes_{count}_{batch}"
    schema.mkdir(parents=True, exist_ok=True)
    names = ("One", "Two", "Three", "Four", "Five")[:fields]
    (schema / "Note.yaml").write_text(
        NOTE.format(count=count, batch=batch).lstrip()
        + "".join(FIELD.format(name=name) for name in names)
    )
    profile = folder / f"{schema.name}.yaml"
    profile.write_text(PROFILE.format(schema=schema.name))
    return profile


@contextmanager
def served(company: str, *options: str) -> Iterator[str]:
    """The test server as a process; its base URL."""
    process = subprocess.Popen(
        [sys.executable, "-m", "orgweave.testing", "--company", company, *options],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def counts(url: str) -> dict[str, int]:
    """What a server has counted."""
    with urllib.request.urlopen(url.replace("/v1", "/counts")) as reply:
        found: dict[str, int] = json.loads(reply.read())
    return found


def command(company: str, url: str, out: Path, *more: str) -> list[str]:
    """`generate` with a model of that server, without the drawing of the run's page."""
    return [
        sys.executable,
        "-m",
        "pipeline",
        "generate",
        "--company",
        company,
        "--model",
        "bench",
        "--base-url",
        url,
        "--out",
        str(out),
        "--price",
        "2.5,10",
        "--no-report",
        *more,
    ]


def timed(words: list[str]) -> tuple[float, float]:
    """Wall and processor seconds of a whole process; it must end with 0."""
    started, before = time.monotonic(), os.times()
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    after = os.times()
    require_ended(words, done.returncode, done.stderr)
    return (
        time.monotonic() - started,
        after.children_user + after.children_system - before.children_user - before.children_system,
    )


def require_ended(words: list[str], code: int, says: str) -> None:
    """Ends the bench, with what the process said, where it didn't end with 0."""
    if code:
        raise SystemExit(f"{' '.join(words)}\nended with {code}: {says.strip()}")


def _tokens(figure: Figure) -> None:
    print("prompt tokens of the whole shoe company, as planned")
    one, ten = (make_plan(load_job(RunRequest("shoes", scale=scale))) for scale in (1, 10))
    figure(
        "prompt tokens against the paper's way (all earlier entries in each)",
        _prompts(one) / sum(node.papers_tokens_in for node in one.nodes),
        0.25,
    )
    figure(
        "growth exponent of prompt tokens, scale 10 against 1",
        math.log10(_prompts(ten) / _prompts(one)),
        1.05,
    )


def _prompts(plan: Plan) -> int:
    return sum(node.tokens_in for node in plan.nodes)


def _one_object(figure: Figure, folder: Path) -> None:
    print("2,000 records of 5 fields, 200 ms, 64 calls at once, whole process")
    for batch in (1, 10):
        (wall, spent), (bare, bare_spent) = _beside_a_bare_client(folder, batch)
        print(
            f"  {batch} a call: {wall:.2f} s, {spent / 2:.2f} ms processor time a record; a bare"
            f" client {bare:.2f} s, {bare_spent / 2:.2f} ms; ideal {2000 / batch * 0.2 / 64:.2f} s"
        )
        if batch == 1:
            figure("one record a call: speed against the bare client", bare / wall, 0.9, most=False)
        else:
            figure("ten records a call: processor time a record", spent / 2, 0.9, unit="ms")


def _beside_a_bare_client(
    folder: Path, batch: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Wall and processor seconds of the quickest of three runs, and of the bare client's.

    They take turns, so that a busy machine slows both alike.
    """
    company = str(notes(folder, 2000, batch))
    ours, bare = [], []
    with served(company, "--latency", "0.2", "--plain") as url:
        for number in range(3):
            out = folder / f"notes-{batch}-{number}"
            ours.append(timed(command(company, url, out, "--judge-model", "none")))
            bare.append(timed([sys.executable, "-m", "tests.bare_client", url, "2000", str(batch)]))
    return min(ours), min(bare)


def _transports(figure: Figure) -> None:
    print(
        "the openai client alone, 1,000 calls of 50 ms, 64 at once: its aiohttp transport against"
        " its default"
    )
    with tempfile.TemporaryDirectory() as folder:
        company = str(notes(Path(folder), 10, 1))
        with served(company, "--latency", "0.05", "--plain") as url:
            spent = {
                name: _calls(url, name) for name in ("default", "aiohttp", "default", "aiohttp")
            }
    figure(
        "processor time of the aiohttp transport, default = 1",
        spent["aiohttp"] / spent["default"],
        1,
    )


def _calls(url: str, name: str) -> float:
    code = f"from tests.bench_model import client_alone; client_alone({url!r}, {name!r})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    return float(done.stdout)


def client_alone(url: str, name: str) -> None:
    """Prints the processor seconds of 1,000 calls."""
    import httpx2
    import openai

    body = {
        "model": "bench",
        "messages": [{"role": "user", "content": 'Object type: Note\n{"unit": 1, "facts": {}}'}],
    }

    async def main() -> None:
        http = (
            openai.DefaultAioHttpClient(trust_env=False)
            if name == "aiohttp"
            else openai.DefaultAsyncHttpxClient(trust_env=False)
        )
        client, calls = (
            openai.AsyncOpenAI(api_key="none", base_url=url, max_retries=0, http_client=http),
            iter(range(1000)),
        )

        async def worker() -> None:
            for _ in calls:
                await client.post("/chat/completions", cast_to=httpx2.Response, body=body)

        await asyncio.gather(*(worker() for _ in range(64)))
        await client.close()

    started = time.process_time()
    asyncio.run(main())
    print(time.process_time() - started)


def _shoes(figure: Figure, folder: Path) -> None:
    print(
        "the whole shoe company at 1 s latency, 64 calls at once (the server's words made"
        " beforehand)"
    )
    with served("shoes", "--latency", "1") as url:
        timed(command("shoes", url, folder / "warm"))
        before = counts(url)["calls"]
        first, wall = _first_call(url, command("shoes", url, folder / "shoes"))
        calls = counts(url)["calls"] - before
    path = critical_path(folder / "shoes" / "ledger.sqlite")
    print(
        f"  {wall:.1f} s for {calls} calls; ideal {calls / 64:.1f} s, critical path {path} calls"
        f" one after the other, of them {longest_lane()} in the longest lane"
    )
    figure("first call after the start", first, 1, unit="s")
    figure("wall of the whole shoe company", wall, 17, unit="s")


def _first_call(url: str, words: list[str]) -> tuple[float, float]:
    """Seconds until a run's first call reaches the server, and until the run ends."""
    before, started = counts(url)["calls"], time.monotonic()
    first = 0.0
    with _silent(words) as process:
        while process.poll() is None and not first:
            if counts(url)["calls"] > before:
                first = time.monotonic() - started
            time.sleep(0.02)
        _, says = process.communicate()
        ended = time.monotonic() - started
    require_ended(words, process.returncode, says)
    return first, ended


def _silent(words: list[str]) -> "subprocess.Popen[str]":
    """A process under way, of which only what goes wrong is kept."""
    return subprocess.Popen(
        words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def longest_lane() -> int:
    """Calls in the longest lane of the shoe company."""
    return max(node.longest_lane for node in make_plan(load_job(RunRequest("shoes"))).nodes)


def critical_path(ledger: Path) -> int:
    """Calls that had to wait for one another: along the object types that need each other's words,
    lane, rounds of rewriting, judging.
    """
    lanes = {
        node.name: node.longest_lane for node in make_plan(load_job(RunRequest("shoes"))).nodes
    }
    with sqlite3.connect(ledger) as db:
        rounds = dict(
            db.execute(
                "SELECT object, max(json_extract(request, '$.attempt')) / 100 FROM answers GROUP BY"
                " object"
            )
        )
        judged = {name for (name,) in db.execute("SELECT DISTINCT object FROM rulings")}
    steps = {
        name: lanes[name] + rounds.get(name, 0) + (name in judged and not rounds.get(name, 0))
        for name in lanes
    }
    talks = max(steps["EmailMessage"], steps["LiveChatTranscript"])
    # Colleagues' notes need no text of a case: they are written beside the cases.
    return steps["Product2"] + max(steps["Case"] + talks, steps["CaseComment"])


def _faults(figure: Figure, folder: Path) -> None:
    print(
        "every fault in 5 % of the calls, and 429 beyond 16 calls at once: the whole shoe company"
    )
    with served("shoes") as url:
        timed(command("shoes", url, folder / "faultless"))
    with served("shoes", "--faults", "0.05", "--most-at-once", "16") as url:
        timed(command("shoes", url, folder / "faulty"))
        met = {
            name.removeprefix("fault "): number
            for name, number in counts(url).items()
            if name.startswith("fault ") and number
        }
    right, faulty = (
        json.loads((folder / name / "manifest.json").read_text())
        for name in ("faultless", "faulty")
    )
    print("  met: " + ", ".join(f"{name} {number}" for name, number in sorted(met.items())))
    figure("kinds of fault met", len(met), 13, most=False)
    figure(
        "records lost or doubled",
        sum(abs(right["counts"][name] - faulty["counts"][name]) for name in right["counts"]),
        0,
    )
    figure(
        "violated invariants",
        sum(
            one["broken"]
            for one in json.loads((folder / "faulty" / "check.json").read_text())["invariants"]
        ),
        0,
    )
    differs = _digest(folder / "faultless") != _digest(folder / "faulty")
    if differs:
        _tell_differences(folder / "faultless", folder / "faulty")
    figure(
        "orgs that differ from the faultless one (0: byte for byte the same)",
        int(differs),
        0,
    )


def _digest(out: Path) -> str:
    return hashlib.sha256((out / "org.sqlite").read_bytes()).hexdigest()


def _tell_differences(right: Path, other: Path, at_most: int = 5) -> None:
    """Prints the fields in which two orgs of equal counts differ: record, field, both values."""
    with (
        closing(sqlite3.connect(right / "org.sqlite")) as first,
        closing(sqlite3.connect(other / "org.sqlite")) as second,
    ):
        named = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        for (table,) in first.execute(named).fetchall():
            every = f'SELECT * FROM "{table}"'
            read = first.execute(every)
            names = [column[0] for column in read.description]
            rows = zip(read, second.execute(every), strict=False)
            differing = [(one, two) for one, two in rows if one != two]
            for one, two in differing[:at_most]:
                for name, before, after in zip(names, one, two, strict=True):
                    if before != after:
                        print(f"  {table} {one[0]} {name}: {before!r}, with faults {after!r}")


def _kills(figure: Figure, folder: Path) -> None:
    print(
        "kill -9 at 20 random moments, each time continued (shoes at scale 0.3, 0.3 s latency, 16"
        " calls at once)"
    )
    out, rng, lost = folder / "killed", random.Random(20), 0
    with served("shoes", "--latency", "0.3") as url:
        words = command("shoes", url, out, "--scale", "0.3", "--max-connections", "16")
        for _ in range(20):
            process = subprocess.Popen(
                words,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=ROOT,
            )
            time.sleep(rng.uniform(2.0, 4.5))
            process.send_signal(signal.SIGKILL)
            process.wait()
            time.sleep(0.5)
            lost = max(
                lost,
                counts(url).get("answers", 0) - counts(url).get("answers repeated", 0) - _kept(out),
            )
        timed(words)
        repeated, answers = counts(url).get("answers repeated", 0), counts(url)["answers"]
        finished = _kept(out)
    print(
        f"  {answers} answers in all, {finished} mini-batches and rulings finished, {repeated}"
        " answers repeated"
    )
    figure("answers repeated for each kill (calls at once: 16)", repeated / 20, 16)
    figure("finished mini-batches asked again", answers - repeated - finished, 0)


def _kept(out: Path) -> int:
    if not (out / "ledger.sqlite").exists():
        return 0
    with sqlite3.connect(out / "ledger.sqlite") as db:
        return sum(
            db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in ("answers", "rulings")
        )


def _many(figure: Figure, folder: Path) -> None:
    print("100,000 mini-batches through a 5 ms server")
    company = str(notes(folder, 100_000, 1, fields=1))
    out, memory = folder / "many", {}
    with served(company, "--latency", "0.005", "--plain") as url:
        words = command(company, url, out, "--judge-model", "none")
        process = _silent(words)
        while process.poll() is None:
            done = counts(url).get("answers", 0)
            for mark in (10_000, 50_000, 99_000):
                if done >= mark and mark not in memory:
                    memory[mark] = _resident(process.pid)
            time.sleep(0.2)
        _, says = process.communicate()
    require_ended(words, process.returncode, says)
    print(
        "  resident memory: "
        + ", ".join(f"{megabytes:.0f} MB at {mark:,}" for mark, megabytes in memory.items())
    )
    figure(
        "memory at 99,000 finished against 10,000",
        memory[99_000] / memory[10_000],
        1.25,
        unit="fold",
    )
    figure("ledger append, 100,000 in it already", _append(out / "ledger.sqlite"), 1, unit="ms")


def _resident(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def _append(path: Path) -> float:
    """Milliseconds to keep one more mini-batch."""
    with Ledger(path) as ledger:
        kept = LedgerEntry(
            {1: {"unit": 1, "One": "Some words."}},
            {},
            500,
            100,
            text="{}" * 200,
            sent="[]" * 1000,
        )
        started = time.monotonic()
        for at in range(2000):
            ledger.put(f"appended {at}", "Note", "{}" * 400, kept, "bench")
        return (time.monotonic() - started) / 2000 * 1000


def main() -> None:
    """Prints every figure; exits 1 where one misses its bound."""
    from tests.bench import figures

    with figures() as figure, tempfile.TemporaryDirectory(prefix="orgweave-bench-") as folder:
        model_figures(figure, Path(folder))


if __name__ == "__main__":
    main()
