"""The making of all tables, each as soon as all that it is made from is there.

A DAG node is an asyncio task. Knows no file of a run but when there is time to write it.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from latent.registry import LATENT
from pipeline.ahead import Ahead
from pipeline.filing import Filing
from pipeline.graph import RunGraph, drawing_graph, first_graph, needed_for, ordered
from pipeline.sample.objects import draw_facts, finish
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.service import WritingService
from pipeline.write.work import ObjectWork, build_work
from schemas.errors import OrgweaveError
from schemas.graph import word_levels
from schemas.object_type import ObjectType

T = TypeVar("T")
GivenWords = Mapping[str, Mapping[str, Array]]
"""Object types whose words stand already, with their written columns."""


@dataclass(frozen=True, slots=True)
class RunObserver:
    """Who is told how a run goes: the node under way, and units done of an object type.

    `outage` is told each second what keeps calls from being answered, and once nothing after it.
    """

    node: Callable[[str], None] = lambda name: None
    units: Callable[[str, int], None] = lambda name, done: None
    total: Callable[[int], None] = lambda units: None
    spent: Callable[[float, int], None] = lambda dollars, tokens: None
    outage: Callable[[str], None] = lambda says: None


@dataclass(slots=True)
class Making:
    """The making of all tables; `calls` tells that a writer's calls are waited for meanwhile,
    `workers` that others write.

    In both cases those of `first` are made before all others: the texts that nothing written comes
    before, so that these are written while the next facts are drawn. Workers shall never be without
    work: what the next texts need is drawn before all else.

    `nodes` are the makings begun, `opened` tells of each when its texts can be asked for, and
    `ended` that one of them has ended. `made` is told each node whose tables are made.
    The words of object types in `given` are taken as they are.
    """

    org: Org
    service: WritingService
    watch: RunObserver
    calls: bool
    workers: bool = False
    given: GivenWords = field(default_factory=dict)
    ahead: Ahead = field(init=False)
    drawing: asyncio.Lock = field(default_factory=asyncio.Lock)
    written: set[str] = field(default_factory=set)
    first: RunGraph = field(default_factory=dict)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    nodes: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    opened: dict[str, asyncio.Event] = field(default_factory=dict)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    made: Callable[[str], None] = lambda name: None

    def __post_init__(self) -> None:
        schema = self.org.setting.schema
        self.ahead = Ahead(self.org, {}, self.service, self._aside)
        self.written = {item.name for item in schema.objects if item.written}
        if self.calls or self.workers:
            self.first = first_graph(schema)

    async def begin(self) -> None:
        """Begins all nodes: those of the first texts, and the others once these can be asked for.

        Only then the whole graph is looked at. Raises SchemaError for what it lacks.
        """
        self._begin_nodes(self.first)
        await self._can_be_asked(self.first)
        self.begun.set()
        schema = self.org.setting.schema
        # For its lock: what is drawn meanwhile may import the same variables.
        graph = await self._aside(lambda: drawing_graph(schema))
        self.ahead.graph.update(graph)
        if self.workers and not self.calls:
            for part in self._by_words(graph):
                self._begin_nodes(part)
                await self._can_be_asked(part)
        self._begin_nodes(graph)

    def _by_words(self, graph: RunGraph) -> Iterator[RunGraph]:
        """Yields the parts of a graph that object types need which are written one after another:
        what nobody needs for words is in none.
        """
        levels = word_levels(self.org.setting.schema)
        for level in sorted({levels[name] for name in self.written}):
            names = {name for name in self.written if levels[name] == level}
            needed = names.union(*(needed_for(graph, name) for name in names))
            yield {name: graph[name] for name in needed}

    async def _can_be_asked(self, names: Iterable[str]) -> None:
        """Returns once the texts of all nodes can be asked for; of one without texts, once it is
        made.
        """
        for name in names:
            await self.opened[name].wait()

    def _begin_nodes(self, graph: RunGraph) -> None:
        """Begins the nodes of a graph that aren't under way, each behind those that it reads."""
        for name in ordered(graph):
            if name not in self.nodes:
                before = [self.nodes[earlier] for earlier in sorted(graph[name])]
                self.opened[name] = asyncio.Event()
                self.nodes[name] = asyncio.create_task(self.node(name, before))

    async def node(self, name: str, before: list[asyncio.Task[None]]) -> None:
        """Makes a node's tables once those before it are made."""
        try:
            for earlier in before:
                # Shielded, since several nodes wait for the same one: who gives up shall not
                # cancel it.
                await asyncio.shield(earlier)
            if name not in self.written:
                # Those that wait for the same and have calls to make get their turn before it.
                await asyncio.sleep(0)
            await self._make(name)
        finally:
            # Also where a node fails: nobody shall wait for it.
            self.opened[name].set()
            self.ended.set()
        self.ahead.done.add(name)
        self.made(name)

    async def _make(self, name: str) -> None:
        self.watch.node(name)
        if name in LATENT:
            await self._aside(lambda: self.org.add(*LATENT[name].draw(self.org)))
        else:
            await self._make_object(self.org.setting.schema.object(name))

    async def file_ahead(self, filing: Filing) -> None:
        """Writes the tables that are made, while the last texts are waited for."""
        if not (self.calls or self.workers):
            return
        await self._can_be_asked(self.written)
        while not all(node.done() for node in self.nodes.values()):
            self.ended.clear()
            for write in filing.ready(self.ahead.done):
                await self._aside(write)
            await self.ended.wait()

    async def _make_object(self, item: ObjectType) -> None:
        words = self.given.get(item.name, {})
        is_written = item.written and not words
        facts, work = await self._aside(partial(self._drawn, item, bool(is_written)))
        if work is not None:
            self.opened[item.name].set()
            # What the units need of the tables they hold by themselves.
            facts.close()
            self.org.close()
            self.watch.total(sum(len(lane) for lane in work.lanes))
            writing = ObjectWriting(self.service, work)
            if self.calls:
                writing.settling = partial(self.ahead.begin, work, facts)
                self.ahead.begin_whole(work, facts)
            words = work.columns(await writing.write(), facts.size)
        await self._aside(lambda: self.org.add(finish(self.org, item, facts, words)))

    def _drawn(self, item: ObjectType, is_written: bool) -> tuple[Table, ObjectWork | None]:
        """An object type's facts, and the work of writing its texts where there is some: at once,
        so that the texts can be asked for before another one's facts are drawn.
        """
        facts = draw_facts(self.org, item)
        return facts, build_work(self.org, item, facts) if is_written else None

    async def _aside(self, draw: Callable[[], T]) -> T:
        """What is drawn, in a thread where calls or workers are waited for: they get their turn
        meanwhile.

        One table is drawn at a time, so that a thread more is all that it takes.
        """
        if not (self.calls or self.workers):
            return draw()
        async with self.drawing:
            return await asyncio.to_thread(draw)


async def make_nodes(making: Making, filing: Filing) -> None:
    """Makes all tables, and writes those into files for which there is time meanwhile.

    A node begins as soon as all that it reads is made, so that independent object types are written
    side by side.
    """
    making.made = filing.made
    try:
        await making.begin()
    except OrgweaveError as error:
        making.service.stopped = making.service.stopped or error
        await asyncio.gather(*making.nodes.values(), return_exceptions=True)
        raise
    filed = making.file_ahead(filing)
    results = await asyncio.gather(*making.nodes.values(), filed, return_exceptions=True)
    await making.ahead.end()
    for result in results:
        if result is not None:
            raise result
