"""The embedded writer's words, written, verified and compared by workers.

They take a processor's time, so that each worker is given several requests a call. What comes of a
request depends on it and the rules alone, whoever answers it.
"""

import asyncio
import pickle
from collections import deque
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as derived
from functools import partial

from pipeline.compute.executor import Executor
from pipeline.write.comparing import SpreadComparing
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.request import WriteRequest
from pipeline.write.words import VerifiedWords, verified_words
from schemas.field import Field
from schemas.object_type import ObjectType
from verifiers.answer import AnswerRules
from verifiers.likeness import (
    FailedUnits,
    KnownLot,
    KnownLots,
    compare_lot,
    failed_in_any,
    values_by_lot,
    verify_unlike_in,
)
from verifiers.material import Entry

# Requests in a call: some tenths of a second of work, against a millisecond on the way.
A_CALL = 8
# Units from which on their texts are compared by all workers together: so many take a worker a
# second, and those of a field are sent some times.
SPREAD_FROM = 10_000
# Calls that each worker has before it, so that none waits for the next one.
AHEAD = 2


@dataclass(frozen=True, slots=True)
class _Asked:
    request: WriteRequest
    result: asyncio.Future[VerifiedWords]


@dataclass(slots=True)
class _Queue:
    """The requests of one object type that wait for a worker, and the rules as workers get them."""

    rules: AnswerRules
    sent_rules: AnswerRules
    waiting: deque[_Asked] = derived(default_factory=deque)


@dataclass(slots=True)
class WorkerWords:
    """The embedded writer's words, written and verified by an executor's workers."""

    executor: Executor
    writer: EmbeddedWriter
    spread_from: int = SPREAD_FROM
    _sent_writer: EmbeddedWriter = derived(init=False)
    _queues: dict[int, _Queue] = derived(default_factory=dict)
    _under_way: int = 0

    def __post_init__(self) -> None:
        self._sent_writer = self.executor.share(self.writer)

    @property
    def at_once(self) -> int:
        """As many as fill all calls, and as many again that wait for the next one."""
        return 2 * self.executor.workers * AHEAD * A_CALL

    async def words(self, request: WriteRequest, rules: AnswerRules) -> VerifiedWords:
        """What a worker writes, together with other requests of the same object type."""
        loop = asyncio.get_running_loop()
        if id(rules) not in self._queues:
            self._queues[id(rules)] = _Queue(rules, self.executor.share(rules))
        asked = _Asked(request, loop.create_future())
        self._queues[id(rules)].waiting.append(asked)
        # Once all have asked who can ask now: a call shall be full.
        loop.call_soon(self._send)
        return await asked.result

    async def unlike(
        self,
        item: ObjectType,
        units: Sequence[int],
        entries: Mapping[int, Entry],
        known: KnownLots,
    ) -> FailedUnits:
        """What workers find: other object types are compared meanwhile.

        Each looks at a lot of a field; of many texts all of them look at parts of it.
        """
        parts: list[Awaitable[FailedUnits]] = []
        for field in item.written:
            if _of_all(field, units, known) >= self.spread_from:
                # In a thread, which waits for what workers find.
                comparing = SpreadComparing(self.executor)
                spread = asyncio.to_thread(
                    verify_unlike_in, field, units, entries, known, comparing
                )
                parts.append(spread)
            else:
                parts.append(self._unlike_in(field, units, entries, known))
        return failed_in_any(await asyncio.gather(*parts))

    async def _unlike_in(
        self,
        field: Field,
        units: Sequence[int],
        entries: Mapping[int, Entry],
        known: KnownLots,
    ) -> FailedUnits:
        """The verdicts on a field's texts; lots are compared side by side."""
        lots: list[KnownLot] = []
        compared: list[Awaitable[None]] = []
        for lot, values in values_by_lot(field, units, entries, known):
            lots.append(lot)
            if values != lot.values:
                compared.append(self._compare(field, values, lot))
            # In their new order, too; what is sent knows the values of its own last call.
            lot.values = values
        await asyncio.gather(*compared)
        failed: FailedUnits = {}
        for lot in lots:
            failed |= lot.failed
        return failed

    async def _compare(self, field: Field, values: dict[int, object], lot: KnownLot) -> None:
        """Has a worker compare a lot. What it knows then goes to the next one as it came: some
        kilobytes a text.
        """
        sent = self.executor.submit(unlike_in, field, values, lot.packed)
        lot.failed, lot.packed = await asyncio.wrap_future(sent)

    def _send(self) -> None:
        for queue in list(self._queues.values()):
            while queue.waiting and self._under_way < self.executor.workers * AHEAD:
                self._send_some(queue)

    def _send_some(self, queue: _Queue) -> None:
        """Sends a call; where few wait, they are shared out among the workers."""
        share = -(-len(queue.waiting) // self.executor.workers)
        some = [queue.waiting.popleft() for _ in range(min(share, A_CALL))]
        requests = [asked.request for asked in some]
        sent = self.executor.submit(written_words, self._sent_writer, queue.sent_rules, requests)
        self._under_way += 1
        asyncio.wrap_future(sent).add_done_callback(partial(self._take, some))

    def _take(self, some: Sequence[_Asked], came: asyncio.Future[list[VerifiedWords]]) -> None:
        self._under_way -= 1
        if came.cancelled():
            for asked in some:
                asked.result.cancel()
            return
        error = came.exception()
        for place, asked in enumerate(some):
            if asked.result.done():
                continue
            if error is not None:
                asked.result.set_exception(error)
            else:
                asked.result.set_result(came.result()[place])
        self._send()


def _of_all(field: Field, units: Sequence[int], known: KnownLots) -> int:
    """How many units the field has: all of them in the first round, those known in later ones.

    What is known of a lot stays with whoever has compared it.
    """
    before = sum(len(lot.values) for (name, _), lot in known.items() if name == field.name)
    return max(len(units), before)


def written_words(
    writer: EmbeddedWriter,
    rules: AnswerRules,
    requests: Sequence[WriteRequest],
) -> list[VerifiedWords]:
    """What comes of each request: a worker's work."""
    return [verified_words(request, rules, writer.answer(request)) for request in requests]


def unlike_in(
    field: Field,
    values: dict[int, object],
    packed: bytes,
) -> tuple[FailedUnits, bytes]:
    """The verdicts on a lot of a field, and what is known of it then: a worker's work.

    What was known before is `packed` by another one, or empty.
    """
    known = pickle.loads(packed) if packed else KnownLot()
    compare_lot(field, values, known)
    return known.failed, pickle.dumps(known, pickle.HIGHEST_PROTOCOL)
