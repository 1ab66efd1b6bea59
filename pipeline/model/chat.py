"""One chat completion, paid for and unpacked: messages in, text and what it took out.

Both the writer and the judge talk through it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.model.budget import Budget
from pipeline.model.caller import Caller, KeyOf
from pipeline.model.forms import Forms
from pipeline.model.prices import Price
from pipeline.model.replies import ReplyKind, meaning_of
from pipeline.model.tokens import count_tokens, rough_tokens
from pipeline.model.transport import ModelReply
from schemas.errors import CallFailed

MOST = 10**9


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer's text, what was wrong with the whole of it (nothing, mostly), whether it was cut
    off, and what it took.
    """

    text: str
    trouble: str
    cut: bool
    tokens_in: int
    tokens_out: int
    cost: float


@dataclass(frozen=True, slots=True)
class Chat:
    """A model at an endpoint, its form of output, its price, and the budget it draws on."""

    model: str
    caller: Caller
    forms: Forms
    price: Price
    budget: Budget

    async def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        name: str,
        entry: Mapping[str, object],
        answer_tokens: int,
        key: KeyOf,
    ) -> Completion:
        """The model's answer to the messages, each entry of it in the form `entry`; raises
        CallFailed and BudgetReached.
        """
        prompt_tokens = rough_tokens(*(message["content"] for message in messages))
        tokens = prompt_tokens + answer_tokens
        taken = await self.budget.set_aside(self.price.of(prompt_tokens, answer_tokens), tokens)
        done: Completion | None = None
        try:
            done = self._unpacked(
                await self._answered(messages, name, entry, tokens, key), prompt_tokens
            )
            return done
        finally:
            self.budget.settle(
                taken, done.cost if done else 0.0, done.tokens_in + done.tokens_out if done else 0
            )

    async def _answered(
        self,
        messages: Sequence[Mapping[str, str]],
        name: str,
        entry: Mapping[str, object],
        tokens: int,
        key: KeyOf,
    ) -> ModelReply:
        while True:
            used: list[str] = []

            def body(used: list[str] = used) -> Mapping[str, object]:
                used.append(self.forms.form)
                return {
                    "model": self.model,
                    "messages": list(messages),
                    **self.forms.response_format(name, entry),
                }

            reply = await self.caller.call(body, tokens, key)
            meaning = meaning_of(reply)
            if meaning.kind is not ReplyKind.FORM:
                return reply
            if not self.forms.refused(used[-1]):
                raise CallFailed(
                    f"the endpoint refuses plain requests ({meaning.says}); check --base-url and"
                    " --model"
                )

    def _unpacked(self, reply: ModelReply, prompt_tokens: int) -> Completion:
        choice = _first(reply.body.get("choices"))
        message = _mapping(choice.get("message"))
        text = _text(message.get("content"))
        tokens_in, tokens_out = _usage(reply.body.get("usage"), prompt_tokens, text)
        finish = str(choice.get("finish_reason") or "")
        return Completion(
            text,
            _trouble(text, finish, message),
            finish == "length",
            tokens_in,
            tokens_out,
            self.price.of(tokens_in, tokens_out),
        )


def _first(choices: object) -> dict[str, Any]:
    return (
        choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    )


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(content: object) -> str:
    """The text of a message; some endpoints send it as a list of parts.

    Halves of characters, which no file takes, become question marks.
    """
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content.encode(errors="replace").decode() if isinstance(content, str) else ""


def _usage(usage: object, prompt_tokens: int, text: str) -> tuple[int, int]:
    """The endpoint's own count, or an estimate where it gives none that can be right."""
    told, answered = (
        (usage.get("prompt_tokens"), usage.get("completion_tokens"))
        if isinstance(usage, dict)
        else (None, None)
    )
    if (
        isinstance(told, int)
        and isinstance(answered, int)
        and 0 <= told < MOST
        and 0 <= answered < MOST
    ):
        return told, answered
    return prompt_tokens, count_tokens(text)


def _trouble(text: str, finish: str, message: Mapping[str, object]) -> str:
    if refusal := message.get("refusal"):
        return f"answer refused: {_text(str(refusal))[:200]}"
    if finish == "length":
        return "answer cut off at the model's longest output"
    if finish == "content_filter":
        return "answer withheld by a content filter"
    return "" if text.strip() else "answer empty"
