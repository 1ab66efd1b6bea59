"""Referring: a product is named once in a message, and is a pronoun after that."""

from pipeline.write.kinds import as_called
from pipeline.write.referring import (
    in_short,
    is_named,
    named_once,
    pointed_back,
    refer_back,
    told_of_own,
)

ACCOUNT = {"product_short": "savings account", "thing": "my savings account", "it": "it"}
BOOTS = {"product_short": "boots", "thing": "my boots", "it": "they", "them": "them"}


def test_a_full_name_gives_way_to_the_kind() -> None:
    """The name in the catalog is for the act that asks for it."""
    texts = {"thing": "my Skerrin Hikers", "product": "Skerrin Hiker", "product_short": "boots"}
    in_short(texts)
    assert texts["thing"] == "my boots"


def test_what_customers_call_a_thing_by_themselves_stays() -> None:
    """A kind or a maker is no full name; without a short word nothing changes."""
    for thing in ("my boots", "the Skerrin boots", ""):
        texts = {"thing": thing, "product": "Skerrin Hiker", "product_short": "boots"}
        in_short(texts)
        assert texts["thing"] == thing
    bare = {"thing": "the Skerrin Hiker"}
    in_short(bare)
    assert bare == {"thing": "the Skerrin Hiker"}


def test_what_was_named_is_a_pronoun_after_that() -> None:
    """Also at the beginning of a sentence, and only where it was named."""
    texts = {"thing": "my boots", "them": "them"}
    refer_back("The sole came off.", texts)
    assert not is_named(texts)
    refer_back("My boots leak.", texts)
    assert is_named(texts)
    assert texts["thing"] == "them"


def test_without_a_word_for_the_thing_nothing_is_named() -> None:
    """Some messages are about no product at all."""
    texts = {"thing": "", "them": "it"}
    refer_back("You took my payment twice.", texts)
    assert not is_named(texts)


def test_who_somebody_is_is_told_once() -> None:
    """After that they have a given name; who has none is called the same again."""
    people = ["Rosa in sales", "my boss", "Ann, who opens up,"]
    assert named_once("Rosa in sales saw it, rosa in sales waits.", people) == (
        "Rosa in sales saw it, Rosa waits."
    )
    assert named_once("My boss asked. I told my boss.", people) == "My boss asked. I told my boss."
    assert named_once("Ann, who opens up, saw it. Ann, who opens up, waits.", people) == (
        "Ann, who opens up, saw it. Ann waits."
    )


def test_an_account_is_somebodys() -> None:
    """Nobody speaks of "the savings account", unless they say which one they mean."""
    assert told_of_own("You charged the savings account.", ACCOUNT, False) == (
        "You charged my savings account."
    )
    which = "I mean the savings account that I opened in May."
    assert told_of_own(which, ACCOUNT, False) == which
    assert told_of_own("I wore the boots.", BOOTS, False) == "I wore the boots."


def test_to_the_desk_a_thing_is_the_customers() -> None:
    """Where they write for somebody else it is not theirs."""
    assert told_of_own("The boots are here.", BOOTS, True) == "Your boots are here."
    for_another = {**BOOTS, "writes_for": "club"}
    assert told_of_own("The boots are here.", for_another, True) == "The boots are here."


def test_a_text_names_a_thing_once() -> None:
    """After that it is a pronoun, in the form that its place in the sentence asks for."""
    text = "My boots leak. I dried my boots, and my boots still leak. My boots' soles, too."
    short = "My boots leak. I dried my boots. My boots are wet."
    told = "My boots leak. I dried them. They are wet."
    assert pointed_back(short, "my boots", BOOTS) == told
    assert pointed_back(text, "my boots", BOOTS).endswith("My boots' soles, too.")
    assert pointed_back("It leaks.", "", BOOTS) == "It leaks."


def test_who_asks_by_a_kind_says_whose_it_is() -> None:
    """A line that is there for the name gives the maker; who says it anyway keeps it."""
    facts = {
        "product": "Quarrel Hill Home Gas",
        "product_short": "gas plan",
        "thing": "our gas plan",
    }
    kind, made = "issue.request.kind", "issue.request.made"
    assert as_called(kind, "How do I stop gas plan?", facts) == "How do I stop our gas plan?"
    assert as_called(kind, "How do I stop it? We have the gas plan.", facts) == (
        "How do I stop it? We have the Quarrel Hill gas plan."
    )
    assert as_called(made, "How do I stop Quarrel Hill gas plan?", facts) == (
        "How do I stop our Quarrel Hill gas plan?"
    )
    assert as_called("issue.request", "How do I stop gas plan?", facts) == "How do I stop gas plan?"
