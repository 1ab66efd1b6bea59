"""A model's endpoint before an evaluation runs: whether it answers, and which API it is asked by.

Inspect asks an endpoint that isn't there again and again, as long as it takes, and says nothing.
Knows no key and calls no model: any answer will do, a refusal too.
"""

from typing import Any
from urllib.parse import urlsplit

import httpx2
from inspect_ai.model import get_model

from schemas.errors import Unreachable

SECONDS = 15.0
"""An endpoint that has not answered so long is told as dead: the command says so within 30 s."""

OPENAI = "openai"
OPENAI_HOST = "api.openai.com"
SERVICES = ("azure", "bedrock")
"""Clouds that Inspect reaches through its provider `openai`, each with rules of its own."""


def check_endpoint(name: str, base_url: str | None = None) -> None:
    """Raises Unreachable where nothing answers at a model's endpoint.

    A provider whose address can't be known without a call is not asked.
    """
    address = _address(name, base_url)
    if not address.startswith(("http://", "https://")):
        return
    try:
        httpx2.get(address, timeout=SECONDS)
    except httpx2.HTTPError as error:
        raise Unreachable(
            f"{address}: nothing gets through to the endpoint of {name}"
            f" ({error or type(error).__name__}); start it or mend --base-url"
        ) from error


def model_options(name: str, base_url: str | None = None) -> dict[str, Any]:
    """What Inspect must be told besides a model's name: the API, where the endpoint isn't OpenAI's.

    Inspect takes a name that it doesn't know for OpenAI's newest model and asks for it by the
    Responses API. What other endpoints offer, as vLLM and Ollama do, is chat completions.

    Example: `model_options("openai/qwen3", "http://127.0.0.1:8000/v1")` is `{"responses_api":
    False}`.
    """
    provider, _, model = name.partition("/")
    if provider != OPENAI or model.split("/")[0] in SERVICES:
        return {}
    host = urlsplit(_address(name, base_url)).hostname
    return {} if host in (None, OPENAI_HOST) else {"responses_api": False}


def _address(name: str, base_url: str | None) -> str:
    """Where a provider's client sends its requests; "" where it doesn't say."""
    if base_url:
        return base_url
    client = getattr(get_model(name, memoize=False).api, "client", None)
    return str(getattr(client, "base_url", ""))
