"""Kinds: who calls a product by its kind says whose it is."""

import pytest

from pipeline.write.kinds import owned

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
    assert owned(told, "helpdesk") == said
