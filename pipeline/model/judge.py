"""The judge that calls a model: reads texts and answers questions by a candidate's letter, without being told what is right.

An endpoint that can't be reached makes texts unjudged, never right or wrong; the next run of the same command asks again.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.ledger import Ruling
from pipeline.model.answers import entries_of
from pipeline.model.chat import Chat
from pipeline.write.prompt import Prompts, judge_messages, judge_schema
from pipeline.write.questions import Asked, Read
from schemas.errors import Unreachable

TOKENS_A_TEXT = 30


@dataclass(slots=True)
class ModelJudge:
    """A Judge; `share` of the mini-batches that no task depends on is judged. `lost` once its endpoint could not be reached."""

    name: str
    share: float
    chat: Chat
    prompts: Prompts
    lost: str = ""

    async def judge(self, asked: Asked) -> Ruling | None:
        """The chosen candidates' places; None where the endpoint can't be reached. Raises BudgetReached and CallFailed."""
        if self.lost:
            return None
        sent = judge_messages(asked, self.prompts)
        try:
            done = await self.chat.complete(sent, "Judge", judge_schema(), TOKENS_A_TEXT * len(asked.reads), lambda: asked.key)
        except Unreachable as error:
            self.lost = str(error)
            return None
        chosen = _chosen(asked, entries_of(done.text, done.cut))
        return Ruling(chosen, done.tokens_in, done.tokens_out, done.cost, json.dumps(sent, ensure_ascii=False), done.text)


def _chosen(asked: Asked, entries: list[object]) -> dict[int, tuple[int, ...]]:
    reads = {read.unit: read for read in asked.reads}
    found = {}
    for entry in entries:
        if isinstance(entry, Mapping) and (read := reads.get(_unit(entry))) and isinstance(entry.get("answers"), list):
            found[read.unit] = _places(read, entry["answers"])
    return found


def _places(read: Read, answers: list[object]) -> tuple[int, ...]:
    """Letters as places: `B`, `b)`, `B) Store Credit`; -1 for what is no candidate's letter."""
    places = []
    for answer, choice in zip(answers, read.choices, strict=False):
        place = ord(str(answer).strip()[:1].upper() or "?") - ord("A")
        places.append(place if 0 <= place < len(choice.candidates) else -1)
    return tuple(places)


def _unit(entry: Mapping[str, object]) -> int:
    unit = entry.get("unit")
    return unit if isinstance(unit, int) else -1
