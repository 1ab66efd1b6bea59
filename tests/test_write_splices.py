"""Statements that only a comma holds together become sentences; what depends on another stays."""

import pytest

from pipeline.write.splices import unspliced

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("spliced", "apart"),
    [
        ("It's set up, you'll see it soon.", "It's set up. You'll see it soon."),
        ("We lost it, I'm sorry, it was found.", "We lost it. I'm sorry. It was found."),
        (
            "Once it's here, I can look, you'll hear soon.",
            "Once it's here, I can look. You'll hear soon.",
        ),
    ],
)
def test_a_statement_behind_a_bare_comma_begins_a_sentence(spliced: str, apart: str) -> None:
    """What could stand alone on both sides of a comma stands alone."""
    assert unspliced(spliced) == apart


@pytest.mark.parametrize(
    "whole",
    [
        "You had a question: if we cut a price, you don't lose out.",
        "If you need more, I'm here.",
        "It's too late, I'm afraid.",
        "It opens at the toe, and when it rains, it leaks.",
        "As promised, I've set it up.",
        "It came on Monday, the box was open?",
        "I looked it up, but you were right.",
        "Sorry, I forgot it.",
        "Based on what you wrote, we're talking about a seam.",
        "Counted from the day you ordered, we're past that.",
    ],
)
def test_what_belongs_together_stays(whole: str) -> None:
    """Clauses, remarks in passing, lead-ins and questions keep their commas."""
    assert unspliced(whole) == whole


@pytest.mark.parametrize(
    ("spliced", "apart"),
    [
        ("Could you look, is there a box?", "Could you look? Is there a box?"),
        ("Please compare them, are they the same?", "Please compare them. Are they the same?"),
        ("If it's late, do you still come?", "If it's late, do you still come?"),
        ("It broke, did it?", "It broke, did it?"),
    ],
)
def test_a_question_behind_a_comma_stands_alone(spliced: str, apart: str) -> None:
    """What is asked after a statement or a question is a sentence, unless the comma leads to it."""
    assert unspliced(spliced) == apart


def test_lines_stay_lines() -> None:
    """Each line is taken by itself."""
    assert unspliced("Hi Ian,\n\nIt works, you'll see it.") == "Hi Ian,\n\nIt works. You'll see it."


def test_what_leads_to_a_statement_stays_with_it() -> None:
    """Behind "that" or "and", too, a clause waits for the statement that it depends on."""
    for text in (
        "I can see that as long as the form is missing, we can't decide.",
        "The log shows that when it says locked, that's our own lock.",
    ):
        assert unspliced(text) == text
