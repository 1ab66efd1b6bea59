"""Texts asked for before all that they are made from is settled.

While the last few cases are still rewritten and judged, most mails can be written: those whose
cases stand. What is asked for here goes into the ledger, where the writing of that object type
finds it when its turn comes. It asks for the same requests, so that the org is the same.

Which units are ready is found by drawing their facts twice, once with the texts as they are and
once with those changed that may not stay: a unit whose facts are equal both times needs none of
them. An object type that needs no text at all of what it waits for, such as colleagues' notes on
cases, is written whole as soon as that one is begun. Knows no schema and no endpoint.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeVar

from pipeline.graph import RunGraph
from pipeline.sample.objects import draw_facts, finish
from pipeline.world.org import Org
from pipeline.world.tables import Table
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.service import WritingService
from pipeline.write.work import ObjectWork, build_work
from schemas.errors import OrgweaveError
from schemas.object_type import ObjectType
from verifiers.material import Entry, Unit

# Of the calls at once these may take so many; the rest is for what they wait for, which the run
# needs sooner.
SHARE = 0.75
# Seconds that the rewriting needs to have its requests under way: what is drawn here would keep it
# from its core. A call takes longer than both.
HEAD_START = 0.2
CHANGED = " …"  # what a text ends with that may not stay as it is

T = TypeVar("T")


async def in_this_thread(draw: Callable[[], T]) -> T:
    """What is drawn, in this thread."""
    return draw()


class Aside(Protocol):
    """How tables are drawn while calls are waited for."""

    async def __call__(self, draw: Callable[[], T]) -> T:
        """What is drawn."""


@dataclass(slots=True)
class Room:
    """Leave for requests ahead: `most` of them, and none beyond the writer's calls at once.

    What the run itself asks for comes first: these fill what it leaves free. Of these the last come
    is served first: it mostly follows on an answer, and others will follow on it.
    """

    service: WritingService
    most: int
    _used: int = 0
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)
    _looking: bool = False

    async def __aenter__(self) -> None:
        """Waits for leave."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self.look()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                await self.__aexit__()
            raise

    async def __aexit__(self, *ended: object) -> None:
        """Gives the leave back."""
        self._used -= 1
        self.look()

    def look(self) -> None:
        """Looks for those that may begin, once what the run asks for next is under way."""
        if not self._looking:
            self._looking = True
            asyncio.get_running_loop().call_soon(self._admit)

    def _admit(self) -> None:
        """Lets the next one begin, and the others once it counts as under way."""
        self._looking = False
        while self._waiting and self._waiting[-1].done():
            self._waiting.pop()
        taken = len(self.service.under_way)
        if not self._waiting or self._used >= self.most or taken >= self.service.words.at_once:
            return
        self._used += 1
        self._waiting.pop().set_result(None)
        self.look()


@dataclass(frozen=True, slots=True)
class UnsettledTexts:
    """An object type that is still rewritten: its work and facts, a text for each unit, and the
    units whose text may yet become another.
    """

    work: ObjectWork
    facts: Table
    entries: Mapping[int, Entry]
    unsettled: Collection[int]


