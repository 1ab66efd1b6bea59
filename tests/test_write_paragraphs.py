"""A mail's paragraphs: which words stand together."""

import random

from pipeline.write.paragraphs import in_paragraphs

STORY = [
    ("c.greet", "Hello,"),
    ("c.open", "It leaks."),
    ("c.story.day", "It began one day."),
    ("issue.impact", "My feet are wet."),
    ("c.story.hope", "Sorry that it is long."),
    ("c.sign", "Rosa"),
    ("c.ps", "P.S. Mail me."),
]


def test_a_part_of_a_story_is_a_paragraph_of_its_own() -> None:
    """Nothing else stands beside it, whatever else is grouped."""
    for seed in range(20):
        paragraphs = in_paragraphs(STORY, random.Random(seed)).split("\n\n")
        assert paragraphs == [text for _, text in STORY]


def test_what_leads_to_an_act_stands_with_it() -> None:
    """Greeting first, closing last, and no lead ends a paragraph."""
    said = [("a.greet", "Hi,"), ("a.again", "Once more."), ("issue.ask.spot", "Where?")]
    for seed in range(20):
        assert in_paragraphs(said, random.Random(seed)) == "Hi,\n\nOnce more. Where?"
