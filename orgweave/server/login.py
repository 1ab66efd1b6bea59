"""Who calls: tokens for whoever has the server's own one, and what the CRM says of its user.

A client logs in by OAuth (`/services/oauth2/token`) or SOAP (`/services/Soap/u/59.0`), or is given
the token and asks `/services/oauth2/userinfo` who it is. The password, the client's secret and the
refresh token are all the server's one token; names of users and clients don't matter. Knows no
record but the user who calls.

Example: `POST /services/oauth2/token` with `grant_type=password&username=x&password=<token>` is
answered with `{"access_token": "<token>", "instance_url": "http://127.0.0.1:8080", ...}`.
"""

import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from orgweave.crm.seam import API_VERSION
from orgweave.server.call import ApiResponse, JsonObject
from orgweave.server.served import Served

TOKEN_PATH = "/services/oauth2/token"
REVOKE_PATH = "/services/oauth2/revoke"
USERINFO_PATH = "/services/oauth2/userinfo"
SOAP_PATH = re.compile(r"/services/Soap/(\w+)(?:/.*)?", re.DOTALL | re.IGNORECASE)
IDENTITY_PATH = re.compile(r"/id/[A-Za-z0-9]{15,18}/[A-Za-z0-9]{15,18}/?")
ORGANIZATION = re.compile(r"^00D[A-Za-z0-9]{12,15}!")
"""The CRM puts the org's id before its tokens, and `sf` takes no token without one."""
GRANTS = {
    "password": "password",
    "client_credentials": "client_secret",
    "refresh_token": "refresh_token",
}
"""Kind of grant -> the parameter that must be the server's token."""
SESSION_SECONDS = 7200
"""What SOAP says of how long a session lasts; ours last as long as the server."""
PARTNER = "urn:partner.soap.sforce.com"
ENTERPRISE = "urn:enterprise.soap.sforce.com"
ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
XML = {"content-type": "text/xml;charset=UTF-8"}
NO_SOAP = (
    "of SOAP only login, logout and getUserInfo are served; use REST (/services/data), Bulk API"
    " 2.0 (/services/data/vXX.X/jobs) or Bulk API 1.0 (/services/async)"
)


@dataclass(frozen=True, slots=True)
class LoginDoor:
    """Where the server was asked, such as `http://127.0.0.1:8080`, and the token it lets in."""

    instance: str
    token: str

    def opens(self, given: str) -> bool:
        """Whether a text is the token."""
        return is_token(given, self.token)


@dataclass(frozen=True, slots=True)
class CallingUser:
    """The user who calls, and the org; a schema without users has one without a record."""

    user_id: str
    organization_id: str
    values: Mapping[str, object]

    def text(self, name: str, missing: str = "") -> str:
        """Returns a value of the user's record as text."""
        found = self.values.get(name)
        return missing if found is None else str(found)


def is_token(given: str, token: str) -> bool:
    """Whether a text is the token, alone or behind an org's id as the CRM's own tokens are.

    The comparison takes the same time for every text, and so tells nothing about the right one.
    """
    bare = ORGANIZATION.sub("", given, count=1)
    return secrets.compare_digest(bare.encode(), token.encode())


def token_answer(org: Served, door: LoginDoor, body: bytes) -> ApiResponse:
    """Answers `POST /services/oauth2/token`: the token for whoever has it, as OAuth has it."""
    form = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    grant = form.get("grant_type", "")
    if grant not in GRANTS:
        known = ", ".join(GRANTS)
        return _oauth_error("unsupported_grant_type", f"grant_type must be one of {known}")
    if not door.opens(form.get(GRANTS[grant], "")):
        hint = f"authentication failure: {GRANTS[grant]} must be the token that serve printed"
        return _oauth_error("invalid_grant", hint)
    caller = caller_of(org)
    made: JsonObject = {
        "access_token": _session(door, caller),
        "instance_url": door.instance,
        "id": _identity_url(door, caller),
        "token_type": "Bearer",
        "issued_at": str(int(time.time() * 1000)),
        "scope": "api",
    }
    return ApiResponse(200, made, {"cache-control": "no-store"})


