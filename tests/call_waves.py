"""Which call of a run waits for which: `python -m tests.call_waves COMPANY URL FOLDER [AT_ONCE]`.

Makes a company with a model at that address and notes of each call when it was asked for and when
its answer was there. Prints how many were under way in each half second, by object type, and the
chain that the run waited for: the last answer, the last one that came before that call was asked
for, and so on to the first. What lies between two calls of the chain is the program's own time.
"""

import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.config import PreparedRun, RunRequest
from pipeline.ledger import Ledger, Ruling
from pipeline.making import RunObserver
from pipeline.model.settings import choose
from pipeline.run import WritersOf, generate, writers_with
from pipeline.write.questions import JudgeBatch
from pipeline.write.request import ROUND, WriterAnswer, WriteRequest
from pipeline.write.writer import Judge, Writer, Writers
from verifiers.material import Fact

WIDTH = 0.5  # seconds of a line of the table


@dataclass(frozen=True, slots=True)
class TimedCall:
    """A call: what it was for, and the seconds of its beginning and its end."""

    name: str
    label: str
    began: float
    ended: float


@dataclass(slots=True)
class CallLog:
    """All calls of a run so far, and when each node began; times count from `started`."""

    started: float
    calls: list[TimedCall] = field(default_factory=list)
    nodes: list[tuple[float, str]] = field(default_factory=list)

    def now(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def done(self, name: str, label: str, began: float) -> None:
        """Notes a call that ends now."""
        self.calls.append(TimedCall(name, label, began, self.now()))

    def node(self, name: str) -> None:
        """Notes a node that begins now."""
        self.nodes.append((self.now(), name))


@dataclass(slots=True)
class TimedWriter:
    """A writer whose calls are noted."""

    writer: Writer
    log: CallLog

    @property
    def name(self) -> str:
        """The writer's."""
        return self.writer.name

    @property
    def at_once(self) -> int:
        """The writer's."""
        return self.writer.at_once

    def parameters(self, request: WriteRequest) -> Mapping[str, Fact]:
        """The writer's."""
        return self.writer.parameters(request)

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """What the writer answers."""
        began = self.log.now()
        answer = await self.writer.write(request)
        turn, attempt = divmod(request.attempt, ROUND)
        units = len(request.units)
        label = f"round {turn} try {attempt}, {units} units from {request.units[0].id}"
        self.log.done(request.object, label, began)
        return answer


@dataclass(slots=True)
class TimedJudge:
    """A judge whose calls are noted."""

    judged_by: Judge
    log: CallLog

    @property
    def name(self) -> str:
        """The judge's."""
        return self.judged_by.name

    @property
    def share(self) -> float:
        """The judge's."""
        return self.judged_by.share

    @property
    def prompt(self) -> str:
        """The judge's."""
        return self.judged_by.prompt

    async def judge(self, batch: JudgeBatch) -> Ruling | None:
        """What the judge rules."""
        began = self.log.now()
        ruling = await self.judged_by.judge(batch)
        self.log.done(f"judge {batch.object}", f"{len(batch.items)} texts", began)
        return ruling


def timed_writers(inner: WritersOf, log: CallLog) -> WritersOf:
    """The same writers, their calls noted."""

    @asynccontextmanager
    async def opened(job: PreparedRun, ledger: Ledger) -> AsyncIterator[Writers]:
        async with inner(job, ledger) as writers:
            judge = writers.judge and TimedJudge(writers.judge, log)
            yield replace(writers, writer=TimedWriter(writers.writer, log), judge=judge)

    return opened


def critical_chain(calls: Sequence[TimedCall]) -> list[TimedCall]:
    """The calls that a run waited for, one after the other, the first one first."""
    chain: list[TimedCall] = []
    before = float("inf")
    while True:
        earlier = [call for call in calls if call.ended <= before]
        if not earlier:
            return chain[::-1]
        chain.append(max(earlier, key=lambda call: call.ended))
        before = chain[-1].began


def under_way(calls: Sequence[TimedCall], until: float) -> Iterator[str]:
    """Yields a line for each half second: how many calls were under way in its middle."""
    for number in range(int(until / WIDTH) + 1):
        moment = (number + 0.5) * WIDTH
        there = Counter(call.name for call in calls if call.began <= moment < call.ended)
        told = ", ".join(f"{name} {many}" for name, many in there.most_common())
        yield f"{moment:7.2f} s {there.total():4}  {told}"


def main(company: str, url: str, out: str, at_once: str = "64") -> None:
    """Makes the company and prints what was waited for."""
    options = {"model": "bench", "base_url": url, "max_connections": int(at_once)}
    log = CallLog(time.monotonic())
    timed = timed_writers(writers_with(choose(options, {})), log)
    generate(RunRequest(company), Path(out), RunObserver(node=log.node), timed)
    for line in under_way(log.calls, log.now()):
        print(line)
    before = 0.0
    for call in critical_chain(log.calls):
        waited = call.began - before
        print(f"{waited:6.2f} s, then {call.ended - call.began:6.2f} s {call.name} {call.label}")
        before = call.ended
    print(f"{log.now() - before:6.2f} s after the last of {len(log.calls)} calls")
    for moment, name in log.nodes:
        print(f"{moment:7.2f} s {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
