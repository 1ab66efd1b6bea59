"""What an endpoint's reply means.

It is an answer, or says that it was too much at once, that one may try again, that another form of
output is needed, that this prompt will never be answered, that there is no use in trying, or that
the quota is used up. This is the one place that knows the error codes of OpenAI-compatible
endpoints.
"""

from dataclasses import dataclass
from enum import Enum
from math import isfinite

from pipeline.model.transport import ModelReply

LONGEST = 300  # characters of what an endpoint says: a line for a person
QUOTA_CODES = ("insufficient_quota", "billing_hard_limit_reached")
LENGTH_CODE = "context_length_exceeded"
FILTER_CODES = ("content_filter", "content_policy_violation", "responsibleaipolicyviolation")
FILTER_WORDS = (
    "content filter",
    "content management policy",
    "content policy",
    "safety system",
    "flagged",
)
# Endpoints word it each in their own way.
LENGTH_WORDS = ("context length", "context window")
FORM_WORDS = (
    "response_format",
    "json_schema",
    "json_object",
    "structured output",
    "guided_json",
)


class ReplyKind(Enum):
    """What to do about a reply."""

    ANSWER = "answer"
    BUSY = "busy"
    AGAIN = "again"
    FORM = "form"
    REFUSED = "refused"
    USELESS = "useless"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Meaning:
    """A reply's kind, and what to tell a person.

    `wait` is how many seconds the endpoint asks to wait, 0 where it doesn't say.
    """

    kind: ReplyKind
    says: str = ""
    wait: float = 0.0


def meaning_of(reply: ModelReply) -> Meaning:
    """The meaning of a reply; what an endpoint says is cut to a line."""
    status = reply.status
    said = _said(reply)
    wait = _wait(reply)
    if 200 <= status < 300:
        return _success(reply, said, wait)
    if status == 0:
        return Meaning(ReplyKind.AGAIN, said)
    if status == 429 and _code(reply) in QUOTA_CODES:
        says = f"the quota is used up ({said}); see to your plan and billing"
        return Meaning(ReplyKind.OVER, says)
    if status in (429, 503):
        return Meaning(ReplyKind.BUSY, f"HTTP {status}: {said}", wait)
    if status >= 500 or status in (408, 409, 425):
        return Meaning(ReplyKind.AGAIN, f"HTTP {status}: {said}", wait)
    return _refusal(reply, said)


def _success(
    reply: ModelReply,
    said: str,
    wait: float,
) -> Meaning:
    """A reply of status 2xx, which some gateways send with an error or a page in it."""
    status = reply.status
    if not isinstance(reply.body, dict):
        return Meaning(ReplyKind.AGAIN, f"HTTP {status} without JSON")
    choices = reply.body.get("choices")
    if reply.body.get("error") and not choices:
        return Meaning(ReplyKind.AGAIN, f"HTTP {status}: {said}", wait)
    if not isinstance(choices, list):
        says = f"HTTP {status}, but no chat completion came; check --base-url"
        return Meaning(ReplyKind.AGAIN, says)
    return Meaning(ReplyKind.ANSWER)


def _refusal(reply: ModelReply, said: str) -> Meaning:
    status = reply.status
    words = said.lower()
    if _code(reply).lower() in FILTER_CODES or any(word in words for word in FILTER_WORDS):
        return Meaning(ReplyKind.REFUSED, f"a content filter refuses the prompt ({said})")
    if status in (401, 403):
        says = f"the key was not accepted ({said}); check OPENAI_API_KEY"
        return Meaning(ReplyKind.USELESS, says)
    if status == 404:
        says = f"no such model or address ({said}); check --model and --base-url"
        return Meaning(ReplyKind.USELESS, says)
    too_long = status == 413 or _code(reply) == LENGTH_CODE
    if too_long or any(word in words for word in LENGTH_WORDS):
        return Meaning(
            ReplyKind.REFUSED,
            f"a prompt is too long for this model ({said}); use a model with a longer context, a"
            " shorter --prompt-dir template, or a smaller x-unit.batch",
        )
    if status in (400, 422) and any(word in words for word in FORM_WORDS):
        return Meaning(ReplyKind.FORM, said)
    return Meaning(ReplyKind.USELESS, f"HTTP {status}: {said}; check --model and --base-url")


def _error(reply: ModelReply) -> dict[str, object]:
    error = reply.body.get("error") if isinstance(reply.body, dict) else None
    if isinstance(error, dict):
        return error
    return {"message": error if isinstance(error, str) else None}


def _code(reply: ModelReply) -> str:
    error = _error(reply)
    return str(error.get("code") or error.get("type") or "")


def _said(reply: ModelReply) -> str:
    body = reply.body if isinstance(reply.body, dict) else {}
    text = _error(reply).get("message") or body.get("message") or body.get("detail") or reply.text
    line = " ".join(str(text).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _wait(reply: ModelReply) -> float:
    """Seconds of `retry-after-ms` or `retry-after`; a date or `inf` there is taken as unsaid."""
    try:
        if "retry-after-ms" in reply.headers:
            wait = float(reply.headers["retry-after-ms"]) / 1000
        else:
            wait = float(reply.headers.get("retry-after", 0))
    except ValueError:
        return 0.0
    return wait if isfinite(wait) and wait > 0 else 0.0
