"""The seam to the network: a body posted, a reply back, whatever came.

Nothing behind it retries, waits or raises for an endpoint's answer.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import SecretStr

LONGEST_TEXT = 2000  # of a reply that is quoted in a message: a page of HTML may be long
LONGEST_FAULT = 200  # characters of what a client says of broken HTTP, which may quote all of it
SHORTEST_SECRET = 8  # characters; what local servers take for a key ("none", "x") stands in words


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came back.

    `status` is 0 where no HTTP answer did (refused, dropped, timed out); `text` then says why.
    """

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""


class Transport(Protocol):
    """Posts JSON to an endpoint."""

    async def post(
        self,
        path: str,
        body: Mapping[str, object],
        timeout: float,
    ) -> ModelReply:
        """The reply to `POST <base_url><path>`, within `timeout` seconds."""

    async def close(self) -> None:
        """Closes the connections."""


@dataclass(frozen=True, slots=True)
class BatchState:
    """Where a batch stands: its status and the files of its answers.

    `says` is what the endpoint tells where the batch failed.
    """

    status: str
    files: tuple[str, ...] = ()
    says: str = ""


class BatchTransport(Protocol):
    """The four calls of a Batch API; each raises CallFailed."""

    async def start_batch(self, lines: str) -> str:
        """Uploads the requests and starts a batch; its id."""

    async def batch_state(self, batch: str) -> BatchState:
        """Where that batch stands."""

    async def file_text(self, file: str) -> str:
        """The content of a file."""


def reply_of(
    status: int,
    headers: Mapping[str, str],
    content: bytes,
) -> ModelReply:
    """A reply from raw parts; a body that isn't JSON is None.

    A byte order mark, which some gateways send, is no part of it.
    """
    text = content.decode("utf-8-sig", errors="replace")
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        body = None
    lower = {name.lower(): value for name, value in headers.items()}
    return ModelReply(status, body, lower, text[:LONGEST_TEXT])


def fault_of(what: str, error: BaseException) -> ModelReply:
    """The reply that stands for none: what happened, and the error's own words in one line."""
    says = " ".join(str(error).split())[:LONGEST_FAULT]
    return ModelReply(0, text=f"{what} ({type(error).__name__}: {says})")


def masked(content: bytes, key: SecretStr) -> bytes:
    """What came, without the key that some servers repeat; one too short for one is left."""
    secret = key.get_secret_value()
    if len(secret) < SHORTEST_SECRET:
        return content
    return content.replace(secret.encode(), b"***")