def revoke_answer() -> ApiResponse:
    """Answers `POST /services/oauth2/revoke`, which can't be done: all share the one token."""
    return _oauth_error(
        "unsupported_token_type", "the token lasts as long as the server; end the server instead"
    )


def userinfo(org: Served, door: LoginDoor) -> ApiResponse:
    """Answers with who calls, as OpenID Connect has it."""
    caller = caller_of(org)
    made = _of_both(caller, door)
    made |= {
        "sub": _identity_url(door, caller),
        "preferred_username": caller.text("Username"),
        "name": caller.text("Name"),
        "given_name": caller.text("FirstName"),
        "family_name": caller.text("LastName"),
        "nickname": caller.text("Alias"),
        "zoneinfo": caller.text("TimeZoneSidKey"),
    }
    return ApiResponse(200, made)


def identity(org: Served, door: LoginDoor) -> ApiResponse:
    """Answers with who calls, as the identity URL has it."""
    caller = caller_of(org)
    made = _of_both(caller, door)
    made |= {
        "id": _identity_url(door, caller),
        "asserted_user": True,
        "username": caller.text("Username"),
        "display_name": caller.text("Name"),
        "first_name": caller.text("FirstName"),
        "last_name": caller.text("LastName"),
        "nick_name": caller.text("Alias"),
        "timezone": caller.text("TimeZoneSidKey"),
    }
    return ApiResponse(200, made)


def soap(org: Served, door: LoginDoor, kind: str, body: bytes) -> ApiResponse:
    """Answers a SOAP call: login, logout and getUserInfo, and a fault for all others."""
    operation, values = _operation(body)
    space = ENTERPRISE if kind.lower() == "c" else PARTNER
    if kind.lower() not in ("c", "u"):
        return _fault(404, "NOT_FOUND", NO_SOAP)
    if operation == "login":
        if not door.opens(values.get("password", "")):
            message = (
                "Invalid username, password, security token; or user locked out. The password is"
                " the token that serve printed, without a security token"
            )
            return _fault(500, "INVALID_LOGIN", message)
        return _login(org, door, kind, space)
    if operation in ("logout", "getUserInfo") and not door.opens(values.get("sessionId", "")):
        return _fault(500, "INVALID_SESSION_ID", "Invalid Session ID found in SessionHeader")
    if operation == "logout":
        # The client forgets its session; the token is the server's and stays.
        return _envelope(space, "logoutResponse", "")
    if operation == "getUserInfo":
        told = _user_xml(caller_of(org))
        return _envelope(space, "getUserInfoResponse", f"<result>{told}</result>")
    return _fault(404, "NOT_FOUND", NO_SOAP)


def caller_of(org: Served) -> CallingUser:
    """Returns who calls: the org's first user, who writes what is written."""
    found: Mapping[str, object] = {}
    users = org.objects.get("user")
    if users is not None and org.user is not None:
        names = ", ".join(field.name for field in users.fields.values() if field.stored)
        query = f"SELECT {names} FROM User WHERE Id = '{org.user}'"
        found = next(iter(org.engine.query(query)), {})
    return CallingUser(org.user or "", org.organization, found)


def _of_both(caller: CallingUser, door: LoginDoor) -> JsonObject:
    """What userinfo and the identity URL tell alike."""
    return {
        "user_id": caller.user_id,
        "organization_id": caller.organization_id,
        "email": caller.text("Email"),
        "email_verified": True,
        "active": True,
        "user_type": caller.text("UserType", "Standard").upper(),
        "language": caller.text("LanguageLocaleKey", "en_US"),
        "locale": caller.text("LocaleSidKey", "en_US"),
        "updated_at": caller.text("LastModifiedDate") or None,
        "urls": _urls(caller, door),
    }


