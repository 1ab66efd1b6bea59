"""One person's words: the same asides everywhere, none in short sentences, facts untouched."""

import random

from pipeline.write.idiolect import worded_by

LONG = "The sole came off at the toe after two walks."


def worded(person: str, text: str) -> set[str]:
    """All that a person makes of a text with some dice."""
    return {worded_by(person, text, random.Random(seed)) for seed in range(60)}


def test_a_short_sentence_stays_as_it_is() -> None:
    """Nobody adds an aside to two words."""
    assert worded("Rosa Lind", "At the toe.") == {"At the toe."}


def test_a_person_has_few_asides_and_another_has_others() -> None:
    """Of ten people no two have the same ones."""
    people = [frozenset(worded(f"Rosa {number}", LONG)) for number in range(10)]
    assert all(2 < len(said) <= 7 for said in people)
    assert len(set(people)) == 10


def test_the_facts_of_a_sentence_stay() -> None:
    """An aside stands before or behind what is said."""
    assert all("sole came off at the toe after two walks" in text for text in worded("A", LONG))


def test_a_name_at_the_start_keeps_its_capital() -> None:
    """No opener stands before a name."""
    text = "Brindle Trail Runner is what the box says."
    assert all("Brindle Trail Runner" in said for said in worded("Rosa Lind", text))


def test_nobody_asks_cannot_you() -> None:
    """A contraction before a pronoun stays."""
    said = worded("Rosa Lind", "Can't you make an exception just this once?")
    assert not any("annot you" in text for text in said)
