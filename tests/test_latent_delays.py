"""Delays: who was asked for news or answers after days begins with a word about that."""

import random

from latent.delays import A_WAIT, CUSTOMER_LATE, LONG_WAIT, WEEKS, with_delays
from latent.dialogue import AGENT, CUSTOMER, Turn

HOUR, DAY = 3600, 24 * 3600
OPENING = Turn(CUSTOMER, 0, ("c.open", "issue.complaint"))
NUDGE = Turn(CUSTOMER, 0, ("c.chase",))
ANSWER = Turn(AGENT, 0, ("a.greet", "a.ack", "a.grant", "a.sign"))
SEEDS = range(100)


def late(turns: list[Turn], times: list[int]) -> float:
    """In which share of threads the last mail begins with the delay."""
    told = [with_delays(random.Random(seed), turns, times)[-1].beats for seed in SEEDS]
    begun = [beats[0] == "a.greet" and beats[1].startswith("a.late") for beats in told]
    return sum(begun) / len(told)


def test_a_question_for_news_is_answered_most_of_the_time() -> None:
    """Who asks for news hears in the next mail that somebody is sorry."""
    assert late([OPENING, NUDGE, ANSWER], [0, DAY, 2 * DAY + HOUR]) > 0.7


def test_a_later_question_for_news_is_one_too() -> None:
    """Who was put off and asks again hears as well that somebody is sorry."""
    for act in ("c.chase.again", "c.chase.put_off"):
        again = Turn(CUSTOMER, 0, (act,))
        assert late([OPENING, again, ANSWER], [0, DAY, 2 * DAY + HOUR]) > 0.7


def test_nobody_who_was_put_off_is_thanked_for_patience() -> None:
    """What is said of the delay is then said to somebody who presses, and in other words."""
    again = Turn(CUSTOMER, 0, ("c.chase.put_off",))
    told = [
        with_delays(random.Random(seed), [OPENING, again, ANSWER], [0, DAY, 2 * DAY + HOUR])
        for seed in SEEDS
    ]
    said = {beat for turns in told for beat in turns[-1].beats if beat.startswith("a.late")}
    assert said == {"a.late.pressed"}


def test_a_wait_of_days_is_noticed_most_of_the_time() -> None:
    """Who waits for more than three days hears that it took long, and who doesn't hears nothing."""
    assert late([OPENING, ANSWER], [0, 4 * DAY]) > 0.5
    assert late([OPENING, ANSWER], [0, DAY]) == 0


def test_nobody_goes_on_after_weeks_as_if_it_were_the_same_day() -> None:
    """An answer after more than five days always begins with the delay, be it the customer's."""
    assert late([OPENING, ANSWER], [0, 6 * DAY]) == 1
    asks = Turn(AGENT, 0, ("a.greet", "issue.ask.spot", "a.sign"))
    says = Turn(CUSTOMER, 0, ("issue.sign.spot.toe",))
    for seed in SEEDS:
        told = with_delays(random.Random(seed), [OPENING, asks, says], [0, HOUR, 14 * DAY])
        assert told[-1].beats[0] == "c.late"


def test_a_word_on_being_back_gives_way_to_a_long_wait() -> None:
    """That something was checked is no word on three weeks; on two days it is enough."""
    promise = Turn(AGENT, 0, ("a.greet", "a.wait", "a.sign"))
    back = Turn(AGENT, 0, ("a.greet.again", "a.progress", "a.grant", "a.sign"))
    for seed in SEEDS:
        told = with_delays(random.Random(seed), [OPENING, promise, back], [0, HOUR, 21 * DAY])
        assert told[-1].beats == ("a.greet.again", "a.late.long", "a.grant", "a.sign")
        told = with_delays(random.Random(seed), [OPENING, promise, back], [0, HOUR, 2 * DAY])
        assert told[-1] == back


