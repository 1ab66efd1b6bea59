"""A candidate is proved by the org alone: by what a query answers, and by sentences that stand in
the records they are said to stand in.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from orgweave.benchmark.instance import Answer, Candidate, Dropped, OrgTruth
from orgweave.benchmark.prove import DISAGREES, NO_EVIDENCE, proved
from orgweave.benchmark.registry import TASKS
from orgweave.crm.seam import RestRecord

pytestmark = pytest.mark.quick

ARTICLE, MAIL, CHAT = "ka0zz0000000001", "02szz0000000001", "570zz0000000001"
TEXTS = {
    ARTICLE: "Refunds are open for 30 days. A voucher is always open.",
    MAIL: "Dear Rosa, I have sent the refund.",
    CHAT: "Kim: I have sent the voucher.",
}
BREACH = {"article": ARTICLE, "article_text": "Refunds are open for 30 days."}


@dataclass(slots=True)
class ToyCrm:
    """A CRM whose records have one text each, found by the id in a query."""

    asked: list[str] = field(default_factory=list)

    def query(self, text: str) -> list[RestRecord]:
        """The record with the id that stands in the query, with the field that is selected."""
        self.asked.append(text)
        found = re.search(r"SELECT (\w+) FROM \w+ WHERE Id = '(\w+)'", text)
        if found is None or found.group(2) not in TEXTS:
            return []
        return [{found.group(1): TEXTS[found.group(2)]}]

    def search(self, text: str) -> list[RestRecord]:
        """Nothing: no proof searches."""
        return []


def by_text(evidence: Mapping[str, str], crm: ToyCrm | None = None) -> OrgTruth | Dropped:
    """The proof of a candidate whose answer no query decides."""
    candidate = Candidate("seed", {"case": "500"}, {}, (), ("x",), evidence=evidence)
    return proved(TASKS["policy_violation_identification"], crm or ToyCrm(), candidate)


def by_query(said: Answer, evidence: Mapping[str, str]) -> OrgTruth | Dropped:
    """The proof of a candidate with the answer `x`, of which a query says `said`."""
    task = replace(
        TASKS["policy_violation_identification"],
        soql_truth=lambda crm, wanted: OrgTruth((said,), 7, 2),
    )
    candidate = Candidate("seed", {"case": "500"}, {}, (), ("x",), evidence=evidence)
    return proved(task, ToyCrm(), candidate)


@pytest.mark.parametrize(
    ("message", "grant", "right"),
    [
        (MAIL, "I have sent the refund.", True),
        (CHAT, "I have sent the voucher.", True),
        (MAIL, "I have sent the voucher.", False),
        (CHAT, "I have sent the refund.", False),
    ],
)
def test_a_grant_stands_in_its_mail_or_chat(message: str, grant: str, right: bool) -> None:
    """A sentence of another message proves nothing."""
    truth = by_text({**BREACH, "message": message, "grant": grant})
    assert (truth != NO_EVIDENCE) is right


def test_every_sentence_of_the_article_has_to_stand_in_it() -> None:
    """One that is there does not make up for one that is not."""
    assert by_text({**BREACH, "span": "A voucher is always open."}) != NO_EVIDENCE
    assert by_text({**BREACH, "span": "A voucher is never open."}) == NO_EVIDENCE
    assert by_text({**BREACH, "article": "ka0zz0000000009"}) == NO_EVIDENCE


def test_a_chat_is_read_as_a_chat() -> None:
    """The table follows from the message's id."""
    crm = ToyCrm()
    by_text({**BREACH, "message": CHAT, "grant": "I have sent the voucher."}, crm)
    assert any("SELECT Body FROM LiveChatTranscript" in text for text in crm.asked)
    assert not any("EmailMessage" in text for text in crm.asked)


def test_where_a_query_answers_its_answer_and_the_evidence_both_have_to_hold() -> None:
    """What the query took tells how hard the question is, with evidence and without."""
    truth = OrgTruth((("x",),), 7, 2)
    assert by_query(("x",), {}) == truth
    assert by_query(("y",), {}) == DISAGREES
    assert by_query((), {}) == DISAGREES
    assert by_query(("x",), BREACH) == truth
    assert by_query(("x",), {**BREACH, "article_text": "Not there."}) == NO_EVIDENCE
