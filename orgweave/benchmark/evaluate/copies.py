"""A copy of an org for one attempt at a task that is done by writing: the agent changes it, and how
it differs from the org in the end is what counts.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from orgweave.benchmark.state import RowChange, changes_between
from orgweave.server.served import Served, ServeOptions, served
from orgweave.tools.crm import LocalCrm
from pipeline.run_folder import RunFolder


class OrgCopy(LocalCrm):
    """A `WritableCrm` in process, over a private copy of a finished org."""

    def __init__(self, org: Served, original: Path) -> None:
        super().__init__(org.engine)
        self._org = org
        self._original = original

    def create(self, object_name: str, fields: Mapping[str, object]) -> str:
        """The id of a new record; raises Refused."""
        writer = self._org.writer
        return writer.insert(writer.access(object_name), fields)

    def update(
        self,
        object_name: str,
        record_id: str,
        fields: Mapping[str, object],
    ) -> None:
        """Changes some fields of a record; raises Refused."""
        writer = self._org.writer
        writer.update(writer.access(object_name), record_id, fields)

    def changes(self) -> list[RowChange]:
        """How the copy differs from the org."""
        return changes_between(self._original, self._org.store.path)


@contextmanager
def org_copy(folder: Path) -> Iterator[OrgCopy]:
    """Copies the org of a run's folder; the copy is gone afterwards."""
    with served(folder, ServeOptions(writable=True)) as org:
        yield OrgCopy(org, RunFolder(folder).require_org())
