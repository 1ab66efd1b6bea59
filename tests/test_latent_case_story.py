"""Courses of cases and their tables: owners, statuses, priorities, voices, lengths and paces."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.act_ranks import ActRanks
from latent.case_course import CaseCourse, assigned
from latent.case_story import CaseStory
from latent.case_tables import history_table, status_of
from latent.dialogue import AGENT, CUSTOMER, Turn
from latent.org_chart import MAIL_QUEUE
from latent.talk_tables import messages_table, voices
from latent.work_calendar import seconds_of
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Table, strings, table
from schemas.errors import BadInput
from tests.latent_orgs import SEEDS, drawn, part_of, setting_with, with_columns

NOON = datetime(2022, 3, 7, 12)
ORDERED = np.full(10, np.datetime64("2022-03-01"))
CASES = table(
    "CaseStory.cases",
    account=np.arange(30, 40),
    stranger=strings([""] * 10),
    stranger_mail=strings([""] * 10),
)
DICE = st.integers(0, 2**32).map(random.Random)
MANY = settings(max_examples=200, deadline=None)


def turns_of(steps: list[int]) -> list[Turn]:
    """A thread in which agents of these steps answer, the customer before each."""
    turns = []
    for step in steps:
        turns += [Turn(CUSTOMER, step, ("c.open",)), Turn(AGENT, step, ("a.ack",))]
    return turns


def hourly(turns: list[Turn]) -> list[datetime]:
    """A moment for each turn, an hour apart."""
    return [NOON + timedelta(hours=place) for place in range(len(turns))]


def seconds(moments: list[datetime]) -> list[int]:
    """The same as seconds since 1970."""
    return [seconds_of(moment) for moment in moments]


def ranked(courses: Sequence[CaseCourse]) -> ActRanks:
    """A number for the only act of each turn."""
    return {course.case: ["0"] * len(course.turns) for course in courses}


def course(
    steps: list[int],
    agents: tuple[int, ...],
    closed: bool = False,
    turns: int | None = None,
) -> CaseCourse:
    """A case of number 5, cut to so many turns."""
    said = turns_of(steps)[:turns]
    times = hourly(said)
    moments = [NOON + timedelta(minutes=30 * step) for step in range(len(agents))]
    end = times[-1] if closed else None
    return CaseCourse(5, agents, tuple(said), tuple(times), tuple(moments), NOON, end)


@MANY
@given(dice=DICE, steps=st.lists(st.integers(0, 3), min_size=1, max_size=6).map(sorted))
def test_an_agent_takes_over_between_the_others_last_turn_and_their_own_first(
    dice: random.Random, steps: list[int]
) -> None:
    """Each agent owns the case before their first turn and after the last turn of those before."""
    turns = turns_of(steps)
    times = seconds(hourly(turns))
    moments = assigned(dice, max(steps) + 1, turns, times, times[0])
    assert moments[0] == times[0]
    assert all(before < after for before, after in zip(moments, moments[1:], strict=False))
    for turn, moment in zip(turns, times, strict=True):
        if turn.speaker == AGENT:
            assert moments[turn.step] < moment
            assert all(moment < later for later in moments[turn.step + 1 :])


def test_an_agent_who_never_speaks_takes_over_before_the_last_turn() -> None:
    """A transfer after everybody has spoken lies between the agent's last turn and the end."""
    turns = turns_of([0, 0])
    turns.append(Turn(CUSTOMER, 0, ("c.thanks",)))
    times = seconds(hourly(turns))
    for seed in range(30):
        moments = assigned(random.Random(seed), 2, turns, times, times[0])
        share = (moments[1] - times[3]) / (times[4] - times[3])
        assert 0.09 < share < 0.71


@pytest.mark.parametrize(
    ("story", "escalated", "status"),
    [
        (course([0], (1,), closed=True), True, "Closed"),
        (course([0], (1,), turns=1), True, "New"),
        (course([0], (1,)), True, "Escalated"),
        (course([0], (1,)), False, "Waiting on Customer"),
        (course([0, 0], (1,), turns=3), False, "Working"),
    ],
)
def test_a_status_says_who_is_to_act(story: CaseCourse, escalated: bool, status: str) -> None:
    """Closed before new before escalated; else whoever spoke last waits."""
    assert status_of(story, escalated) == status


