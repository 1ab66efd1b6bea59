"""A draft of a company over an endpoint: asks the model, and reckons what it took.

Knows no pieces; `pipeline.company.draft` does.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipeline.company.draft import CompanyDraft
from pipeline.company.draft_prompt import TOKENS, DraftAsk
from pipeline.model.chat import Chat
from pipeline.model.pauses import USUAL, Pauses
from pipeline.model.settings import ModelSettings
from pipeline.model.writers import model_chat


@dataclass(slots=True)
class DraftTally:
    """What a draft took; `cost` is in dollars."""

    profile: Path = Path()
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0


async def drafted(
    told: str,
    name: str,
    folder: Path,
    settings: ModelSettings,
    progress: Callable[[str], None],
    pauses: Pauses = USUAL,
) -> DraftTally:
    """Drafts a company with the model of the settings.

    Raises what the draft and the calls raise.
    """
    tally = DraftTally()
    async with model_chat(settings, pauses=pauses) as chat:

        async def ask(asked: DraftAsk) -> object:
            return await _answer(chat, asked, tally)

        tally.profile = await CompanyDraft(told, name, folder, ask, progress).write()
    return tally


async def _answer(chat: Chat, asked: DraftAsk, tally: DraftTally) -> object:
    """The one entry of the model's answer; None where it holds none."""
    completion = await chat.complete(
        messages=asked.messages,
        name=asked.piece.replace(" ", "_"),
        entry=asked.form,
        answer_tokens=TOKENS,
        key=lambda: asked.piece,
    )
    tally.calls += 1
    tally.tokens += completion.tokens_in + completion.tokens_out
    tally.cost += completion.cost
    return entry_in(completion.text)


def entry_in(text: str) -> object:
    """The entry that an answer holds, wrapped in `entries` or bare; None where there is no JSON."""
    data = _json(text)
    if isinstance(data, dict) and isinstance(data.get("entries"), list):
        data = data["entries"]
    if isinstance(data, list):
        return data[0] if data else None
    return data


def _json(text: str) -> object:
    """The JSON in a text, which may have words or a fence around it, or be a little broken."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        from json_repair import repair_json

        start = text.find("{")
        return repair_json(text[start:], return_objects=True) if start >= 0 else None
