"""How people run sentences together: each by a habit and a mark of their own, and never blindly."""

import random

import pytest

from pipeline.write.joining import LONGEST_WORDS, joined_by

pytestmark = pytest.mark.quick

TEXT = "It's the heel. I have a photo. Can you help? They came on Monday."
PEOPLE = [f"Person {number}" for number in range(60)]


def joined(person: str, text: str = TEXT) -> str:
    """The text as this person would have it."""
    return joined_by(person, text, random.Random(person))


def test_a_person_joins_by_one_mark_or_not_at_all() -> None:
    """Some keep every full stop; nobody uses two marks."""
    marks = {}
    for person in PEOPLE:
        found = set()
        for number in range(20):
            text = joined_by(person, "It hurts. I know it.", random.Random(number))
            found.add(text.removeprefix("It hurts").removesuffix("I know it."))
        marks[person] = found - {". "}
    assert all(len(found) <= 1 for found in marks.values())
    assert set() in marks.values()
    assert len(set().union(*marks.values())) > 2


def test_questions_and_lines_stay_apart() -> None:
    """No sentence is joined to a question, nor across the end of a line."""
    for person in PEOPLE:
        text = joined(person, f"{TEXT}\nIt is mine.")
        assert "photo. Can you help? They came" in text
        assert text.endswith("\nIt is mine.")


def test_a_pronoun_keeps_its_capital_and_others_lose_it() -> None:
    """`I` is always written large, `It` only where a sentence begins."""
    texts = {joined(person, "It broke. It was new. I am sad.") for person in PEOPLE}
    assert any("broke, it was new" in text for text in texts)
    assert not any(", It" in text or ", i " in text for text in texts)


def test_long_sentences_are_not_made_longer() -> None:
    """Where both together are beyond the bound they stay two."""
    long = "It " + "really " * LONGEST_WORDS + "hurts. I know it."
    assert {joined(person, long) for person in PEOPLE} == {long}
