"""How careless people type: what they lose, always the same, and what stays findable."""

import random
from itertools import permutations

import pytest

from pipeline.write.haste import (
    APOSTROPHES,
    CAPITALS,
    COMMAS,
    FEWEST_LOST,
    LAST_STOP,
    LEAST_WORDS,
    QUESTIONS,
    STOPS,
    Haste,
    haste_of,
    hidden,
    shown,
    typed_in_haste,
    with_wrong_keys,
    with_wrong_words,
)

PEOPLE = [f"Rosa {number}" for number in range(60)]


def typed(text: str, *lost: str, facts: tuple[str, ...] = (), corrected: bool = False) -> str:
    """A text by somebody who always loses these signs."""
    haste = Haste(dict.fromkeys(lost, 1.0))
    words = frozenset(" ".join(facts).lower().split())
    return typed_in_haste(text, haste, (facts, words), random.Random(1), corrected)


def test_a_person_loses_the_same_signs_everywhere() -> None:
    """Nobody loses a single kind, which would look like care."""
    assert haste_of("Rosa Lind") == haste_of("Rosa Lind")
    assert all(len(haste_of(person).lost) >= FEWEST_LOST for person in PEOPLE)
    assert len({frozenset(haste_of(person).lost) for person in PEOPLE}) > 5


@pytest.mark.parametrize(
    ("lost", "expected"),
    [
        (COMMAS, "I tried it but it's loose. Can you help?"),
        (QUESTIONS, "I tried it, but it's loose. Can you help"),
        (STOPS, "I tried it, but it's loose, can you help?"),
        (APOSTROPHES, "I tried it, but its loose. Can you help?"),
        (CAPITALS, "i tried it, but it's loose. can you help?"),
        (LAST_STOP, "I tried it, but it's loose. Can you help?"),
    ],
)
def test_each_kind_of_sign_is_lost_by_itself(lost: str, expected: str) -> None:
    """Words stay, all but the capitals of sentences."""
    assert typed("I tried it, but it's loose. Can you help?", lost) == expected


def test_a_question_inside_a_text_ends_in_a_stop() -> None:
    """Two sentences stay two."""
    assert typed("Can you help? Thanks.", QUESTIONS) == "Can you help. Thanks."


def test_facts_keep_their_signs() -> None:
    """A day with its year is found as it was given."""
    day = "May 5, and so on"
    said = f"It broke on {day}. It leaks, and I need it."
    assert typed(said, COMMAS, facts=(day,)) == f"It broke on {day}. It leaks and I need it."


def test_greetings_and_names_keep_their_lines() -> None:
    """Only what ends like a sentence is typed in haste."""
    assert typed("Hi Amy,\n\nOk, thanks.\n\nRosa", COMMAS) == "Hi Amy,\n\nOk thanks.\n\nRosa"


def test_a_phone_mends_apostrophes_and_capitals() -> None:
    """What it takes for words stays wrong."""
    text = "I can't wait. It's broken."
    assert typed(text, APOSTROPHES, CAPITALS, corrected=True) == text


def test_nobody_runs_on_for_ever() -> None:
    """A stop stays where the sentence would grow too long."""
    text = "The sole is loose. " + "It came off while I was on my way to work that morning. " * 3
    assert ". " in typed(text.strip(), STOPS)


def test_somebody_always_spells_a_word_wrong() -> None:
    """But for a word of a fact."""
    haste = Haste(spelt={"address": "adress", "a lot": "alot"})
    text = "Address the box. It cost a lot."
    rng = random.Random(1)
    assert typed_in_haste(text, haste, ((), ()), rng) == "Adress the box. It cost alot."
    assert typed_in_haste(text, haste, ((), ("address",)), rng) == "Address the box. It cost alot."


def test_wrong_keys_need_a_longer_text_and_spare_facts() -> None:
    """A short answer has none, and no word of a fact is touched."""
    short = "They have what I want."
    assert len(short.split()) < LEAST_WORDS
    long = "They have what I want, and they know that this is only about the box."
    every = [with_wrong_keys(long, frozenset(("only",)), random.Random(n)) for n in range(200)]
    assert {with_wrong_keys(short, (), random.Random(n)) for n in range(200)} == {short}
    assert all("only" in text for text in every)
    assert 5 < sum(text != long for text in every) < 150


def test_a_last_stop_goes_and_no_other() -> None:
    """It ends the line, and belongs to no word; an ellipsis stays."""
    assert typed("It broke. I need it.", LAST_STOP) == "It broke. I need it"
    assert typed("It came at 5 p.m.", LAST_STOP) == "It came at 5 p.m."
    assert typed("Hm...", LAST_STOP) == "Hm..."


def test_its_apostrophe_is_lost_less_often_than_that_of_dont() -> None:
    """The latter looks right without it to who leaves out most."""
    haste = Haste({APOSTROPHES: 0.8})
    lost = {"dont": 0, "its": 0}
    for seed in range(400):
        text = typed_in_haste("It's loose, I don't know.", haste, ((), ()), random.Random(seed))
        for word in lost:
            lost[word] += word in text.lower()
    assert 0 < lost["its"] < lost["dont"] < 400


def test_who_is_in_a_hurry_counts_in_figures() -> None:
    """But for a fact, which is found as it was given."""
    haste = Haste(figures=True)
    text = "I waited two weeks, and called three times. Both of the two broke."
    rng = random.Random(1)
    assert typed_in_haste(text, haste, ((), ()), rng) == text.replace(
        "two weeks", "2 weeks"
    ).replace("three", "3")
    kept = typed_in_haste(text, haste, (("two weeks",), ()), rng)
    assert "two weeks" in kept
    assert "3 times" in kept


@pytest.mark.parametrize("between", [", ", " ", "... "])
def test_sentences_run_together_in_ones_own_way(between: str) -> None:
    """With a comma, with nothing, or with three points; the pronoun keeps its capital."""
    haste = Haste({STOPS: 1.0}, between)
    text = "I tried it. It came off. I wrote to you."
    run = typed_in_haste(text, haste, ((), ()), random.Random(1))
    assert run == f"I tried it{between}it came off{between}I wrote to you."


def test_a_phone_leaves_words_not_letters_wrong() -> None:
    """A small word is missing or doubled, or is another one; a fact's words stay."""
    text = "They said the box was on the way to my house for a week."
    found = {with_wrong_words(text, ("box",), random.Random(n), 0.05) for n in range(300)}
    assert text in found and len(found) > 5
    words = {*text.split(), *["the", "thus", "wad", "fir", "form", "if", "must", "cam"], "The"}
    for wrong in found:
        assert set(wrong.split()) <= words
        assert "box" in wrong
        assert abs(len(wrong.split()) - len(text.split())) <= 1
    assert with_wrong_words("On my way to it.", (), random.Random(1), 1.0) == "On my way to it."


@pytest.mark.parametrize("facts", list(permutations(("my old", "old ox", "ox ran"))))
def test_of_facts_of_one_length_the_first_is_kept_whole(facts: tuple[str, ...]) -> None:
    """They may share a word: which of them is kept must be the same in every run."""
    text, kept = hidden("my old ox ran", facts)
    assert kept == list(facts)
    assert shown(text, kept) == "my old ox ran"