def _urls(caller: CallingUser, door: LoginDoor) -> JsonObject:
    """The addresses that are served; `{version}` is the client's to fill in."""
    rest = f"{door.instance}/services/data/v{{version}}/"
    organization = caller.organization_id
    return {
        "rest": rest,
        "sobjects": f"{rest}sobjects/",
        "query": f"{rest}query/",
        "search": f"{rest}search/",
        "recent": f"{rest}recent/",
        "partner": f"{door.instance}/services/Soap/u/{{version}}/{organization}",
        "enterprise": f"{door.instance}/services/Soap/c/{{version}}/{organization}",
    }


def _session(door: LoginDoor, caller: CallingUser) -> str:
    """The token in the CRM's form; some clients take no other."""
    return f"{caller.organization_id}!{door.token}"


def _identity_url(door: LoginDoor, caller: CallingUser) -> str:
    return f"{door.instance}/id/{caller.organization_id}/{caller.user_id}"


def _oauth_error(code: str, message: str) -> ApiResponse:
    """An error as OAuth has it, in one object and not in a list."""
    return ApiResponse(400, {"error": code, "error_description": message})


def _operation(body: bytes) -> tuple[str, Mapping[str, str]]:
    """The operation in a SOAP envelope, and all texts in the envelope by their element's name.

    A document type is refused, for entities in it could grow without a bound, and so is UTF-16,
    in which one would go unseen.
    """
    if b"<!" in body or b"\0" in body:
        return "", {}
    try:
        root = ElementTree.fromstring(body)
    except (ElementTree.ParseError, ValueError, LookupError):
        return "", {}
    inside = root.find(f"{{{ENVELOPE}}}Body")
    first = next(iter(inside), None) if inside is not None else None
    if first is None:
        return "", {}
    texts = {_local(element): element.text or "" for element in root.iter()}
    return _local(first), texts


def _local(element: ElementTree.Element) -> str:
    """An element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def _login(org: Served, door: LoginDoor, kind: str, space: str) -> ApiResponse:
    caller = caller_of(org)
    session = _session(door, caller)
    url = f"{door.instance}/services/Soap/{kind}/{API_VERSION}/{caller.organization_id}"
    metadata_url = f"{door.instance}/services/Soap/m/{API_VERSION}/{caller.organization_id}"
    result = (
        f"<result><metadataServerUrl>{escape(metadata_url)}</metadataServerUrl>"
        f"<passwordExpired>false</passwordExpired><sandbox>false</sandbox>"
        f"<serverUrl>{escape(url)}</serverUrl><sessionId>{escape(session)}</sessionId>"
        f"<userId>{caller.user_id}</userId><userInfo>{_user_xml(caller)}</userInfo></result>"
    )
    return _envelope(space, "loginResponse", result)


def _user_xml(caller: CallingUser) -> str:
    told = {
        "organizationId": caller.organization_id,
        "profileId": caller.text("ProfileId"),
        "sessionSecondsValid": str(SESSION_SECONDS),
        "userEmail": caller.text("Email"),
        "userFullName": caller.text("Name"),
        "userId": caller.user_id,
        "userLanguage": caller.text("LanguageLocaleKey", "en_US"),
        "userLocale": caller.text("LocaleSidKey", "en_US"),
        "userName": caller.text("Username"),
        "userTimeZone": caller.text("TimeZoneSidKey"),
        "userType": caller.text("UserType", "Standard"),
    }
    return "".join(f"<{name}>{escape(value)}</{name}>" for name, value in told.items())


def _envelope(space: str, name: str, inside: str) -> ApiResponse:
    text = (
        f'<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="{ENVELOPE}"'
        f' xmlns="{space}"><soapenv:Body><{name}>{inside}</{name}></soapenv:Body>'
        "</soapenv:Envelope>"
    )
    return ApiResponse(200, text, XML)


def _fault(status: int, code: str, message: str) -> ApiResponse:
    text = (
        f'<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="{ENVELOPE}"'
        ' xmlns:sf="urn:fault.partner.soap.sforce.com"><soapenv:Body><soapenv:Fault>'
        f"<faultcode>sf:{code}</faultcode><faultstring>{code}: {escape(message)}</faultstring>"
        "</soapenv:Fault></soapenv:Body></soapenv:Envelope>"
    )
    return ApiResponse(status, text, XML)
