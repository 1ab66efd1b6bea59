"""Dialogues: who says what after what, in every ending and at every length."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from latent.dialogue import AGENT, CUSTOMER, LONGEST_THREAD, Plot, Turn, chat, thread

ENDINGS = ("granted", "granted_other", "declined", "late_grant", "unlisted_grant", "open")
TOPICS = ("size", "order", "photo")

PLOTS = st.builds(
    Plot,
    ending=st.sampled_from(ENDINGS),
    wish=st.sampled_from(("", "refund")),
    verbosity=st.sampled_from(("terse", "medium", "wordy")),
    transfers=st.integers(0, 3),
    topics=st.sampled_from((TOPICS, TOPICS[:1])),
)
CHAT_PLOTS = PLOTS.filter(lambda plot: plot.resolved)
DICE = st.integers(0, 2**32).map(random.Random)
LENGTHS = st.integers(1, LONGEST_THREAD)
MANY = settings(max_examples=300, deadline=None)


def plot(ending: str = "granted", transfers: int = 0, **more: str) -> Plot:
    """A plot with a wish, an even-tempered customer and three topics."""
    wish, verbosity = more.get("wish", "refund"), more.get("verbosity", "medium")
    return Plot(ending, wish, verbosity, transfers, TOPICS)


def spoken(turns: list[Turn], speaker: str) -> list[Turn]:
    """The turns of one side."""
    return [turn for turn in turns if turn.speaker == speaker]


def answers(turns: list[Turn], beat: str) -> list[tuple[Turn, bool]]:
    """The customer's turns right after a beat, and whether an agent speaks again after each."""
    found = []
    for place, turn in enumerate(turns[:-1]):
        if turn.speaker == AGENT and beat in turn.beats:
            found.append((turns[place + 1], place + 2 < len(turns)))
    return found


@MANY
@given(dice=DICE, plot=PLOTS, messages=LENGTHS)
def test_a_thread_has_its_length_and_both_sides_take_turns(
    dice: random.Random, plot: Plot, messages: int
) -> None:
    """As many mails as asked for, the customer's first, then one side after the other."""
    speakers = [turn.speaker for turn in thread(dice, plot, messages)]
    assert speakers == [(CUSTOMER, AGENT)[place % 2] for place in range(messages)]


@MANY
@given(dice=DICE, messages=LENGTHS)
def test_a_customer_pushes_after_a_refusal_only_if_the_agent_answers_again(
    dice: random.Random, messages: int
) -> None:
    """A refused customer insists where an agent's mail follows, else takes it as it is."""
    turns = thread(dice, plot("declined"), messages)
    for reply, answered in answers(turns, "a.deny"):
        assert reply.beats[1] == ("c.push" if answered else "c.refused")
    for reply, _ in answers(turns, "a.deny.all"):
        assert reply.beats[1] == "c.refused"


def test_a_refused_customer_is_heard_in_both_ways() -> None:
    """Over many threads a refusal is both pushed against and taken."""
    said = set()
    for seed in range(60):
        turns = thread(random.Random(seed), plot("declined"), 5)
        said |= {reply.beats[1] for reply, _ in answers(turns, "a.deny")}
    assert said == {"c.push", "c.refused"}


@MANY
@given(dice=DICE, messages=LENGTHS)
def test_an_agent_who_gives_in_late_refuses_first_or_grants_at_once(
    dice: random.Random, messages: int
) -> None:
    """A late grant after a refusal follows a push; every late grant is said exactly once."""
    turns = thread(dice, plot("late_grant"), messages)
    for reply, answered in answers(turns, "a.deny"):
        assert reply.beats[1] == "c.push" and answered
    said = [turn for turn in turns if "a.late" in turn.beats]
    assert len(said) == (1 if messages > 1 else 0)


@MANY
@given(dice=DICE, plot=PLOTS, messages=LENGTHS)
def test_each_move_of_an_agent_gets_its_answer(
    dice: random.Random, plot: Plot, messages: int
) -> None:
    """A question is answered on its topic, waiting is asked about, a transfer is acknowledged."""
    turns = thread(dice, plot, messages)
    for place, turn in enumerate(turns[:-1]):
        reply = turns[place + 1]
        if turn.speaker == AGENT and "issue.ask" in turn.beats:
            assert "issue.answer" in reply.beats and reply.topic == turn.topic in plot.topics
        if {"a.wait", "a.still"} & set(turn.beats):
            assert reply.beats[1] == "c.followup"
        if "a.transfer" in turn.beats:
            assert reply.beats[1] == "c.transferred"
        if {"a.offer", "a.alternative"} & set(turn.beats) and "option.steps" not in turn.beats:
            assert reply.beats[1] == "c.accept"
        if "option.steps" in turn.beats:
            assert reply.beats[1] == "c.thanks"


@MANY
@given(dice=DICE, plot=PLOTS, messages=LENGTHS)
def test_no_question_is_asked_twice_and_no_more_than_two_are(
    dice: random.Random, plot: Plot, messages: int
) -> None:
    """An agent asks at most two questions, each about another topic."""
    asked = [turn.topic for turn in thread(dice, plot, messages) if "issue.ask" in turn.beats]
    assert len(asked) == len(set(asked)) <= 2


