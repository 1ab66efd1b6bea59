"""What an endpoint's replies mean, and that the key stands in none of the messages they lead to."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from orgweave.testing.faults import Behaviour
from orgweave.testing.server import ModelServer
from orgweave.testing.words import Words
from pipeline.config import RunRequest, load_job
from pipeline.model.aiohttp_client import AiohttpTransport
from pipeline.model.openai_client import OpenAITransport
from pipeline.model.replies import LONGEST, ReplyKind, meaning_of
from pipeline.model.transport import ModelReply, Transport, reply_of
from schemas.errors import CallFailed

SECRET = "sk-toy-0123456789-never-to-be-seen"
BODY = {"model": "toy", "messages": [{"role": "user", "content": "Object type: Product2"}]}
Opened = Callable[[str, SecretStr, int], Transport]


def said(
    status: int, code: str | None = None, message: str = "Something.", **headers: str
) -> ModelReply:
    """A reply with an error as OpenAI words it."""
    body = {"error": {"message": message, "type": code, "code": code}}
    return reply_of(
        status,
        {name.replace("_", "-"): value for name, value in headers.items()},
        json.dumps(body).encode(),
    )


# --- meanings


@pytest.mark.parametrize(
    ("reply", "kind", "says"),
    [
        (reply_of(200, {}, b'{"choices": []}'), ReplyKind.ANSWER, ""),
        (reply_of(200, {}, b'\xef\xbb\xbf{"choices": []}'), ReplyKind.ANSWER, ""),
        (reply_of(200, {}, b"<html>Welcome</html>"), ReplyKind.AGAIN, "HTTP 200 without JSON"),
        (reply_of(200, {}, b"[1, 2]"), ReplyKind.AGAIN, "HTTP 200 without JSON"),
        (reply_of(204, {}, b""), ReplyKind.AGAIN, "HTTP 204 without JSON"),
        (said(401, "invalid_api_key"), ReplyKind.USELESS, "check OPENAI_API_KEY"),
        (said(403), ReplyKind.USELESS, "check OPENAI_API_KEY"),
        (
            said(404, "model_not_found", "No model toy."),
            ReplyKind.USELESS,
            "No model toy.); check --model and --base-url",
        ),
        (said(413), ReplyKind.REFUSED, "a prompt is too long"),
        (said(400, "content_filter"), ReplyKind.REFUSED, "a content filter refuses the prompt"),
        (
            said(400, "bad", "flagged by our content management policy"),
            ReplyKind.REFUSED,
            "a content filter",
        ),
        (said(400, "context_length_exceeded"), ReplyKind.REFUSED, "a prompt is too long"),
        (
            said(400, None, "This model's maximum context length is 10 tokens."),
            ReplyKind.REFUSED,
            "a prompt is too long",
        ),
        (
            said(
                400,
                None,
                "Invalid parameter: 'response_format' of type 'json_schema' is not supported.",
            ),
            ReplyKind.FORM,
            "response_format",
        ),
        (said(422, None, "guided_json is off"), ReplyKind.FORM, "guided_json"),
        (
            said(400, None, "temperature must be a number"),
            ReplyKind.USELESS,
            "HTTP 400: temperature must be a number",
        ),
        (said(429, "insufficient_quota"), ReplyKind.OVER, "the quota is used up"),
        (said(429, "rate_limit_exceeded"), ReplyKind.BUSY, "HTTP 429"),
        (said(503), ReplyKind.BUSY, "HTTP 503"),
        (said(500, "server_error"), ReplyKind.AGAIN, "HTTP 500"),
        (said(408), ReplyKind.AGAIN, "HTTP 408"),
        (
            ModelReply(0, text="connection failed (reset)"),
            ReplyKind.AGAIN,
            "connection failed (reset)",
        ),
        (
            reply_of(502, {}, b"<html>\n  Bad Gateway\n</html>"),
            ReplyKind.AGAIN,
            "HTTP 502: <html> Bad Gateway </html>",
        ),
        (
            reply_of(422, {}, b'{"detail": [{"msg": "field required"}]}'),
            ReplyKind.USELESS,
            "field required",
        ),
        (reply_of(500, {}, b'{"error": "out of memory"}'), ReplyKind.AGAIN, "out of memory"),
    ],
)
def test_each_reply_has_one_meaning(reply: ModelReply, kind: ReplyKind, says: str) -> None:
    """Errors no repetition mends end the run, load waits, faults are tried again, a refused form
    leads to another; the endpoint's words are told.
    """
    meaning = meaning_of(reply)
    assert meaning.kind is kind
    assert says in meaning.says


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"retry-after": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, 0.0),
        ({"retry-after": "inf"}, 0.0),
        ({"retry-after-ms": "1e400"}, 0.0),
    ],
)
def test_the_wait_that_is_asked_for_is_heard(headers: Mapping[str, str], seconds: float) -> None:
    """Retry-After in seconds or milliseconds is heard whatever its capitals; a date or a negative
    number counts as unsaid.
    """
    assert meaning_of(reply_of(429, headers, b"{}")).wait == seconds


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "message", "code", "type", "detail", "x"]), inner
        )
    ),
    max_leaves=8,
)


@given(
    status=st.integers(0, 599),
    body=junk,
    text=st.text(max_size=900) | st.just("line one\nline two\n" * 90),
    headers=st.dictionaries(
        st.sampled_from(["retry-after", "retry-after-ms"]), st.text(max_size=5)
    ),
)
def test_no_reply_says_more_than_a_line(
    status: int,
    body: object,
    text: str,
    headers: dict[str, str],
) -> None:
    """Whatever comes, of whatever form, has a meaning, a wait that isn't negative, and words for
    one line of bounded length.
    """
    meaning = meaning_of(ModelReply(status, body, headers, text))
    assert len(meaning.says.splitlines()) <= 1
    assert len(meaning.says) < LONGEST + 200
    assert meaning.wait >= 0


# --- over real sockets


@pytest.fixture(scope="module")
def words() -> Words:
    """Answers for a small shoe company."""
    return Words(load_job(RunRequest("shoes", scale=0.05)))


def posted(
    opened: Opened,
    url: str,
    body: Mapping[str, object] = BODY,
    timeout: float = 5,
    key: str = SECRET,
) -> ModelReply:
    """The reply to one chat completion."""

    async def once() -> ModelReply:
        transport = opened(url, SecretStr(key), 2)
        try:
            return await transport.post("/chat/completions", body, timeout)
        finally:
            await transport.close()

    return asyncio.run(once())


both = pytest.mark.parametrize("opened", [AiohttpTransport, OpenAITransport])


@both
@pytest.mark.parametrize(
    ("behaviour", "kind", "says"),
    [
        (Behaviour(), ReplyKind.ANSWER, ""),
        (Behaviour(models=("other",)), ReplyKind.USELESS, "no such model"),
        (Behaviour(context=3), ReplyKind.REFUSED, "a prompt is too long"),
        (Behaviour(forms=("json_schema",)), ReplyKind.FORM, "response_format"),
        (Behaviour(faults={"busy": 1.0}, retry_after=0.75), ReplyKind.BUSY, "slow down"),
        (Behaviour(faults={"error_500": 1.0}), ReplyKind.AGAIN, "HTTP 500"),
        (Behaviour(faults={"dropped": 1.0}), ReplyKind.AGAIN, "connection failed"),
        (Behaviour(latency=3.0), ReplyKind.AGAIN, "no answer within 0 s"),
    ],
)
def test_both_clients_tell_the_same_of_a_real_server(
    words: Words,
    opened: Opened,
    behaviour: Behaviour,
    kind: ReplyKind,
    says: str,
) -> None:
    """Over real sockets each fault of the server has the meaning it should, with either client."""
    with ModelServer(words, behaviour) as server:
        meaning = meaning_of(posted(opened, server.url, timeout=0.3 if behaviour.latency else 60))
    assert meaning.kind is kind
    assert says in meaning.says
    assert meaning.wait == (0.75 if kind is ReplyKind.BUSY else 0.0)


@both
def test_a_used_up_quota_is_no_load(words: Words, opened: Opened) -> None:
    """A 429 for a used-up quota ends the run where a 429 for load would wait."""
    with ModelServer(words, Behaviour(quota=1)) as server:
        kinds = [meaning_of(posted(opened, server.url)).kind for _ in range(2)]
    assert kinds == [ReplyKind.ANSWER, ReplyKind.OVER]


@both
def test_an_address_where_nobody_listens_is_a_fault_to_try_again(opened: Opened) -> None:
    """A refused connection is told in a line and may be tried again."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    meaning = meaning_of(posted(opened, f"http://127.0.0.1:{port}/v1"))
    assert meaning.kind is ReplyKind.AGAIN
    assert "connection failed" in meaning.says


