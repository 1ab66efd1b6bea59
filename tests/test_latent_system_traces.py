"""What the mail system and the chat window add: to whom, from which device, and when."""

from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError

from latent.registry import LATENT
from latent.system_traces import SystemTraces
from latent.workers import SERVICE_KINDS
from pipeline.world.tables import NONE
from schemas.traces import TraceFigures
from tests.latent_orgs import SEEDS, drawn, part_of, same


@pytest.mark.parametrize("seed", list(SEEDS)[:3])
def test_lines_of_phones_stand_in_customers_mails_from_phones(seed: int) -> None:
    """Agents sit at desks, and web forms have no such line."""
    org = drawn(seed)
    mails, traces = org.table("CaseStory.messages"), org.table("SystemTraces.messages")
    device = org.table("CustomerVoice.cases")["device"][mails["case"]]
    shown = traces["device_line"] != ""
    assert shown.any()
    assert mails["incoming"][shown].all()
    assert set(device[shown]) <= {"iOS", "Android"}
    by_form = org.table("CaseStory.cases")["by_form"][mails["case"]].astype(bool)
    assert not (shown & by_form & mails["first"].astype(bool)).any()


def test_a_second_address_is_one_that_a_mailbox_may_have() -> None:
    """Copies go to `name.work@host` or the like; nothing but a letter or digit ends the name."""
    copies = {copy for seed in SEEDS for copy in drawn(seed).table("SystemTraces.messages")["copy"]}
    copies.discard(None)
    assert copies and all(copy.partition("@")[0][-1].isalnum() for copy in copies)


def test_a_company_has_one_number_for_everybody() -> None:
    """Whichever site answers, the number of the desk is that of the head office."""
    org = drawn(1)
    hotlines = set(org.table("SystemTraces.messages")["hotline"])
    assert hotlines == {org.table("Workforce.sites")["line"][0]}


def test_what_is_quoted_is_what_the_mail_goes_on_from() -> None:
    """A customer quotes the desk's last mail, and an agent the last mail of the thread."""
    org = drawn(1)
    mails, traces = org.table("CaseStory.messages"), org.table("SystemTraces.messages")
    start = {case: row for row, case in reversed(list(enumerate(mails["case"].tolist())))}
    rows = np.flatnonzero(traces["quoted"] >= 0)
    assert len(rows)
    for row in rows.tolist():
        quoted = start[int(mails["case"][row])] + int(traces["quoted"][row])
        assert quoted < row
        assert mails["case"][quoted] == mails["case"][row]
        assert quoted == row - 1 or mails["incoming"][row]
        assert not (mails["incoming"][quoted] and mails["incoming"][row])


def test_few_who_come_back_answer_the_closing_notice() -> None:
    """The mail that reopens a case may quote that it was closed; most go on from the agent's."""
    org = drawn(1)
    mails, traces = org.table("CaseStory.messages"), org.table("SystemTraces.messages")
    reopened = org.table("Reopening.cases")["reopened_at"][mails["case"]]
    back = (mails["at"] == reopened) & mails["incoming"].astype(bool)
    told = np.array(["closed" in text for text in traces["notice"]])
    assert not (told & ~back).any()
    assert 0 < told[back].mean() < 0.6


def test_tokens_stand_in_subjects_since_the_desk_has_answered() -> None:
    """The first mail has none, an agent's has one, and it holds the case's number."""
    org = drawn(1)
    mails, subjects = org.table("CaseStory.messages"), org.table("EmailMessage")["Subject"]
    numbers = org.table("Case")["CaseNumber"][mails["case"]]
    for row in range(mails.size):
        has = f"[ref:{numbers[row]}]" in subjects[row]
        assert not (has and mails["first"][row])
        assert has or mails["incoming"][row]


def test_desks_ask_for_an_order_and_refer_to_one() -> None:
    """Both happen in a few orgs of some hundred cases."""
    asked = referred = 0
    for seed in list(SEEDS)[:3]:
        org = drawn(seed)
        mails = org.table("CaseStory.messages")["beats"]
        asked += sum("a.ask_order" in beats.split(",") for beats in mails)
        referred += int((org.table("SystemTraces.messages")["reference"] != "").sum())
    assert asked and referred


@pytest.mark.parametrize("seed", list(SEEDS)[:3])
def test_no_mail_refers_to_the_order_that_it_asks_for(seed: int) -> None:
    """What the desk's system writes below a mail stands below one that knows the order, if there is
    any: it stands once in each thread that is about a sale and was answered.
    """
    org = drawn(seed)
    mails, references = org.table("CaseStory.messages"), org.table("SystemTraces.messages")
    refers = references["reference"] != ""
    cases, outgoing = mails["case"], ~mails["incoming"].astype(bool)
    last_row = {int(case): row for row, case in enumerate(cases) if outgoing[row]}
    last = np.array([last_row.get(int(case)) == row for row, case in enumerate(cases)])
    asks = np.array(["a.ask_order" in beats.split(",") for beats in mails["beats"]])
    assert not (refers & asks & ~last).any()
    sold = org.table("CaseStory.cases")["about"] != NONE
    answered = sorted({int(case) for case in cases[outgoing] if sold[case]})
    assert sorted(cases[refers].tolist()) == answered


