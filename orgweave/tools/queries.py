"""Tools that ask the CRM in its own languages, and the one that ends an episode.

What the CRM refuses is an answer too: code and reason. The tools' docstrings are what an agent is
told of them.
"""

from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from orgweave.crm.seam import Crm
from orgweave.soql.sql import FoundRecord
from schemas.errors import QueryRefused

ToolReply = list[FoundRecord] | str


def issue_soql_query(
    crm: Crm, query: Annotated[str, Field(description="a SOQL text")]
) -> ToolReply:
    """The records that a SOQL query selects, or the CRM's error code and reason where it refuses
    the query.

    Example: issue_soql_query("SELECT Id, Subject FROM Case WHERE Status = 'Closed' LIMIT 2") ->
    [{"Id": "500zz0000000001AAA", "Subject": "..."}, ...]
    """
    return _answer(crm.query, query)


def issue_sosl_query(
    crm: Crm, query: Annotated[str, Field(description="a SOSL text")]
) -> ToolReply:
    """The records that a SOSL search finds, or the CRM's error code and reason where it refuses the
    search.

    Example: issue_sosl_query("FIND {trail AND boot} IN NAME FIELDS RETURNING Product2(Id, Name)")
    -> [{"Id": "01tzz0000000001AAA", "Name": "Alder Trail Boot"}]
    """
    return _answer(crm.search, query)


def execute(
    crm: Crm,
    query: Annotated[str, Field(description="a SOQL text, or a SOSL text, which begins with FIND")],
) -> ToolReply:
    """The records that a SOQL or SOSL text selects or finds, or the CRM's error code and reason
    where it refuses the text.

    Example: execute("SELECT COUNT() FROM Case") -> [{"expr0": 977}]
    """
    sosl = query.lstrip().upper().startswith("FIND")
    return issue_sosl_query(crm, query) if sosl else issue_soql_query(crm, query)


def submit(
    crm: Crm,
    content: Annotated[
        str,
        Field(
            description=(
                "the answer alone: an Id, several Ids, a month, a state, a short text, or None"
                " where nothing answers"
            )
        ),
    ],
) -> str:
    """Gives the final answer and ends the work; nothing can be called afterwards. Returns the
    answer.

    Example: submit("005zz0000000001AAA") -> "005zz0000000001AAA"
    """
    return content


def _answer(ask: Callable[[str], list[FoundRecord]], text: str) -> ToolReply:
    """What the CRM finds, or why it refuses."""
    try:
        return ask(text)
    except QueryRefused as refused:
        return f"{refused.code}: {refused}"