# --- the key


@both
def test_a_key_that_the_server_echoes_is_masked(words: Words, opened: Opened) -> None:
    """A server that repeats the refused key in its 401 doesn't bring it into the reply, its meaning
    or its repr.
    """
    with ModelServer(words, Behaviour(key="another-key")) as server:
        reply = posted(opened, server.url)
    assert reply.status == 401
    assert "Incorrect API key provided: Bearer ***" in meaning_of(reply).says
    assert SECRET not in repr(reply) + repr(meaning_of(reply))


@pytest.mark.parametrize(
    "call",
    [
        lambda line: line.start_batch("{}\n"),
        lambda line: line.batch_state("batch_1"),
        lambda line: line.file_text("file-1"),
    ],
    ids=["start", "state", "file"],
)
def test_the_batch_calls_mask_the_key_too(
    words: Words, call: Callable[[OpenAITransport], Awaitable[object]]
) -> None:
    """Where the Batch API refuses the key and repeats it, the one-line error doesn't hold it."""

    async def once(url: str) -> None:
        line = OpenAITransport(url, SecretStr(SECRET), 2)
        try:
            await call(line)
        finally:
            await line.close()

    with (
        ModelServer(words, Behaviour(key="another-key")) as server,
        pytest.raises(CallFailed) as raised,
    ):
        asyncio.run(once(server.url))
    assert "the key was not accepted" in str(raised.value)
    assert "***" in str(raised.value)
    assert SECRET not in str(raised.value)
