"""One person's words: contractions or none, always the same, facts untouched."""

from pipeline.write.idiolect import worded_by

LONG = "I'm sure that the sole came off at the toe, and I can't wear it."


def test_a_person_always_words_alike() -> None:
    """The same person contracts in every text or in none."""
    assert worded_by("Rosa Lind", LONG) == worded_by("Rosa Lind", LONG)


def test_each_person_has_words_of_their_own() -> None:
    """Of words that mean the same a person uses one, in capitals where a sentence begins."""
    said = {worded_by(f"Rosa {number}", "Maybe they can look.") for number in range(20)}
    assert said == {"Maybe they can look.", "Perhaps they can look."}
    longer = "I have a problem right now. Right now I wait."
    assert worded_by("Rosa Lind", longer) == worded_by("Rosa Lind", longer)


def test_the_pronoun_has_a_capital_that_its_like_words_have_only_first_in_a_sentence() -> None:
    """What stands for "I emailed you the label" within a sentence begins with a small letter."""
    text = "Mail them by May 3, and I emailed you the label. I emailed you the label."
    said = {worded_by(f"Kim {number}", text, by_agent=True) for number in range(20)}
    assert any(", and the label is in your email. The label is" in words for words in said)
    assert not any(", and The" in words for words in said)


def test_nobody_offers_is_set_up() -> None:
    """What is done before a verb is not offered: only before a thing do both words stand."""
    done, thing = "What I can do is set up a refund.", "What I can do is a refund."
    people = [f"Rosa {number}" for number in range(20)]
    assert {worded_by(person, done) for person in people} == {done}
    assert "What I can offer is a refund." in {worded_by(person, thing) for person in people}


def test_what_is_kept_keeps_its_words() -> None:
    """The name of a remedy stays as the plan has it, whatever words a person likes."""
    remedy = "a credit for the trouble"
    said = {worded_by(f"Rosa {number}", f"You get {remedy}.", [remedy]) for number in range(20)}
    assert said == {f"You get {remedy}."}


def test_a_phrase_inside_another_one_stays() -> None:
    """An address is no message: only a mail can be called one."""
    said = {worded_by(f"Rosa {number}", "Your email address will do.") for number in range(20)}
    assert said == {"Your email address will do."}


def test_many_thanks_stay_as_they_are() -> None:
    """Nobody writes "many thank you for"."""
    texts = {worded_by(f"person {number}", "Many thanks for waiting.") for number in range(40)}
    assert not any("any thank you" in text for text in texts)


def test_a_desks_phrases_are_each_agents_own() -> None:
    """Customers have other words for none of them."""
    said = "Well, that counts, and the label is prepaid."
    agents = {worded_by(f"Rosa {number}", said, by_agent=True) for number in range(40)}
    assert len(agents) == 3
    assert {worded_by(f"Rosa {number}", said) for number in range(40)} == {said}


def test_the_end_of_a_phrase_has_no_other_words() -> None:
    """What follows "the" is named by it: "the shipping is on us" is not "the we pay for that"."""
    said = "Send them back by May 3, and the shipping is on us."
    assert all(worded_by(f"Rosa {number}", said, by_agent=True) == said for number in range(20))
