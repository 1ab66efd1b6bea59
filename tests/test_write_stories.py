"""People who write more than a line tell what happened as one story, where a lexicon has it."""

import random
import re

import pytest

from pipeline.write.compose import Composer
from pipeline.write.stories import as_story
from tests.writing_toys import rules_of

pytestmark = pytest.mark.quick

FIRST = ["c.greet", "issue.complaint", "issue.sign.spot.toe", "issue.impact", "c.wish", "c.sign"]


def has_all(_: str) -> bool:
    """A lexicon with a story for everything."""
    return True


def test_a_story_tells_complaint_sign_and_why_it_matters() -> None:
    """The three acts become one, in the complaint's place, and the others stay."""
    assert as_story(FIRST, "medium", has_all) == [
        "c.greet",
        "issue.story.spot.toe",
        "c.wish",
        "c.sign",
    ]


def test_without_a_sign_the_story_tells_none() -> None:
    """A complaint that tells no sign has stories of its own."""
    assert as_story(["issue.complaint"], "wordy", has_all) == ["issue.story"]


def test_a_second_sign_is_told_behind_the_story() -> None:
    """A story tells the first sign; what is told besides stays an act."""
    beats = ["issue.complaint", "issue.sign.spot.toe", "issue.sign.wear.daily"]
    assert as_story(beats, "wordy", has_all) == ["issue.story.spot.toe", "issue.sign.wear.daily"]


def test_a_letter_also_says_why_it_matters() -> None:
    """Who tells the whole day has room for what it means to them."""
    beats = ["issue.complaint", "c.letter", "issue.impact"]
    assert as_story(beats, "wordy", has_all) == ["issue.story", "c.letter", "issue.impact"]


@pytest.mark.parametrize(
    ("verbosity", "rules"), [("terse", {"issue.story.spot.toe"}), ("medium", {"issue.story"})]
)
def test_nothing_changes_without_words_for_it(verbosity: str, rules: set[str]) -> None:
    """Customers of few words tell no stories, and nobody tells one that has no rule."""
    assert as_story(FIRST, verbosity, rules.__contains__) == FIRST


def test_a_later_message_tells_no_story() -> None:
    """Only the message that complains is told anew."""
    assert as_story(["issue.sign.spot.toe"], "wordy", has_all) == ["issue.sign.spot.toe"]


@pytest.mark.parametrize(
    ("verbosity", "told"), [("wordy", "issue.story.sum"), ("terse", "issue.complaint.sum")]
)
def test_what_is_at_stake_is_told_with_what_happened(verbosity: str, told: str) -> None:
    """A message that tells the amount tells it in its story or its line, where a rule has it."""
    beats = ["issue.complaint", "issue.stake"]
    assert as_story(beats, verbosity, has_all) == [told, "issue.stake"]


def test_an_amount_that_the_story_names_is_not_told_again() -> None:
    """The act that tells it falls away behind a story with the amount, and behind no other."""
    words = {"issue.fee.complaint.sum": ("you took {stake}",), "issue.fee.stake": ("{stake}!",)}
    facts = {"speaker": "Customer", "customer": "Ann Ray", "issue_key": "fee", "stake": "$9"}
    facts["verbosity"] = "terse"
    beats = ["issue.complaint", "issue.stake"]
    told = Composer(rules_of(words), {}).turn(beats, facts, random.Random(1))
    assert told == "You took $9."
    vague = {**words, "issue.fee.complaint.sum": ("you took a fee",)}
    told = Composer(rules_of(vague), {}).turn(beats, facts, random.Random(1))
    assert told == "You took a fee. $9!"


@pytest.mark.parametrize(("says", "asks"), [("why a fee?", 1), ("you took a fee", 2)])
def test_who_has_asked_does_not_ask_once_more(says: str, asks: int) -> None:
    """A complaint that ends with a question, or a plea, is followed by no second one."""
    words = {"issue.fee.complaint": (says,), "c.wish.open": ("can you help?",)}
    facts = {"speaker": "Customer", "customer": "Ann Ray", "issue_key": "fee"}
    beats = ["issue.complaint", "c.wish.open"]
    told = Composer(rules_of(words), {}).turn(beats, facts, random.Random(1))
    assert len(re.findall(r"[.?]", told)) == asks