@MANY
@given(dice=DICE, plot=PLOTS, messages=LENGTHS)
def test_an_agent_does_not_wait_twice_in_a_row_while_questions_are_left(
    dice: random.Random, plot: Plot, messages: int
) -> None:
    """Two waits follow one another only after all questions that may be asked; none comes first."""
    asked, before = 0, ""
    for turn in spoken(thread(dice, plot, messages), AGENT):
        waits = bool({"a.wait", "a.still"} & set(turn.beats))
        left = asked < min(2, len(plot.topics))
        assert not (waits and left and before in ("", "waits"))
        asked += "issue.ask" in turn.beats
        if "a.transfer" not in turn.beats:
            before = "waits" if waits else "acts"


@MANY
@given(dice=DICE, plot=PLOTS, messages=LENGTHS)
def test_only_an_open_case_waits_still_and_never_at_first(
    dice: random.Random, plot: Plot, messages: int
) -> None:
    """`a.still` stands only in cases that stay open, behind at least two other mails."""
    mails = spoken(thread(dice, plot, messages), AGENT)
    for place, turn in enumerate(mails):
        if "a.still" in turn.beats:
            assert not plot.resolved and place >= 2


@MANY
@given(dice=DICE, plot=PLOTS, messages=LENGTHS)
def test_every_transfer_takes_place_by_the_last_answer(
    dice: random.Random, plot: Plot, messages: int
) -> None:
    """A closed case's last mail is by its last agent; steps never fall, and rise after a transfer
    that is told.
    """
    mails = spoken(thread(dice, plot, messages), AGENT)
    steps = [turn.step for turn in mails]
    assert steps == sorted(steps)
    if plot.resolved and mails:
        assert steps[-1] == plot.transfers
    for turn, following in zip(mails, mails[1:], strict=False):
        if "a.transfer" in turn.beats:
            assert following.step > turn.step


@MANY
@given(dice=DICE, plot=PLOTS, messages=LENGTHS)
def test_an_agent_introduces_themselves_exactly_when_they_take_over(
    dice: random.Random, plot: Plot, messages: int
) -> None:
    """The first mail of each agent but the case's first one begins with an introduction."""
    before = -1
    for turn in spoken(thread(dice, plot, messages), AGENT):
        new = turn.step > 0 and turn.step != before
        assert (turn.beats[1] == "a.intro") == new == ("a.intro" in turn.beats)
        before = turn.step


@MANY
@given(dice=DICE, plot=PLOTS, messages=LENGTHS)
def test_the_customer_is_verified_once_by_who_first_deals_with_the_case(
    dice: random.Random, plot: Plot, messages: int
) -> None:
    """The first mail that does more than pass the case on verifies the customer, no other does."""
    mails = spoken(thread(dice, plot, messages), AGENT)
    dealt = [turn for turn in mails if "a.transfer" not in turn.beats]
    verified = [turn for turn in mails if "a.verify" in turn.beats]
    assert verified == dealt[:1]


@MANY
@given(dice=DICE, plot=PLOTS, messages=LENGTHS)
def test_a_complaint_is_acknowledged_in_the_first_mail_or_never(
    dice: random.Random, plot: Plot, messages: int
) -> None:
    """The first agent's first mail acknowledges the complaint, unless it passes the case on."""
    mails = spoken(thread(dice, plot, messages), AGENT)
    for place, turn in enumerate(mails):
        first = place == 0 and turn.step == 0 and "a.transfer" not in turn.beats
        assert ("a.ack" in turn.beats) == first


@MANY
@given(dice=DICE, plot=PLOTS, messages=LENGTHS)
def test_progress_is_told_only_after_waiting_and_before_an_answer(
    dice: random.Random, plot: Plot, messages: int
) -> None:
    """`a.progress` follows the same agent's wait and precedes what is decided."""
    mails = spoken(thread(dice, plot, messages), AGENT)
    for place, turn in enumerate(mails):
        if "a.progress" in turn.beats:
            before = mails[place - 1]
            assert {"a.wait", "a.still"} & set(before.beats) and before.step == turn.step
            assert not {"issue.ask", "a.wait", "a.still", "a.transfer"} & set(turn.beats)


@MANY
@given(dice=DICE, plot=PLOTS, messages=LENGTHS)
def test_what_is_decided_is_said_and_an_open_case_decides_nothing(
    dice: random.Random, plot: Plot, messages: int
) -> None:
    """A closed thread states its ending; an open one neither grants nor refuses."""
    said = {beat for turn in thread(dice, plot, messages) for beat in turn.beats}
    wanted = {
        "granted": {"a.offer"},
        "granted_other": {"a.deny", "a.alternative"},
        "declined": {"a.deny"},
        "late_grant": {"a.late"},
        "unlisted_grant": {"a.unlisted"},
        "open": set(),
    }[plot.ending]
    decisions = {"a.offer", "a.deny", "a.alternative", "a.late", "a.unlisted", "option.steps"}
    if messages > 1:
        assert wanted <= said
    allowed = wanted | ({"a.deny"} if plot.ending == "late_grant" else set())
    if plot.ending not in ("open", "declined"):
        allowed |= {"option.steps"}
    assert said & decisions <= allowed


