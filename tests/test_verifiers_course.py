"""A conversation is held against itself: values, numbers and spans of time stay what they were."""

import pickle

import pytest

from pipeline.config import RunRequest, load_job
from schemas.model import Beat
from verifiers.answer import AnswerRules
from verifiers.course import (
    CourseFacts,
    SignMarks,
    Statement,
    days_of,
    hours_of,
    sign_marks,
    sums_in,
    verify_course,
)
from verifiers.material import Unit, WrittenField
from verifiers.tongue import tongue_of

SPOT = SignMarks("toe", ("toe", "front"), {"heel": ("heel", "back")})
FACTS = CourseFacts({"spot": SPOT}, frozenset({"00000417"}))


def by_customer(*texts: str) -> list[Statement]:
    """What a customer says, turn by turn."""
    return [Statement(True, text) for text in texts]


def test_who_tells_the_same_value_twice_contradicts_nothing() -> None:
    """The toe stays the toe."""
    assert not verify_course(by_customer("At the toe.", "Right at the front."), FACTS).failed


def test_who_tells_another_value_later_contradicts_it() -> None:
    """The toe becomes the heel."""
    verdict = verify_course(by_customer("At the toe.", "It opens at the heel."), FACTS)
    assert "tells heel of the spot, which was toe before" in verdict.reason


def test_who_says_that_it_is_not_another_value_contradicts_nothing() -> None:
    """A text that holds the true value as well tells that one."""
    assert not verify_course(by_customer("At the toe.", "The toe, not the heel."), FACTS).failed


def test_an_agents_question_tells_no_value() -> None:
    """Who asks whether it is the heel says nothing of it."""
    said = [*by_customer("At the toe."), Statement(False, "At the heel, or elsewhere?")]
    assert not verify_course(said, FACTS).failed


def test_a_turn_that_tells_of_no_sign_may_use_the_same_words() -> None:
    """`Back` means something else in `my money back`."""
    said = [*by_customer("At the toe."), Statement(True, "My money back, please.", tells=False)]
    assert not verify_course(said, FACTS).failed


def test_a_name_tells_no_value() -> None:
    """Who signs with New York doesn't say that the trouble is new."""
    onset = SignMarks("start", ("start",), {"lately": ("lately", "new")})
    said = by_customer("From the start.", "Every time.\nChloe Warren, New York")
    assert verify_course(said, CourseFacts({"onset": onset})).failed
    facts = CourseFacts({"onset": onset}, names=("Chloe Warren", "New York"))
    assert not verify_course(said, facts).failed
    assert verify_course([*said, *by_customer("It's new in New York.")], facts).failed


WEAR = SignMarks("daily", ("daily", "every day"), {"little": ("hardly",)})


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("I wear them daily, back and forth to work.", False),
        ("I wear them daily. It opens at the back.", True),
        ("Daily!\nThe back is open.", True),
    ],
)
def test_what_tells_one_sign_may_hold_a_word_of_another(text: str, fails: bool) -> None:
    """`Back` says nothing of the spot in a sentence that tells how often they are worn."""
    facts = CourseFacts({"spot": SPOT, "wear": WEAR})
    told = Statement(True, text, signs=frozenset({"wear"}))
    assert verify_course([*by_customer("At the toe."), told], facts).failed is fails