def test_a_customer_hears_whoever_spoke_last() -> None:
    """A turn's voice is the agent who speaks or spoke last; at first that is the first owner."""
    story = course([0, 0, 1], (7, 9))
    assert voices(story) == [7, 7, 7, 7, 7, 9]
    assert voices(course([1, 1], (7, 9))) == [7, 9, 9, 9]


def test_a_history_is_creation_owners_and_close() -> None:
    """Each owner follows the one before, the first follows none; an open case has no close."""
    closed = course([0, 1], (7, 9), closed=True)
    history = history_table([closed])
    assert history["event"].tolist() == [
        "Case Creation",
        "Owner Assignment",
        "Owner Assignment",
        "Case Closed",
    ]
    assert history["old"].tolist() == [NONE, NONE, 7, NONE]
    assert history["new"].tolist() == [NONE, 7, 9, NONE]
    assert history["at"][3] == np.datetime64(NOON + timedelta(hours=3))
    still_open = history_table([course([0], (4,))])
    assert still_open["event"].tolist() == ["Case Creation", "Owner Assignment"]
    assert still_open["new"].tolist() == [NONE, 4]


def test_the_histories_of_all_cases_stand_in_time() -> None:
    """Rows are in the order in which a CRM makes them, whatever case they are of."""
    history = history_table([course([0, 1], (7, 9), closed=True), course([0], (4,))])
    assert history["event"].tolist()[-1] == "Case Closed"
    assert (np.diff(history["at"]) >= np.timedelta64(0, "s")).all()


def test_messages_know_their_place_and_their_agents() -> None:
    """The first has no "Re: ", the last is not replied to; who was heard before is named."""
    styles = np.array([f"style {user}" for user in range(10)], dtype=object)
    courses = [course([0, 1, 2], (7, 9, 2)), replace(course([0], (4,)), case=6)]
    messages = messages_table(courses, styles, CASES, ORDERED, ranked(courses))
    assert messages["first"].tolist() == [True, *[False] * 5, True, False]
    assert messages["prefix"].tolist() == ["", *["Re: "] * 5, "", "Re: "]
    assert messages["read_status"].tolist() == [*"222221", *"21"]
    assert set(messages["sent_status"]) == {"3"}
    assert messages["incoming"].tolist() == [True, False] * 4
    assert messages["agent"].tolist() == [7, 7, 7, 9, 9, 2, 4, 4]
    assert messages["next_agent"].tolist() == [9, 9, 2, 2, 2, 2, 4, 4]
    assert messages["prev_agent"].tolist() == [7, 7, 7, 7, 7, 9, 4, 4]
    assert messages["style"][3] == "style 9"
    assert messages["case"].tolist() == [5] * 6 + [6] * 2


def test_an_agent_has_let_wait_since_the_first_mail_that_nobody_answered() -> None:
    """A reminder is a day after the question; the answer to both comes three days after that."""
    turns = turns_of([0])
    turns[1:1] = [Turn(CUSTOMER, 0, ("c.chase",))]
    turns.append(Turn(AGENT, 0, ("a.details",)))
    days = (0, 1, 3, 5)
    times = tuple(NOON + timedelta(days=day) for day in days)
    late = CaseCourse(5, (1,), tuple(turns), times, (NOON,), NOON, None)
    styles = np.array(["brisk"] * 10, dtype=object)
    messages = messages_table([late], styles, CASES, ORDERED, ranked([late]))
    assert messages["waited"].tolist() == ["", "a day", "three days", "two days"]


def test_a_customer_writes_to_the_queue_first_and_then_to_whoever_answered() -> None:
    """The first mail has a queue and no reader, later ones have the agent who wrote before."""
    styles = np.array(["brisk"] * 10, dtype=object)
    both = course([0, 1], (7, 9))
    messages = messages_table([both], styles, CASES, ORDERED, ranked([both]))
    assert messages["queue"].tolist() == [MAIL_QUEUE, NONE, NONE, NONE]
    assert messages["reader"].tolist() == [NONE, NONE, 7, NONE]
    assert messages["customer"].tolist() == [NONE, 35, NONE, 35]


