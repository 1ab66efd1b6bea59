"""What an endpoint's reply means: an answer, too much at once, try again, another form of output,
or no use in trying.

Text in, kind out; the one place that knows the error codes of OpenAI-compatible endpoints.
"""

from dataclasses import dataclass
from enum import Enum

from pipeline.model.transport import ModelReply

LONGEST = 300


class ReplyKind(Enum):
    """What to do about a reply."""

    ANSWER = "answer"
    BUSY = "busy"
    AGAIN = "again"
    FORM = "form"
    USELESS = "useless"


@dataclass(frozen=True, slots=True)
class Meaning:
    """A reply's kind, what to tell a person, and how many seconds the endpoint asks to wait (0: it
    doesn't say).
    """

    kind: ReplyKind
    says: str = ""
    wait: float = 0.0


def meaning_of(reply: ModelReply) -> Meaning:
    """The meaning of a reply; what an endpoint says is cut to a line."""
    status, said, wait = reply.status, _said(reply), _wait(reply)
    if 200 <= status < 300:
        if (
            isinstance(reply.body, dict)
            and reply.body.get("error")
            and not reply.body.get("choices")
        ):
            return Meaning(ReplyKind.AGAIN, f"HTTP {status}: {said}", wait)
        if isinstance(reply.body, dict) and not isinstance(reply.body.get("choices"), list):
            return Meaning(
                ReplyKind.AGAIN, f"HTTP {status}, but no chat completion came; check --base-url"
            )
        return (
            Meaning(ReplyKind.ANSWER)
            if isinstance(reply.body, dict)
            else Meaning(ReplyKind.AGAIN, f"HTTP {status} without JSON")
        )
    if status == 0:
        return Meaning(ReplyKind.AGAIN, said)
    if status == 429 and _code(reply) in ("insufficient_quota", "billing_hard_limit_reached"):
        return Meaning(
            ReplyKind.USELESS, f"the quota is used up ({said}); see to your plan and billing"
        )
    if status in (429, 503):
        return Meaning(ReplyKind.BUSY, f"HTTP {status}: {said}", wait)
    if status >= 500 or status in (408, 409, 425):
        return Meaning(ReplyKind.AGAIN, f"HTTP {status}: {said}", wait)
    return _refusal(reply, said)


def _refusal(reply: ModelReply, said: str) -> Meaning:
    status, low = reply.status, said.lower()
    if status in (401, 403):
        return Meaning(
            ReplyKind.USELESS, f"the key was not accepted ({said}); check OPENAI_API_KEY"
        )
    if status == 404:
        return Meaning(
            ReplyKind.USELESS, f"no such model or address ({said}); check --model and --base-url"
        )
    if (
        status == 413
        or _code(reply) == "context_length_exceeded"
        or "context length" in low
        or "context window" in low
    ):
        return Meaning(
            ReplyKind.USELESS,
            f"a prompt is too long for this model ({said}); use a model with a longer context, a"
            " shorter --prompt-dir template, or a smaller x-unit.batch",
        )
    if status in (400, 422) and any(
        word in low
        for word in (
            "response_format",
            "json_schema",
            "json_object",
            "structured output",
            "guided_json",
        )
    ):
        return Meaning(ReplyKind.FORM, said)
    return Meaning(ReplyKind.USELESS, f"HTTP {status}: {said}; check --model and --base-url")


def _error(reply: ModelReply) -> dict[str, object]:
    error = reply.body.get("error") if isinstance(reply.body, dict) else None
    if isinstance(error, dict):
        return error
    return {"message": error if isinstance(error, str) else None}


def _code(reply: ModelReply) -> str:
    return str(_error(reply).get("code") or _error(reply).get("type") or "")


def _said(reply: ModelReply) -> str:
    body = reply.body if isinstance(reply.body, dict) else {}
    text = _error(reply).get("message") or body.get("message") or body.get("detail") or reply.text
    line = " ".join(str(text).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _wait(reply: ModelReply) -> float:
    """Seconds of `retry-after-ms` or `retry-after`; a date there is taken as unsaid."""
    try:
        if "retry-after-ms" in reply.headers:
            return max(0.0, float(reply.headers["retry-after-ms"]) / 1000)
        return max(0.0, float(reply.headers.get("retry-after", 0)))
    except ValueError:
        return 0.0