@pytest.mark.parametrize(("asks", "fails"), [("", True), (",c.asks_1", False)])
def test_a_further_question_tells_no_value(asks: str, fails: bool) -> None:
    """Who asks from what amount shipping is free does not say that it was the shipping."""
    incidents = load_job(RunRequest("shoes")).lexicon.world.incidents
    chat = WrittenField("Body", "A line a turn.", (), {"type": "string"}, beats="beats")
    rules = AnswerRules((chat,), {}, incidents=incidents)
    turns = ("issue.sign.promotion.sale", f"issue.sign.amount.small{asks}")
    parts = tuple({"speaker": "Customer", "beats": beats} for beats in turns)
    unit = Unit(1, {"issue_key": "wrong_charge"}, parts)
    told = [
        "It was on sale, the sale price did not count.",
        "A few dollars. From what amount is shipping free?",
    ]
    verdict = rules.verify_entry(unit, {"unit": 1, "Body": told})
    assert ("tells shipping of the promotion" in str(verdict)) is fails


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("It was on sale, and the sale price did not count.", False),
        ("It was the free shipping that did not count.", True),
        ("It did not count, I'm sure of it.", False),
    ],
)
def test_a_turn_that_tells_a_sign_tells_its_value(text: str, fails: bool) -> None:
    """Who is to say that it was the sale doesn't say that it was the shipping."""
    job = load_job(RunRequest("shoes"))
    incidents = job.lexicon.world.incidents
    chat = WrittenField("Body", "A line a turn.", (), {"type": "string"}, beats="beats")
    rules = AnswerRules((chat,), job.setting.schema.beats or {}, incidents=incidents)
    part = {"speaker": "Customer", "beats": "issue.sign.promotion.sale"}
    unit = Unit(1, {"issue_key": "wrong_charge"}, (part,))
    verdict = rules.verify_entry(unit, {"unit": 1, "Body": [text]})
    assert ("does not name value" in str(verdict)) is fails


def test_where_no_incident_is_known_no_value_is_demanded() -> None:
    """A turn that tells a sign of an issue without incidents is held to no words."""
    job = load_job(RunRequest("shoes"))
    chat = WrittenField("Body", "A line a turn.", (), {"type": "string"}, beats="beats")
    rules = AnswerRules((chat,), job.setting.schema.beats or {})
    part = {"speaker": "Customer", "beats": "issue.sign.promotion.sale"}
    unit = Unit(1, {"issue_key": "wrong_charge"}, (part,))
    assert "value" not in str(rules.verify_entry(unit, {"unit": 1, "Body": ["It was on sale."]}))


def test_the_rules_are_the_same_in_another_process() -> None:
    """What is sent to a worker reads the company's language there too."""
    note = WrittenField("Note", "A note.", (), {"type": "string"})
    rules = AnswerRules((note,), {}, keys=("Note",), tongue=tongue_of("en_GB"))
    sent = pickle.loads(pickle.dumps(rules))
    assert sent == rules
    assert sent.tongue is not None


def test_a_number_is_the_cases() -> None:
    """Eight digits that nobody knows are refused."""
    assert not verify_course(by_customer("Order 00000417."), FACTS).failed
    assert "00000999" in verify_course(by_customer("Order 00000999."), FACTS).reason


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("That was five weeks ago.", False),
        ("That was about a month ago.", False),
        ("That was two days ago.", True),
        ("That was 200 days ago.", False),
    ],
)
def test_an_agents_span_is_right_on_the_day(text: str, fails: bool) -> None:
    """Five weeks may be called a month, and not two days."""
    ago = "six months ago" if "200" in text else "five weeks ago"
    verdict = verify_course([Statement(False, text, ago=ago)], FACTS)
    assert verdict.failed == fails


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("You wrote to us four weeks ago, and I'm sorry.", False),
        ("Four weeks ago you asked us for an answer.", False),
        ("You wrote to us two days ago.", True),
        ("You bought them a year ago and wrote to us four weeks ago.", False),
        ("You bought them four weeks ago.", True),
        ("Your message is from a month ago, your order from a year ago.", False),
        ("I see your order. That was four weeks ago.", True),
    ],
)
def test_a_span_is_held_against_what_its_sentence_dates(text: str, fails: bool) -> None:
    """When somebody wrote is another thing than when they ordered."""
    asked = Statement(True, "Where is it?", moment="2021-03-01T10:00:00")
    answer = Statement(False, text, ago="a year ago", moment="2021-03-29T09:00:00")
    assert verify_course([asked, answer], FACTS).failed is fails


def test_what_was_said_at_an_unknown_moment_is_held_against_nothing() -> None:
    """Without moments nobody knows when the customer wrote."""
    said = [Statement(True, "Hello?"), Statement(False, "You wrote a day ago.", ago="a year ago")]
    assert not verify_course(said, FACTS).failed


