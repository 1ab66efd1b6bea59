"""How a chat about a complaint goes: who waits in silence, what is asked, what is one line."""

import random
from dataclasses import replace

import pytest

from latent.chat_dialogue import AFTERWARDS, chat
from latent.dialogue import AGENT, CUSTOMER, WELCOMES, Plot, Turn

pytestmark = pytest.mark.quick

SOLE = Plot(
    ending="granted",
    wish="refund",
    cause="bond",
    signs=(("spot", "toe"), ("wear", "daily"), ("care", "nothing")),
    tells="spot",
    known_by="record",
    others=True,
    settles=("ships", "return"),
)
MOST_ANSWERED = 0.4
MOST_IMPATIENT = 0.2


def chats(plot: Plot) -> list[list[Turn]]:
    """A chat from each of some seeds."""
    return [chat(random.Random(seed), plot)[0] for seed in range(200)]


def acts(turns: list[Turn]) -> list[str]:
    """All acts of a chat in order."""
    return [beat for turn in turns for beat in turn.beats]


def test_who_is_asked_to_hold_on_mostly_just_waits() -> None:
    """After an agent's `one moment` comes silence; few say that it is fine, fewer ask for them."""
    held = agreed = impatient = 0
    for turns in chats(SOLE):
        said = acts(turns)
        held += "a.hold" in said
        agreed += "c.hold" in said
        impatient += "c.there" in said
        assert "c.there" not in said or said[said.index("c.there") + 1] == "a.hold.on"
    assert held > 60
    assert agreed < MOST_ANSWERED * held
    assert impatient < MOST_IMPATIENT * held


def test_who_asks_for_more_than_decides_asks_for_that_first() -> None:
    """The answer that decides comes last, and most agents ask for nothing else."""
    several = 0
    for turns in chats(SOLE):
        asked = [act for act in acts(turns) if act.startswith("issue.ask.")]
        several += len(set(asked)) > 1
        assert not asked or asked[-1] == "issue.ask.spot"
    assert 20 < several < 100


def test_nobody_asks_two_things_of_an_offer() -> None:
    """Most are told the day and what goes back with the offer; who asks hears both at once."""
    asked = 0
    for turns in chats(SOLE):
        questions = [act for act in acts(turns) if act.startswith("c.how.")]
        asked += len(questions)
        assert len(questions) < 2
    assert 5 < asked < 60


def test_what_becomes_of_it_should_it_not_help_is_asked_once_and_answered() -> None:
    """Who asks what then, or for something in writing, hears it in the next line."""
    asked = 0
    for turns in chats(SOLE):
        said = acts(turns)
        questions = [act for act in said if act in AFTERWARDS]
        asked += len(questions)
        assert len(questions) < 2
        for question in questions:
            assert said[said.index(question) + 1] == AFTERWARDS[question]
    assert asked > 10


def test_most_agents_ask_for_more_in_a_line_of_its_own() -> None:
    """Two things in one line want two answers: few ask for more with what they set up."""
    alone = merged = 0
    for turns in chats(SOLE):
        alone += any(turn.beats == ("a.else",) for turn in turns)
        merged += any("a.else" in turn.beats and len(turn.beats) > 1 for turn in turns)
    assert alone > merged > 0


def test_who_goes_above_the_agent_after_a_refusal_hears_what_was_said_there() -> None:
    """Who has heard the reason may ask for a manager, once, and is told the manager's answer."""
    plot = replace(SOLE, ending="declined", refusal="unlisted", wants=True)
    higher = 0
    for turns in chats(plot):
        said = acts(turns)
        higher += "c.manager" in said
        assert said.count("c.manager") < 2
        if "c.manager" in said:
            # The reason, where nobody has told it yet, comes before the manager's word.
            after = said[said.index("c.manager") + 1 :]
            waits, *after = after
            assert waits == "a.step.supervisor"
            assert next(act for act in after if not act.startswith("a.because.")) == "a.asked"
    assert higher > 20


def test_sides_of_a_chat_are_both_there() -> None:
    """The customer begins, or does so once an agent has greeted them, and an agent answers."""
    greeted = 0
    for turns in chats(SOLE):
        welcomed = turns[0].beats == (WELCOMES,)
        greeted += welcomed
        customer, *rest = turns[welcomed:]
        assert customer.speaker == CUSTOMER
        assert AGENT in {turn.speaker for turn in rest}
        assert not welcomed or "a.hello" not in acts(rest)
    assert 20 < greeted < 120


def test_which_thing_it_is_stands_right_behind_the_complaint() -> None:
    """Who has said that the boots leak doesn't add two lines later that it is about the boots."""
    plot = replace(SOLE, dating="exact", stake=True, for_theirs=True)
    placed = 0
    for turns in chats(plot):
        said = acts(turns)
        which = [place for place, act in enumerate(said) if act.startswith("c.open")]
        if which:
            placed += 1
            assert said[which[0] - 1] == "issue.complaint"
    assert placed > 100
