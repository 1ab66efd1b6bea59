"""How an act is worded by what came before it, and what nobody says twice in a message."""

import random

import pytest

from pipeline.write.compose import Composer
from pipeline.write.following import following, worded_as
from pipeline.write.once import repeats, signed_after, without_hanging
from tests.writing_toys import rules_of

pytestmark = pytest.mark.quick

WORDS = {
    "issue.any.cause.bond": ("the glue dried too fast",),
    "issue.any.mend": ("we see to it",),
    "issue.any.mend.bond": ("we glue them again",),
    "a.grant": ("please take {option}",),
    "a.grant.so": ("so I set up {option}",),
    "a.offer": ("would you like {option}?",),
    "a.offer.open": ("shall I set it up?",),
    "a.late": ("sorry for the wait", "thanks for waiting"),
    "a.deny": ("it's too late for {option}, I'm sorry",),
}
FACTS = {"speaker": "Agent", "agent": "Kim Lee", "option": "a refund", "issue_key": "sole"}


def mail(*beats: str) -> str:
    """An agent's mail of these acts, in words of a toy lexicon."""
    return Composer(rules_of(WORDS), {}).turn(beats, FACTS, random.Random(1))


def test_what_follows_from_a_cause_says_so() -> None:
    """A grant behind a cause is worded by its own rule, and any other one plainly."""
    assert mail("issue.cause.bond", "a.grant").endswith("So I set up a refund.")
    assert mail("a.late", "a.grant").endswith("Please take a refund.")


def test_nothing_follows_without_a_rule() -> None:
    """A lexicon that has no such words loses nothing."""
    assert following("issue.cause.bond", "a.grant", True, lambda rule: False) == ""
    assert following("a.ack", "a.grant", True, lambda rule: True) == ""


def test_what_nobody_owes_follows_by_other_words() -> None:
    """A courtesy after a cause of the customer's own is no "so"."""
    assert following("issue.cause.sun", "a.grant", False, lambda rule: True) == "a.grant.still"


def test_a_mending_is_worded_by_its_cause_if_there_are_words() -> None:
    """Of a cause without words of its own the desk says what it says of all."""
    assert worded_as("issue.mend.bond", "issue.mend", bool, lambda rule: True) == "issue.mend.bond"
    known = "issue.mend".__eq__
    assert worded_as("issue.mend.bond", "issue.mend", bool, known) == "issue.mend"


@pytest.mark.parametrize(
    ("act", "own"),
    [
        ("a.ack", "issue.sole.ack"),
        ("a.step.warehouse", "issue.sole.step.warehouse"),
        ("a.because.fault", "issue.sole.because.fault"),
    ],
)
def test_an_issue_s_own_word_fits_its_channel(act: str, own: str) -> None:
    """What an issue has for mails is said in no chat, where the desk's own words stand."""
    words = {**WORDS, act: ("I see",), own: ("a sole should hold",)}
    hand = Composer(rules_of(words), {})
    for channel, said in (("email", "A sole should hold."), ("chat", "I see.")):
        facts = {**FACTS, "channel": channel}
        assert hand.turn([act], facts, random.Random(1)) == said


def test_who_offers_by_a_question_asks_once() -> None:
    """No second question whether it is wanted follows."""
    told = mail("a.offer", "a.offer.open")
    assert told.endswith(" a refund?")
    assert told.count("?") == 1


@pytest.mark.parametrize("says", ["i can give you {option}, just say yes", "{option}, if you like"])
def test_who_has_said_how_to_answer_asks_no_more(says: str) -> None:
    """An offer that waits for a yes is followed by no second word on that."""
    hand = Composer(rules_of({**WORDS, "a.offer": (says,)}), {})
    told = hand.turn(["a.offer", "a.offer.open"], FACTS, random.Random(1))
    assert told.lower() == says.format(option="a refund") + "."


def test_an_issue_may_have_thanks_of_its_own() -> None:
    """Who was told that another message will be answered thanks for no answer."""
    words = {**WORDS, "c.thanks": ("good to know",), "issue.sole.thanks": ("then I can wait",)}
    hand = Composer(rules_of(words), {})
    facts = {"speaker": "Customer", "customer": "Rosa Lind", "issue_key": "sole"}
    assert hand.turn(["c.thanks"], facts, random.Random(1)).lower() == "then i can wait."


def test_nobody_is_sorry_twice_in_a_mail() -> None:
    """The later apology goes, what it hung on stays."""
    assert mail("a.late", "a.deny").count("orry") == 1
    assert without_hanging("It's late, I'm sorry. I did ask.") == "It's late. I did ask."
    assert repeats("Sorry about that.", ["I apologize."])
    assert not repeats("It's late.", ["I apologize."])


def test_nobody_signs_with_thanks_below_thanks() -> None:
    """The name alone stands below them; any other closing stays."""
    assert signed_after("That works, thank you.", "Thanks,\nRosa") == "Rosa"
    assert signed_after("That works.", "Thanks,\nRosa") == "Thanks,\nRosa"
    assert signed_after("That works, thank you.", "Best,\nRosa") == "Best,\nRosa"


def test_a_sum_that_was_just_named_is_not_named_again() -> None:
    """Behind a grant that names it, the day alone is told; elsewhere the sum stands with it."""
    words = {
        **WORDS,
        "option.any.tell.credit": ("the {back} posts on Monday",),
        "option.credit.tell.credit.named": ("it posts on Monday",),
    }
    hand = Composer(rules_of(words), {})
    facts = {**FACTS, "option": "a $25 credit", "option_key": "credit", "back": "$25"}
    told = hand.turn(["a.grant", "option.tell.credit"], facts, random.Random(1))
    assert told == "Please take a $25 credit. It posts on Monday."
    alone = hand.turn(["a.late", "option.tell.credit"], facts, random.Random(1))
    assert alone.endswith("The $25 posts on Monday.")


def test_what_somebody_tried_fits_the_problem() -> None:
    """An issue's own words of what was tried come before those that fit any problem."""
    words = {**WORDS, "c.tried": ("{tried} I called",), "issue.sole.tried": ("I glued it {tried}",)}
    hand = Composer(rules_of(words), {})
    facts = {"speaker": "Customer", "customer": "Ann Ray", "issue_key": "sole", "tried": "today"}
    assert hand.turn(["c.tried"], facts, random.Random(1)) == "I glued it today."


def test_what_was_noted_says_that_it_is_so_where_nothing_says_why() -> None:
    """An amount that is found, and no cause with it, is owned to before something is given."""
    words = {
        **WORDS,
        "issue.any.noted": ("I see the {stake}",),
        "issue.sole.noted.alone": ("you were right about the {stake}",),
    }
    hand = Composer(rules_of(words), {})
    facts = {**FACTS, "stake": "$9"}
    told = hand.turn(["issue.noted", "a.grant"], facts, random.Random(1))
    assert told.startswith("You were right about the $9.")
    caused = hand.turn(["issue.noted", "issue.cause.bond"], facts, random.Random(1))
    assert caused.startswith("I see the $9.")
