"""A company whose customers never write, or only by mail, or only in chats."""

import pytest

from tests.latent_orgs import facts_of, setting_with


@pytest.mark.parametrize(
    ("cases", "messages", "chats"), [(0, 0, 0), (40, 120, 0), (40, 0, 40)], ids=str
)
def test_a_company_may_have_no_cases_no_chats_or_no_mails(
    cases: int, messages: int, chats: int
) -> None:
    """Everything else is drawn as usual, and what hangs on them is empty or left out."""
    org = facts_of(setting_with(Case=cases, EmailMessage=messages, LiveChatTranscript=chats))
    for name, size in (("Case", cases), ("EmailMessage", messages), ("LiveChatTranscript", chats)):
        assert org.table(name).size == size
    for name in ("Urgency.cases", "Routing.cases", "CaseStory.cases", "Reopening.cases"):
        assert org.table(name).size == cases
    assert org.table("CaseStory.messages").size == org.table("SystemTraces.messages").size
    assert org.table("CaseStory.chats").size == org.table("ChatDesk.chats").size == chats
    assert org.table("Order").size == org.setting.count("Order")
