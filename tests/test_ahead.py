"""Texts that are asked for before all that they are made from is settled."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from latent.registry import LATENT
from pipeline.ahead import Ahead
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
        """Its words, after others had their turn."""
        self.asked.append(request)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
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
