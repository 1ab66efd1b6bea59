"""What agents do beside writing: notes, calls and articles agree with the case that they are of."""

import numpy as np
import pytest

from latent.case_hands import in_hand
from latent.note_topics import ANSWERED, ARRANGED, HANDOVER, PROGRESS, TOPICS, TRIAGE, TURNED_DOWN
from pipeline.world.tables import NONE, Array
from tests.latent_orgs import SEEDS, drawn

SEED = 0
ENDINGS = (ARRANGED, TURNED_DOWN, ANSWERED)


def first_writing() -> Array:
    """When an agent first wrote in each case; the end of time where nobody did."""
    org = drawn(SEED)
    mails, lines = org.table("CaseStory.messages"), org.table("CaseStory.turns")
    chats = org.table("CaseStory.chats")["case"]
    first = np.full(org.table("CaseStory.cases").size, np.datetime64("9999-12-31", "s"))
    for case, at, speaker in (
        (mails["case"], mails["at"], mails["speaker"]),
        (chats[lines["chat"]], lines["at"], lines["speaker"]),
    ):
        agents = speaker == "Agent"
        np.minimum.at(first, case[agents], at[agents].astype("datetime64[s]"))
    return first


def test_a_case_has_one_first_look_and_one_ending_at_most() -> None:
    """All turns between are noted by what they do, and each kind of note is made."""
    comments = drawn(SEED).table("DeskWork.comments")
    about, case = comments["about"], comments["case"]
    for topics in ([TRIAGE], ENDINGS):
        found = case[np.isin(about, topics)]
        assert len(found) == len(set(found.tolist())) > 0
    assert {TRIAGE, PROGRESS, HANDOVER, *ENDINGS, *TOPICS.values()} >= set(about)
    noted = {topic for seed in SEEDS for topic in drawn(seed).table("DeskWork.comments")["about"]}
    assert {"asked", "offered"} <= noted


def test_a_chat_is_noted_once() -> None:
    """Between its lines there is no time for a note."""
    org = drawn(SEED)
    comments, mails = org.table("DeskWork.comments"), org.table("CaseStory.messages")
    chatted = np.setdiff1d(org.table("CaseStory.chats")["case"], mails["case"])
    noted = comments["case"][(comments["about"] != HANDOVER) & np.isin(comments["case"], chatted)]
    assert len(noted) == len(set(noted.tolist())) > 0


def test_a_first_look_is_noted_before_an_agent_writes() -> None:
    """What is noted later is about what was written meanwhile."""
    comments = drawn(SEED).table("DeskWork.comments")
    looked = comments["about"] == TRIAGE
    assert (comments["at"][looked] <= first_writing()[comments["case"][looked]]).all()
    mails = drawn(SEED).table("CaseStory.cases")["channel"][comments["case"]] != "chat"
    assert (comments["at"] > first_writing()[comments["case"]])[~looked & mails].any()


def test_an_ending_is_noted_as_the_case_ended() -> None:
    """Arranged where something was granted, turned down where it was refused, else answered; and
    nothing where a case is open or the customer never wrote back.
    """
    comments, cases = drawn(SEED).table("DeskWork.comments"), drawn(SEED).table("CaseStory.cases")
    about, case = comments["about"], comments["case"]
    ended = np.isin(about, ENDINGS)
    granted = cases["granted"][case].astype(bool)
    refused = ~granted & (cases["outcome"][case] == "Refused")
    wanted = np.where(granted, ARRANGED, np.where(refused, TURNED_DOWN, ANSWERED))
    assert (about[ended] == wanted[ended]).all()
    assert cases["is_closed"][case[ended]].all()
    assert not (cases["ending"][case[ended]] == "unanswered").any()


