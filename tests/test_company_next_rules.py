"""Which rules the questions need that follow an answer or a remedy."""

from pipeline.company.next_rules import next_rules
from schemas.lexicon import load_lexicon
from schemas.profile import lexicons_folder


def test_each_question_of_a_remedy_and_of_an_answer_needs_words_on_both_sides() -> None:
    """A rule of the remedy's own will do, and so will one for all; a topic's is its own."""
    folder = lexicons_folder()
    world = load_lexicon(folder / "utility", folder / "base").world
    asked = [rule.names for rule in next_rules(world)]
    of_options = [names for names in asked if names[0].startswith("option.")]
    of_topics = [names for names in asked if names[0].startswith("issue.enquiry_question_")]
    assert of_options and of_topics
    for names in of_options:
        assert names[1].startswith("option.any.")
    for names in (*of_options, *of_topics):
        other = names[0].replace(".wonders.", ".clears.")
        assert any(found[0] == other for found in asked)
