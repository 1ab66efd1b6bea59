"""The files of an org that is being made: its tables in SQLite, its hidden causes, the upload
folder; and the check, which looks at each file as soon as it is there.

A table is written as soon as all that it names is made: a run that waits for a model's calls writes
most of its files meanwhile. The order is always the same, and so are the bytes. Knows no writer.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from dataclasses import field as fresh
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from latent.registry import LATENT
from pipeline.atomic import SqliteDraft
from pipeline.compute.executor import Executor
from pipeline.graph import build_graph
from pipeline.manifest import LATENT_FORMAT
from pipeline.run_folder import RunFolder
from pipeline.sql_tables import add_table, begin_tables, filing_order
from pipeline.store import add_latent, latent_tables, rows_of
from pipeline.upload_files import UploadFolder
from pipeline.world.org import Org
from schemas.object_type import ObjectType

if TYPE_CHECKING:
    from pipeline.check import OrgCheck

Write = Callable[[], None]


@dataclass(frozen=True, slots=True)
class FilingStep:
    """A table to be written, and the nodes that are made before it can be."""

    needs: Set[str]
    write: Write


@dataclass(slots=True)
class TableFile:
    """A SQLite file that is being written, and what of it is still to come, in its order."""

    draft: SqliteDraft
    steps: deque[FilingStep]

    def ready(self, done: Set[str]) -> Iterator[Write]:
        """Yields the next writings, as long as all that they need is among `done`."""
        while self.steps and self.steps[0].needs <= done:
            yield partial(self._write, self.steps.popleft())

    def finish(self) -> None:
        """Writes the rest and moves the file to its place."""
        while self.steps:
            self._write(self.steps.popleft())
        self.draft.keep()

    def _write(self, step: FilingStep) -> None:
        with self.draft.writing():
            step.write()


@dataclass(slots=True)
class Filing:
    """The files of one run; as a context it gives up those that aren't whole at its end.

    Where there are workers they write the upload's files and check the org.
    """

    org: Org
    run: RunFolder
    executor: Executor
    _files: list[TableFile] = fresh(default_factory=list)
    _upload: UploadFolder | None = None

    def __enter__(self) -> "Filing":
        """Itself; nothing is begun, since a run that fails at once leaves an older org as it is."""
        return self

    def __exit__(self, *ended: object) -> None:
        """Gives up the files that aren't whole."""
        for file in self._files:
            file.draft.drop()

    def ready(self, done: Set[str]) -> Iterator[Write]:
        """Yields what can be written by now, each table once; `done` holds the nodes that are made
        and may grow meanwhile.

        Nothing can before all hidden causes are drawn: their tables' order hangs on what they hold.
        """
        if not (build_graph(self.org.setting.schema).keys() & LATENT.keys()) <= done:
            return
        for file in self._begun():
            yield from file.ready(done)

    def made(self, name: str) -> None:
        """Has workers begin with the upload's files of a node, where it is an object type: nothing
        but words keeps them busy while the rest of the org is made.
        """
        schema = self.org.setting.schema
        if self.executor.workers > 1 and schema.has(name):
            self._upload_folder().begin_early(schema.object(name))

    def finish(self, tell: Callable[[str], None]) -> "tuple[list[Path], OrgCheck]":
        """Writes what is left; returns the upload's files, and the check under way.

        `tell` is told what begins.
        """
        # Here, since the first facts need nothing of it.
        from pipeline.check import OrgCheck

        org_file, latent_file = self._begun()
        upload = self._upload_folder()
        check = OrgCheck(self.run, self.org.setting.schema, self.executor)
        beside = self.executor.workers > 1
        tell(self.run.org_file.name)
        if beside:
            upload.begin_rest()
        org_file.finish()
        if beside:
            check.begin()
        latent_file.finish()
        if beside:
            check.begin_hidden()
        tell("upload")
        files = upload.files()
        tell("check")
        if not beside:
            # Whoever looks in this process does so in the room that the tables leave.
            self.org.drop()
            check.begin()
            check.begin_hidden()
        return files, check

    def finish_unchecked(self) -> None:
        """Writes what is left; the org is a part of a larger one, which is checked as a whole."""
        for file in self._begun():
            file.finish()
        self._upload_folder().files()
        self.org.drop()

    def _begun(self) -> list[TableFile]:
        """The org's file and that of the hidden causes."""
        if not self._files:
            for path, begin in (
                (self.run.org_file, self._org_steps),
                (self.run.latent_file, self._latent_steps),
            ):
                draft = SqliteDraft(path)
                file = TableFile(draft, deque())
                self._files.append(file)
                with draft.writing():
                    file.steps.extend(begin(draft))
        return self._files

    def _org_steps(self, draft: SqliteDraft) -> Iterable[FilingStep]:
        schema = self.org.setting.schema
        begin_tables(draft.db, schema)
        for item in filing_order(schema):
            referred = {str(field.reference) for field in item.references}
            yield FilingStep(referred | {item.name}, partial(self._add, draft, item))

    def _latent_steps(self, draft: SqliteDraft) -> Iterable[FilingStep]:
        draft.db.execute(f"PRAGMA user_version = {LATENT_FORMAT}")
        for name in latent_tables(self.org):
            referred = set(self.org.tables[name].references.values())
            needs = referred & {item.name for item in self.org.setting.schema.objects}
            yield FilingStep(
                needs,
                partial(
                    add_latent,
                    self.org,
                    draft.db,
                    name,
                ),
            )

    def _add(self, draft: SqliteDraft, item: ObjectType) -> None:
        """Writes an object type's table; workers begin with its files of the upload."""
        if self.executor.workers > 1:
            self._upload_folder().begin(item)
        add_table(draft.db, item, rows_of(self.org, item))

    def _upload_folder(self) -> UploadFolder:
        if self._upload is None:
            self._upload = UploadFolder(self.org, self.run.upload_folder, self.executor)
        return self._upload
