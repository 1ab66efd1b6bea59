"""What an agent's note is about follows from what the agent does at that moment."""

import numpy as np
import pytest

from latent.note_topics import ending_of, topic_of, topics_of


@pytest.mark.parametrize(
    ("beats", "topic"),
    [
        ("a.greet,issue.ask.spot,a.evidence.photo,a.sign", "asked"),
        ("a.greet,issue.cause.glue,a.offer,a.sign", "offered"),
        ("a.greet.again,issue.cause.heat,a.deny.fault,a.sign", "refused"),
        ("a.step.warehouse", "passed"),
        ("a.step_back.warehouse", "back"),
        ("a.late,a.progress", "waiting"),
        ("a.greet,a.close", "progress"),
    ],
)
def test_a_note_is_about_what_the_turn_beside_it_does(beats: str, topic: str) -> None:
    """A decision comes before the question asked with it; what tells nothing is progress."""
    assert topic_of(beats) == topic


def test_the_first_note_is_a_first_look_and_the_last_one_an_ending() -> None:
    """A case of one turn ends with it; whose case goes on has looked at it first."""
    beats = np.array(["a.offer", "a.deny", "a.offer"], dtype=object)
    firsts = np.array([True, False, True])
    endings = ["", ending_of(granted=False, refused=True), ending_of(granted=True, refused=False)]
    assert topics_of(beats, firsts, endings) == ["triage", "turned_down", "arranged"]
    assert ending_of(granted=False, refused=False) == "answered"