def test_whoever_writes_again_before_an_answer_writes_to_the_queue() -> None:
    """Nobody knows an agent's address before that agent has written."""
    turns = [Turn(CUSTOMER, 0, ("c.open",))] * 2 + turns_of([0])[::-1]
    story = CaseCourse(5, (7,), tuple(turns), tuple(hourly(turns)), (NOON,), NOON, None)
    styles = np.array(["brisk"] * 10, dtype=object)
    messages = messages_table([story], styles, CASES, ORDERED, ranked([story]))
    assert messages["incoming"].tolist() == [True, True, False, True]
    assert messages["queue"].tolist() == [MAIL_QUEUE, MAIL_QUEUE, NONE, NONE]
    assert messages["reader"].tolist() == [NONE, NONE, NONE, 7]


def told(org: Org) -> tuple[Table, ...]:
    """The tables of CaseStory that are drawn from an org's."""
    return CaseStory().draw(org)


def threads(org: Org) -> "np.ndarray[tuple[int], np.dtype[np.int_]]":
    """Messages of each e-mail case."""
    cases, messages = told(org)[0], told(org)[2]
    lengths = np.bincount(messages["case"], minlength=cases.size)
    return np.asarray(lengths[cases["channel"] == "email"])


@pytest.mark.parametrize("seed", SEEDS)
def test_threads_have_two_to_eleven_messages_or_one_that_nobody_has_read(seed: int) -> None:
    """Closed cases have two messages at least; some open ones have the customer's alone."""
    org = drawn(seed)
    cases, messages = org.table("CaseStory.cases"), org.table("CaseStory.messages")
    lengths = np.bincount(messages["case"], minlength=cases.size)
    email = cases["channel"] == "email"
    closed = cases["is_closed"]
    assert lengths[email & closed].min() >= 2 and lengths[email].max() <= 11
    assert ((lengths == 1) == (cases["status"] == "New"))[email].all()
    assert not lengths[~email].any()


def test_messages_must_fit_their_threads() -> None:
    """The fewest and the most messages are possible, one less and one more are refused."""
    org = drawn(2)
    with pytest.raises(BadInput, match="ask for ([0-9]+) to ([0-9]+) or") as refused:
        told(part_of(org, setting=setting_with(EmailMessage=1)))
    words = str(refused.value).split("ask for ")[1].split(" ")
    least, most = int(words[0]), int(words[2])
    assert threads(part_of(org, setting=setting_with(EmailMessage=least))).max() == 2
    assert threads(part_of(org, setting=setting_with(EmailMessage=most))).min() in (1, 11)
    for wrong in (least - 1, most + 1):
        with pytest.raises(BadInput, match=f"EmailMessage={wrong}"):
            told(part_of(org, setting=setting_with(EmailMessage=wrong)))


def hours_of(org: Org) -> float:
    """The median of hours from creation to close of closed e-mail cases."""
    cases = told(org)[0]
    rows = cases["is_closed"] & (cases["channel"] == "email")
    hours = (cases["closed"][rows] - cases["created"][rows]).astype(float) / 3600
    return float(np.median(hours))


@pytest.mark.parametrize("name", ["agents", "states", "issues"])
def test_slow_people_and_places_take_longer(name: str) -> None:
    """Eight times the pace of all agents, states or issues makes cases take far longer."""
    org = drawn(2)
    paces = org.table(f"ResponseTime.{name}")
    slow = part_of(org, with_columns(paces, pace=paces["pace"] * 8))
    assert hours_of(slow) > 2 * hours_of(org)


