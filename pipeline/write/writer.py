"""The seams to whoever writes the words and to whoever judges them.

Behind them stand the embedded writer, a model, or a test's fake.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from pipeline.ledger import Ruling
from pipeline.write.questions import JudgeBatch
from pipeline.write.request import WriterAnswer, WriteRequest
from verifiers.material import Fact


class Writer(Protocol):
    """Answers requests for words."""

    @property
    def name(self) -> str:
        """Its name, as the ledger and the manifest keep it."""

    @property
    def at_once(self) -> int:
        """How many lanes are worth walking side by side, at least 1."""

    def parameters(self, request: WriteRequest) -> Mapping[str, Fact]:
        """What else the answer depends on, such as a hash of the prompt.

        It becomes part of the request's key.
        """

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """Entries for the request's units in any order; the verifiers decide which are right."""


class Judge(Protocol):
    """Reads texts without knowing the right answers."""

    @property
    def name(self) -> str:
        """Its name, as the ledger keeps it."""

    @property
    def share(self) -> float:
        """The share of the mini-batches judged that no task depends on, from 0 to 1."""

    @property
    def prompt(self) -> str:
        """A hash of what it is told besides the texts; with another prompt it is asked anew."""

    async def judge(self, batch: JudgeBatch) -> Ruling | None:
        """The candidate chosen for each question of each text; None where nobody can be asked."""


def no_outage() -> str:
    """For a writer that nothing keeps from answering."""
    return ""


@dataclass(frozen=True, slots=True)
class Writers:
    """Who writes the words of a run, and who judges them; the embedded writer has no judge.

    `fallback` writes what the writer withholds, if there is one. `calls` tells that the writer
    waits for single calls over a network: meanwhile tables can be drawn, and texts be asked for
    before all that others are made from is settled. `local` says whether the writer writes the
    language of the company's country; the embedded writer writes English. `lane` bounds how many
    mini-batches of a lane wait for one another, None leaves lanes as they are. `outage` says in a
    few words what keeps calls from being answered, nothing where all is well.
    """

    writer: Writer
    judge: Judge | None = None
    fallback: Writer | None = None
    calls: bool = False
    local: bool = False
    lane: int | None = None
    outage: Callable[[], str] = no_outage
