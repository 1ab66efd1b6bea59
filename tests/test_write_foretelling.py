"""An agent names no detail of a case that nobody has told them, but what a record shows."""

import pytest

from pipeline.write.coherence import foretells
from schemas.incidents import IncidentPlan

pytestmark = pytest.mark.quick

SLOW = IncidentPlan.model_validate(
    {
        "details": [
            {"names": ["seconds"], "values": [["thirty"], ["forty"]], "theirs": True},
            {"names": ["since"], "days": [1, 5]},
        ],
        "signs": {"timing": {"mornings": {"marks": ["morning"]}, "always": {"marks": ["all day"]}}},
        "causes": {"busy": {"known_by": "record", "tells": "timing"}},
    }
)
FACTS = {"issue_key": "slow", "speaker": "Agent", "seconds": "thirty", "since": "May 4"}


@pytest.mark.parametrize(
    ("beat", "text", "heard", "found"),
    [
        ("issue.cause.busy", "Most of the thirty seconds is the server.", "It is slow.", True),
        ("issue.cause.busy", "Most of the thirty seconds is the server.", "Thirty seconds!", False),
        ("issue.cause.busy", "It has been slow since May 4.", "It is slow.", False),
        ("issue.ask.timing", "Was it like that before May 4?", "It is slow.", True),
        ("issue.ask.timing", "Was it like that before May 4?", "It began May 4.", False),
        ("issue.ask.timing", "Was it like that before?", "It is slow.", False),
    ],
)
def test_who_asks_knows_only_what_was_told(beat: str, text: str, heard: str, found: bool) -> None:
    """Who asks names no detail before it was told; who has looked names none that is the
    customer's alone.
    """
    assert foretells(beat, text, {**FACTS, "heard": heard}, {"slow": SLOW}) is found


def test_a_customer_names_whatever_they_like() -> None:
    """What is told by the customer is told by who knows it."""
    facts = {**FACTS, "speaker": "Customer", "heard": ""}
    assert not foretells("issue.cause.busy", "thirty seconds", facts, {"slow": SLOW})
