"""Contacts that are no complaints: whose they are, and which end without an answer, when and by
whom.
"""

from functools import cache

import numpy as np
import pytest

from latent.complaints import shipped_orders
from latent.enquiry_ending import DAY, DECLINED, DROPPED, UNANSWERED, WITHDRAWN
from latent.workforce import automated_user
from pipeline.config import RunRequest, load_job
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array
from tests.latent_orgs import SEEDS, drawn, facts_of
from tests.tiers import THOROUGH


@cache
def outdoor() -> Org:
    """The shop that is written to about more than complaints, at half its size."""
    return facts_of(load_job(RunRequest("outdoor", scale=0.5)).setting)


def mails_of(org: Org, case: int) -> tuple[Array, Array]:
    """Whether each mail of a case is the customer's, and when each was sent."""
    mails = org.table("CaseStory.messages")
    own = mails["case"] == case
    return mails["incoming"][own], mails["at"][own]


def ended(org: Org, ending: str) -> list[int]:
    """The rows of the cases that end so."""
    return np.flatnonzero(org.table("CaseStory.cases")["ending"] == ending).tolist()


@pytest.mark.slow
@THOROUGH
def test_nobody_asks_where_something_is_that_was_never_sent() -> None:
    """Who bought in a store asks about everything but the delivery."""
    org = outdoor()
    cases, items = org.table("ComplaintHabit.cases"), org.table("ShoppingHabit.items")
    shipped = shipped_orders(org)[items["order"][cases["item"]]]
    enquiries = org.setting.world.trade.contact.enquiries
    for_parcels = [name for name, enquiry in enquiries.items() if enquiry.shipped_only]
    of_parcels = np.isin(cases["intent"].astype(str), for_parcels)
    assert shipped[of_parcels].all() and of_parcels.sum() > 20
    others = np.isin(cases["intent"].astype(str), list(enquiries)) & ~of_parcels
    assert 0.0 < shipped[others].mean() < 1.0


def test_as_many_end_without_an_answer_as_the_trade_says() -> None:
    """The shares are those of closed e-mail contacts that may end so."""
    org = outdoor()
    cases, contact = org.table("CaseStory.cases"), org.setting.world.trade.contact
    kinds = [name for name, enquiry in contact.enquiries.items() if enquiry.lapses]
    fits = np.isin(cases["intent"].astype(str), kinds)
    fits &= cases["is_closed"] & (cases["channel"] == "email")
    total = sum(contact.endings.values())
    for ending in (UNANSWERED, WITHDRAWN):
        rows = ended(org, ending)
        assert fits[rows].all()
        assert len(rows) == round(fits.sum() * contact.endings[ending] / total) > 0


def test_an_unanswered_case_is_closed_by_the_crm_after_days_of_silence() -> None:
    """An agent's mail is the last; the close comes days later, in the automated user's name."""
    org = outdoor()
    cases, trail = org.table("CaseStory.cases"), org.table("CaseTrail.rows")
    shortest, longest = org.setting.world.trade.contact.silence
    for case in ended(org, UNANSWERED):
        incoming, sent = mails_of(org, case)
        silence = (cases["closed"][case] - sent[-1]).astype("timedelta64[s]").astype(int)
        assert not incoming[-1]
        assert shortest * DAY - 1 <= silence <= longest * DAY
        closing = (trail["case"] == case) & (trail["new"] == "Closed")
        assert trail["by"][closing][-1] == automated_user(org)
        assert org.table("Contentment.cases")["score"][case] is None


def test_a_withdrawn_case_has_a_second_mail_of_its_customer() -> None:
    """After it the desk confirms once at most."""
    org = outdoor()
    for case in ended(org, WITHDRAWN):
        incoming, _ = mails_of(org, case)
        assert incoming.sum() >= 2
        assert incoming[-1] or incoming[-2]


def test_the_outcome_shows_the_ending() -> None:
    """Closed cases are resolved but for those four; an open case has no outcome."""
    cases = outdoor().table("CaseStory.cases")
    shown = {
        DECLINED: "Refused",
        UNANSWERED: "No Response",
        WITHDRAWN: "Withdrawn",
        DROPPED: "Spam",
    }
    for ending, outcome, closed in zip(
        cases["ending"],
        cases["outcome"],
        cases["is_closed"],
        strict=True,
    ):
        assert outcome == (shown.get(ending, "Resolved") if closed else None)


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_every_closed_complaint_is_resolved(seed: int) -> None:
    """A company of complaints alone has neither of the other endings."""
    cases = drawn(seed).table("CaseStory.cases")
    assert set(cases["outcome"][cases["is_closed"]]) == {"Resolved", "Refused"}
    assert set(cases["outcome"][~cases["is_closed"]]) <= {None}


def test_a_stranger_has_no_account_and_gets_no_answer() -> None:
    """Spam is one mail from a stranger's own address about no product, read by one agent, closed,
    and not asked.
    """
    org = outdoor()
    cases = org.table("CaseStory.cases")
    strange = np.flatnonzero(cases["account"] == NONE)
    assert len(strange) > 0
    assert (cases["intent"][strange] == "spam").all()
    assert (cases["intent"] == "spam").sum() == len(strange)
    scores = org.table("Contentment.cases")["score"]
    for case in strange.tolist():
        incoming, _ = mails_of(org, case)
        assert incoming.tolist() == [True]
        assert cases["channel"][case] == "email"
        assert str(cases["stranger_mail"][case]).endswith(".example")
        assert cases["about"][case] == cases["item"][case] == cases["named"][case] == NONE
        assert scores[case] is None
        if cases["is_closed"][case]:
            assert cases["outcome"][case] == "Spam"
            assert cases["accepted"][case] < cases["closed"][case]


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_chats_while_the_desk_is_closed_for_a_day(seed: int) -> None:
    """No chat begins on a day that the desk keeps as a holiday."""
    org = drawn(seed)
    holidays = org.table("ClosedDays.days")["day"]
    cases = org.table("ComplaintHabit.cases")
    hours_west = np.timedelta64(6, "h")  # the middle of the customers' zones
    local = (cases["created"] - hours_west).astype("datetime64[D]")
    chats = cases["channel"] == "chat"
    assert chats.any()
    assert not np.isin(local[chats], holidays).any()
