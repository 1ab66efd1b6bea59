"""Logging in over HTTP: tokens, who calls, and SOAP, by the server's own token and no other."""

from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
import requests

from orgweave.testing.org_server import OrgServer
from pipeline.run import FinishedRun
from tests.server_client import raw

TOKEN = "/services/oauth2/token"
USERINFO = "/services/oauth2/userinfo"
SOAP = "/services/Soap/u/59.0"
PARTNER = "{urn:partner.soap.sforce.com}"


@pytest.fixture(scope="module")
def server(small_shoes: FinishedRun) -> Iterator[OrgServer]:
    """A read-only server."""
    with OrgServer(small_shoes.folder) as running:
        yield running


def posted(server: OrgServer, path: str, **form: str) -> requests.Response:
    """A form that is sent without any token in a header."""
    return requests.post(server.url + path, data=form, timeout=60)


def envelope(operation: str, **values: str) -> bytes:
    """A SOAP call."""
    inside = "".join(f"<n:{name}>{value}</n:{name}>" for name, value in values.items())
    return (
        '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"'
        f' xmlns:n="urn:partner.soap.sforce.com"><e:Body><n:{operation}>{inside}'
        f"</n:{operation}></e:Body></e:Envelope>"
    ).encode()


def called(server: OrgServer, body: bytes, path: str = SOAP) -> requests.Response:
    """A SOAP call's answer."""
    headers = {"Content-Type": "text/xml", "SOAPAction": '""'}
    return requests.post(server.url + path, data=body, headers=headers, timeout=60)


@pytest.mark.parametrize(
    "form",
    [
        {"grant_type": "password", "username": "anybody", "password": "{token}"},
        {"grant_type": "client_credentials", "client_id": "x", "client_secret": "{token}"},
        {"grant_type": "refresh_token", "client_id": "x", "refresh_token": "{token}"},
    ],
)
def test_the_token_is_given_to_whoever_has_it(server: OrgServer, form: dict[str, str]) -> None:
    """Each grant gives a token by which queries are answered, and the URL that was asked."""
    filled = {name: value.format(token=server.token) for name, value in form.items()}
    answer = posted(server, TOKEN, **filled)
    told = answer.json()
    assert answer.status_code == 200 and told["token_type"] == "Bearer"
    assert told["instance_url"] == server.url
    assert raw(server, "GET", USERINFO, token=told["access_token"]).status_code == 200
    assert told["id"].startswith(f"{server.url}/id/00D")


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"grant_type": "password", "username": "x", "password": "wrong"}, "invalid_grant"),
        ({"grant_type": "password", "username": "x"}, "invalid_grant"),
        ({"grant_type": "client_credentials", "client_secret": ""}, "invalid_grant"),
        ({"grant_type": "authorization_code", "code": "x"}, "unsupported_grant_type"),
        ({}, "unsupported_grant_type"),
    ],
)
def test_nobody_else_gets_a_token(server: OrgServer, form: dict[str, str], error: str) -> None:
    """A wrong, empty or missing secret is refused in OAuth's form, and the token isn't told."""
    answer = posted(server, TOKEN, **form)
    assert answer.status_code == 400 and answer.json()["error"] == error
    assert server.token not in answer.text


def test_a_long_login_is_not_read(server: OrgServer) -> None:
    """Before a token was shown no more than a login's few names are taken in."""
    answer = posted(server, TOKEN, grant_type="password", password="x" * 100_000)
    assert answer.status_code == 413


def test_the_token_cant_be_revoked_and_says_so(server: OrgServer) -> None:
    """There is one token for all; a client that logs out is told that it stays."""
    answer = posted(server, "/services/oauth2/revoke", token=server.token)
    assert answer.json()["error"] == "unsupported_token_type"
    assert raw(server, "GET", USERINFO).status_code == 200


def test_userinfo_tells_who_calls(server: OrgServer) -> None:
    """It is the user by whom records are written, in the form of OpenID Connect."""
    told = raw(server, "GET", USERINFO).json()
    path = f"/services/data/v59.0/sobjects/User/{told['user_id']}"
    user = raw(server, "GET", path).json()
    assert told["preferred_username"] == user["Username"]
    assert told["name"] == user["Name"] and told["email"] == user["Email"]
    assert told["organization_id"].startswith("00D") and len(told["organization_id"]) == 18
    assert told["urls"]["rest"] == f"{server.url}/services/data/v{{version}}/"
    assert raw(server, "POST", USERINFO, b"").json() == told


