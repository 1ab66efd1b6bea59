"""Whether a model's endpoint answers at all, asked once before an evaluation runs.

Inspect asks an endpoint that isn't there again and again, as long as it takes, and says nothing.
Knows no key and calls no model: any answer will do, a refusal too.
"""

import httpx2
from inspect_ai.model import Model, get_model

from schemas.errors import Unreachable

SECONDS = 15.0
"""An endpoint that has not answered so long is told as dead: the command says so within 30 s."""


def check_endpoint(name: str, base_url: str | None = None) -> None:
    """Raises Unreachable where nothing answers at a model's endpoint.

    A provider whose address can't be known without a call is not asked.
    """
    address = base_url or _address(get_model(name, memoize=False))
    if not address.startswith(("http://", "https://")):
        return
    try:
        httpx2.get(address, timeout=SECONDS)
    except httpx2.HTTPError as error:
        raise Unreachable(
            f"{address}: nothing gets through to the endpoint of {name}"
            f" ({error or type(error).__name__}); start it or mend --base-url"
        ) from error


def _address(model: Model) -> str:
    """Where a provider's client sends its requests; "" where it doesn't say."""
    client = getattr(model.api, "client", None)
    return str(getattr(client, "base_url", ""))
