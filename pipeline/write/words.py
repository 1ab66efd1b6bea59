"""Where the words of a request are written, verified and compared: here, or elsewhere.

What comes of a request depends on it and the rules alone. Those of a model are waited for, here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pipeline.write.request import WriterAnswer, WriteRequest
from pipeline.write.writer import Writer
from schemas.object_type import ObjectType
from verifiers.answer import NO_ENTRY, AnswerRules
from verifiers.likeness import FailedUnits, KnownLots, verify_unlike
from verifiers.material import Entry
from verifiers.verdict import Verdict


@dataclass(frozen=True, slots=True)
class VerifiedWords:
    """A writer's answer, its accepted entries, and the reasons why other units were refused."""

    answer: WriterAnswer
    accepted: dict[int, Entry]
    refused: dict[int, str]


class WordSource(Protocol):
    """Writes and verifies the words of requests."""

    @property
    def at_once(self) -> int:
        """How many requests are worth asking side by side, at least 1."""

    async def words(self, request: WriteRequest, rules: AnswerRules) -> VerifiedWords:
        """What is written for a request and stands before the rules."""

    async def unlike(
        self,
        item: ObjectType,
        units: Sequence[int],
        entries: Mapping[int, Entry],
        known: KnownLots,
    ) -> FailedUnits:
        """The verdicts on each unit with a text too like an earlier one, as `verify_unlike` has
        them.

        What is `known` of the texts is kept for the next call.
        """


@dataclass(frozen=True, slots=True)
class OwnWords:
    """A writer's words, verified in this process."""

    writer: Writer

    @property
    def at_once(self) -> int:
        """As many as the writer says."""
        return self.writer.at_once

    async def words(self, request: WriteRequest, rules: AnswerRules) -> VerifiedWords:
        """What the writer answers, verified."""
        return verified_words(request, rules, await self.writer.write(request))

    async def unlike(
        self,
        item: ObjectType,
        units: Sequence[int],
        entries: Mapping[int, Entry],
        known: KnownLots,
    ) -> FailedUnits:
        """The verdicts on the units that are too like others, found in this process."""
        return verify_unlike(item, units, entries, known)


def verified_words(
    request: WriteRequest,
    rules: AnswerRules,
    answer: WriterAnswer,
) -> VerifiedWords:
    """An answer before the rules."""
    accepted: dict[int, Entry] = {}
    refused: dict[int, str] = {}
    found = rules.verify_answer(request.units, answer.entries, request.earlier)
    for unit, verified in found.items():
        if verified.entry is None:
            refused[unit] = _reason(verified.verdict, answer)
        else:
            accepted[unit] = verified.entry
    return VerifiedWords(answer, accepted, refused)


def _reason(verdict: Verdict, answer: WriterAnswer) -> str:
    """Why a unit was refused; where the whole answer was unfit, that."""
    if verdict.reason.startswith(NO_ENTRY) and answer.trouble:
        return answer.trouble
    return str(verdict)
