"""Referring: a product is named once in a message, and is a pronoun after that."""

from pipeline.write.referring import in_short, is_named, named_once, refer_back


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
