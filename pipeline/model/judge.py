"""The judge that calls a model: it reads texts and answers questions by a candidate's letter.

It is not told what is right. An endpoint that can't be reached makes texts unjudged, never right or
wrong; the next run of the same command asks again.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.ledger import Ruling
from pipeline.model.chat import Chat
from pipeline.write.answers import entries_of
from pipeline.write.prompt import ROLES, Prompts, judge_messages, judge_schema
from pipeline.write.questions import JudgeBatch, JudgeItem
from schemas.errors import Unreachable

# `{"unit": 17, "answers": ["B", "A"]}` and its comma, with room for a few questions more.
TOKENS_A_TEXT = 30
TRIES = 4  # calls for the texts of one batch that answers passed over
NO_CANDIDATE = -1
LETTER = re.compile(r"\(?([A-Za-z])(?:[).:].*)?", re.DOTALL)
# A key names its request at endpoints that allow at most 64 characters.
KEY_START = 56


@dataclass(slots=True)
class ModelJudge:
    """A Judge; `share` of the mini-batches that no task depends on is judged.

    `lost` says why, once its endpoint could not be reached.
    """

    name: str
    share: float
    chat: Chat
    prompts: Prompts
    lost: str = ""

    @property
    def prompt(self) -> str:
        """SHA-256 of its templates."""
        templates = [self.prompts.texts[f"judge/{role}"] for role in ROLES]
        return hashlib.sha256("\0".join(templates).encode()).hexdigest()

    async def judge(self, batch: JudgeBatch) -> Ruling | None:
        """The chosen candidates' places; None where the endpoint can't be reached.

        Raises BudgetReached and CallFailed.
        """
        if self.lost:
            return None
        ruling = Ruling({})
        for number in range(TRIES):
            left = tuple(item for item in batch.items if item.unit not in ruling.chosen)
            if not left:
                break
            try:
                ruling = await self._asked_once(replace(batch, items=left), ruling, number)
            except Unreachable as error:
                self.lost = str(error)
                # What it chose before was paid for; the next run asks for the rest.
                return ruling if ruling.chosen else None
        return ruling

    async def _asked_once(
        self,
        batch: JudgeBatch,
        before: Ruling,
        number: int,
    ) -> Ruling:
        """What was chosen before and now.

        Texts that the answer passed over are left for the next try.
        """
        sent = judge_messages(batch, self.prompts)
        completion = await self.chat.complete(
            messages=sent,
            name="Judge",
            entry=judge_schema(),
            answer_tokens=TOKENS_A_TEXT * len(batch.items),
            key=lambda: f"{batch.key[:KEY_START]}-{number}" if number else batch.key,
        )
        entries = entries_of(completion.text, completion.cut)
        return Ruling(
            chosen={**before.chosen, **_chosen(batch, entries)},
            tokens_in=before.tokens_in + completion.tokens_in,
            tokens_out=before.tokens_out + completion.tokens_out,
            cost=before.cost + completion.cost,
            sent=json.dumps(sent, ensure_ascii=False),
            text=completion.text,
        )


def place_of(answer: str, candidates: Sequence[str]) -> int:
    """The place of the candidate that an answer means, NO_CANDIDATE for all else.

    An answer is a letter (`B`, `b)`, `B) Store Credit`) or the candidate's own words.
    """
    stripped = answer.strip()
    words = [candidate.casefold() for candidate in candidates]
    if stripped.casefold() in words:
        return words.index(stripped.casefold())
    letter = LETTER.fullmatch(stripped)
    if letter is None:
        return NO_CANDIDATE
    place = ord(letter.group(1).upper()) - ord("A")
    return place if place < len(candidates) else NO_CANDIDATE


def _chosen(batch: JudgeBatch, entries: list[object]) -> dict[int, tuple[int, ...]]:
    """The places chosen for each unit whose answer has one for each of its questions."""
    items = {item.unit: item for item in batch.items}
    chosen = {}
    for entry in entries:
        if not isinstance(entry, Mapping):
            continue
        item = items.get(_unit_of(entry))
        answers = entry.get("answers")
        if item is None or not isinstance(answers, list):
            continue
        places = _places(item, answers)
        if len(places) == len(item.questions):
            chosen[item.unit] = places
    return chosen


def _places(item: JudgeItem, answers: list[object]) -> tuple[int, ...]:
    places = []
    for answer, question in zip(answers, item.questions, strict=False):
        places.append(place_of(str(answer), question.candidates))
    return tuple(places)


def _unit_of(entry: Mapping[str, object]) -> int:
    unit = entry.get("unit")
    return unit if isinstance(unit, int) else -1
