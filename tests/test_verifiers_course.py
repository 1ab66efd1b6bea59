"""A conversation is held against itself: values, numbers and spans of time stay what they were."""

import pytest

from pipeline.config import RunRequest, load_job
from verifiers.answer import AnswerRules
from verifiers.course import CourseFacts, SignMarks, Statement, days_of, sign_marks, verify_course
from verifiers.material import Unit, WrittenField

SPOT = SignMarks("toe", ("toe", "front"), {"heel": ("heel", "back")})
FACTS = CourseFacts({"spot": SPOT}, frozenset({"00000417"}))


def by_customer(*texts: str) -> list[Statement]:
    """What a customer says, turn by turn."""
    return [Statement(True, text) for text in texts]


def test_who_tells_the_same_value_twice_contradicts_nothing() -> None:
    """The toe stays the toe."""
    assert not verify_course(by_customer("At the toe.", "Right at the front."), FACTS).failed


def test_who_tells_another_value_later_contradicts_it() -> None:
    """The toe becomes the heel."""
    verdict = verify_course(by_customer("At the toe.", "It opens at the heel."), FACTS)
    assert "tells heel of the spot, which was toe before" in verdict.reason


def test_an_agents_question_tells_no_value() -> None:
    """Who asks whether it is the heel says nothing of it."""
    said = [*by_customer("At the toe."), Statement(False, "At the heel, or elsewhere?")]
    assert not verify_course(said, FACTS).failed


def test_a_turn_that_tells_of_no_sign_may_use_the_same_words() -> None:
    """`Back` means something else in `my money back`."""
    said = [*by_customer("At the toe."), Statement(True, "My money back, please.", tells=False)]
    assert not verify_course(said, FACTS).failed


@pytest.mark.parametrize(("asks", "fails"), [("", True), (",c.asks_1", False)])
def test_a_further_question_tells_no_value(asks: str, fails: bool) -> None:
    """Who asks from what amount shipping is free does not say that it was the shipping."""
    incidents = load_job(RunRequest("shoes")).lexicon.world.incidents
    chat = WrittenField("Body", "A line a turn.", (), {"type": "string"}, beats="beats")
    rules = AnswerRules((chat,), {}, incidents=incidents)
    turns = ("issue.sign.promotion.sale", f"issue.sign.amount.small{asks}")
    parts = tuple({"speaker": "Customer", "beats": beats} for beats in turns)
    unit = Unit(1, {"issue_key": "wrong_charge"}, parts)
    told = [
        "It was on sale, the sale price did not count.",
        "A few dollars. From what amount is shipping free?",
    ]
    verdict = rules.verify_entry(unit, {"unit": 1, "Body": told})
    assert ("tells shipping of the promotion" in str(verdict)) is fails


def test_a_number_is_the_cases() -> None:
    """Eight digits that nobody knows are refused."""
    assert not verify_course(by_customer("Order 00000417."), FACTS).failed
    assert "00000999" in verify_course(by_customer("Order 00000999."), FACTS).reason


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("That was five weeks ago.", False),
        ("That was about a month ago.", False),
        ("That was two days ago.", True),
        ("That was 200 days ago.", False),
    ],
)
def test_an_agents_span_is_right_on_the_day(text: str, fails: bool) -> None:
    """Five weeks may be called a month, and not two days."""
    ago = "six months ago" if "200" in text else "five weeks ago"
    verdict = verify_course([Statement(False, text, ago=ago)], FACTS)
    assert verdict.failed == fails


def test_spans_are_counted_in_days() -> None:
    """Digits and words are numbers; what is no span is None."""
    assert days_of("two weeks ago") == 14
    assert days_of("10 days") == 10
    assert days_of("soon") is None


def test_marks_of_the_true_value_stand_apart_from_the_others() -> None:
    """A sign without marks is left out."""
    marks = {"spot": {"toe": ("toe",), "heel": ("heel",)}}
    found = sign_marks([("spot", "toe"), ("wear", "daily")], marks)
    assert found == {"spot": SignMarks("toe", ("toe",), {"heel": ("heel",)})}