def test_the_identity_url_tells_the_same_user(server: OrgServer) -> None:
    """The resources of a version name it."""
    url = raw(server, "GET", "/services/data/v59.0/").json()["identity"]
    assert url.startswith(server.url)
    told = raw(server, "GET", url.removeprefix(server.url)).json()
    assert told["id"] == url
    assert told["user_id"] == raw(server, "GET", USERINFO).json()["user_id"]


@pytest.mark.parametrize("path", [USERINFO, "/id/00D000000000001/005000000000001"])
def test_who_calls_is_told_to_nobody_without_the_token(server: OrgServer, path: str) -> None:
    """Both need the token as everything else does."""
    assert requests.get(server.url + path, timeout=60).status_code == 401


def test_the_crms_own_form_of_a_token_is_taken(server: OrgServer) -> None:
    """Behind an org's id and an exclamation mark stands the token; a wrong one is refused."""
    told = raw(server, "GET", USERINFO)
    assert raw(server, "GET", USERINFO, token=f"00D000000000001!{server.token}").json() == (
        told.json()
    )
    for wrong in (f"00D000000000001!x{server.token}", f"001!{server.token}", "00D000000000001!"):
        assert raw(server, "GET", USERINFO, token=wrong).status_code == 401


def test_soap_logs_in(server: OrgServer) -> None:
    """A login gives the token, the URL that was asked, and the user."""
    answer = called(server, envelope("login", username="anybody", password=server.token))
    result = ElementTree.fromstring(answer.content).find(f".//{PARTNER}result")
    assert answer.status_code == 200 and result is not None
    session = str(result.findtext(f"{PARTNER}sessionId"))
    told = raw(server, "GET", USERINFO, token=session).json()
    assert result.findtext(f"{PARTNER}userId") == told["user_id"]
    assert str(result.findtext(f"{PARTNER}serverUrl")).startswith(server.url)
    user = envelope("getUserInfo", sessionId=session)
    assert told["email"] in called(server, user).text
    assert called(server, envelope("logout", sessionId=session)).status_code == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (envelope("login", username="x", password="wrong"), "INVALID_LOGIN"),
        (envelope("login"), "INVALID_LOGIN"),
        (envelope("getUserInfo", sessionId="wrong"), "INVALID_SESSION_ID"),
        (envelope("query", queryString="SELECT Id FROM Case"), "NOT_FOUND"),
        (b"no XML", "NOT_FOUND"),
        (b"<a>" * 1000, "NOT_FOUND"),
    ],
)
def test_other_soap_is_refused_and_says_what_to_use(
    server: OrgServer,
    body: bytes,
    code: str,
) -> None:
    """A fault names the reason; what isn't served is never called an expired session."""
    answer = called(server, body)
    assert answer.status_code in (404, 500)
    assert f"<faultcode>sf:{code}</faultcode>" in answer.text
    assert code != "NOT_FOUND" or "use REST" in answer.text


def test_entities_in_soap_are_not_made(server: OrgServer) -> None:
    """A document type is refused, whatever it holds and however it is spelt."""
    bomb = (
        '<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'
        + envelope("login", username="x", password="&c;").decode()
    )
    for body in (bomb.encode(), bomb.encode("utf-16")):
        assert "NOT_FOUND" in called(server, body).text


def test_the_metadata_api_is_refused_as_what_it_is(server: OrgServer) -> None:
    """Its SOAP carries no token in a header; the answer is that it isn't served."""
    answer = called(server, envelope("listMetadata"), "/services/Soap/m/59.0")
    assert answer.status_code == 404 and "Session expired" not in answer.text


@pytest.mark.parametrize("path", ["//services/data/v59.0/limits", "///services/oauth2/userinfo"])
def test_more_than_one_slash_may_begin_a_path(server: OrgServer, path: str) -> None:
    """A client that puts its path behind a URL with a slash sends two."""
    assert raw(server, "GET", path).status_code == 200
    assert requests.get(server.url + path, timeout=60).status_code == 401


@pytest.mark.parametrize("version", ["99.0", "30.0", "5.0", "59.1"])
def test_an_api_version_that_never_was_is_refused(server: OrgServer, version: str) -> None:
    """Only the versions that are listed are answered."""
    answer = raw(server, "GET", f"/services/data/v{version}/sobjects")
    assert answer.status_code == 404 and answer.json()[0]["errorCode"] == "NOT_FOUND"
