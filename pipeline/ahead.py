"""Texts asked for before all that they are made from is settled.

While the last few cases are still rewritten and judged, most mails can be written: those whose
cases stand. What is asked for here goes into the ledger, where the writing of that object type
finds it when its turn comes. It asks for the same requests, so that the org is the same.

Which units are ready is found by drawing their facts twice, once with the texts as they are and
once with those changed that may not stay: a unit whose facts are equal both times needs none of
them. Knows no schema and no endpoint.
"""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, field

from pipeline.graph import RunGraph
from pipeline.sample.objects import draw_facts, finish
from pipeline.world.org import Org
from pipeline.world.tables import Table
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.service import WritingService
from pipeline.write.work import ObjectWork, build_work
from schemas.errors import OrgweaveError
from schemas.model import ObjectType
from verifiers.material import Entry

# Of the calls at once these may take so many; the rest is for what they wait for, which the run
# needs sooner.
SHARE = 0.75
CHANGED = " …"  # what a text ends with that may not stay as it is


@dataclass(slots=True)
class Ahead:
    """The writing ahead of one run; `done` holds the nodes whose tables are finished."""

    org: Org
    graph: RunGraph
    service: WritingService
    done: set[str] = field(default_factory=set)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def begin(
        self,
        work: ObjectWork,
        facts: Table,
        entries: Mapping[int, Entry],
        unsettled: Collection[int],
    ) -> None:
        """Begins with the units of other object types that need none of the unsettled texts.

        `entries` hold a text for every unit of `work`, whose facts are `facts`.
        """
        waiting = list(self._waiting_for(work.item.name))
        if not waiting or len(unsettled) == len(entries):
            return
        changed = {unit: _changed(entries[unit]) for unit in unsettled}
        now = self._with(work, facts, entries)
        later = self._with(work, facts, {**entries, **changed})
        for item in waiting:
            mine = build_work(now, item, draw_facts(now, item))
            other = build_work(later, item, draw_facts(later, item))
            pairs = zip(mine.units, other.units, strict=True)
            ready = {unit.id for unit, changed_unit in pairs if unit == changed_unit}
            self.tasks.append(asyncio.create_task(self._write(mine, ready)))

    async def end(self) -> None:
        """Waits for what is under way; raises what went wrong in this program itself."""
        for result in await asyncio.gather(*self.tasks, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result

    def _waiting_for(self, name: str) -> Iterator[ObjectType]:
        """Yields the written object types that wait for that one alone."""
        for item in self.org.setting.schema.objects:
            if item.written and self.graph[item.name] - self.done == {name}:
                yield item

    def _with(self, work: ObjectWork, facts: Table, entries: Mapping[int, Entry]) -> Org:
        """An org in which an object type is finished with these texts."""
        org = Org(self.org.setting, dict(self.org.tables))
        org.add(finish(org, work.item, facts, work.columns(entries, facts.size)))
        return org

    async def _write(self, work: ObjectWork, ready: Set[int]) -> None:
        at_once = max(1, int(self.service.words.at_once * SHARE))
        try:
            await ObjectWriting(self.service, work).ask_ahead(ready, at_once)
        except OrgweaveError:
            # The object type's own writing meets the same end, and tells it in its turn.
            return


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