@MANY
@given(dice=DICE, plot=PLOTS)
def test_a_first_mail_says_what_its_writer_would(dice: random.Random, plot: Plot) -> None:
    """A terse customer tells no impact, only a wordy one background; a wish is named if any."""
    beats = thread(dice, plot, 1)[0].beats
    assert ("c.wish" in beats) == bool(plot.wish) != ("c.wish.open" in beats)
    if plot.verbosity == "terse":
        assert "issue.impact" not in beats
    if plot.verbosity != "wordy":
        assert not {"c.background", "c.ps"} & set(beats)
    assert beats[0] == "c.greet" and beats[-1] == "c.sign"


@MANY
@given(dice=DICE, plot=CHAT_PLOTS)
def test_a_chat_has_eight_to_twelve_turns_of_alternating_sides(
    dice: random.Random, plot: Plot
) -> None:
    """The customer begins, both sides take turns, and an agent's or a customer's farewell ends."""
    turns = chat(dice, plot)
    assert 8 <= len(turns) <= 12
    assert [turn.speaker for turn in turns] == [
        (CUSTOMER, AGENT)[place % 2] for place in range(len(turns))
    ]
    last = turns[-1]
    closing = "c.refused" if plot.ending == "declined" else "c.thanks"
    assert last.beats[-1] == ("a.bye" if last.speaker == AGENT else closing)


def test_chats_come_in_all_their_lengths() -> None:
    """Chats without a transfer have 8 to 12 turns, with two transfers 11 or 12 at most."""
    plain = {len(chat(random.Random(seed), plot())) for seed in range(200)}
    passed = {len(chat(random.Random(seed), plot(transfers=2))) for seed in range(200)}
    assert plain == {8, 9, 10, 11, 12}
    assert passed == {12}


@MANY
@given(dice=DICE, plot=CHAT_PLOTS)
def test_a_chat_tells_as_many_transfers_as_there_is_room_for(
    dice: random.Random, plot: Plot
) -> None:
    """Up to two transfers are told, the others have happened before; the last agent answers."""
    turns = chat(dice, plot)
    told = [turn.step for turn in turns if "a.transfer" in turn.beats]
    first = max(plot.transfers - 2, 0)
    assert told == list(range(first, plot.transfers))
    assert all(turn.step == plot.transfers for turn in turns[3 + 2 * len(told) :])
    for reply, _ in answers(turns, "a.transfer"):
        assert reply.beats == ("c.transferred",)


@MANY
@given(dice=DICE, plot=CHAT_PLOTS)
def test_a_chats_last_agent_introduces_themselves_and_verifies(
    dice: random.Random, plot: Plot
) -> None:
    """Who asks first verifies, after an introduction where the case was passed on."""
    turns = chat(dice, plot)
    verified = [turn for turn in turns if "a.verify" in turn.beats]
    assert len(verified) == 1
    assert ("a.intro" in verified[0].beats) == (plot.transfers > 0)


@MANY
@given(dice=DICE, plot=CHAT_PLOTS)
def test_a_chat_pauses_at_most_once_and_comes_back(dice: random.Random, plot: Plot) -> None:
    """An agent who has put the customer on hold says so when they are back, nobody else does."""
    turns = chat(dice, plot)
    held = [turn for turn in turns if "a.hold" in turn.beats]
    back = [turn for turn in turns if "a.back" in turn.beats]
    assert len(held) == len(back) <= 1
    asked = [turn.topic for turn in spoken(turns, AGENT) if "issue.ask" in turn.beats]
    assert len(asked) == len(set(asked)) <= 2
    for reply, _ in answers(turns, "issue.ask"):
        assert reply.beats[-1] == "issue.answer" and reply.topic in plot.topics


@MANY
@given(dice=DICE, plot=CHAT_PLOTS)
def test_a_chat_customer_pushes_after_a_refusal_and_accepts_an_offer(
    dice: random.Random, plot: Plot
) -> None:
    """A refusal is pushed against, then repeated or given up; an offer is accepted and, if lawful,
    confirmed.
    """
    turns = chat(dice, plot)
    beats = [set(turn.beats) for turn in turns]
    place = next(
        place
        for place, said in enumerate(beats)
        if said & {"a.deny", "a.offer", "a.late", "a.unlisted"}
    )
    refused = "a.deny" in beats[place] and plot.ending != "granted_other"
    assert beats[place + 1] == {"c.push" if refused else "c.accept"}
    if plot.ending == "declined":
        assert "a.deny.all" in beats[place + 2]
    else:
        assert "option.steps" in beats[place + 2]
        assert ("a.confirm" in beats[place + 2]) == plot.ending.startswith("granted")
        assert ("a.late" in beats[place + 2]) == (refused and plot.ending == "late_grant")