def test_a_call_is_recorded_as_it_went() -> None:
    """A call that was made says how it ended, and only one that reached somebody lasted; a call of
    the customer reached somebody; one still to make tells nothing but that it is one.
    """
    calls = drawn(SEED).table("DeskWork.calls")
    made, ending = calls["closed"].astype(bool), calls["ending"]
    assert made.any() and (~made).any()
    assert (calls["status"] == np.where(made, "Completed", "Not Started")).all()
    reached = made & (ending == "Reached")
    assert ((calls["seconds"] > 0) == reached).all()
    inward = calls["direction"] == "Inbound"
    assert reached[inward].all()
    endings = {"Left voicemail": "Call - left voicemail", "No answer": "Call - no answer"}
    subjects = np.array([endings.get(how, "Call") for how in ending], dtype=object)
    subjects[inward] = "Call from customer"
    assert (calls["subject"] == subjects).all()
    assert all(how is None for how in ending[~made])
    ended, directions = set(), set()
    for seed in SEEDS:
        calls = drawn(seed).table("DeskWork.calls")
        ended |= set(calls["ending"]) - {None}
        directions |= set(calls["direction"][calls["ending"] == "Reached"])
    assert directions == {"Inbound", "Outbound"}
    assert ended == {"Reached", *endings}


def test_a_call_is_planned_while_its_owner_has_the_case() -> None:
    """From the last handover on, before the case is closed, about a known customer, and never where
    nobody has looked at the case.
    """
    org = drawn(SEED)
    calls, cases = org.table("DeskWork.calls"), org.table("CaseStory.cases")
    case, history = calls["case"], org.table("CaseStory.history")
    assert (calls["agent"] == cases["owner"][case]).all()
    owned = history["event"] == "Owner Assignment"
    taken = np.zeros(cases.size, dtype="datetime64[s]")
    np.maximum.at(taken, history["case"][owned], history["at"][owned].astype("datetime64[s]"))
    assert (calls["at"] >= taken[case]).all()
    closed = cases["is_closed"][case].astype(bool)
    assert (calls["at"] < cases["closed"][case])[closed].all()
    assert (calls["at"] < org.setting.last_day + 1).all()
    assert (cases["account"][case] != NONE).all() and "New" not in cases["status"][case]


@pytest.mark.parametrize("seed", range(2))
def test_an_article_is_attached_where_a_case_is_settled(seed: int) -> None:
    """A closed case gets the article on its issue, and a policy beside it at most, within the last
    minutes before it was closed.
    """
    org = drawn(seed)
    attached, cases = org.table("DeskWork.articles"), org.table("CaseStory.cases")
    articles, issues = org.table("IssueSolution.articles"), org.table("IssueSolution.by_issue")
    case, article = attached["case"], attached["article"]
    assert cases["is_closed"][case].all() and (cases["issue"][case] != NONE).all()
    own = article == issues["article"][cases["issue"][case]]
    assert (articles["kind"][article[~own]] == "policy").all()
    assert 0 < (~own).sum() < 0.3 * own.sum()
    assert len(set(case[own].tolist())) == own.sum()
    before = (cases["closed"][case] - attached["at"]).astype("timedelta64[s]").astype(int)
    _, since = in_hand(org, case, attached["at"])
    in_hands = (cases["closed"][case] - since).astype("timedelta64[s]").astype(int)
    assert ((before >= 60) & (before < 1500))[in_hands >= 1500].all()
    assert ((before >= 0) & (before <= in_hands)).all()
    assert (np.diff(attached["at"].astype("datetime64[s]")) >= np.timedelta64(0, "s")).all()


@pytest.mark.parametrize("seed", list(SEEDS)[:3])
def test_nobody_works_on_what_waits_in_a_queue(seed: int) -> None:
    """Notes and articles come behind the assignment to whoever makes them, and not with it."""
    org = drawn(seed)
    for work in (org.table("DeskWork.comments"), org.table("DeskWork.articles")):
        _, since = in_hand(org, work["case"], work["at"])
        assert (work["at"] >= since).all()
        assert (work["at"] == since).mean() < 0.5
    articles = org.table("DeskWork.articles")
    holder, _ = in_hand(org, articles["case"], articles["at"])
    assert (holder == articles["agent"]).all()
