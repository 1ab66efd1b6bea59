"""Kinds: who calls a product by its kind says whose it is."""

import pytest

from pipeline.write.kinds import owned, told_once

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("Does helpdesk work on a tablet?", "Does our helpdesk work on a tablet?"),
        ("I'd like to close the helpdesk.", "I'd like to close the helpdesk."),
        ("It's order 12. helpdesk is on.", "It's order 12. Our helpdesk is on."),
        (
            "Before I add her to helpdesk: what then?",
            "Before I add her to our helpdesk: what then?",
        ),
        ("The helpdesks of others.", "The helpdesks of others."),
    ],
)
def test_a_kind_has_a_word_for_whose_it_is(told: str, said: str) -> None:
    """A name stands by itself, and a kind doesn't."""
    assert owned(told, "helpdesk", "our") == said


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("A form for my car loan (the car loan, that is)?", "A form for my car loan?"),
        ("How do I cancel it? It's my car loan.", "How do I cancel it? It's my car loan."),
        (
            "Stop the mail for my car loan. It says car loan on it.",
            "Stop the mail for my car loan.",
        ),
        (
            "I like our car loan, the car loan, and I'd say so.",
            "I like our car loan and I'd say so.",
        ),
    ],
)
def test_a_kind_is_not_named_again_as_a_product_would(told: str, said: str) -> None:
    """The name in brackets or in a sentence of its own goes where it would say the kind again."""
    assert told_once(told, "car loan") == said
