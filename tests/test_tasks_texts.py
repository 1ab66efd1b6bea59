"""Texts that tasks read by rules: sentences, what names a thing, and where a number stands."""

import pytest

from orgweave.benchmark.texts import has_number, naming, passage, sentences

pytestmark = pytest.mark.quick

REFUND = ("full refund",)


def test_the_end_of_a_line_ends_a_sentence() -> None:
    """As a mark before a blank does; nothing is no sentence."""
    assert sentences("One. Two!\nThree\n\n Four? ") == ["One.", "Two!", "Three", "Four?"]
    assert sentences("") == []


def test_a_sentence_names_a_thing_in_any_of_its_forms() -> None:
    """In capitals or not."""
    text = "A FULL REFUND is open. Others are not. Get $25."
    assert naming(text, REFUND) == ["A FULL REFUND is open."]
    assert naming(text, ("full refund", "25 dollars")) == ["A FULL REFUND is open.", "Get $25."]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A full refund within 30 days. More.", "A full refund within 30 days."),
        ("Hello. A full refund? Within 30 days. More.", "A full refund? Within 30 days."),
        ("Within 30 days. A full refund. More.", ""),
        ("A full refund. More. Within 30 days.", ""),
        ("Hello. A full refund.", ""),
        ("A full refund. No. A full refund: 30 days.", "A full refund: 30 days."),
        ("30 days.", ""),
        ("", ""),
    ],
)
def test_a_passage_states_the_number_in_the_sentence_or_in_the_next(text: str, found: str) -> None:
    """Not in the one before it, and in none that is farther behind."""
    assert passage(text, REFUND, 30) == found


@pytest.mark.parametrize(
    ("text", "number", "stands"),
    [
        ("30 days", 30, True),
        ("it is 30.", 30, True),
        ("it is 30.5", 30, False),
        ("it is 30.5", 30.5, True),
        ("130 or 300", 30, False),
        ("1.30", 30, False),
    ],
)
def test_a_number_stands_by_itself(text: str, number: float, stands: bool) -> None:
    """It is no part of another one."""
    assert has_number(text, number) is stands
