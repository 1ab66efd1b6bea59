"""The unmodified simple-salesforce on a server of plain HTTP, and requests by hand."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import requests
from simple_salesforce import Salesforce
from simple_salesforce.exceptions import SalesforceError

import orgweave
from orgweave.testing.org_server import OrgServer


def client(server: OrgServer, version: str = "59.0") -> Salesforce:
    """A client of its own session."""
    return orgweave.connect(server.url, server.token, version, server.certificate)


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
        if server.certificate is not None:
            session.verify = str(server.certificate)
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
