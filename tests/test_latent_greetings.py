"""Greetings: a third mail of a day goes straight on."""

import pytest

from latent.dialogue import AGENT, CUSTOMER, Turn
from latent.greetings import greeted_twice

pytestmark = pytest.mark.quick

HOUR, DAY = 3600, 24 * 3600
FIRST = Turn(AGENT, 0, ("a.greet", "a.ack", "a.sign"))
LATER = Turn(AGENT, 0, ("a.greet.again", "issue.ask.spot", "a.sign"))
TAKES_OVER = Turn(AGENT, 1, ("a.greet.again", "a.intro", "a.sign"))
WRITES = Turn(CUSTOMER, 0, ("c.chase",))


def greeted(turns: list[Turn], times: list[int]) -> list[bool]:
    """Whether each mail of the desk begins with a greeting."""
    told = greeted_twice(turns, times)
    return [turn.beats[0].startswith("a.greet") for turn in told if turn.speaker == AGENT]


def test_a_third_mail_of_a_day_has_no_greeting() -> None:
    """Who has greeted twice within hours goes straight on, whatever the customer wrote."""
    turns = [FIRST, WRITES, LATER, WRITES, LATER, LATER]
    times = [hour * HOUR for hour in range(6)]
    assert greeted(turns, times) == [True, True, False, False]


def test_after_a_day_there_is_a_greeting_again() -> None:
    """Mails of other days don't count."""
    assert greeted([FIRST, LATER, LATER], [0, DAY, 2 * DAY]) == [True, True, True]
    assert greeted([FIRST, LATER, LATER], [0, HOUR, DAY]) == [True, True, True]
    assert greeted([FIRST, LATER, LATER], [0, HOUR, DAY - 1]) == [True, True, False]


def test_who_takes_over_says_hello() -> None:
    """An agent who is new to the thread greets before they introduce themselves."""
    assert greeted([FIRST, LATER, TAKES_OVER], [0, HOUR, 2 * HOUR])[-1]
