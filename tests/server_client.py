"""The unmodified simple-salesforce client on a server of plain HTTP: it writes every URL with
https, so an adapter takes the s off again.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
import requests
from requests.adapters import HTTPAdapter
from simple_salesforce import Salesforce
from simple_salesforce.exceptions import SalesforceError

from orgweave.testing.org_server import OrgServer


class PlainHttp(HTTPAdapter):
    """Sends https requests as http."""

    def send(self, request, *args, **kwargs):
        """The request without the s."""
        request.url = request.url.replace("https://", "http://", 1)
        return super().send(request, *args, **kwargs)


def client(server: OrgServer, version: str = "59.0") -> Salesforce:
    """A client of its own session."""
    return plain_client(server.url, server.token, version)


def plain_client(url: str, token: str, version: str = "59.0") -> Salesforce:
    """The same for a server that only its URL is known of."""
    session = requests.Session()
    session.trust_env = False
    session.mount(url.replace("http://", "https://"), PlainHttp())
    return Salesforce(instance_url=url, session_id=token, session=session, version=version)


def raw(
    server: OrgServer,
    method: str,
    path: str,
    body: object = None,
    token: str | None = None,
    **headers: str,
) -> requests.Response:
    """A request by hand; a body that isn't bytes goes as JSON."""
    sent = {
        "Authorization": f"Bearer {token or server.token}",
        "Content-Type": "application/json",
        **headers,
    }
    data = body if isinstance(body, bytes) or body is None else json.dumps(body)
    with requests.Session() as session:
        session.trust_env = False
        return session.request(method, server.url + path, data=data, headers=sent, timeout=120)


def refused(code: str, work: Callable[[], Any]) -> str:
    """The message with which the server refused, which must carry this error code."""
    with pytest.raises(SalesforceError) as caught:
        work()
    fault = caught.value.content[0]
    assert fault["errorCode"] == code, fault
    return str(fault["message"])


def only(sf: Salesforce, text: str) -> dict[str, Any]:
    """The first record of an answer."""
    found: dict[str, Any] = sf.query(text)["records"][0]
    return found
