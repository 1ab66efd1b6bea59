"""Conversations written by hand to our prompts: right ones are taken, and wrong facts are found."""

from tests.played import LEAST_FOUND, MOST_REFUSED, kept, measure


def test_what_people_write_is_taken_and_what_is_wrong_is_found() -> None:
    """Of a hundred conversations at most three are refused, and hardly a wrong fact passes."""
    played = list(kept())
    refused, wrong, found = measure(played)
    assert len(played) == 100
    assert refused <= MOST_REFUSED * len(played)
    assert wrong > 200 and found >= LEAST_FOUND * wrong
