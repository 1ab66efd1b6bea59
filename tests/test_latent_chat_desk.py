"""ChatDesk: chats that somebody took, and those that nobody did."""

from dataclasses import replace

import numpy as np
import pytest

from latent.chat_desk import MISSED, ChatDesk
from pipeline.config import RunRequest, load_job
from pipeline.world.org import Org
from pipeline.world.tables import NONE
from tests.latent_orgs import drawn, facts_of, part_of, with_columns

SEEDS = range(3)


@pytest.fixture(scope="module", params=SEEDS)
def subscriptions(request: pytest.FixtureRequest) -> Org:
    """The facts of a seller of subscriptions, of whose chats one in eleven is missed."""
    setting = load_job(RunRequest("saas", scale=0.2)).setting
    return facts_of(replace(setting, seed=request.param))


def test_missed_chats_are_the_trades_share_of_all_that_are_asked_for(subscriptions: Org) -> None:
    """The others are the cases' own, in their order; all stand as they were asked for."""
    chats, held = subscriptions.table("ChatDesk.chats"), subscriptions.table("CaseStory.chats")
    wanted = subscriptions.setting.count("LiveChatTranscript")
    share = subscriptions.setting.world.trade.contact.missed
    assert chats.size == wanted
    assert int((chats["status"] == MISSED).sum()) == round(wanted * share)
    held_rows = chats["status"] != MISSED
    assert chats["case"][held_rows].tolist() == held["case"].tolist()
    assert (np.diff(chats["requested"]) >= np.timedelta64(0)).all()


def test_what_is_said_in_a_chat_stays_with_its_case(subscriptions: Org) -> None:
    """The lines of every case are the same as in CaseStory, though its chat has another row."""
    held, lines = subscriptions.table("CaseStory.chats"), subscriptions.table("CaseStory.turns")
    chats, turns = subscriptions.table("ChatDesk.chats"), subscriptions.table("ChatDesk.turns")
    told = zip(held["case"][lines["chat"]].tolist(), lines["at"], lines["beats"], strict=True)
    kept = zip(chats["case"][turns["chat"]].tolist(), turns["at"], turns["beats"], strict=True)
    assert list(kept) == list(told)
    traces = subscriptions.table("SystemTraces.chats")
    held_rows = chats["status"] != MISSED
    assert chats["files"][held_rows].tolist() == traces["files"].tolist()


def test_nobody_talks_in_a_missed_chat(subscriptions: Org) -> None:
    """It has neither case nor start nor words, and is over when its visitor has waited."""
    chats = subscriptions.table("ChatDesk.chats")
    rows = chats["status"] == MISSED
    assert (chats["case"][rows] == NONE).all() and np.isnat(chats["start"][rows]).all()
    waited = (chats["end"] - chats["requested"]).astype("timedelta64[s]").astype(int)
    assert waited[rows].tolist() == chats["waited"][rows].tolist()
    words = subscriptions.table("LiveChatTranscript")["Body"]
    assert all((text is None) == missed for text, missed in zip(words, rows, strict=True))


def test_a_visitor_of_before_the_first_case_is_nobody_yet(subscriptions: Org) -> None:
    """Of whom no chat comes of it soon after, only customers who wrote before are known."""
    cases = subscriptions.table("CaseStory.cases")
    after_all = np.full(cases.size, subscriptions.setting.last_day + 1).astype("datetime64[s]")
    early = part_of(subscriptions, with_columns(cases, created=after_all))
    usual, before = (ChatDesk().draw(org)[0]["account"] for org in (subscriptions, early))
    known = before != NONE
    assert (before[known] == usual[known]).all()
    assert known.sum() < (usual != NONE).sum()


def test_a_trade_that_names_no_share_misses_no_chat() -> None:
    """The shoe company keeps the numbers of chats that its profile was measured by."""
    chats = drawn(0).table("ChatDesk.chats")
    assert not (chats["status"] == MISSED).any()
