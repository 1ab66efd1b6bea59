"""The making of all tables: what comes first, and what is filed meanwhile."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from pipeline.compute.executor import InProcess
from pipeline.config import PreparedRun
from pipeline.filing import Filing
from pipeline.ledger import Ledger
from pipeline.making import Making, RunObserver, make_nodes
from pipeline.run_folder import RunFolder
from pipeline.world.org import Org
from pipeline.write.request import WriterAnswer, WriteRequest
from pipeline.write.service import WritingService
from tests.toys import toy_job, write_object
from verifiers.material import Fact

WRITTEN = "{type: string, x-source: {written: 'A word for it.'}}"
WORDS = ("amber", "birch", "cobalt", "damask", "ebony", "fennel")


class Namer:
    """A writer that gives each unit a word of its own."""

    name = "namer"
    at_once = 2

    def parameters(self, request: WriteRequest) -> Mapping[str, Fact]:
        """Nothing else decides its answers."""
        return {}

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """The word of each unit's number, for its one field."""
        (field,) = request.fields
        entries = [{"unit": unit.id, field.name: WORDS[unit.id]} for unit in request.units]
        return WriterAnswer(tuple(entries))


def labelled_boxes(folder: Path) -> PreparedRun:
    """Boxes with a written name, labels worded after it, and bolts and cords that no text needs."""
    schema = folder / "toy"
    write_object(schema, "Bolt", "Size: {type: integer, x-source: {choice: [1, 2]}}")
    write_object(schema, "Box", f"Name: {WRITTEN}")
    fields = f"BoxId: {{type: string, x-source: {{reference: Box, by: parent}}}}\nText: {WRITTEN}"
    write_object(schema, "Label", fields, "{per: Box}", "x-facts: {box: BoxId.Name}")
    write_object(schema, "Cord", "Size: {type: integer, x-source: {choice: [1, 2]}}")
    return toy_job(folder)


def made(job: PreparedRun, folder: Path, workers: bool) -> tuple[list[str], Org, bytes]:
    """The nodes in the order in which they were made, their tables, and the org's file."""
    folder.mkdir()
    org, nodes = Org(job.setting), list[str]()
    with (
        Ledger(folder / "ledger.sqlite") as ledger,
        Filing(org, RunFolder(folder), InProcess()) as filing,
    ):
        service = WritingService(job.setting, Namer(), ledger)
        making = Making(org, service, RunObserver(nodes.append), calls=False, workers=workers)
        asyncio.run(make_nodes(making, filing))
        tables = Org(job.setting, dict(org.tables))
        filing.finish(lambda name: None)
    return nodes, tables, RunFolder(folder).org_file.read_bytes()


def test_what_texts_need_is_drawn_before_all_else(tmp_path: Path) -> None:
    """Where workers write they have the next texts as soon as there can be some, however the
    others are called; the org is the same.
    """
    job = labelled_boxes(tmp_path)
    nodes, tables, file = made(job, tmp_path / "alone", workers=False)
    assert nodes == ["Box", "Bolt", "Cord", "Label"]
    first, others, same_file = made(job, tmp_path / "workers", workers=True)
    assert first == ["Box", "Label", "Bolt", "Cord"]
    assert same_file == file
    assert others.table("Label")["Text"].tolist() == tables.table("Label")["Text"].tolist()
