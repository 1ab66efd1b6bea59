"""The judge that calls a model: reads texts and answers questions by a candidate's letter, without
being told what is right.

An endpoint that can't be reached makes texts unjudged, never right or wrong; the next run of the
same command asks again.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pipeline.ledger import Ruling
from pipeline.model.answers import entries_of
from pipeline.model.chat import Chat
from pipeline.write.prompt import ROLES, Prompts, judge_messages, judge_schema
from pipeline.write.questions import JudgeBatch, JudgeItem
from schemas.errors import Unreachable

TOKENS_A_TEXT, TRIES = 30, 4
LETTER = re.compile(r"\(?([A-Za-z])(?:[).:].*)?", re.DOTALL)


@dataclass(slots=True)
class ModelJudge:
    """A Judge; `share` of the mini-batches that no task depends on is judged.

    `lost` once its endpoint could not be reached.
    """

    name: str
    share: float
    chat: Chat
    prompts: Prompts
    lost: str = ""

    @property
    def prompt(self) -> str:
        """SHA-256 of its templates."""
        return hashlib.sha256(
            "\0".join(self.prompts.texts[f"judge/{role}"] for role in ROLES).encode()
        ).hexdigest()

    async def judge(self, asked: JudgeBatch) -> Ruling | None:
        """The chosen candidates' places; None where the endpoint can't be reached.

        Raises BudgetReached and CallFailed.
        """
        if self.lost:
            return None
        found = Ruling({})
        for number in range(TRIES):
            left = tuple(read for read in asked.reads if read.unit not in found.chosen)
            if not left:
                break
            try:
                found = await self._asked_once(replace(asked, reads=left), found, number)
            except Unreachable as error:
                self.lost = str(error)
                return None
        return found

    async def _asked_once(self, asked: JudgeBatch, before: Ruling, number: int) -> Ruling:
        """What was chosen before and now; texts that the answer passed over are left for the next
        try.
        """
        sent = judge_messages(asked, self.prompts)
        done = await self.chat.complete(
            sent,
            "Judge",
            judge_schema(),
            TOKENS_A_TEXT * len(asked.reads),
            lambda: f"{asked.key[:56]}-{number}" if number else asked.key,
        )
        chosen = {**before.chosen, **_chosen(asked, entries_of(done.text, done.cut))}
        taken = (
            before.tokens_in + done.tokens_in,
            before.tokens_out + done.tokens_out,
            before.cost + done.cost,
        )
        return Ruling(chosen, *taken, json.dumps(sent, ensure_ascii=False), done.text)


def _chosen(asked: JudgeBatch, entries: list[object]) -> dict[int, tuple[int, ...]]:
    reads = {read.unit: read for read in asked.reads}
    found = {}
    for entry in entries:
        if (
            isinstance(entry, Mapping)
            and (read := reads.get(_unit(entry)))
            and isinstance(entry.get("answers"), list)
        ):
            places = _places(read, entry["answers"])
            if len(places) == len(read.choices):
                found[read.unit] = places
    return found


def _places(read: JudgeItem, answers: list[object]) -> tuple[int, ...]:
    """Letters as places: `B`, `b)`, `B) Store Credit`, or the candidate's own words; -1 for all
    else.
    """
    return tuple(
        _place(str(answer), choice.candidates)
        for answer, choice in zip(answers, read.choices, strict=False)
    )


def _place(answer: str, candidates: tuple[str, ...]) -> int:
    words = [candidate.casefold() for candidate in candidates]
    if answer.strip().casefold() in words:
        return words.index(answer.strip().casefold())
    letter = LETTER.fullmatch(answer.strip())
    place = ord(letter.group(1).upper()) - ord("A") if letter else -1
    return place if place < len(candidates) else -1


def _unit(entry: Mapping[str, object]) -> int:
    unit = entry.get("unit")
    return unit if isinstance(unit, int) else -1
