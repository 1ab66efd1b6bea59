"""A conversation holds together: signs, numbers and spans of time stay what they were."""

import pytest

from verifiers.course import (
    CourseFacts,
    SignMarks,
    Statement,
    days_of,
    sign_marks,
    verify_course,
)
from verifiers.verdict import PASS

SPOT = SignMarks("toe", ("toe", "front"), {"heel": ("heel",), "arch": ("arch", "middle")})
FACTS = CourseFacts({"spot": SPOT}, frozenset({"00000530"}))


def customer(text: str, **more: bool | str) -> Statement:
    """A remark of the customer."""
    return Statement(True, text, **more)


def agent(text: str, ago: str = "") -> Statement:
    """A remark of the desk, on a day that lies so long after the order."""
    return Statement(False, text, "answer", ago=ago)


def test_a_told_sign_keeps_its_value() -> None:
    """Who said that it opens at the toe can say so again, in other words."""
    said = [customer("It opens at the toe."), customer("As I wrote, right in front.")]
    assert verify_course(said, FACTS) is PASS


def test_another_value_of_a_told_sign_fails_at_its_turn() -> None:
    """The verdict names the sign, both values and the path of the turn."""
    said = [customer("It opens at the toe.", path="first"), customer("At the heel.", path="second")]
    verdict = verify_course(said, FACTS)
    assert verdict.failed
    assert verdict.path == "second"
    assert verdict.reason == "course: tells heel of the spot, which was toe before"


def test_a_sign_that_nobody_told_yet_may_be_asked_for_in_any_words() -> None:
    """Words of another value contradict nothing before the true value is told."""
    said = [customer("Not the heel, I think. Or is it?"), customer("No, it is the toe.")]
    assert verify_course(said, FACTS) is PASS


def test_a_remark_that_compares_may_name_both_values() -> None:
    """A text that tells the true value may set another one beside it."""
    said = [customer("It is the toe."), customer("The heel is fine, it is the toe.")]
    assert verify_course(said, FACTS) is PASS


def test_turns_that_tell_no_signs_are_free_in_their_words() -> None:
    """In a farewell the same words mean other things; so they do when an agent speaks."""
    told = customer("It opens at the toe.")
    farewell = customer("I'll be down at the heel of the hill by then.", tells=False)
    assert verify_course([told, farewell, agent("Is the heel all right?")], FACTS) is PASS


def test_a_number_of_another_order_fails_whoever_names_it() -> None:
    """Eight digits are the number of an order or a case, so they have to be this one's."""
    for statement in (customer("It's order 00000531."), agent("Order 00000531, thank you.")):
        verdict = verify_course([statement], FACTS)
        assert "names the number 00000531, which is not among its facts" in verdict.reason


def test_numbers_of_other_lengths_and_the_own_ones_pass() -> None:
    """The own number is right, and a phone number or an amount is no order."""
    said = [customer("It's 00000530, call 5550100 or 555010012345."), agent("I see 00000530.")]
    assert verify_course(said, FACTS) is PASS


def test_without_known_numbers_none_is_wrong() -> None:
    """A conversation whose facts have no number is not held to any."""
    assert verify_course([customer("Order 12345678.")], CourseFacts()) is PASS


@pytest.mark.parametrize("said", ["nine weeks ago", "two months ago", "65 days ago"])
def test_a_span_may_be_rounded(said: str) -> None:
    """Two ways to say one span differ by their rounding."""
    remark = agent(f"You ordered it {said}.", ago="two months ago")
    assert verify_course([remark], FACTS) is PASS


def test_a_wrong_span_of_the_desk_fails() -> None:
    """Half a year is no rounding of two months."""
    verdict = verify_course([agent("That was six months ago.", ago="two months ago")], FACTS)
    assert verdict.reason == "course: says six months ago, and it was two months ago"


def test_a_customer_may_err_about_the_span() -> None:
    """People misremember when they bought something; the desk looks it up."""
    remark = Statement(True, "I bought it six months ago.", ago="two months ago")
    assert verify_course([remark], FACTS) is PASS


@pytest.mark.parametrize(
    ("span", "days"),
    [
        ("three days ago", 3.0),
        ("a week ago", 7.0),
        ("an odd month", None),
        ("2 years ago", 730.0),
        ("Twelve Months ago", 12 * 30.4),
        ("some weeks ago", None),
        ("yesterday", None),
    ],
)
def test_a_span_is_read_as_days(span: str, days: float | None) -> None:
    """Digits and small numbers in words count; what is no number is no span."""
    assert days_of(span) == (None if days is None else pytest.approx(days))


def test_the_marks_of_a_sign_are_parted_into_own_and_others() -> None:
    """The true value's marks stand apart; a sign or value that nobody knows is left out."""
    marks = {"spot": {"toe": ("toe",), "heel": ("heel",)}, "sound": {"click": ("click",)}}
    found = sign_marks([("spot", "heel"), ("sound", "hum"), ("smell", "sweet")], marks)
    assert found == {"spot": SignMarks("heel", ("heel",), {"toe": ("toe",)})}
