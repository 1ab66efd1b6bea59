"""Tools on texts: knowledge articles, e-mails, chats.

The tools' docstrings are what an agent is told of them.
"""

from typing import Annotated

from pydantic import Field

from orgweave.crm.seam import Crm
from orgweave.soql.sql import FoundRecord
from orgweave.tools.forms import RecordId, SearchTerm, record_id
from orgweave.tools.searching import Searched, best
from orgweave.tools.soql import existing, literal, rows

ARTICLES = Searched(
    "Knowledge__kav",
    "Id, Title, Summary, FAQ_Answer__c",
    "Title",
    "FAQ_Answer__c",
    "PublishStatus = 'Online'",
)
CaseId = Annotated[RecordId, Field(description="Id of a case")]


def search_knowledge_articles(crm: Crm, search_term: SearchTerm) -> list[FoundRecord]:
    """Published knowledge articles in whose title or text any of the words is found, at most 10,
    the best match first: Id, Title, Summary, FAQ_Answer__c (the whole text).

    A word finds its plural and what begins with it; words in the title weigh more, as do rare
    words. Where no word is found, its beginning is looked for.

    Example: search_knowledge_articles("refund limit loose sole") -> [{"Id": "ka0zz0000000001AAA",
    "Title": "...", "Summary": "...", "FAQ_Answer__c": "..."}, ...]
    """
    return best(crm, ARTICLES, search_term)


def get_email_messages_by_case_id(crm: Crm, case_id: CaseId) -> list[FoundRecord]:
    """The e-mails of a case, the earliest first: Id, Subject, TextBody, FromAddress, ToAddress,
    MessageDate, Incoming (true if the customer wrote it).

    None for a case that was a chat.

    Example: get_email_messages_by_case_id("500zz0000000002AAA") -> [{"Id": "02szz0000000001AAA",
    "Subject": "...", "TextBody": "...", ...}]
    """
    return _of_case(
        crm,
        "Id, Subject, TextBody, FromAddress, ToAddress, MessageDate, Incoming",
        "EmailMessage",
        "ParentId",
        case_id,
        "ORDER BY MessageDate, Id",
    )


def get_livechat_transcript_by_case_id(crm: Crm, case_id: CaseId) -> list[FoundRecord]:
    """The chat of a case, as a list of one record: Id, OwnerId, StartTime, EndTime, Body (a line a
    turn, with time and name).

    None for a case that was a thread of e-mails.

    Example: get_livechat_transcript_by_case_id("500zz0000000001AAA") -> [{"Id":
    "570zz0000000001AAA", "Body": "[2022-03-01T09:31:12] Ann Lee (Customer): Hello ...", ...}]
    """
    return _of_case(
        crm,
        "Id, OwnerId, StartTime, EndTime, Body",
        "LiveChatTranscript",
        "CaseId",
        case_id,
        "ORDER BY StartTime, Id",
    )


def _of_case(
    crm: Crm,
    fields: str,
    entity: str,
    refers: str,
    case_id: str,
    order: str,
) -> list[FoundRecord]:
    """Records that refer to a case; raises ToolRefused where there is no such case."""
    case = record_id(case_id)
    found = rows(
        crm,
        fields,
        entity,
        [f"{refers} = {literal(case)}"],
        more=order,
    )
    if not found:
        existing(crm, "Case", [case])
    return found
