"""Texts that are asked for before all that they are made from is settled."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from latent.registry import LATENT
from pipeline.ahead import Ahead, Room
from pipeline.config import PreparedRun, RunRequest, load_job
from pipeline.graph import build_graph, in_order
from pipeline.ledger import Ledger
from pipeline.sample.objects import draw_facts, finish
from pipeline.world.org import Org
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.request import WriterAnswer, WriteRequest
from pipeline.write.service import WritingService
from pipeline.write.work import build_work
from verifiers.material import Fact

TURNS = 20  # of the event loop, that a call takes
FROM_CASES = ("CaseComment", "EmailMessage", "LiveChatTranscript")


@dataclass
class Recorder:
    """The embedded writer, which keeps the requests that it is asked."""

    writer: EmbeddedWriter
    at_once: int = 8
    name: str = "recorder"
    asked: list[WriteRequest] = field(default_factory=list)
    under_way: int = 0
    most_under_way: int = 0

    def parameters(self, request: WriteRequest) -> Mapping[str, Fact]:
        """Nothing else decides its answers."""
        return {}

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """Its words, after others had their turns: many can begin while a call is under way."""
        self.asked.append(request)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        for _ in range(TURNS):
            await asyncio.sleep(0)
        self.under_way -= 1
        return self.writer.answer(request)


@pytest.fixture(scope="module")
def job() -> PreparedRun:
    """A small shoe company."""
    return load_job(RunRequest("shoes", scale=0.03))


async def until_case(org: Org, service: WritingService, ahead: Ahead) -> ObjectWriting:
    """Makes all that cases and their texts are made from; the writing of the cases."""
    schema = org.setting.schema
    for name in in_order(schema):
        if name == "Case" or "Case" in ahead.graph[name]:
            continue
        if any(earlier not in ahead.done for earlier in ahead.graph[name]):
            continue
        if name in LATENT:
            org.add(*LATENT[name].draw(org))
        else:
            item = schema.object(name)
            facts = draw_facts(org, item)
            work = build_work(org, item, facts)
            entries = await ObjectWriting(service, work).write() if item.written else {}
            org.add(finish(org, item, facts, work.columns(entries, facts.size)))
        ahead.done.add(name)
    case = schema.object("Case")
    return ObjectWriting(service, build_work(org, case, draw_facts(org, case)))


def test_only_what_needs_no_unsettled_text_is_asked_for_and_once(
    job: PreparedRun, tmp_path: Path
) -> None:
    """Of mails, chats and comments those mini-batches are asked for whose cases are all settled;
    the object types' own writing then finds their answers.
    """
    unsettled = {28}

    async def course(ledger: Ledger) -> tuple[Org, list[WriteRequest], list[WriteRequest]]:
        writer = Recorder(EmbeddedWriter(job.lexicon, job.setting.schema.beats or {}))
        service, org = WritingService(job.setting, writer, ledger), Org(job.setting)
        ahead = Ahead(org, build_graph(job.setting.schema), service, head_start=0)
        writing = await until_case(org, service, ahead)
        entries, facts = await writing.write(), draw_facts(org, writing.item)
        writer.asked.clear()
        ahead.begin(writing.work, facts, entries, unsettled)
        await ahead.end()
        early = list(writer.asked)
        org.add(finish(org, writing.item, facts, writing.work.columns(entries, facts.size)))
        for name in FROM_CASES:
            item = job.setting.schema.object(name)
            await ObjectWriting(service, build_work(org, item, draw_facts(org, item))).write()
        return org, early, writer.asked

    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        org, early, asked = asyncio.run(course(ledger))
    assert {request.object for request in early} == set(FROM_CASES)
    mails = job.setting.schema.object("EmailMessage")
    cases = draw_facts(org, mails)["ParentId"]
    threads = build_work(org, mails, draw_facts(org, mails)).rows
    for request in early:
        if request.object == mails.name:
            heads = [threads[unit.id][0] for unit in request.units]
            assert not unsettled & set(cases[heads].tolist())
    keys = [request.key for request in asked]
    assert len(keys) == len(set(keys)) > len(early)


def test_what_needs_no_text_is_written_whole_before_there_is_one(
    job: PreparedRun, tmp_path: Path
) -> None:
    """Colleagues' notes tell of a case, but of no text of it: all rounds of them are asked for
    while no case has a text, and nothing is counted or asked again by their own writing.
    """

    async def course(ledger: Ledger) -> tuple[list[WriteRequest], int, WritingService]:
        writer = Recorder(EmbeddedWriter(job.lexicon, job.setting.schema.beats or {}))
        service, org = WritingService(job.setting, writer, ledger), Org(job.setting)
        ahead = Ahead(org, build_graph(job.setting.schema), service, head_start=0)
        writing = await until_case(org, service, ahead)
        facts = draw_facts(org, writing.item)
        writer.asked.clear()
        ahead.begin_whole(writing.work, facts)
        await ahead.end()
        early, before = list(writer.asked), set(service.usage)
        entries = await writing.write()
        org.add(finish(org, writing.item, facts, writing.work.columns(entries, facts.size)))
        notes = job.setting.schema.object("CaseComment")
        writer.asked.clear()
        await ObjectWriting(service, build_work(org, notes, draw_facts(org, notes))).write()
        assert "CaseComment" not in before
        return early, len(writer.asked), service

    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        early, asked_again, service = asyncio.run(course(ledger))
    assert {request.object for request in early} == {"CaseComment"}
    assert asked_again == 0
    assert service.usage["CaseComment"].requests == len(early)


def test_what_the_run_waits_for_comes_before_what_is_asked_ahead(
    job: PreparedRun, tmp_path: Path
) -> None:
    """Requests ahead begin where the run leaves calls free, at most their share, the last come
    first; one that gives up waiting takes no place.
    """

    async def course(ledger: Ledger) -> list[str]:
        service = WritingService(
            job.setting, Recorder(EmbeddedWriter(job.lexicon, {}), at_once=3), ledger
        )
        room = Room(service, 2)
        began: list[str] = []
        service.freed = room.look
        own: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        service.under_way |= {"own 1": own, "own 2": own, "own 3": own}

        async def ask(name: str) -> None:
            async with room:
                began.append(name)
                service.under_way[name] = own
                await own

        asking = [asyncio.create_task(ask(name)) for name in ("first", "given up", "last")]
        await asyncio.sleep(0.01)
        assert began == []
        asking[1].cancel()
        for name in ("own 1", "own 2", "own 3"):
            service.under_way.pop(name)
            service.freed()
            await asyncio.sleep(0.01)
        own.set_result(None)
        await asyncio.gather(*asking, return_exceptions=True)
        return began

    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        assert asyncio.run(course(ledger)) == ["last", "first"]


def test_it_takes_its_share_of_the_calls_and_none_where_all_is_settled(
    job: PreparedRun, tmp_path: Path
) -> None:
    """All object types together leave calls to the rewriting that the run waits for; where no text
    may change any more they begin by themselves.
    """

    async def course(ledger: Ledger) -> tuple[list[WriteRequest], Recorder]:
        writer = Recorder(EmbeddedWriter(job.lexicon, job.setting.schema.beats or {}), at_once=4)
        service, org = WritingService(job.setting, writer, ledger), Org(job.setting)
        ahead = Ahead(org, build_graph(job.setting.schema), service, head_start=0)
        writing = await until_case(org, service, ahead)
        entries, facts = await writing.write(), draw_facts(org, writing.item)
        writer.asked.clear()
        writer.most_under_way = 0
        ahead.begin(writing.work, facts, entries, set())
        await ahead.end()
        needless = list(writer.asked)
        ahead.begin(writing.work, facts, entries, {28})
        await ahead.end()
        return needless, writer

    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        needless, writer = asyncio.run(course(ledger))
    assert needless == []
    assert len(writer.asked) > 3
    assert writer.most_under_way == 3