@pytest.mark.parametrize(
    ("days", "ago", "alike", "held"),
    [
        (10, "ten days ago", True, True),
        (13, "ten days ago", True, True),
        (14, "ten days ago", False, False),
        (7, "ten days ago", True, True),
        (6, "ten days ago", False, True),
        (2, "today", True, True),
    ],
)
def test_a_span_is_right_within_three_tenths(days: int, ago: str, alike: bool, held: bool) -> None:
    """Ten days may be called thirteen, and a customer may have had it for less; what can't be read
    as a span is held against nothing.
    """
    told = Statement(False, f"That was {days} days ago.", ago=ago)
    assert verify_course([told], FACTS).failed is not alike
    worn = Statement(True, f"I've worn them for {days} days.", ago=ago)
    assert verify_course([worn], FACTS).failed is not held


def test_spans_are_counted_in_days() -> None:
    """Digits and words are numbers; what is no span is None."""
    assert days_of("two weeks ago") == 14
    assert days_of("10 days") == 10
    assert days_of("soon") is None


def test_marks_of_the_true_value_stand_apart_from_the_others() -> None:
    """A sign without marks is left out."""
    marks = {"spot": {"toe": ("toe",), "heel": ("heel",)}}
    found = sign_marks([("spot", "toe"), ("wear", "daily")], marks)
    assert found == {"spot": SignMarks("toe", ("toe",), {"heel": ("heel",)})}


ARRANGED = CourseFacts(
    sums=frozenset({"24.50"}),
    days=frozenset({(8, 17)}),
    hours=frozenset(hours_of("between 4 and 7 PM")),
)


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("They come on Thursday, Aug 17, 4-7 PM.", False),
        ("August 17, between 4 p.m. and 7 p.m., and $24.50 comes off.", False),
        ("They come on August 18, between 4 and 7 PM.", True),
        ("They come on August 17 at 9 AM.", True),
        ("$30 comes off the next bill.", True),
    ],
)
def test_what_is_arranged_stays_as_it_is(text: str, fails: bool) -> None:
    """Another sum, day or hour than the one arranged is refused."""
    said = [Statement(False, text, settles=True)]
    assert verify_course(said, ARRANGED).failed is fails


def test_only_who_tells_what_is_arranged_is_held_to_it() -> None:
    """A policy's fee is no sum of this case."""
    assert not verify_course([Statement(False, "A new card costs $8.")], ARRANGED).failed
    hoped = Statement(True, "I hoped for $30 and for August 20.", settles=True)
    assert not verify_course([hoped], ARRANGED).failed


def test_noon_is_an_hour() -> None:
    """A visit from nine to noon may be told as one until 12."""
    assert hours_of("between 9 AM and noon") == {"9:00", "12:00"}
    arranged = CourseFacts(hours=frozenset(hours_of("between 9 AM and noon")))
    until_twelve = Statement(False, "They come between 9 AM and 12 PM.", settles=True)
    until_one = Statement(False, "They come between 9 AM and 1 PM.", settles=True)
    assert not verify_course([until_twelve], arranged).failed
    assert verify_course([until_one], arranged).failed


def test_a_comma_behind_a_sum_is_none_of_the_sum() -> None:
    """Who goes on after an amount has named it."""
    assert sums_in("It's $25, by Friday, of $1,250.50.") == {"25", "1250.50"}


@pytest.mark.parametrize(
    ("ago", "fails"), [("three days ago", True), ("four weeks ago", False), ("", False)]
)
def test_nobody_has_had_a_thing_for_longer_than_since_they_bought_it(ago: str, fails: bool) -> None:
    """Who bought it three days ago has not worn it for a month."""
    said = [Statement(True, "I've worn them daily for a month.", ago=ago)]
    assert verify_course(said, FACTS).failed is fails


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("It's off by 0.69 points.", False),
        ("It says 13.66 and we agreed on 12.97.", False),
        ("12.97 was agreed. It should be that.", True),
        ("The rate is wrong.", True),
    ],
)
def test_a_difference_is_told_by_both_of_its_figures(text: str, fails: bool) -> None:
    """Nobody says 0.69 points who can say from what to what."""
    details = '{"agreed": "12.97 percent", "billed": "13.66 percent", "since": "May 4"}'
    mail = WrittenField("Body", "A mail.", (), {"type": "string"}, beats="beats")
    rules = AnswerRules((mail,), {"stake": Beat("stake", "tells it", ("stake",))})
    unit = Unit(1, {"stake": "0.69 points", "details": details, "beats": "stake"})
    assert rules.verify_entry(unit, {"unit": 1, "Body": text}).failed is fails


