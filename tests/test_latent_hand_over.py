"""Which agent speaks in each turn, and what one says who takes over."""

import random

from latent.dialogue import AGENT, CUSTOMER, Turn
from latent.hand_over import with_agents


def turns(*said: tuple[str, str]) -> list[Turn]:
    """Turns of one agent and a customer, by who speaks and what is said."""
    return [Turn(speaker, 0, tuple(beats.split(","))) for speaker, beats in said]


TOLD = turns(
    (CUSTOMER, "c.open"),
    (AGENT, "a.greet,a.ack,a.transfer"),
    (CUSTOMER, "c.wait"),
    (AGENT, "a.hello,a.offer"),
    (AGENT, "a.sign"),
)


def test_whoever_takes_over_introduces_themselves_once() -> None:
    """The first turn of the second agent has the introduction in the place of a hello; the first
    agent, and whoever speaks again, says nothing of the kind.
    """
    made = with_agents(random.Random(1), TOLD, 1)
    assert [turn.step for turn in made] == [0, 0, 1, 1, 1]
    assert [turn.beats for turn in made] == [
        ("c.open",),
        ("a.greet", "a.ack", "a.transfer"),
        ("c.wait",),
        ("a.intro", "a.offer"),
        ("a.sign",),
    ]


def test_an_introduction_stands_behind_the_greeting() -> None:
    """Nobody says who they are before they have said good day."""
    greeted = turns((AGENT, "a.greet,a.transfer"), (AGENT, "a.greet.again,a.ack,a.offer"))
    assert with_agents(random.Random(1), greeted, 1)[1].beats == (
        "a.greet.again",
        "a.intro",
        "a.offer",
    )


def test_whoever_takes_over_from_nobody_says_nothing_of_it() -> None:
    """A customer whom no agent has written to never heard of the first one."""
    one = turns((CUSTOMER, "c.open"), (AGENT, "a.hello,a.offer"))
    made = with_agents(random.Random(1), one, 1)
    assert [turn.step for turn in made] == [0, 1]
    assert made[1].beats == ("a.hello", "a.offer")


def test_nobody_passes_on_what_they_were_just_handed() -> None:
    """Two transfers, one of them told: the other is before the first answer; where no agent speaks,
    it comes after all and nobody is new.
    """
    found = set()
    for seed in range(20):
        made = with_agents(random.Random(seed), TOLD, 2)
        found.add(tuple(turn.step for turn in made))
    assert found == {(0, 1, 2, 2, 2)}
    alone = turns((CUSTOMER, "c.open"), (CUSTOMER, "c.chase"))
    assert [turn.step for turn in with_agents(random.Random(1), alone, 2)] == [0, 0]


def test_each_hand_over_is_told_with_its_reason_once() -> None:
    """Whoever passes the case on says why; where nobody did, whoever takes it over says so."""
    told = with_agents(random.Random(1), TOLD, 1, ("team",))
    assert told[1].beats == ("a.greet", "a.ack", "a.transfer.team")
    assert told[3].beats == ("a.intro", "a.offer")
    silent = turns(
        (AGENT, "a.greet,a.wait"), (CUSTOMER, "c.chase"), (AGENT, "a.greet.again,a.deny")
    )
    for seed in range(20):
        made = with_agents(random.Random(seed), silent, 1, ("left",))
        assert made[2].beats in (
            ("a.greet.again", "a.intro.left", "a.deny"),
            ("a.greet.again", "a.deny"),
        )
