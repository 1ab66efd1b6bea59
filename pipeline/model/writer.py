"""The writer that calls a model: a request becomes messages, the answer's text raw entries.

What is right of them, the verifiers say.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.model.chat import Chat
from pipeline.write.answers import entries_of
from pipeline.write.prompt import PromptMessage, Prompts, answer_schema, messages
from pipeline.write.request import WriterAnswer, WriteRequest
from pipeline.write.senses import NO_SENSES, Senses
from pipeline.write.work import usual_tokens
from schemas.model import Beat
from verifiers.material import Fact


@dataclass(slots=True)
class ModelWriter:
    """A Writer; `name` is the model's."""

    name: str
    at_once: int
    chat: Chat
    prompts: Prompts
    beats: Mapping[str, Beat]
    senses: Senses = NO_SENSES
    _made: list[PromptMessage] = field(default_factory=list)
    _made_hash: str = ""

    def parameters(self, request: WriteRequest) -> Mapping[str, Fact]:
        """The SHA-256 of the messages.

        With another template, or another wording of a beat, those mini-batches alone are asked
        anew whose messages changed.
        """
        self._made = messages(request, self.beats, self.prompts, self.senses)
        contents = [message["content"] for message in self._made]
        self._made_hash = hashlib.sha256("\0".join(contents).encode()).hexdigest()
        return {"prompt": self._made_hash}

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """The model's entries; raises CallFailed and BudgetReached."""
        sent = self._messages(request)
        completion = await self.chat.complete(
            messages=sent,
            name=request.object,
            entry=answer_schema(request),
            answer_tokens=sum(usual_tokens(request.fields, unit) for unit in request.units),
            key=lambda: request.key,
        )
        entries = entries_of(completion.text, completion.cut)
        trouble = completion.trouble
        if not trouble and not entries:
            trouble = "answer holds no entry"
        return WriterAnswer(
            entries=tuple(entries),
            tokens_in=completion.tokens_in,
            tokens_out=completion.tokens_out,
            cost=completion.cost,
            sent=json.dumps(sent, ensure_ascii=False),
            text=completion.text,
            trouble=trouble,
            cut=completion.cut,
        )

    def _messages(self, request: WriteRequest) -> list[PromptMessage]:
        """The messages, mostly those just made for the request's parameters."""
        if request.parameters.get("prompt") == self._made_hash:
            return self._made
        return messages(request, self.beats, self.prompts, self.senses)
