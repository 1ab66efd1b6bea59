"""What only goes with other acts is left unsaid mostly, and no message is left empty."""

import random

from latent.dialogue import AGENT, Turn
from latent.unsaid import SAID, without_asides

ASKED = Turn(AGENT, 0, ("a.greet", "issue.ask.spot", "a.number", "a.sign"))
ONLY_NUMBER = Turn(AGENT, 0, ("a.greet", "a.number", "a.sign"))


def told(turn: Turn) -> set[tuple[str, ...]]:
    """What is said of a turn in forty conversations."""
    rng = random.Random(3)
    return {without_asides(rng, [turn])[0].beats for _ in range(40)}


def test_an_aside_is_said_by_some_and_left_out_by_others() -> None:
    """Of a question and the case's number, the question always stays."""
    assert told(ASKED) == {ASKED.beats, ("a.greet", "issue.ask.spot", "a.sign")}


def test_a_message_that_says_nothing_else_keeps_it() -> None:
    """A greeting and a name alone are no mail."""
    assert told(ONLY_NUMBER) == {ONLY_NUMBER.beats}


def test_every_share_is_one() -> None:
    """Each aside is said by somebody, and by fewer than all."""
    assert all(0 < share < 1 for share in SAID.values())
