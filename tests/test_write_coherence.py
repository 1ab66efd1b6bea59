"""A cause is worded for the case that it stands in."""

import pytest

from pipeline.write.behalf import HEARD
from pipeline.write.coherence import clashes, is_echoed, is_told, is_unsaid, takes_up
from schemas.incidents import IncidentPlan
from schemas.lexicon import load_lexicon
from schemas.profile import lexicons_folder

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
        ("issue.sign.wear.daily", "They flap at the toe, worn daily.", True),
        ("issue.sign.wear.daily", "They flap at the heel, worn daily.", False),
        ("issue.ask.spot", "Is it the toe?", False),
        ("a.deny", "Not at the front desk.", False),
    ],
)
def test_what_another_case_would_show_clashes(beat: str, text: str, clash: bool) -> None:
    """Another value alone clashes; with the case's own, or in another act, it does not."""
    assert clashes(beat, text, FACTS, {"sole": PLAN}) is clash


@pytest.mark.parametrize(
    ("said", "beats", "stake", "told"),
    [
        ("They open at the heel.", ["issue.sign.spot.heel"], "", True),
        ("They open.", ["issue.sign.spot.heel"], "", False),
        ("They open at the heel.", ["issue.sign.spot.heel"], "$9", False),
        ("They open at the heel.", ["issue.stake", "issue.sign.spot.heel"], "$9", True),
    ],
)
def test_what_the_complaint_has_told_is_not_told_again(
    said: str, beats: list[str], stake: str, told: bool
) -> None:
    """A sign in the complaint needs no act of its own, unless that act must name the stake."""
    facts = {**FACTS, "stake": stake}
    assert is_told("issue.sign.spot.heel", said, beats, facts, {"sole": PLAN}) is told


def test_where_nothing_is_known_nothing_clashes() -> None:
    """An issue without an incident, and a case without signs, take any words."""
    assert not clashes("issue.cause.bond", "At the toe.", FACTS, {})
    assert not clashes("issue.cause.bond", "At the toe.", {"issue_key": "sole"}, {"sole": PLAN})


@pytest.mark.parametrize(
    ("days", "text", "clash"),
    [
        ("3", "It worked last month.", True),
        ("3", "It's been like this for weeks.", True),
        ("40", "It worked last month.", False),
        ("40", "It has done so for months.", True),
        ("400", "Last year it was fine.", False),
        ("40", "The first year is free.", False),
        ("40", "It ran all year.", True),
        ("1", "I gave it several days.", True),
        ("3", "I gave it several days.", False),
        ("2", "I tried it over the weekend.", True),
        ("9", "I tried it over the weekend.", False),
        ("3", "It used to be quick.", True),
        ("40", "It used to be quick.", False),
        ("3", "It broke this morning.", False),
        ("", "It worked last month.", False),
    ],
)
def test_nobody_speaks_of_more_time_than_has_gone_by(days: str, text: str, clash: bool) -> None:
    """What was bought three days ago did nothing last month."""
    facts = {"issue_key": "sole", "days": days}
    assert clashes("issue.complaint", text, facts, {"sole": PLAN}) is clash


@pytest.mark.parametrize(
    ("beat", "asks", "clash"),
    [
        ("issue.complaint", "spot", True),
        ("issue.impact", "wear,spot", True),
        ("issue.complaint", "wear", False),
        ("issue.sign.spot.toe", "spot", False),
    ],
)
def test_a_complaint_does_not_tell_what_will_be_asked(beat: str, asks: str, clash: bool) -> None:
    """Whoever will be asked where it opens does not say so before."""
    facts = {"issue_key": "sole", "asks": asks}
    assert clashes(beat, "The toe came off.", facts, {"sole": PLAN}) is clash


@pytest.mark.parametrize(
    ("text", "weekday", "clash"),
    [
        ("It stopped on Tuesday.", "Tuesday", True),
        ("It stopped on Tuesday.", "Friday", False),
        ("It stops every Tuesday.", "Tuesday", False),
        ("It stops on Tuesdays.", "Tuesday", False),
    ],
)
def test_nobody_calls_today_by_its_weekday(text: str, weekday: str, clash: bool) -> None:
    """On a Tuesday it stopped today or this morning."""
    assert clashes("issue.complaint", text, {"weekday": weekday}, {}) is clash


@pytest.mark.parametrize(
    ("text", "weekday", "clash"),
    [
        ("You're on this week's list.", "Friday", True),
        ("The queue kept growing this week.", "Monday", True),
        ("A crew comes by Friday.", "Thursday", True),
        ("A crew comes by Friday.", "Tuesday", False),
        ("You're on this week's list.", "", False),
    ],
)
def test_words_of_the_week_fit_the_day(text: str, weekday: str, clash: bool) -> None:
    """On a Friday nothing is promised for this week, and on a Monday it has hardly begun."""
    assert clashes("issue.mend", text, {"weekday": weekday}, {}) is clash


@pytest.mark.parametrize(
    ("name", "category", "group", "text", "unsaid"),
    [
        ("utility", "natural_gas", "", "There are just bare wires.", True),
        ("utility", "electricity", "", "There are just bare wires.", False),
        ("bank", "youth", "", "My salary comes in every month.", True),
        ("shoes", "kids", "kids", "I stand all day at work.", True),
        ("shoes", "kids", "kids", "They came off at the front.", False),
        ("shoes", "winter", "kids", "I stand all day at work.", True),
        ("shoes", "winter", "women", "I stand all day at work.", False),
        ("shoes", "rain", "kids", "A lace has torn.", True),
    ],
)
def test_nobody_says_of_a_product_what_it_has_not(
    name: str, category: str, group: str, text: str, unsaid: bool
) -> None:
    """Gas has no wires, no pay comes to a youth account, and no child stands at work: not in boots
    either.
    """
    world = load_lexicon(lexicons_folder() / name, lexicons_folder() / "base").world
    assert is_unsaid(text, category, world, group) is unsaid


@pytest.mark.parametrize(
    ("asks", "heard", "text", "takes"),
    [
        ("spot", "", "The heel was never glued.", True),
        ("spot", "", "It was never glued.", False),
        ("", "", "It was never glued.", True),
        ("", "It's the heel.", "The heel was never glued.", True),
        ("", "It came off.", "The heel was never glued.", False),
    ],
)
def test_a_finding_names_what_was_answered_and_nothing_untold(
    asks: str, heard: str, text: str, takes: bool
) -> None:
    """What was asked for is taken up; what nobody has told, nobody can know."""
    facts = {**FACTS, "cause": "bond", "asks": asks, HEARD: heard}
    assert takes_up("issue.cause.bond", text, facts, {"sole": PLAN}) is takes
    assert takes_up("issue.advice.bond", text, facts, {"sole": PLAN})


@pytest.mark.parametrize(
    ("echo", "text", "said_twice"),
    [
        ("issue.echo.spot.heel", "At the heel it was never glued.", True),
        ("issue.echo.spot.heel", "It was never glued.", False),
        ("issue.ask.spot", "At the heel it was never glued.", False),
    ],
)
def test_what_a_finding_names_is_not_repeated_before_it(
    echo: str, text: str, said_twice: bool
) -> None:
    """An agent's "so it's the heel" goes where the heel stands in what follows."""
    assert is_echoed(echo, "issue.cause.bond", text, FACTS, {"sole": PLAN}) is said_twice
    assert not is_echoed(echo, "a.grant", text, FACTS, {"sole": PLAN})
