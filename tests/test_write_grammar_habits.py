"""One person's grammar: always the same, no fact of it changed, nothing in it nobody says."""

from pipeline.write.grammar_habits import Grammar, grammar_of, said_in

PEOPLE = [f"Rosa {number}" for number in range(60)]


def said_by_all(text: str, kept: tuple[str, ...] = (), by_agent: bool = False) -> set[str]:
    """How sixty people say a text."""
    return {said_in(grammar_of(person, by_agent), text, kept) for person in PEOPLE}


def test_some_people_contract_and_some_do_not() -> None:
    """A text is said contracted or in full, by some kind by kind, and nothing is added to it."""
    said = said_by_all("I'm at home now, but I can't open it.", by_agent=True)
    assert said <= {
        "I'm at home now, but I can't open it.",
        "I am at home now, but I cannot open it.",
        "I'm at home now, but I cannot open it.",
        "I am at home now, but I can't open it.",
    }
    assert len(said) > 2


def test_who_contracts_nothing_does_so_throughout() -> None:
    """No contraction is left beside what stands in full, but for one that may be two words."""
    said = said_by_all("I'm sorry it's been so long. What's wrong, and what'd help?", by_agent=True)
    full = [text for text in said if "I am" in text and "it has been" in text]
    assert full == ["I am sorry it has been so long. What is wrong, and what'd help?"]


def test_a_person_always_writes_alike() -> None:
    """The same name has the same habits."""
    assert grammar_of("Rosa Lind") == grammar_of("Rosa Lind")


def test_nobody_asks_cannot_you() -> None:
    """A contraction before a pronoun stays."""
    asked = "Can't you make an exception just this once?"
    assert said_by_all(asked) == {asked}


def test_a_contracted_has_is_no_is() -> None:
    """Only where a verb is "is" for sure is it written so, and where it may be either it stays."""
    gone = "That's gone, and it's entered."
    assert said_by_all(gone, by_agent=True) == {gone}
    assert "It is on the way." in said_by_all("It's on the way.", by_agent=True)


def test_what_is_done_is_told_in_the_past_or_the_perfect() -> None:
    """What still goes on is told in the perfect by everybody, and nobody "arranged your call"."""
    assert {"I sent it.", "I've sent it."} <= said_by_all("I've sent it.")
    assert "I arranged your call." not in said_by_all("I've arranged your call.", by_agent=True)
    assert said_by_all("I've had them since May.") <= {
        "I've had them since May.",
        "I have had them since May.",
    }


def test_a_that_is_written_only_before_a_clause() -> None:
    """Before a thing there is none to be written."""
    assert said_by_all("I see you have it.") == {"I see you have it.", "I see that you have it."}
    assert said_by_all("I see the photo.") == {"I see the photo."}


def test_what_is_kept_keeps_its_grammar() -> None:
    """A remedy's name stays as the plan has it."""
    assert said_by_all("You get what I've set aside.", ("what I've set aside",)) == {
        "You get what I've set aside."
    }


def test_habits_none_of_which_fits_change_nothing() -> None:
    """A text without such words is the same from anybody."""
    assert said_in(Grammar(()), "The box is here.") == "The box is here."
    assert said_by_all("The box is here.") == {"The box is here."}


def test_some_people_make_two_sentences_of_one() -> None:
    """Where one part hangs on the other, or where it is asked, nobody does."""
    short = "It opened, and they got wet at once."
    assert said_by_all(short) == {short}
    longer = "The toe opened on Monday, and they got wet at once."
    assert said_by_all(longer) == {longer, "The toe opened on Monday. They got wet at once."}
    hanging = "If the toe opened today, and they got wet at once, send them."
    assert said_by_all(hanging) == {hanging}
    asked = "Is it the toe again, and you wore them outside?"
    assert said_by_all(asked) == {asked}