def test_who_waits_for_an_answer_is_not_late_themself() -> None:
    """A desk that asks again after ten days of silence has nothing to be sorry for."""
    asks = Turn(AGENT, 0, ("a.greet", "issue.ask.spot", "a.sign"))
    reminds = Turn(AGENT, 0, ("a.greet.again", "a.remind", "a.sign"))
    for seed in SEEDS:
        told = with_delays(random.Random(seed), [OPENING, asks, reminds], [0, HOUR, 10 * DAY])
        assert told[-1] == reminds


def test_a_promise_is_waited_for() -> None:
    """The wait for an agent's own next mail counts from the promise, not from the first mail."""
    promise = Turn(AGENT, 0, ("a.greet", "a.wait", "a.sign"))
    assert late([OPENING, promise, ANSWER], [0, HOUR, 5 * DAY]) > 0.5
    assert late([OPENING, ANSWER, ANSWER], [0, HOUR, 4 * DAY]) == 0


def test_a_report_after_a_week_owns_the_silence() -> None:
    """Who set something up and says so after more than five days is sorry for that, too."""
    report = Turn(AGENT, 0, ("a.done", "option.tell.done", "a.sign"))
    told = with_delays(random.Random(1), [OPENING, ANSWER, report], [0, HOUR, 7 * DAY])
    assert told[-1].beats[0] == "a.late"
    told = with_delays(random.Random(1), [OPENING, ANSWER, report], [0, HOUR, 2 * DAY])
    assert told[-1] == report


def test_a_promise_that_was_not_kept_is_owned() -> None:
    """Who said that they would write, and writes after three days, says that it is later."""
    promise = Turn(AGENT, 0, ("a.greet", "a.wait", "a.sign"))
    back = Turn(AGENT, 0, ("a.greet.again", "a.progress", "a.grant", "a.sign"))
    owned = 0
    for seed in SEEDS:
        told = with_delays(random.Random(seed), [OPENING, promise, back], [0, HOUR, 3 * DAY])
        owned += told[-1].beats == ("a.greet.again", "a.late.promised", "a.grant", "a.sign")
    assert owned > 0.8 * len(SEEDS)


def test_who_was_left_waiting_lets_it_show() -> None:
    """The angry mostly remark that it took its time, the calm seldom, and the late never."""
    takes = Turn(CUSTOMER, 0, ("c.greet.reply", "c.accept"))
    shown = {}
    for tone, answered in (("angry", HOUR), ("calm", HOUR), ("angry", 4 * DAY)):
        times = [0, 6 * DAY, 6 * DAY + answered]
        told = [
            with_delays(random.Random(seed), [OPENING, ANSWER, takes], times, tone)[-1].beats
            for seed in SEEDS
        ]
        shown[tone, answered] = sum("c.at_last" in beats for beats in told) / len(told)
    assert shown["angry", HOUR] > 0.4 > shown["calm", HOUR] > 0
    assert shown["angry", 4 * DAY] == 0


def test_nobody_is_sorry_twice_in_one_mail() -> None:
    """A mail that speaks of the wait by itself stays as it is."""
    still = Turn(AGENT, 0, ("a.greet", "a.still", "a.sign"))
    for seed in SEEDS:
        told = with_delays(random.Random(seed), [OPENING, NUDGE, still], [0, DAY, 4 * DAY])
        assert told[-1] == still


def test_a_delay_takes_the_place_of_an_acknowledgement() -> None:
    """A mail that is days late does not begin as if the message had just come in."""
    told = with_delays(random.Random(1), [OPENING, ANSWER], [0, 5 * DAY])
    assert told[-1].beats == ("a.greet", "a.late", "a.grant", "a.sign")


def test_a_wait_of_weeks_is_told_by_its_length() -> None:
    """Whose answer took more than a week says how long it took, every time."""
    for seed in SEEDS:
        told = with_delays(random.Random(seed), [OPENING, ANSWER], [0, 12 * DAY])
        assert "a.late.long" in told[-1].beats


