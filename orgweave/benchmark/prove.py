"""A candidate's second computation: by SOQL where a query decides, by its evidence in the org's
texts where none does.
"""

from orgweave.benchmark.asked import ASKED, Asker
from orgweave.benchmark.fill import Proof
from orgweave.benchmark.instance import Candidate, Dropped, Found
from orgweave.crm.seam import Crm

DISAGREES = Dropped("the org alone gives another answer than the hidden story")
NO_EVIDENCE = Dropped("the org's texts don't hold the evidence")
CHATS = "570"


def proof(task: str, crm: Crm) -> Proof:
    """The function that proves a task's candidates."""
    return (
        (lambda candidate: _by_query(task, crm, candidate))
        if task in ASKED
        else (lambda candidate: _by_text(crm, candidate))
    )


def _by_query(task: str, crm: Crm, candidate: Candidate) -> Found | Dropped:
    found = ASKED[task](crm, candidate.parameters)
    return found if set(found.answers) == {candidate.answer} else DISAGREES


def _by_text(crm: Crm, candidate: Candidate) -> Found | Dropped:
    """Each sentence of the evidence stands in the record that it is said to stand in."""
    asker, evidence = Asker(crm), candidate.evidence
    article = _text(asker, "Knowledge__kav", "FAQ_Answer__c", str(evidence["article"]))
    right = evidence.get("span", "") in article and evidence.get("article_text", "") in article
    if message := evidence.get("message"):
        table, field = (
            ("LiveChatTranscript", "Body")
            if message.startswith(CHATS)
            else ("EmailMessage", "TextBody")
        )
        right = right and evidence["grant"] in _text(asker, table, field, message)
        asker.ask(
            "SELECT Id, CreatedDate, IssueId__r.Name, OrderItemId__r.Order.EffectiveDate FROM Case"
            f" WHERE Id = '{candidate.parameters['case']}'"
        )
    return asker.found(candidate.answer) if right else NO_EVIDENCE


def _text(asker: Asker, table: str, field: str, record: str) -> str:
    rows = asker.ask(f"SELECT {field} FROM {table} WHERE Id = '{record}'")
    return str(rows[0][field]) if rows else ""
