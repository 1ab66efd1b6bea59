"""The seams to whoever writes the words and to whoever judges them: the embedded writer, a model, a
test's fake.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pipeline.write.questions import JudgeBatch, Ruling
from pipeline.write.request import Fact, WriterAnswer, WriteRequest


class Writer(Protocol):
    """Answers requests.

    `name` is kept in the ledger and the manifest; `at_once` is how many lanes are worth walking
    side by side.
    """

    @property
    def name(self) -> str:
        """As the manifest shows it."""

    @property
    def at_once(self) -> int:
        """At least 1."""

    def parameters(self, request: WriteRequest) -> Mapping[str, Fact]:
        """What else the answer depends on, such as a hash of the prompt; becomes part of the
        request's key.
        """

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """Entries for the request's units, in any order, maybe some missing or wrong: the verifiers
        decide.
        """


class Judge(Protocol):
    """Reads texts without knowing the right answers.

    `name` is kept in the ledger; `share` of the cheap mini-batches is judged.
    """

    @property
    def name(self) -> str:
        """As the ledger keeps it."""

    @property
    def share(self) -> float:
        """From 0 to 1."""

    @property
    def prompt(self) -> str:
        """A hash of what it is told besides the texts: another prompt, and it is asked anew."""

    async def judge(self, asked: JudgeBatch) -> Ruling | None:
        """The candidate chosen for each question of each text; None where nobody could be asked."""


@dataclass(frozen=True, slots=True)
class Writers:
    """Who writes the words of a run, and who judges them (nobody, where the writer is embedded)."""

    writer: Writer
    judge: Judge | None = None