def test_a_chat_is_closed_for_silence_only_where_somebody_is_silent() -> None:
    """The agent has asked whether the customer is still there and offered something in vain."""
    org = drawn(1)
    lines, chats = org.table("CaseStory.turns"), org.table("SystemTraces.chats")
    said: dict[int, list[tuple[str, str]]] = {}
    for chat, speaker, beats in zip(
        lines["chat"].tolist(),
        lines["speaker"],
        lines["beats"],
        strict=True,
    ):
        said.setdefault(chat, []).append((str(speaker), str(beats)))
    for chat, ending in enumerate(chats["ending"]):
        asked = [place for place, (_, beats) in enumerate(said[chat]) if "a.gone" in beats]
        after = said[chat][asked[0] :] if asked else []
        silent = bool(asked) and all(speaker == "Agent" for speaker, _ in after)
        waits = "a.offer" in said[chat][-1][1] or "a.alternative" in said[chat][-1][1]
        assert (ending == "idle") == (silent and waits)


def test_another_salt_draws_other_traces() -> None:
    """The traces are drawn from streams of their own."""
    table = "SystemTraces.messages"
    assert not same(drawn(1).table(table), drawn(1, "SystemTraces").table(table))
    assert "SystemTraces" in LATENT


@pytest.mark.parametrize(
    "stated", [{"token": "[{number}]"}, {"window": {"joined": "{who} is here"}}, {"signed": 2}]
)
def test_the_texts_of_a_trade_name_known_facts(stated: dict[str, object]) -> None:
    """A slot without a fact would leave a hole in every mail."""
    with pytest.raises(ValidationError):
        TraceFigures.model_validate(stated)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_form_has_a_number_that_is_typed_in_the_chat(seed: int) -> None:
    """Who has told the window the number of the order does not type it again."""
    org = drawn(seed)
    in_form = org.table("SystemTraces.chats")["order"] >= 0
    lines = org.table("CaseStory.turns")
    typed = {
        chat
        for chat, beats in zip(lines["chat"].tolist(), lines["beats"], strict=True)
        if "c.order" in str(beats).split(",")
    }
    assert typed.isdisjoint(in_form.nonzero()[0].tolist())


@pytest.mark.parametrize("seed", SEEDS)
def test_who_is_known_by_a_sign_in_has_signed_in(seed: int) -> None:
    """The window of a chat whose agent asks for nothing says who has signed in."""
    org = drawn(seed)
    form = org.table("SystemTraces.chats")["form"].astype(bool)
    lines = org.table("CaseStory.turns")
    for chat, beats in zip(lines["chat"].tolist(), lines["beats"], strict=True):
        assert form[chat] or "a.signed_in" not in str(beats).split(",")


def test_a_desk_in_several_time_zones_tells_whose_hours_it_keeps() -> None:
    """Who works two hours farther west is there two hours longer by the head office's clock."""
    org = drawn(1)
    people = org.table("Workforce.people")
    serves = np.isin(people["kind"].astype(str), sorted(SERVICE_KINDS))
    ahead = people["start"] - people["start_utc"]
    head = org.table("Workforce.sites")["zone"][0]
    west = (ahead[people["zone"] == head][0] - ahead[serves]).max()
    assert west > 0
    (told,) = set(SystemTraces().draw(part_of(org))[0]["hours"])
    closes = max(shift.end for shift in org.setting.world.trade.staff.shifts) + west
    assert told.endswith(f"8 AM-{closes - 12:.0f} PM ET")


@pytest.mark.parametrize(
    ("saturday", "sunday", "days"),
    [(0.3, 0.3, "daily"), (0.3, 0.0, "Mon-Sat"), (0.0, 0.0, "Mon-Fri")],
)
def test_a_mail_tells_the_days_on_which_somebody_is_there(
    saturday: float, sunday: float, days: str
) -> None:
    """Every day, all but Sunday, or none of the weekend, as the desk works."""
    org = drawn(1)
    trade = org.setting.world.trade
    staff = trade.staff.model_copy(update={"saturday": saturday, "sunday": sunday})
    world = org.setting.world.model_copy(
        update={"trade": trade.model_copy(update={"staff": staff})}
    )
    part = part_of(org, setting=replace(org.setting, world=world))
    hours = set(SystemTraces().draw(part)[0]["hours"])
    assert {told.partition(" ")[0] for told in hours} == {days}
