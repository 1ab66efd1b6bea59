"""The `openai` package's async client behind the seam, over its aiohttp transport.

It speaks to the Batch API, goes by way of proxies, and takes the place of `aiohttp_client` where
`--client openai` asks for it. Its aiohttp transport is quicker than its default (measured in `make
bench`). The client's own retries are off for completions, so that the limiter sees every answer.
The module is imported when it is needed: it takes most of a second.
"""

from collections.abc import Awaitable, Mapping
from typing import TypeVar
from urllib.request import getproxies

import aiohttp
import httpx2
import openai
from pydantic import SecretStr

from pipeline.model.replies import meaning_of
from pipeline.model.transport import BatchState, ModelReply, fault_of, masked, reply_of
from schemas.errors import CallFailed

T = TypeVar("T")
# For the few calls of the Batch API, which no limiter watches.
PATIENT_TRIES = 6


class OpenAITransport:
    """A Transport and a BatchTransport."""

    def __init__(
        self,
        base_url: str,
        key: SecretStr,
        connections: int,
    ) -> None:
        limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
        # Looking for proxies at each call takes a third of its processor time; once is enough.
        proxies = bool(getproxies())
        http = openai.DefaultAioHttpClient(limits=limits, trust_env=proxies)
        self._key = key
        self.client = openai.AsyncOpenAI(
            api_key=key.get_secret_value(),
            base_url=base_url,
            max_retries=0,
            http_client=http,
        )
        self._patient = self.client.with_options(max_retries=PATIENT_TRIES)

    async def post(
        self,
        path: str,
        body: Mapping[str, object],
        timeout: float,
    ) -> ModelReply:
        """The reply as it came; the key is never part of it."""
        try:
            response = await self.client.post(
                path,
                cast_to=httpx2.Response,
                body=dict(body),
                options={"timeout": timeout},
            )
            content = masked(response.content, self._key)
            return reply_of(response.status_code, response.headers, content)
        except openai.APIStatusError as error:
            return self._masked(error)
        except openai.APIConnectionError as error:
            cause = _innermost(error)
            if isinstance(cause, TimeoutError):
                return ModelReply(0, text=f"no answer within {timeout:.0f} s")
            return fault_of("connection failed", cause)
        except (aiohttp.ClientError, httpx2.HTTPError, ValueError, OSError) as error:
            # What isn't HTTP passes the client by: a broken status line, a header too long.
            return fault_of("no HTTP came back", error)

    async def start_batch(self, lines: str) -> str:
        """Uploads the requests and starts a batch for them; raises CallFailed."""
        file = await self._told(
            self._patient.files.create(file=("requests.jsonl", lines.encode()), purpose="batch")
        )
        file_id = _named(file, "a file")
        batch = await self._told(
            self._patient.batches.create(
                input_file_id=file_id,
                endpoint="/v1/chat/completions",
                completion_window="24h",
            )
        )
        return _named(batch, "a batch")

    async def batch_state(self, batch: str) -> BatchState:
        """Where a batch stands, `unknown` where the endpoint has forgotten it.

        Raises CallFailed.
        """
        try:
            found = await self._patient.batches.retrieve(batch)
        except openai.NotFoundError:
            return BatchState("unknown")
        except openai.APIError as error:
            raise self._failed(error) from None  # the client's error may hold the key
        _named(found, "a batch")
        files = tuple(file for file in (found.output_file_id, found.error_file_id) if file)
        errors = found.errors.data if found.errors and found.errors.data else []
        says = "; ".join(str(error.message) for error in errors[:3])
        return BatchState(found.status, files, says)

    async def file_text(self, file: str) -> str:
        """The content of a file; raises CallFailed."""
        content = await self._told(self._patient.files.content(file))
        return masked(content.content, self._key).decode("utf-8", errors="replace")

    async def _told(self, call: Awaitable[T]) -> T:
        """What a call of the Batch API gives, or CallFailed with the endpoint's words."""
        try:
            return await call
        except openai.APIError as error:
            raise self._failed(error) from None  # the client's error may hold the key

    def _failed(self, error: openai.APIError) -> CallFailed:
        if isinstance(error, openai.APIStatusError):
            return CallFailed(meaning_of(self._masked(error)).says)
        return CallFailed(
            f"the endpoint can't be reached ({error}); what was written is kept, the same command"
            " goes on"
        )

    def _masked(self, error: openai.APIStatusError) -> ModelReply:
        """The reply of a refusal, without the key that some servers repeat."""
        response = error.response
        content = masked(response.content, self._key)
        return reply_of(response.status_code, response.headers, content)

    async def close(self) -> None:
        """Closes the client's connections."""
        await self.client.close()


def _named(made: object, what: str) -> str:
    """The id of what the endpoint made.

    Raises CallFailed where something else came, such as a page of HTML: the client doesn't check.
    """
    name = getattr(made, "id", None)
    if not isinstance(name, str) or not name:
        raise CallFailed(
            f"the endpoint has no Batch API (it was asked for {what} and sent something else);"
            " check --base-url, or leave --batch out"
        )
    return name


def _innermost(error: BaseException) -> BaseException:
    """What an error came from at first.

    The aiohttp transport gives a refused connection as a timeout; its cause tells them apart.
    """
    cause = error.__cause__ or error.__context__
    while cause is not None:
        error = cause
        cause = error.__cause__ or error.__context__
    return error
