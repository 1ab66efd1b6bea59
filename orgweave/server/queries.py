"""SOQL and SOSL over REST: `/query`, `/queryAll`, `/search`, `/parameterizedSearch`.

`/query` also tells of a query's columns (`?columns=true`) and of how it is run (`?explain=`).

Knows no grammar; the engine does. Example: `{"q": "trail boot", "sobjects": [{"name": "Product2"}],
"fields": ["Id", "Name"]}` is the search `FIND {trail boot} IN ALL FIELDS RETURNING Product2(Id,
Name)`.
"""

import re

from orgweave.server.call import ApiRequest, ApiResponse, JsonObject, records_in, text_in
from orgweave.server.columns import columns_of, explained
from orgweave.server.records import asked_fields, object_at
from orgweave.server.served import PAGE, SMALLEST, Served
from schemas.errors import Refused

BATCH = re.compile(r"batchSize\s*=\s*([0-9]{1,6})", re.IGNORECASE)
RESERVED = re.compile(r"([?&|!{}\[\]()^~*:\\\"'+-])")
"""What a search text must escape to mean itself."""
SCOPES = frozenset({"ALL", "NAME", "EMAIL", "PHONE", "SIDEBAR"})


def query(org: Served, call: ApiRequest) -> ApiResponse:
    """Answers a SOQL text: the first page of its records."""
    if "explain" in call.params:
        return ApiResponse(200, explained(org, call.params["explain"]))
    text = call.params.get("q", "")
    if not text.strip():
        raise Refused(
            "MALFORMED_QUERY", "A query string has to be specified: ?q=SELECT+Id+FROM+Account"
        )
    if call.params.get("columns", "").lower() == "true":
        return ApiResponse(200, columns_of(org, text))
    found = BATCH.search(call.headers.get("sforce-query-options", ""))
    size = min(max(int(found[1]), SMALLEST), PAGE) if found else PAGE
    result = org.engine.query(text, base=call.base)
    return ApiResponse(200, org.pages.first(result, call.base, size))


def more(org: Served, call: ApiRequest, locator: str) -> ApiResponse:
    """Answers with a further page."""
    return ApiResponse(200, org.pages.next(locator, call.base))


def search(org: Served, call: ApiRequest) -> ApiResponse:
    """Answers a SOSL text."""
    text = call.params.get("q", "")
    if not text.strip():
        raise Refused("MALFORMED_SEARCH", "A search string has to be specified: ?q=FIND+{text}")
    return ApiResponse(200, {"searchRecords": org.engine.search(text, base=call.base)})


def parameterized(org: Served, call: ApiRequest) -> ApiResponse:
    """Answers a search given by its parts, in the URL or as JSON."""
    body = call.record() if call.method == "POST" else _from_url(call)
    return ApiResponse(200, {"searchRecords": org.engine.search(_sosl(org, body), base=call.base)})


def _from_url(call: ApiRequest) -> JsonObject:
    """The search in a URL's parameters, as its JSON would be.

    What belongs to one object begins with its name: `Contact.fields=Id,Name&Contact.limit=5`.
    """
    names = [name for name in call.params.get("sobject", "").split(",") if name]
    given: JsonObject = {
        "q": call.params.get("q", ""),
        "sobjects": [_entry_from_url(call, name) for name in names],
    }
    if call.params.get("fields"):
        given["fields"] = call.params["fields"].split(",")
    for name in ("in", "overallLimit"):
        if name in call.params:
            given[name] = call.params[name]
    return given


def _entry_from_url(call: ApiRequest, name: str) -> JsonObject:
    """What a URL asks of one object type."""
    entry: JsonObject = {"name": name}
    if call.params.get(f"{name}.fields"):
        entry["fields"] = call.params[f"{name}.fields"].split(",")
    for part in ("where", "limit"):
        if call.params.get(f"{name}.{part}"):
            entry[part] = call.params[f"{name}.{part}"]
    return entry


def _sosl(org: Served, body: JsonObject) -> str:
    """The SOSL text of a search given by its parts."""
    words = RESERVED.sub(r"\\\1", text_in(body, "q"))
    scope = str(body.get("in", "ALL")).upper()
    if scope not in SCOPES:
        raise Refused("MALFORMED_SEARCH", f"'in' must be one of {', '.join(sorted(SCOPES))}")
    entries = records_in(body, "sobjects") if body.get("sobjects") else []
    parts = [_returning(org, entry, body.get("fields")) for entry in entries]
    returning = f" RETURNING {', '.join(parts)}" if parts else ""
    limit = ""
    if "overallLimit" in body:
        limit = f" LIMIT {_number(body['overallLimit'])}"
    return f"FIND {{{words}}} IN {scope} FIELDS{returning}{limit}"


def _returning(org: Served, entry: JsonObject, fields: object) -> str:
    """One object type of RETURNING; `fields` are those of all that name none."""
    wanted = entry.get("fields", fields) or ["Id"]
    if not isinstance(wanted, list):
        raise Refused("JSON_PARSER_ERROR", "'fields' must be a list of names")
    where, limit = "", ""
    if entry.get("where"):
        where = f" WHERE {entry['where']}"
    if "limit" in entry:
        limit = f" LIMIT {_number(entry['limit'])}"
    entity = object_at(org, text_in(entry, "name")).name
    names = asked_fields([str(name) for name in wanted])
    return f"{entity}({', '.join(names)}{where}{limit})"


def _number(value: object) -> int:
    if not str(value).isdigit() or len(str(value)) > 6:
        raise Refused("MALFORMED_SEARCH", f"a limit is a whole number, not {str(value)[:40]}")
    return int(str(value))
