"""The files of an org: a table is written once all that it names is made, and always alike."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest

from pipeline.compute.executor import InProcess
from pipeline.config import RunRequest, load_job
from pipeline.filing import Filing
from pipeline.run_folder import RunFolder
from pipeline.sql_tables import filing_order
from pipeline.world.org import Org
from schemas.graph import word_levels
from tests.toys import drawn, write_object

P = ParamSpec("P")
T = TypeVar("T")

PARTS = "BoxId: {type: string, x-source: {reference: Box, by: parent}}"


@dataclass
class Pair(InProcess):
    """Two workers, as it says; keeps the names of the files that they have written."""

    workers: int = 2
    written: list[str] = field(default_factory=list)

    def submit(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
        """The finished result, whose files are kept in mind."""
        done = super().submit(work, *arguments, **named)
        found = done.result()
        self.written += [path.name for path in found] if isinstance(found, list) else []
        return done


def boxes_and_parts(folder: Path) -> Org:
    """An org of boxes, each with two parts that refer to it."""
    write_object(folder / "toy", "Box", "Name: {type: string, x-source: {sequence: 'Box {}'}}")
    write_object(folder / "toy", "APart", PARTS, "{per: Box, number: 2}")
    return drawn(folder)


def filed(org: Org, folder: Path, *done: set[str]) -> tuple[bytes, bytes]:
    """The org's file and that of its hidden causes; what may be written with each set of nodes is
    written before the rest.
    """
    folder.mkdir()
    run = RunFolder(folder)
    tables = dict(org.tables)
    with Filing(org, run, InProcess()) as filing:
        for nodes in done:
            for write in filing.ready(nodes):
                write()
        filing.finish(lambda name: None)
    org.tables.update(tables)
    return run.org_file.read_bytes(), run.latent_file.read_bytes()


def test_the_files_are_the_same_whenever_tables_are_written(tmp_path: Path) -> None:
    """All in the end, some ahead, or all ahead: the same bytes."""
    org = boxes_and_parts(tmp_path)
    late = filed(org, tmp_path / "late")
    assert filed(org, tmp_path / "some", {"Box"}) == late
    assert filed(org, tmp_path / "ahead", {"Box"}, {"Box", "APart"}) == late


def test_a_table_waits_for_what_it_refers_to(tmp_path: Path) -> None:
    """Parts are not written before their boxes, and nothing is written twice."""
    with Filing(boxes_and_parts(tmp_path), RunFolder(tmp_path), InProcess()) as filing:
        assert list(filing.ready({"APart"})) == []
        assert len(list(filing.ready({"APart", "Box"}))) == 2
        assert list(filing.ready({"APart", "Box"})) == []


def test_an_org_that_is_given_up_leaves_no_file(tmp_path: Path) -> None:
    """A run that fails in the middle leaves the older org where it was."""
    run = RunFolder(tmp_path)
    run.org_file.write_bytes(b"the older one")
    with pytest.raises(KeyboardInterrupt), Filing(boxes_and_parts(tmp_path), run, InProcess()) as f:
        for write in f.ready({"Box"}):
            write()
        raise KeyboardInterrupt
    assert run.org_file.read_bytes() == b"the older one"


def test_what_needs_fewer_writings_is_filed_first() -> None:
    """Orders need products, which are written; cases another writing, and mails one more."""
    schema = load_job(RunRequest("shoes")).setting.schema
    levels = word_levels(schema)
    assert [levels[name] for name in ("User", "Product2", "Case", "EmailMessage")] == [0, 1, 2, 3]
    order = [levels[item.name] for item in filing_order(schema)]
    assert order == sorted(order)


def test_workers_write_an_uploads_files_as_soon_as_a_table_is_made(tmp_path: Path) -> None:
    """Once each; not of a hidden cause, nor where ids of other tables stand in a text."""
    ids = "Box: {type: string, x-holds-ids: Box, x-source: {constant: none}}"
    write_object(tmp_path / "toy", "Note", ids)
    workers = Pair()
    with Filing(boxes_and_parts(tmp_path), RunFolder(tmp_path), workers) as filing:
        for node in ("Box", "Season", "Note", "Box"):
            filing.made(node)
    assert workers.written == ["Box.json"]