SETTLING = {
    "issue_key": "missed_visit",
    "back": "$24.50",
    "due_date": "August 17, 2023",
    "due_time": "4 to 7 PM",
    "order_number": "00000417",
}


def settling_verdict(beats: str, text: str, speaker: str = "Agent", at: str = "") -> str:
    """The verdict on one chat line of a utility's case, as text; `at` is its moment in UTC."""
    job = load_job(RunRequest("utility"))
    incidents = job.lexicon.world.incidents
    chat = WrittenField("Body", "A line a turn.", (), {"type": "string"}, beats="beats")
    rules = AnswerRules((chat,), job.setting.schema.beats or {}, incidents=incidents)
    facts = {**SETTLING, "zone": "America/Chicago"}
    unit = Unit(1, facts, ({"speaker": speaker, "beats": beats, "at": at},))
    return str(rules.verify_entry(unit, {"unit": 1, "Body": [text]}))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("They come Thursday, August 17, between 4 and 7 PM.", ""),
        ("They come Thursday, 8/17/23, at 4 PM.", ""),
        ("They come Thursday, August 17, between 9 and 11 AM.", "the hour"),
        ("They come on August 17, or on August 18.", "the day 8/18"),
        ("They come on Friday.", "does not name due_date"),
    ],
)
def test_a_visit_is_told_for_the_day_on_which_it_is(text: str, reason: str) -> None:
    """An agent of any writer tells the day and the window that the case has."""
    verdict = settling_verdict("option.tell.visit", text)
    assert reason in verdict
    assert ("course:" in verdict or "content:" in verdict) is bool(reason)


@pytest.mark.parametrize(
    ("at", "text", "fails"),
    [
        ("2023-08-14T15:00:00", "They come Thursday, between 4 and 7 PM.", False),
        ("2023-08-17T02:00:00", "They come tomorrow, between 4 and 7 PM.", False),
        ("2023-08-14T15:00:00", "They come tomorrow, between 4 and 7 PM.", True),
        ("2023-08-14T15:00:00", "They come Friday, between 4 and 7 PM.", True),
        ("2023-08-10T15:00:00", "They come Thursday, between 4 and 7 PM.", True),
    ],
)
def test_a_near_day_may_be_told_by_its_name(at: str, text: str, fails: bool) -> None:
    """Within the week the weekday is enough, and "tomorrow" the day before; no other day is."""
    assert ("does not name due_date" in settling_verdict("option.tell.visit", text, at=at)) is fails


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("$24.50 is back on your card within 3 business days.", False),
        ("You'll have the $24.50 in 2 to 3 business days.", False),
        ("You'll have the $24.50 in three business days.", False),
        ("$24.50 is back on your card within 5 business days.", True),
        ("$24.50 is back on your card within 13 business days.", True),
    ],
)
def test_a_refund_may_be_told_by_how_long_it_takes(text: str, fails: bool) -> None:
    """Three business days from a Monday on are Thursday; any other number is wrong."""
    verdict = settling_verdict("option.tell.refund", text, at="2023-08-14T15:00:00")
    assert ("does not name due_date" in verdict) is fails


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("It's 417.", False),
        ("#417", False),
        ("00000417", False),
        ("The last four are 0417.", False),
        ("It's 418.", True),
        ("It's 1417.", True),
    ],
)
def test_customers_may_leave_the_zeros_of_a_number_out(text: str, fails: bool) -> None:
    """The number as people type it is the number; another one is not."""
    assert ("order_number" in settling_verdict("c.order", text, "Customer")) is fails
