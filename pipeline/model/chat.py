"""One chat completion, paid for and unpacked: messages in, a text and what it took out.

Both the writer and the judge talk through it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from pipeline.model.budget import Budget
from pipeline.model.caller import Caller, KeyOf
from pipeline.model.forms import Forms
from pipeline.model.prices import Price
from pipeline.model.replies import ReplyKind, meaning_of
from pipeline.model.tokens import count_tokens, rough_tokens
from pipeline.model.transport import ModelReply
from pipeline.write.request import EMPTY, REFUSED, WITHHELD
from schemas.errors import CallFailed, PromptRefused

# Some servers count in odd numbers; no answer has a billion tokens.
MOST_TOKENS = 10**9
LONGEST_REFUSAL = 200  # characters that are kept: refusals go on to explain themselves
Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer's text and what it took; `cost` is in dollars.

    `trouble` says what was wrong with the whole of it (mostly nothing), `cut` that it was cut off.
    """

    text: str
    trouble: str
    cut: bool
    tokens_in: int
    tokens_out: int
    cost: float


@dataclass(frozen=True, slots=True)
class Chat:
    """A model at an endpoint, its form of output, its price, and the budget that it draws on."""

    model: str
    caller: Caller
    forms: Forms
    price: Price
    budget: Budget

    async def complete(
        self,
        messages: Messages,
        name: str,
        entry: Mapping[str, object],
        answer_tokens: int,
        key: KeyOf,
    ) -> Completion:
        """The model's answer to the messages, each entry of it in the form `entry`.

        A prompt that the endpoint refuses has an answer without text. Raises CallFailed and
        BudgetReached.
        """
        prompt_tokens = rough_tokens(*(message["content"] for message in messages))
        tokens = prompt_tokens + answer_tokens
        estimate = self.price.of(prompt_tokens, answer_tokens)
        reservation = await self.budget.set_aside(estimate, tokens)
        cost, used = 0.0, 0
        try:
            reply = await self._answered(
                messages,
                name,
                entry,
                tokens,
                key,
            )
            completion = self._unpacked(reply, prompt_tokens)
            cost = completion.cost
            used = completion.tokens_in + completion.tokens_out
            return completion
        except PromptRefused as refusal:
            return _refused(str(refusal))
        finally:
            self.budget.settle(reservation, cost, used)

    async def _answered(
        self,
        messages: Messages,
        name: str,
        entry: Mapping[str, object],
        tokens: int,
        key: KeyOf,
    ) -> ModelReply:
        """The first reply in a form of output that the endpoint takes."""
        while True:
            used: list[str] = []

            # The form may change while the call waits for leave: it is taken when it is sent.
            def body(used: list[str] = used) -> Mapping[str, object]:
                used.append(self.forms.form)
                response_format = self.forms.response_format(name, entry)
                return {"model": self.model, "messages": list(messages), **response_format}

            reply = await self.caller.call(body, tokens, key)
            meaning = meaning_of(reply)
            if meaning.kind is not ReplyKind.FORM:
                return reply
            if not self.forms.refused(used[-1]):
                raise CallFailed(
                    f"the endpoint refuses plain requests ({meaning.says}); check --base-url and"
                    " --model"
                )

    def _unpacked(
        self,
        reply: ModelReply,
        prompt_tokens: int,
    ) -> Completion:
        choice = _first(reply.body.get("choices"))
        message = choice.get("message")
        if not isinstance(message, dict):
            message = {}
        text = _text(message.get("content"))
        tokens_in, tokens_out = usage_in(reply.body.get("usage"), prompt_tokens, text)
        finish = str(choice.get("finish_reason") or "")
        return Completion(
            text=text,
            trouble=_trouble(text, finish, message),
            cut=finish == "length",
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=self.price.of(tokens_in, tokens_out),
        )


def _refused(says: str) -> Completion:
    """What stands for the answer to a prompt that was never answered; nothing was paid for it."""
    return Completion("", f"{REFUSED}: {says}", cut=False, tokens_in=0, tokens_out=0, cost=0.0)


def usage_in(
    usage: object,
    prompt_tokens: int,
    text: str,
) -> tuple[int, int]:
    """The endpoint's own count of prompt and answer tokens.

    It is an estimate where the endpoint gives none that can be right.
    """
    if isinstance(usage, dict):
        told = usage.get("prompt_tokens")
        answered = usage.get("completion_tokens")
        if _is_count(told) and _is_count(answered):
            return told, answered
    return prompt_tokens, count_tokens(text)


def _is_count(number: object) -> TypeGuard[int]:
    return isinstance(number, int) and 0 <= number < MOST_TOKENS


def _first(choices: object) -> dict[str, Any]:
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    return {}


def _text(content: object) -> str:
    """The text of a message; some endpoints send it as a list of parts.

    Halves of characters, which no file takes, become question marks.
    """
    if isinstance(content, list):
        parts = [str(part.get("text", "")) for part in content if isinstance(part, dict)]
        content = "".join(parts)
    return content.encode(errors="replace").decode() if isinstance(content, str) else ""


def _trouble(
    text: str,
    finish: str,
    message: Mapping[str, object],
) -> str:
    refusal = message.get("refusal")
    if refusal:
        return f"{REFUSED}: {_text(str(refusal))[:LONGEST_REFUSAL]}"
    if finish == "length":
        return "answer cut off at the model's longest output"
    if finish == "content_filter":
        return WITHHELD
    return "" if text.strip() else EMPTY
