"""A candidate's second computation: by SOQL where a query decides, by its evidence in the org's
texts where none does, by both where it has several steps.
"""

from orgweave.benchmark.instance import Candidate, Dropped, OrgTruth
from orgweave.benchmark.soql_truth import SoqlAsker
from orgweave.benchmark.task import TaskDefinition
from orgweave.crm.seam import Crm

DISAGREES = Dropped("the org alone gives another answer than the hidden story")
NO_EVIDENCE = Dropped("the org's texts don't hold the evidence")
CHATS = "570"
"""The key prefix of LiveChatTranscript; all other messages are e-mails."""


def proved(
    task: TaskDefinition,
    crm: Crm,
    candidate: Candidate,
) -> OrgTruth | Dropped:
    """What the org says of a candidate; Dropped where that is not the candidate's answer."""
    if task.soql_truth is None:
        return _proved_by_text(crm, candidate)
    truth = task.soql_truth(crm, candidate.parameters)
    if set(truth.answers) != {candidate.answer}:
        return DISAGREES
    if not candidate.evidence:
        return truth
    stated = _proved_by_text(crm, candidate)
    return stated if isinstance(stated, Dropped) else truth


def _proved_by_text(crm: Crm, candidate: Candidate) -> OrgTruth | Dropped:
    """Each sentence of the evidence must stand in the record that it is said to stand in."""
    asker, evidence = SoqlAsker(crm), candidate.evidence
    article = _text(asker, "Knowledge__kav", "FAQ_Answer__c", evidence["article"])
    stated = [evidence.get("span", ""), evidence.get("article_text", "")]
    right = all(text in article for text in stated)
    message = evidence.get("message")
    if message:
        is_chat = message.startswith(CHATS)
        table, field = ("LiveChatTranscript", "Body") if is_chat else ("EmailMessage", "TextBody")
        right = right and evidence["grant"] in _text(asker, table, field, message)
        # Nothing is taken from this query: an agent needs it, so it counts for the difficulty.
        asker.ask(f"""
            SELECT Id, CreatedDate, IssueId__r.Name, OrderItemId__r.Order.EffectiveDate
            FROM Case
            WHERE Id = '{candidate.parameters["case"]}'
        """)
    return asker.truth(candidate.answer) if right else NO_EVIDENCE


def _text(
    asker: SoqlAsker,
    table: str,
    field: str,
    record: str,
) -> str:
    rows = asker.ask(f"SELECT {field} FROM {table} WHERE Id = '{record}'")
    return str(rows[0][field]) if rows else ""
