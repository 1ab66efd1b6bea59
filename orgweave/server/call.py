"""A call and its reply, without any HTTP server: what the handlers take and give.

Knows no endpoint and no org. Subrequests of a composite call are calls too. Example:
`ApiRequest("GET", "/query", "59.0", {"q": "SELECT Id FROM Case"})` is answered with
`ApiResponse(200, {"totalSize": 977, ...})`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from schemas.errors import Refused

STATUS = {
    "INVALID_SESSION_ID": 401,
    "NOT_FOUND": 404,
    "ENTITY_IS_DELETED": 404,
    "METHOD_NOT_ALLOWED": 405,
    "REQUEST_TOO_LARGE": 413,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "INSUFFICIENT_ACCESS_OR_READONLY": 403,
    "UNKNOWN_EXCEPTION": 500,
    "SERVER_UNAVAILABLE": 503,
}
"""errorCode -> HTTP status; all others are 400."""
DEEPEST = 100
"""Levels of a request's JSON: a composite call of the deepest trees has a dozen."""
JsonObject = dict[str, object]


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """One request.

    `path` begins behind the version; `body` is bytes off the wire or, in a subrequest, a JSON value
    that has been parsed already; `instance` is where the server was asked, such as
    `http://127.0.0.1:8080`.
    """

    method: str
    path: str
    version: str
    params: Mapping[str, str] = field(default_factory=dict)
    body: object = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    instance: str = ""

    @property
    def base(self) -> str:
        """What URLs in the reply begin with."""
        return f"/services/data/v{self.version}"

    def json(self) -> object:
        """Returns the body as JSON; raises JSON_PARSER_ERROR."""
        return parsed(self.body) if isinstance(self.body, bytes) else self.body

    def record(self) -> JsonObject:
        """Returns the body, which must be a JSON object; raises JSON_PARSER_ERROR."""
        body = self.json()
        if not isinstance(body, dict):
            raise Refused(
                "JSON_PARSER_ERROR",
                f"a JSON object is expected, not {type(body).__name__}; send {{...}}",
            )
        return body


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """One answer: JSON, or text (CSV), or nothing."""

    status: int
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether it is an error."""
        return self.status >= 400


def records_in(body: JsonObject, key: str = "records") -> list[JsonObject]:
    """Returns the list of JSON objects under a key; raises JSON_PARSER_ERROR."""
    found = body.get(key)
    if not isinstance(found, list) or not all(isinstance(member, dict) for member in found):
        raise Refused("JSON_PARSER_ERROR", f"'{key}' must be a list of JSON objects")
    return found


def text_in(body: JsonObject, key: str) -> str:
    """Returns the text under a key; raises JSON_PARSER_ERROR where it is missing or empty."""
    found = body.get(key)
    if not isinstance(found, str) or not found:
        raise Refused("JSON_PARSER_ERROR", f"'{key}' is missing or no text")
    return found


def type_in(record: JsonObject) -> str:
    """Returns the object type that a record's attributes name; raises INVALID_TYPE."""
    attributes = record.get("attributes")
    found = attributes.get("type") if isinstance(attributes, dict) else None
    if not isinstance(found, str):
        raise Refused(
            "INVALID_TYPE", 'a record names its type: {"attributes": {"type": "Account"}, ...}'
        )
    return found


def refusal(error: Refused) -> ApiResponse:
    """Returns an error as REST gives it: in a list of one."""
    return ApiResponse(STATUS.get(error.code, 400), [fault_of(error, "errorCode")])


def fault_of(error: Refused, key: str = "statusCode") -> JsonObject:
    """Returns an error's message, code and fields.

    The code is called `errorCode` in error bodies and `statusCode` in results of collections, which
    list the fields even where there are none.
    """
    made: JsonObject = {"message": str(error), key: error.code}
    if error.fields or key == "statusCode":
        made["fields"] = list(error.fields)
    return made


def parsed(raw: bytes) -> object:
    """Returns JSON off the wire; raises JSON_PARSER_ERROR for what isn't JSON.

    NaN and halves of surrogate pairs, which Python's parser takes, are none either.
    """
    try:
        body = json.loads(raw, parse_constant=_no_number)
        if b"\\u" in raw:
            # Only an escape can make half of a pair; UTF-8 has none.
            json.dumps(body, ensure_ascii=False).encode()
        _check_depth(body)
    except (ValueError, RecursionError) as error:
        raise Refused("JSON_PARSER_ERROR", f"the body isn't JSON: {str(error)[:200]}") from error
    return body


def _check_depth(body: object) -> None:
    """Refuses lists and objects in one another deeper than any request of the API's."""
    level = [body]
    for _ in range(DEEPEST):
        below: list[object] = []
        for value in level:
            if isinstance(value, dict):
                below += value.values()
            elif isinstance(value, list):
                below += value
        if not below:
            return
        level = below
    raise ValueError(f"it is nested more than {DEEPEST} deep")


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no number of JSON")
