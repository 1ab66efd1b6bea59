"""A mail's paragraphs: which words stand together."""

import random

from pipeline.write.paragraphs import in_paragraphs

LONG = "It was the last delivery of the day and nobody here had seen it come in by the door."
WHAT_HAPPENED = ("issue.complaint", f"They leak. {LONG}")
WISH = ("c.wish", f"I want them mended. {LONG}")


def test_each_paragraph_is_about_one_thing() -> None:
    """What happened and what is wanted stand apart; a postscript stands behind the name."""
    said = [
        ("c.greet", "Hello,"),
        WHAT_HAPPENED,
        ("issue.sign.spot.toe", "It is the toe."),
        WISH,
        ("c.sign", "Rosa"),
        ("c.ps", "P.S. Mail me."),
    ]
    told = {in_paragraphs(said, random.Random(seed)) for seed in range(20)}
    happened = f"{WHAT_HAPPENED[1]} It is the toe."
    assert told == {f"Hello,\n\n{happened}\n\n{WISH[1]}\n\nRosa\n\nP.S. Mail me."}


def test_the_number_of_an_order_may_stand_below_the_name() -> None:
    """What is told below the name is no part of the text above it."""
    said = [WHAT_HAPPENED, ("c.sign", "Rosa"), ("c.order.below", "Order 417")]
    told = in_paragraphs(said, random.Random(1))
    assert told == f"{WHAT_HAPPENED[1]}\n\nRosa\n\nOrder 417"


def test_a_short_mail_is_one_paragraph() -> None:
    """Nobody makes paragraphs of three short sentences, whatever they are about."""
    said = [
        ("a.greet", "Hi,"),
        ("a.ack", "I see."),
        ("issue.cause.x", "It broke."),
        ("a.grant", "Have it."),
    ]
    for seed in range(20):
        assert in_paragraphs(said, random.Random(seed)) == "Hi,\n\nI see. It broke. Have it."


def test_what_leads_to_an_act_stands_with_it() -> None:
    """No lead ends a paragraph."""
    said = [("issue.complaint", "They leak."), ("a.again", LONG), ("c.wish", f"Where? {LONG}")]
    for seed in range(20):
        paragraphs = in_paragraphs(said, random.Random(seed)).split("\n\n")
        assert not any(paragraph.endswith(LONG) for paragraph in paragraphs[:-1])


def test_an_aside_goes_with_what_it_follows() -> None:
    """What is about nothing in particular begins no paragraph."""
    said = [WHAT_HAPPENED, ("a.hold", "One moment."), WISH]
    told = in_paragraphs(said, random.Random(1)).split("\n\n")
    assert told == [f"{WHAT_HAPPENED[1]} One moment.", WISH[1]]
