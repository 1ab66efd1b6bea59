"""Which words are forms of one another, and which are not."""

import pytest

from orgweave.soql.forms import bases, forms


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("boots", "boot"),
        ("boxes", "box"),
        ("shoes", "shoe"),
        ("classes", "class"),
        ("deliveries", "delivery"),
        ("movies", "movie"),
        ("children", "child"),
        ("running", "run"),
        ("running", "runs"),
        ("sizing", "sizes"),
        ("shipped", "shipping"),
        ("returned", "returns"),
        ("tried", "try"),
        ("adding", "add"),
        ("falling", "fall"),
        ("used", "using"),
    ],
)
def test_forms_of_one_word(word: str, other: str) -> None:
    """Plurals, -ing and -ed are forms of the word without them, and so of one another."""
    assert bases(word) & bases(other)
    assert other in forms(word)
    assert word in forms(other)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("planes", "plan"),
        ("cars", "care"),
        ("notes", "not"),
        ("news", "new"),
        ("ring", "r"),
        ("king", "kings'"),
        ("seed", "see"),
        ("class", "clas"),
        ("status", "statu"),
        ("its", "it"),
        ("organ", "organization"),
        ("12s", "12"),
    ],
)
def test_words_that_only_look_alike(word: str, other: str) -> None:
    """An ending that is part of the word is not taken off."""
    assert not bases(word) & bases(other)
    assert other not in forms(word)
    assert word not in forms(other)
