"""The unmodified simple-salesforce on a server of `serve`: it writes every URL with https.

Knows no endpoint. Needs simple-salesforce (`pip install 'orgweave[upload]'`), so it is imported
when a client is asked for. Example:

    sf = orgweave.connect("http://127.0.0.1:8080", token)
    sf.query("SELECT Id, Subject FROM Case LIMIT 5")
"""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from simple_salesforce.api import Salesforce

from orgweave.crm.seam import API_VERSION
from schemas.errors import BadInput

SECURE = "https://"
PLAIN = "http://"


class PlainHttp(HTTPAdapter):
    """Sends requests that were written with https as http."""

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: float | tuple[float, float] | tuple[float, None] | None = None,
        verify: bool | str = True,
        cert: bytes | str | tuple[bytes | str, bytes | str] | None = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """Sends a request without the s."""
        request.url = str(request.url).replace(SECURE, PLAIN, 1)
        return super().send(request, stream, timeout, verify, cert, proxies)


def connect(
    url: str,
    token: str,
    version: str = API_VERSION,
    certificate: Path | None = None,
) -> Salesforce:
    """Returns a client of simple-salesforce on a server that `serve` started.

    Args:
        url: the instance URL that `serve` printed, such as `http://127.0.0.1:8080`.
        token: the bearer token that it printed.
        version: the API version to speak.
        certificate: the file of the certificate that `serve --tls` printed.
    Raises BadInput where the URL is none of http or https.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise BadInput(f"{url}: is no instance URL; give what serve printed: http://127.0.0.1:8080")
    session = requests.Session()
    # A proxy or a .netrc of the environment has nothing to do with a server of this machine.
    session.trust_env = False
    if parts.scheme == "http":
        # With the slash: without it port 80 would stand for port 8080, too.
        session.mount(f"{SECURE}{parts.netloc}/", PlainHttp())
    if certificate is not None:
        session.verify = str(certificate)
    return Salesforce(instance=parts.netloc, session_id=token, session=session, version=version)
