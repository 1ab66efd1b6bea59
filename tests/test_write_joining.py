"""How people run sentences together: each by a habit and a mark of their own, and never blindly."""

import random

import pytest

from pipeline.write.joining import LONGEST_WORDS, joined_by, led, related

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


@pytest.mark.parametrize(
    ("before", "after", "mark"),
    [
        ("issue.cause.bond", "issue.mend", ", so "),
        ("a.unsure", "a.offer", ", but "),
        ("a.confirm", "option.tell.visit", ", and "),
    ],
)
def test_acts_are_joined_by_their_relation(before: str, after: str, mark: str) -> None:
    """A cause leads to what is done, a doubt to what is given all the same."""
    joined_texts = set()
    for seed in range(20):
        both = related(before, "It was ours.", after, "We put it right.", random.Random(seed))
        joined_texts.add(both)
    assert joined_texts == {None, f"It was ours{mark}we put it right."}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Is it the heel?", "We put it right."),
        ("It broke, so I looked.", "We put it right."),
        ("It was ours.", "Rosa puts it right."),
        ("It was ours.", "We put it right, and soon."),
    ],
)
def test_what_is_joined_already_or_begins_with_a_name_stays_apart(first: str, second: str) -> None:
    """No sentence is joined twice, and no name loses its capital."""
    for seed in range(20):
        assert related("a.unsure", first, "a.offer", second, random.Random(seed)) is None


def test_a_state_does_not_follow_from_a_finding() -> None:
    """What somebody does follows from a finding, and what is so again follows from the deed."""
    for seed in range(20):
        both = related(
            "issue.cause.bond", "It was ours.", "issue.mend", "It works again.", random.Random(seed)
        )
        assert both is None


def test_nothing_is_hung_on_a_request() -> None:
    """Who is asked to wait is not offered something in the same sentence."""
    for seed in range(20):
        both = related(
            "issue.mend", "Please wait an hour.", "a.offer", "I can add $5.", random.Random(seed)
        )
        assert both is None


def test_acts_without_a_relation_stay_apart() -> None:
    """A greeting and a number have nothing to do with each other."""
    for seed in range(20):
        assert related("a.ack", "I see.", "a.number", "It is 7.", random.Random(seed)) is None


@pytest.mark.parametrize(
    ("text", "both"),
    [
        ("The line was down.", "I checked, and the line was down."),
        ("I see it too.", "I checked, and I see it too."),
        ("$24.50 came off.", "$24.50 came off."),
    ],
)
def test_a_look_up_is_a_clause_of_what_it_found(text: str, both: str) -> None:
    """What begins with a figure or a name stands without the clause."""
    assert led("I checked, and", text) == both


@pytest.mark.parametrize("lead", ["The notes show that", "From what I can see,"])
def test_nobody_is_shown_by_the_notes_that_they_see_it(lead: str) -> None:
    """What somebody says they see needs no words on where they see it."""
    assert led(lead, "I see your password was accepted.") == "I see your password was accepted."


def test_no_chain_of_three_is_made() -> None:
    """Whoever joins two sentences lets the third one begin anew."""
    texts = {joined(person, "I saw it. I know it. I want it.") for person in PEOPLE}
    for mark in (", ", ", and ", " - "):
        assert not any(text.count(f"{mark}I") > 1 for text in texts)


def test_what_says_whence_it_is_known_needs_no_lead() -> None:
    """Nobody says twice in one sentence that they have checked."""
    stated = "I checked our monitoring, and the server is full."
    assert led("I just checked, and", stated) == stated
    assert led("I just checked, and", "The server is full.") == (
        "I just checked, and the server is full."
    )
    seen = "I can see both orders here: yours went into another box."
    assert led("Our records show that", seen) == seen


def test_nothing_is_joined_to_a_greeting() -> None:
    """Nobody writes "Hello, and we're moving"."""
    for person in PEOPLE:
        assert joined(person, "Hello. We're moving soon.") == "Hello. We're moving soon."


def test_what_is_not_right_is_no_doubt() -> None:
    """An offer is joined by "but" to a doubt only, and not to a reason for it."""
    offer = "We can offer a visit."
    doubt, reason = "I can't say why.", "It shouldn't be like that."
    told = [related("a.unsure", doubt, "a.offer", offer, random.Random(seed)) for seed in range(9)]
    assert "I can't say why, but we can offer a visit." in told
    for seed in range(9):
        assert related("a.unsure", reason, "a.offer", offer, random.Random(seed)) is None


def test_nobody_says_twice_that_it_is_a_guess() -> None:
    """A cause that calls itself likely, or tells the agent's own deed, needs no lead to it."""
    lead = "As far as I can tell,"
    for text in ("It's probably the cable.", "I've put in the new number."):
        assert led(lead, text, "a.likely") == text
    assert led(lead, "The cable is loose.", "a.likely") == f"{lead} the cable is loose."
    assert led("I asked a coworker, and", "I tried it.", "a.asked_around") == "I tried it."
