"""Behalf: who writes for somebody else tells of that person's wear, and of their own deeds."""

import pytest

from pipeline.write.behalf import HEARD, Person, names, person_of, told_of

pytestmark = pytest.mark.quick

MEMBER = Person("one of our members", "our member", "she")
SON = Person("my son", "my son", "he")


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ("I wear them daily.", "One of our members wears them daily."),
        ("My heels are raw.", "Our member's heels are raw."),
        ("At noon my foot hurt, and I limp.", "At noon our member's foot hurt, and she limps."),
        ("I've worn them twice.", "One of our members has worn them twice."),
        ("I have sore toes.", "One of our members has sore toes."),
        ("They don't fit me.", "They don't fit me."),
        ("They rub my feet and hurt me.", "They rub our member's feet and hurt her."),
        ("I can hardly walk. I limp.", "One of our members can hardly walk. She limps."),
    ],
)
def test_what_is_worn_is_told_of_who_wears_it(own: str, told: str) -> None:
    """Whoever it is stands there by name once, and as a pronoun after that."""
    assert told_of(own, MEMBER, False)[0] == told


@pytest.mark.parametrize(
    "deed",
    ["I ordered them in May.", "I paid for new ones.", "So here I am.", "I think it's the sole."],
)
def test_what_the_writer_did_stays_theirs(deed: str) -> None:
    """Who orders, pays and writes is the customer."""
    assert told_of(deed, MEMBER, False) == (deed, False)


def test_who_was_named_before_is_a_pronoun() -> None:
    """In the middle of a sentence and at its start."""
    assert (
        told_of("I limp, and my toes are sore.", SON, True)[0] == "He limps, and his toes are sore."
    )


def test_who_was_named_in_an_earlier_message_is_known() -> None:
    """A customer's first word is of one of their members, the next one of that member."""
    facts = {"wearer": "one of our members", "pronoun": "she"}
    assert person_of(facts) == MEMBER
    later = person_of({**facts, HEARD: "They belong to one of our members."})
    assert later == Person("our member", "our member", "she")
    assert person_of({"wearer": ""}) is None


def test_a_text_names_a_person_by_either_word() -> None:
    """At the beginning of a sentence, too."""
    assert names("One of our members limps.", MEMBER)
    assert names("our member limps.", MEMBER)
    assert not names("They limp.", MEMBER)


def test_a_question_keeps_the_bare_verb() -> None:
    """Behind a verb that asks the next one has no ending: "should he stop", "does he need"."""
    son = Person("my son", "my son", "he")
    asked = {
        "Should I stop wearing them?": "Should he stop wearing them?",
        "Do I need to wear them more?": "Does he need to wear them more?",
        "Have I worn them wrong?": "Has he worn them wrong?",
        "I finally tried them on outside.": "He finally tried them on outside.",
    }
    for own, told in asked.items():
        assert told_of(own, son, named=True) == (told, True)