def test_the_days_of_one_delay_are_counted() -> None:
    """A second delay of weeks in a thread is excused without its length."""
    turns = [OPENING, ANSWER, OPENING, ANSWER]
    for seed in SEEDS:
        times = [0, 12 * DAY, 13 * DAY, 25 * DAY]
        told = with_delays(random.Random(seed), turns, times)
        assert "a.late.long" in told[1].beats
        assert "a.late" in told[3].beats


def test_more_than_eight_days_are_weeks() -> None:
    """A second less and the wait is told without its length; so it is behind a mail in between."""
    promise = Turn(AGENT, 0, ("a.greet", "a.ask", "a.sign"))
    waits = (
        ([OPENING, ANSWER], [0, WEEKS]),
        ([OPENING, promise, NUDGE, ANSWER], [0, 1, 2, WEEKS + 2]),
    )
    for turns, times in waits:
        for longer in (0, 1):
            told = with_delays(random.Random(1), turns, [*times[:-1], times[-1] + longer])
            assert ("a.late.long" in told[-1].beats) == bool(longer)


def test_a_customer_who_answers_after_days_says_so() -> None:
    """An answer that an agent waited for is excused, mostly; thanks and news are not."""
    asks = Turn(AGENT, 0, ("a.greet", "issue.ask.spot", "a.sign"))
    answers = Turn(CUSTOMER, 0, ("issue.sign.spot.toe",))
    thanks = Turn(CUSTOMER, 0, ("c.thanks",))
    times = [0, HOUR, 7 * DAY]
    for turn, least, most in ((answers, 0.6, 1.0), (thanks, 0.0, 0.0)):
        excused = 0
        for seed in SEEDS:
            told = with_delays(random.Random(seed), [OPENING, asks, turn], times)
            excused += "c.late" in told[-1].beats
        assert least <= excused / len(SEEDS) <= most


def test_a_customer_is_late_after_more_than_four_days() -> None:
    """Until then nobody is kept waiting who would say a word of it."""
    asks = Turn(AGENT, 0, ("a.greet", "issue.ask.spot", "a.sign"))
    answers = Turn(CUSTOMER, 0, ("issue.sign.spot.toe",))
    excused = [0, 0]
    for longer in (0, 1):
        times = [0, HOUR, HOUR + CUSTOMER_LATE + longer]
        for seed in SEEDS:
            told = with_delays(random.Random(seed), [OPENING, asks, answers], times)
            excused[longer] += "c.late" in told[-1].beats
    assert excused[0] == 0 and excused[1] > 60


def test_only_a_wait_of_more_than_its_length_is_one() -> None:
    """Three days are no long wait yet, and one second more is; a nudge is answered after one."""
    assert late([OPENING, ANSWER], [0, LONG_WAIT]) == 0
    assert late([OPENING, ANSWER], [0, LONG_WAIT + 1]) > 0.5
    assert late([OPENING, NUDGE, ANSWER], [0, 1, A_WAIT]) == 0
    assert late([OPENING, NUDGE, ANSWER], [0, 1, A_WAIT + 1]) > 0.7


def test_a_mail_without_a_greeting_begins_with_the_delay() -> None:
    """Nothing stands before it."""
    bare = Turn(AGENT, 0, ("a.ack", "a.grant", "a.sign"))
    told = with_delays(random.Random(1), [OPENING, bare], [0, 5 * DAY])
    assert told[-1].beats == ("a.late", "a.grant", "a.sign")


def test_who_has_excused_a_delay_seldom_does_so_again() -> None:
    """The next mail that took days begins with a word on it in fewer threads than the first."""
    turns, times = [OPENING, ANSWER], [0, LONG_WAIT + 1]
    again = [*turns, OPENING, ANSWER]
    twice = [*times, LONG_WAIT + 2, 2 * LONG_WAIT + 3]
    assert 0 < late(again, twice) < late(turns, times) - 0.2
