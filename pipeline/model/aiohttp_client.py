"""Chat completions over aiohttp alone: the quickest way to an endpoint.

It takes half of the `openai` client's processor time (measured in `make bench`), and is imported
only by runs that call a model. It knows neither proxies nor the Batch API; `writers` takes the
`openai` client for those.
"""

import json
import os
import ssl
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

import aiohttp
from pydantic import SecretStr

from pipeline.model.transport import ModelReply, fault_of, masked, reply_of

# A gateway may send long headers, such as policies and cookies; aiohttp's own bound is 8190 bytes.
LONGEST_HEADER = 65_536
# Which organization and project pays, for keys that belong to several; the `openai` client sends
# them as well.
PAYERS = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}


class AiohttpTransport:
    """A Transport."""

    def __init__(
        self,
        base_url: str,
        key: SecretStr,
        connections: int,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None

    async def post(
        self,
        path: str,
        body: Mapping[str, object],
        timeout: float,
    ) -> ModelReply:
        """The reply as it came; the key is never part of it."""
        session = self._opened()
        try:
            async with session.post(
                self._base_url + path,
                data=json.dumps(body, separators=(",", ":")).encode(),
                timeout=aiohttp.ClientTimeout(total=timeout),
            ) as response:
                content = await response.read()
                return reply_of(response.status, response.headers, masked(content, self._key))
        except TimeoutError:
            return ModelReply(0, text=f"no answer within {timeout:.0f} s")
        except aiohttp.ClientConnectorError as error:
            return fault_of("connection failed", error.os_error)
        except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError) as error:
            return fault_of("connection failed", error)
        except (aiohttp.ClientError, ValueError, OSError) as error:
            return fault_of("no HTTP came back", error)

    def _opened(self) -> aiohttp.ClientSession:
        """The session, opened at the first call: it belongs to the event loop that runs then."""
        if self._session is None:
            secure = self._base_url.startswith("https:")
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=self._connections, ssl=_trusted() if secure else True
                ),
                headers=self._headers(),
                cookie_jar=aiohttp.DummyCookieJar(),
                max_line_size=LONGEST_HEADER,
                max_field_size=LONGEST_HEADER,
            )
        return self._session

    def _headers(self) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self._key.get_secret_value()}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"orgweave/{_version()}",
        }
        for variable, name in PAYERS.items():
            if os.environ.get(variable):
                headers[name] = os.environ[variable]
        return headers

    async def close(self) -> None:
        """Closes the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


def _trusted() -> ssl.SSLContext:
    """The authorities that the `openai` client trusts.

    They are the system's, or those of SSL_CERT_FILE and SSL_CERT_DIR.
    """
    import httpx2

    return httpx2.create_ssl_context()


def _version() -> str:
    try:
        return version("orgweave")
    except PackageNotFoundError:
        return "checkout"
