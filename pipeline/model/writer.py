"""The writer that calls a model: a request becomes messages, the answer's text becomes raw entries.

What is right of them, the verifiers say.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.model.answers import entries_of
from pipeline.model.chat import Chat
from pipeline.write.prompt import Prompts, answer_schema, messages
from pipeline.write.request import Fact, WriterAnswer, WriteRequest
from pipeline.write.units import usual_tokens
from schemas.model import Beat


@dataclass(frozen=True, slots=True)
class ModelWriter:
    """A Writer; `name` is the model's."""

    name: str
    at_once: int
    chat: Chat
    prompts: Prompts
    beats: Mapping[str, Beat]

    def parameters(self, request: WriteRequest) -> Mapping[str, Fact]:
        """The SHA-256 of the messages: another template, another act's wording, and only those
        mini-batches are asked anew.
        """
        return {
            "prompt": (
                hashlib.sha256(
                    "\0".join(message["content"] for message in self._messages(request)).encode()
                ).hexdigest()
            )
        }

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """The model's entries; raises CallFailed and BudgetReached."""
        sent = self._messages(request)
        usual = sum(usual_tokens(request.fields, unit) for unit in request.units)
        done = await self.chat.complete(
            sent, request.object, answer_schema(request), usual, lambda: request.key
        )
        entries = entries_of(done.text, done.cut)
        trouble = done.trouble or ("" if entries else "answer holds no entry")
        return WriterAnswer(
            tuple(entries),
            done.tokens_in,
            done.tokens_out,
            done.cost,
            json.dumps(sent, ensure_ascii=False),
            done.text,
            trouble,
            done.cut,
        )

    def _messages(self, request: WriteRequest) -> list[dict[str, str]]:
        return messages(request, self.beats, self.prompts)
