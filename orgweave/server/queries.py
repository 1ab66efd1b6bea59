"""SOQL and SOSL: `/query`, `/queryAll`, further pages, `/search`, `/parameterizedSearch`."""

import re

from orgweave.server.call import ApiRequest, ApiResponse, JsonObject, records_in, text_in
from orgweave.server.pages import PAGE, SMALLEST
from orgweave.server.rows import asked_fields, object_at
from orgweave.server.served import Served
from schemas.errors import Refused

BATCH = re.compile(r"batchSize\s*=\s*([0-9]{1,6})", re.IGNORECASE)
RESERVED = re.compile(r"([?&|!{}\[\]()^~*:\\\"'+-])")
SCOPES = frozenset({"ALL", "NAME", "EMAIL", "PHONE", "SIDEBAR"})


def query(org: Served, call: ApiRequest) -> ApiResponse:
    """The first page of an answer."""
    text = call.params.get("q", "")
    if not text.strip():
        raise Refused(
            "MALFORMED_QUERY", "A query string has to be specified: ?q=SELECT+Id+FROM+Account"
        )
    found = BATCH.search(call.headers.get("sforce-query-options", ""))
    size = min(max(int(found[1]), SMALLEST), PAGE) if found else PAGE
    return ApiResponse(
        200, org.pages.first(org.engine.query(text, base=call.base), call.base, size)
    )


def more(org: Served, call: ApiRequest, locator: str) -> ApiResponse:
    """A further page."""
    return ApiResponse(200, org.pages.next(locator, call.base))


def search(org: Served, call: ApiRequest) -> ApiResponse:
    """What a SOSL text finds."""
    text = call.params.get("q", "")
    if not text.strip():
        raise Refused("MALFORMED_SEARCH", "A search string has to be specified: ?q=FIND+{text}")
    return ApiResponse(200, {"searchRecords": org.engine.search(text, base=call.base)})


def parameterized(org: Served, call: ApiRequest) -> ApiResponse:
    """A search given by its parts, in the URL or as JSON."""
    body = call.record() if call.method == "POST" else _from_url(call)
    return ApiResponse(200, {"searchRecords": org.engine.search(_sosl(org, body), base=call.base)})


def _from_url(call: ApiRequest) -> JsonObject:
    names = [name for name in call.params.get("sobject", "").split(",") if name]
    given: JsonObject = {
        "q": call.params.get("q", ""),
        "sobjects": [{"name": name} for name in names],
    }
    if call.params.get("fields"):
        given["fields"] = call.params["fields"].split(",")
    return {
        **given,
        **{name: call.params[name] for name in ("in", "overallLimit") if name in call.params},
    }


def _sosl(org: Served, body: JsonObject) -> str:
    words = RESERVED.sub(r"\\\1", text_in(body, "q"))
    scope = str(body.get("in", "ALL")).upper()
    if scope not in SCOPES:
        raise Refused("MALFORMED_SEARCH", f"'in' must be one of {', '.join(sorted(SCOPES))}")
    parts = [
        _returning(org, one, body.get("fields"))
        for one in (records_in(body, "sobjects") if body.get("sobjects") else [])
    ]
    returning = f" RETURNING {', '.join(parts)}" if parts else ""
    limit = f" LIMIT {_number(body['overallLimit'])}" if "overallLimit" in body else ""
    return f"FIND {{{words}}} IN {scope} FIELDS{returning}{limit}"


def _returning(org: Served, one: JsonObject, fields: object) -> str:
    wanted = one.get("fields", fields) or ["Id"]
    if not isinstance(wanted, list):
        raise Refused("JSON_PARSER_ERROR", "'fields' must be a list of names")
    where = f" WHERE {one['where']}" if one.get("where") else ""
    limit = f" LIMIT {_number(one['limit'])}" if "limit" in one else ""
    return f"{object_at(org, text_in(one, 'name')).name}({', '.join(asked_fields([str(name) for name in wanted]))}{where}{limit})"


def _number(value: object) -> int:
    if not str(value).isdigit() or len(str(value)) > 6:
        raise Refused("MALFORMED_SEARCH", f"a limit is a whole number, not {str(value)[:40]}")
    return int(str(value))
