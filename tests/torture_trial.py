"""What the parts of the torture share: a budget of trials and time, a tally of failures, and the
command line run in a forked process, where it can crash, hang or be killed without harm.

Linux and other systems with `fork` and `/proc` only.
"""

import contextlib
import hashlib
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from orgweave.cli import run

Failing = Literal["traceback", "hang", "silent", "lost", "doubled"]
FAILINGS: tuple[Failing, ...] = ("traceback", "hang", "silent", "lost", "doubled")
HANGS = 10.0
"""Seconds after which a command hangs: of the processor, or of the clock without any of it."""
MEMORY = 4 * 2**30
"""Bytes that a command may take, so that a runaway doesn't take the machine."""
TICKS = os.sysconf("SC_CLK_TCK")
SHOWN = 8
"""Failures of one kind that a part prints; more are counted."""
CRASHED = 99
"""The exit code for an exception that nobody caught."""
POLL = 0.002


@dataclass(slots=True)
class PartTally:
    """What one part has done: trials, how many were wanted, what failed, its notes."""

    name: str
    wanted: int
    trials: int = 0
    seconds: float = 0.0
    failed: dict[Failing, list[str]] = field(default_factory=lambda: {f: [] for f in FAILINGS})
    notes: list[str] = field(default_factory=list)

    def fail(self, how: Failing, what: str) -> None:
        """Counts a failure and prints it at once."""
        self.failed[how].append(what)
        if len(self.failed[how]) <= SHOWN:
            print(f"  {how.upper()}: {what}", flush=True)

    @property
    def line(self) -> str:
        """The part's line of the table."""
        counts = "  ".join(f"{name} {len(found)}" for name, found in self.failed.items())
        done = f"{self.trials:,} of {self.wanted:,}"
        return f"{self.name:10} {done:>20} in {self.seconds:5.0f} s   {counts}"


@dataclass(slots=True)
class Budget:
    """What a part may spend: that many trials, those seconds; a scratch folder to work in."""

    tally: PartTally
    seed: int
    seconds: float
    scratch: Path
    started: float = field(default_factory=time.monotonic)

    def trials(self) -> Iterator[tuple[int, random.Random]]:
        """Numbers and random streams, as many as are wanted and fit into the time.

        What was prepared before the first trial doesn't count.
        """
        self.started = time.monotonic()
        for number in range(self.tally.wanted):
            if self.spent > self.seconds:
                break
            yield number, self.stream(number)
            self.tally.trials += 1

    @property
    def spent(self) -> float:
        """Seconds since the part began."""
        return time.monotonic() - self.started

    def stream(self, number: int) -> random.Random:
        """The random stream of a trial, which doesn't depend on the trials before it."""
        return random.Random(f"{self.seed} {self.tally.name} {number}")


@dataclass(frozen=True, slots=True)
class ChildEnd:
    """How a command ended: its code (the negative signal where one ended it), what it said, its
    seconds of the processor, and whether it was ended because it hung.
    """

    code: int
    out: str
    err: str
    cpu: float
    hung: bool = False

    @property
    def crashed(self) -> bool:
        """Whether an exception came out that nobody caught."""
        return self.code == CRASHED or "Traceback (most recent call last)" in self.err

    @property
    def said(self) -> str:
        """The last line of what it complained of."""
        lines = self.err.strip().splitlines()
        return lines[-1] if lines else ""

    @property
    def trace(self) -> str:
        """The innermost frames of its first traceback, and what was said above that."""
        above, _, below = self.err.partition("Traceback (most recent call last)")
        frames = [line.strip() for line in below.splitlines() if line.startswith("  File")]
        return " < ".join([*frames[:-4:-1], *above.strip().splitlines()[-1:]])


@dataclass(slots=True)
class Forked:
    """A process that runs a piece of work; `end` waits for it."""

    pid: int
    out: Path
    err: Path
    status: int | None = None
    cpu: float = 0.0

    def poll(self) -> bool:
        """Whether it is over; its processor time is kept up with."""
        if self.status is None:
            self.cpu = max(self.cpu, cpu_of(self.pid))
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
        return self.status is not None

    def send(self, number: signal.Signals) -> None:
        """Sends it a signal, if it lives."""
        if self.status is None:
            os.kill(self.pid, number)

    def end(self, until: Callable[["Forked"], bool] = lambda child: False) -> ChildEnd:
        """Waits until it is over, hangs, or `until` says that it may be interrupted."""
        hung = asked = False
        cpu, moved = 0.0, time.monotonic()
        while not self.poll():
            if self.cpu > cpu:
                cpu, moved = self.cpu, time.monotonic()
            if not hung and (self.cpu > HANGS or time.monotonic() - moved > HANGS):
                hung = True
                self.send(signal.SIGKILL)
            elif not asked and until(self):
                asked = True
                self.send(signal.SIGINT)
            time.sleep(POLL)
        assert self.status is not None
        code = os.waitstatus_to_exitcode(self.status)
        texts = [
            path.read_text(encoding="utf-8", errors="replace") for path in (self.out, self.err)
        ]
        self.out.unlink()
        self.err.unlink()
        return ChildEnd(code, texts[0], texts[1], self.cpu, hung)


def cpu_of(pid: int) -> float:
    """Seconds of the processor that a process has used; 0 where it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    parts = text.rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / TICKS


def forked(work: Callable[[], int], folder: Path, file_size: int = 0) -> Forked:
    """Runs a piece of work in a process of its own, its words in files; returns at once.

    `file_size` is the most bytes that a file of it may have; 0 for no bound.
    """
    handles = []
    for _ in range(2):
        handle, name = tempfile.mkstemp()
        handles.append((handle, Path(name)))
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        for handle, _ in handles:
            os.close(handle)
        return Forked(pid, handles[0][1], handles[1][1])
    code = CRASHED
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        null = os.open(os.devnull, os.O_RDONLY)
        for number, handle in enumerate([null, handles[0][0], handles[1][0]]):
            os.dup2(handle, number)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        if file_size:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
        os.chdir(folder)
        code = work()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 (whatever comes out here is a failure of the program)
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def command(words: Sequence[str], folder: Path, file_size: int = 0) -> Forked:
    """The command line in a process of its own."""
    return forked(lambda: run(words), folder, file_size)


def digests(folder: Path, patterns: Sequence[str] = ("**/*",)) -> dict[str, str]:
    """SHA-256 of the files of a folder by their paths in it."""
    found = {}
    for pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            if path.is_file():
                name = str(path.relative_to(folder))
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def judged(tally: PartTally, end: ChildEnd, what: str) -> bool:
    """Counts a traceback, a hang, and a failure without a word; whether there was none of them."""
    if end.hung:
        tally.fail("hang", f"{what}: {end.cpu:.0f} s of the processor; {end.said[:200]}")
    elif end.crashed:
        tally.fail("traceback", f"{what}: {end.said[:200]} ({end.trace})")
    elif end.code < 0:
        tally.fail("traceback", f"{what}: ended by signal {-end.code}")
    elif end.code and not end.err.strip() and not end.out.strip():
        tally.fail("silent", f"{what}: exit code {end.code} without a word")
    else:
        return True
    return False