@dataclass(slots=True)
class Ahead:
    """The writing ahead of one run; `done` holds the nodes whose tables are finished, `graph` those
    that are known by now.

    `aside` draws tables. `asked` holds the units by object type that were ready by now, `whole` the
    object types that are written whole.
    """

    org: Org
    graph: RunGraph
    service: WritingService
    aside: Aside = in_this_thread
    head_start: float = HEAD_START
    done: set[str] = field(default_factory=set)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    asked: dict[str, dict[int, Unit]] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    room: Room = field(init=False)

    def __post_init__(self) -> None:
        self.room = Room(self.service, max(1, int(self.service.words.at_once * SHARE)))
        self.service.freed = self.room.look

    def begin_whole(
        self,
        work: ObjectWork,
        facts: Table,
    ) -> None:
        """Begins with the object types that need no text of `work`, whose facts are `facts`."""
        self.tasks.append(asyncio.create_task(self._begin_whole(work, facts)))

    def begin(
        self,
        work: ObjectWork,
        facts: Table,
        entries: Mapping[int, Entry],
        unsettled: Collection[int],
    ) -> None:
        """Begins with the units of other object types that need none of the unsettled texts.

        `entries` hold a text for every unit of `work`, whose facts are `facts`. Where all are
        settled the object types begin by themselves.
        """
        if not unsettled or len(unsettled) == len(entries):
            return
        texts = UnsettledTexts(work, facts, dict(entries), frozenset(unsettled))
        self.tasks.append(asyncio.create_task(self._begin(texts)))

    async def end(self) -> None:
        """Waits for what is under way; raises what went wrong in this program itself."""
        # Those that begin may add others.
        while self.tasks:
            under_way, self.tasks = self.tasks, []
            for result in await asyncio.gather(*under_way, return_exceptions=True):
                if isinstance(result, BaseException):
                    raise result

    async def _begin(self, texts: UnsettledTexts) -> None:
        name = texts.work.item.name
        await asyncio.sleep(self.head_start)
        waiting = list(self._waiting_for(name))
        if not waiting:
            return
        now, later = await self.aside(lambda: self._both(texts))
        for item in waiting:
            if name in self.done:
                return
            work, ready = await self.aside(partial(_ready_units, now, later, item))
            self.tasks.append(asyncio.create_task(self._write(work, ready)))

    async def _begin_whole(
        self,
        work: ObjectWork,
        facts: Table,
    ) -> None:
        await asyncio.sleep(self.head_start)
        waiting = list(self._waiting_for(work.item.name))
        if not waiting:
            return
        now, later = await self.aside(lambda: self._both(_stood_in(work, facts)))
        for item in waiting:
            own = await self.aside(partial(_work_without, now, later, item))
            if own is None:
                continue
            self.whole.add(item.name)
            writing = ObjectWriting(self.service, own, leave=self.room)
            self.tasks.append(asyncio.create_task(_as_far_as_it_goes(writing.write())))

    def _waiting_for(self, name: str) -> Iterator[ObjectType]:
        """Yields the written object types that wait for that one alone."""
        for item in self.org.setting.schema.objects:
            waits = self.graph.get(item.name, set()) - self.done == {name}
            if item.written and waits and item.name not in self.whole:
                yield item

    def _both(self, texts: UnsettledTexts) -> tuple[Org, Org]:
        """The org with the texts as they are, and with those changed that may not stay."""
        changed = {unit: _changed(texts.entries[unit]) for unit in texts.unsettled}
        other = {**texts.entries, **changed}
        return self._with(texts, texts.entries), self._with(texts, other)

    def _with(
        self,
        texts: UnsettledTexts,
        entries: Mapping[int, Entry],
    ) -> Org:
        """An org in which an object type is finished with these texts."""
        org = Org(self.org.setting, dict(self.org.tables))
        words = texts.work.columns(entries, texts.facts.size)
        org.add(finish(org, texts.work.item, texts.facts, words))
        return org

    async def _write(
        self,
        work: ObjectWork,
        ready: Mapping[int, Unit],
    ) -> None:
        """Asks for what is ready, but for lanes in which nothing was made ready since."""
        before = self.asked.setdefault(work.item.name, {})
        fresh = {number for number, unit in ready.items() if before.get(number) != unit}
        before.update(ready)
        lanes = tuple(lane for lane in work.lanes if not fresh.isdisjoint(lane))
        writing = ObjectWriting(self.service, replace(work, lanes=lanes), leave=self.room)
        await _as_far_as_it_goes(writing.ask_ahead(ready.keys()))


async def _as_far_as_it_goes(asking: Coroutine[None, None, object]) -> None:
    """What is asked ahead; where it fails, the object type's own writing tells that in its turn."""
    with suppress(OrgweaveError):
        await asking


def _stood_in(
    work: ObjectWork,
    facts: Table,
) -> UnsettledTexts:
    """Texts of which none is known, with others in their places."""
    # Here, since the first calls go out before it is needed.
    from pipeline.plan import stand_in

    entries = {unit.id: stand_in(work.fields, unit) for unit in work.units}
    return UnsettledTexts(work, facts, entries, frozenset(entries))


def _work_without(
    now: Org,
    later: Org,
    item: ObjectType,
) -> ObjectWork | None:
    """An object type's work where all its units are the same in both orgs, else None."""
    work = build_work(now, item, draw_facts(now, item))
    other = build_work(later, item, draw_facts(later, item))
    for unit, changed in zip(work.units, other.units, strict=True):
        if unit != changed:
            return None
    return work


def _ready_units(
    now: Org,
    later: Org,
    item: ObjectType,
) -> tuple[ObjectWork, dict[int, Unit]]:
    """An object type's work, and its units whose facts are the same in both orgs."""
    work = build_work(now, item, draw_facts(now, item))
    other = build_work(later, item, draw_facts(later, item))
    ready = {}
    for unit, changed in zip(work.units, other.units, strict=True):
        if unit == changed:
            ready[unit.id] = unit
    return work, ready


def _changed(entry: Entry) -> Entry:
    """The entry with other texts."""
    changed: dict[str, object] = {}
    for name, value in entry.items():
        if isinstance(value, str):
            changed[name] = value + CHANGED
        elif isinstance(value, list | tuple):
            changed[name] = [f"{text}{CHANGED}" for text in value]
        else:
            changed[name] = value
    return changed