def test_a_transferred_case_takes_longer() -> None:
    """Over ten seeds the median of transferred e-mail cases is half as much again at least.

    Escalated ones are dealt with sooner, and don't count.
    """
    plain, passed = [], []
    for seed in SEEDS:
        cases, history = (
            drawn(seed).table("CaseStory.cases"),
            drawn(seed).table("CaseStory.history"),
        )
        moved = np.bincount(history["case"][history["old"] != NONE], minlength=cases.size) > 0
        rows = cases["is_closed"] & (cases["channel"] == "email") & ~cases["escalated"]
        hours = (cases["closed"] - cases["created"]).astype(float) / 3600
        plain += hours[rows & ~moved].tolist()
        passed += hours[rows & moved].tolist()
    assert np.median(passed) > 1.5 * np.median(plain)
    assert 30 < np.median(plain) < 120


@pytest.mark.parametrize("seed", SEEDS)
def test_what_writers_are_told_is_the_cases_own(seed: int) -> None:
    """Phrases are those of wish and grant, and all other options' nouns are to be avoided.

    What a customer asks for besides, or is told of a policy, may name one.
    """
    org = drawn(seed)
    cases, options = org.table("CaseStory.cases"), org.table("Solution.options")
    phrases = dict(zip(options["key"], options["phrase"], strict=True))
    for row in range(cases.size):
        wish, granted = cases["wish"][row], cases["granted"][row]
        assert cases["wish_phrase"][row] == phrases.get(wish, "")
        assert cases["option_phrase"][row] == phrases.get(granted, "")
        avoided = set(cases["avoid"][row].split("|"))
        others = [phrase for key, phrase in phrases.items() if key not in (wish, granted)]
        besides = f"{cases['ask_1'][row]} {cases['term_1'][row]} {cases['ask_2'][row]}"
        besides = f"{besides} {cases['term_2'][row]}".casefold()
        nouns = [phrase if phrase in avoided else phrase.split(" ", 1)[-1] for phrase in others]
        assert avoided == {noun for noun in nouns if noun.casefold() not in besides}
    chats = cases["channel"] == "chat"
    assert (cases["origin"][chats] == "Chat").all()
    assert set(cases["origin"][~chats]) == {"Web", "Email"}
    assert (cases["beats"][chats] == "issue.summary").all()
    assert all(beats.startswith("c.greet") for beats in cases["beats"][~chats])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_chat_begins_before_its_first_line_and_ends_some_while_after_its_last(seed: int) -> None:
    """A chat is asked for at the case's creation, typed in within a minute of somebody's coming,
    and over within ten minutes of its last line. Its case is closed with it in most cases, and
    within the stay of its agent else.
    """
    org = drawn(seed)
    chats, turns, cases = (org.table(f"CaseStory.{name}") for name in ("chats", "turns", "cases"))
    assert (chats["requested"] == cases["created"][chats["case"]]).all()
    assert np.array_equal(chats["account"], cases["account"][chats["case"]])
    assert np.array_equal(chats["owner"], cases["owner"][chats["case"]])
    for chat in range(chats.size):
        times = turns["at"][turns["chat"] == chat]
        assert 4 <= (times[0] - chats["start"][chat]).astype(int) <= 60
        assert 15 <= (chats["end"][chat] - times[-1]).astype(int) <= 600
        assert 3 <= len(times) <= 40
    later = cases["closed"][chats["case"]] - chats["end"]
    assert (later >= np.timedelta64(0)).all()
    assert 0.75 <= np.mean(later == np.timedelta64(0)) < 1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_case_is_closed_with_the_agents_last_mail_or_a_day_later(seed: int) -> None:
    """Whoever leaves a case open for another question gives the customer a day at least; a parent
    waits for its children instead.
    """
    org = drawn(seed)
    cases, mails = org.table("CaseStory.cases"), org.table("CaseStory.messages")
    last = dict(zip(mails["case"].tolist(), range(mails.size), strict=True))
    parents = set(org.table("CaseLinks.cases")["parent"].tolist())
    waits = []
    for case, row in last.items():
        if cases["is_closed"][case] and not mails["incoming"][row] and case not in parents:
            waits.append((cases["closed"][case] - mails["at"][row]) / np.timedelta64(1, "h"))
    assert all(wait == 0 or wait >= 24 for wait in waits)
    assert 0 < sum(wait > 0 for wait in waits) < len(waits)
