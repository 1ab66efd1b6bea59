"""How turns of a chat are cut into lines."""

import random

import pytest

from latent.chat_lines import LONG, LONGEST_CHAT, QUICK, USUAL, in_lines
from latent.dialogue import AGENT, CUSTOMER, Turn

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("turns", [1, 38, 39, 40])
def test_a_chat_is_cut_until_it_is_as_long_as_chats_get(turns: int) -> None:
    """Who sends each act as a line of its own does so while there is room, and loses no act."""
    said = [Turn(CUSTOMER, 0, ("c.one", "c.two", "c.three"))] * turns
    lines = in_lines(random.Random(1), 1.0, said, USUAL)
    assert len(lines) == min(3 * turns, LONGEST_CHAT)
    acts = [beat for line in lines for beat in line.beats]
    assert acts == ["c.one", "c.two", "c.three"] * turns


def test_only_what_follows_in_a_turn_comes_soon() -> None:
    """The first line of a turn waits for the one before it."""
    said = [Turn(CUSTOMER, 0, ("c.one", "c.two"))] * 2
    lines = in_lines(random.Random(1), 1.0, said, USUAL)
    assert [line.soon for line in lines] == [False, True, False, True]


def test_the_last_turn_takes_the_room_that_the_others_left() -> None:
    """Every turn after it still has its line."""
    short, long = Turn(CUSTOMER, 0, ("c.one",)), Turn(CUSTOMER, 0, ("c.one",) * 30)
    assert len(in_lines(random.Random(1), 1.0, [short] * 19 + [long], USUAL)) == LONGEST_CHAT
    lines = in_lines(random.Random(1), 1.0, [short, long, *[short] * 30], USUAL)
    assert len(lines) == LONGEST_CHAT and lines[-30:] == [short] * 30


def test_a_customer_who_sends_turns_whole_sends_no_two_lines() -> None:
    """The chance is the customer's own; agents have theirs, whatever the customer does."""
    turn = ("c.one", "c.two")
    asks, tells = Turn(CUSTOMER, 0, turn), Turn(AGENT, 0, turn)
    for seed in range(20):
        assert in_lines(random.Random(seed), 0.0, [asks], USUAL) == [asks]
    told = [len(in_lines(random.Random(seed), 1.0, [tells], USUAL)) for seed in range(99)]
    assert set(told) == {1, 2}


@pytest.mark.parametrize(("first", "second"), [("c.hello", "c.one"), ("issue.complaint", "c.open")])
def test_what_goes_with_the_next_act_is_no_line_of_its_own(first: str, second: str) -> None:
    """Neither a greeting nor a complaint stands apart from what places it."""
    said = Turn(CUSTOMER, 0, ("c.first", first, second, "c.last"))
    lines = in_lines(random.Random(1), 1.0, [said], USUAL)
    assert [line.beats for line in lines] == [("c.first",), (first, second), ("c.last",)]


@pytest.mark.parametrize("first", ["issue.noted", "a.seen.photo", "a.amends.hour", "a.looked"])
def test_a_look_up_and_what_it_found_are_one_line(first: str) -> None:
    """Nobody sends that they have looked, and then in a line of its own what they saw."""
    said = Turn(AGENT, 0, (first, "issue.cause.bond"))
    for seed in range(20):
        assert in_lines(random.Random(seed), 1.0, [said], USUAL) == [said]


def test_what_is_arranged_is_told_in_one_text() -> None:
    """What is set up, when it comes and its number are no telegrams."""
    told = ("a.confirm", "option.tell.ships", "option.tell.return", "a.return", "a.number")
    for seed in range(20):
        lines = in_lines(random.Random(seed), 1.0, [Turn(AGENT, 0, told)], LONG)
        assert [line.beats for line in lines] == [told]


@pytest.mark.parametrize("decision", ["a.grant", "a.offer.besides", "a.deny.fault"])
def test_what_was_found_and_what_is_done_about_it_are_two_lines(decision: str) -> None:
    """Nobody types a finding and a decision in one text, however seldom they send two."""
    told = ("a.seen.photo", "issue.cause.bond", decision, "option.tell.keep")
    for seed in range(20):
        lines = in_lines(random.Random(seed), 1.0, [Turn(AGENT, 0, told)], QUICK)
        assert [line.beats for line in lines] == [told[:2], told[2:]]


def test_what_is_mended_stands_in_the_shorter_of_two_lines() -> None:
    """A long finding is one line, and what is done about it and offered besides another."""
    found = ("a.step_back.back_office", "issue.noted", "issue.cause.fee")
    done = ("issue.mend.fee", "a.amends.fault", "a.offer.besides")
    lines = in_lines(random.Random(1), 1.0, [Turn(AGENT, 0, (*found, *done))], LONG)
    assert [line.beats for line in lines] == [found, done]
    found, done = ("issue.cause.fee", "issue.mend.fee"), ("a.offer.besides", "option.would.credit")
    lines = in_lines(random.Random(1), 1.0, [Turn(AGENT, 0, (*found, *done))], LONG)
    assert [line.beats for line in lines] == [found, done]


@pytest.mark.parametrize("acts", [("c.one", "c.open"), ("issue.complaint", "c.one")])
def test_a_complaint_goes_with_its_place_alone(acts: tuple[str, str]) -> None:
    """The place goes with no other act before it, and no other act with the complaint."""
    lines = in_lines(random.Random(1), 1.0, [Turn(CUSTOMER, 0, acts)], USUAL)
    assert [line.beats for line in lines] == [acts[:1], acts[1:]]
