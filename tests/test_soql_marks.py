"""Marks and snippets of single texts."""

from orgweave.soql.marks import marked, snippet, sought
from orgweave.soql.needle import parse_needle

TEXT = "Send the boots back within 30 days. " * 10 + "We pay the refund by card."


def test_only_whole_words_are_marked() -> None:
    """Letters and digits are words of their own, as they are in the index."""
    assert marked("Boot, boots, SKU12", {"boot", "12"}) == (
        "<mark>Boot</mark>, boots, SKU<mark>12</mark>"
    )
    assert marked("nothing here", {"boot"}) is None


def test_a_snippet_is_cut_around_the_first_word() -> None:
    """Dots stand where the text goes on."""
    shown = snippet(TEXT, {"refund"}, 60)
    assert shown is not None
    assert shown.startswith("...") and "the <mark>refund</mark> by card." in shown
    assert snippet("A refund.", {"refund"}, 60) == "A <mark>refund</mark>."
    assert snippet(TEXT, {"bonus"}, 60) is None


def test_a_snippet_is_as_long_as_was_asked_for() -> None:
    """Marks and dots aside, a long text is cut after so many characters."""
    shown = snippet(TEXT, {"boots"}, 60)
    assert shown is not None
    assert shown.replace("<mark>", "").replace("</mark>", "") == f"{TEXT[:60]}..."


def test_words_that_are_looked_away_from_are_not_sought() -> None:
    """Nor are those with wildcards."""
    assert sought(parse_needle('boot "red shoe" AND (a1 OR lace*) AND NOT hat', 0)) == {
        *("boot", "red", "shoe", "a", "1"),
    }
