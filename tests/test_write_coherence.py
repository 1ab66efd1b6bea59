"""A cause is worded for the case that it stands in."""

import pytest

from pipeline.write.coherence import clashes
from schemas.incidents import IncidentPlan

pytestmark = pytest.mark.quick

PLAN = IncidentPlan.model_validate(
    {
        "evidence": ["photo"],
        "signs": {
            "spot": {"toe": {"marks": ["toe", "front"]}, "heel": {"marks": ["heel"]}},
            "wear": {"daily": {"marks": ["daily"]}, "little": {"marks": ["hardly"]}},
        },
        "causes": {
            "bond": {"ends": ["either"], "known_by": "photo", "tells": "spot"},
            "worn": {"ends": ["refusal"], "known_by": "photo", "tells": "wear"},
        },
    }
)
FACTS = {"issue_key": "sole", "seen": "spot: heel (heel); wear: daily (daily)"}


@pytest.mark.parametrize(
    ("beat", "text", "clash"),
    [
        ("issue.cause.bond", "It opens at the toe first.", True),
        ("issue.cause.bond", "It opens at the heel, not the toe.", False),
        ("issue.cause.bond", "The glue gave way.", False),
        ("issue.advice.bond", "Worn hardly ever, they last.", True),
        ("issue.ask.spot", "Is it the toe?", False),
        ("a.deny", "Not at the front desk.", False),
    ],
)
def test_what_another_case_would_show_clashes(beat: str, text: str, clash: bool) -> None:
    """Another value alone clashes; with the case's own, or in another act, it does not."""
    assert clashes(beat, text, FACTS, {"sole": PLAN}) is clash


def test_where_nothing_is_known_nothing_clashes() -> None:
    """An issue without an incident, and a case without signs, take any words."""
    assert not clashes("issue.cause.bond", "At the toe.", FACTS, {})
    assert not clashes("issue.cause.bond", "At the toe.", {"issue_key": "sole"}, {"sole": PLAN})
