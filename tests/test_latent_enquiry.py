"""Threads of contacts that are no complaints: what each ending has both sides say."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from latent.contacts import COMPLAINT
from latent.dialogue import AGENT, CUSTOMER, Plot
from latent.enquiry import LONGEST_ENQUIRY, enquiry_chat, enquiry_thread
from pipeline.config import RunRequest, load_job
from tests.latent_orgs import facts_of

DICE = st.integers(0, 2**32).map(random.Random)
LENGTHS = st.integers(1, LONGEST_ENQUIRY)
TRANSFERS = st.integers(0, 2)
MANY = settings(max_examples=200, deadline=None)


def plot(ending: str, transfers: int = 0) -> Plot:
    """A contact that ends so, of a customer who says neither much nor little."""
    return Plot(ending, transfers=transfers)


def said(dice: random.Random, made: Plot, messages: int) -> list[str]:
    """All acts of a thread in order."""
    acts: list[str] = []
    for turn in enquiry_thread(dice, made, messages):
        acts += turn.beats
    return acts


@MANY
@given(dice=DICE, ending=st.sampled_from(("answered", "open")), messages=LENGTHS)
def test_the_customer_begins_and_the_desk_answers_what_is_settled(
    dice: random.Random,
    ending: str,
    messages: int,
) -> None:
    """As many mails as asked for, the customer's first, and an answer only in a settled one.

    A customer may write again before the answer.
    """
    turns = enquiry_thread(dice, plot(ending), messages)
    assert len(turns) == messages and turns[0].speaker == CUSTOMER
    assert messages < 2 or AGENT in [turn.speaker for turn in turns]
    answered = any("issue.resolve" in turn.beats for turn in turns)
    assert answered == (ending == "answered" and messages > 1)


@MANY
@given(dice=DICE, messages=LENGTHS, transfers=TRANSFERS)
def test_nobody_takes_over_from_somebody_unheard(
    dice: random.Random,
    messages: int,
    transfers: int,
) -> None:
    """The first agent who writes names no predecessor, however often the case was passed on."""
    turns = enquiry_thread(dice, plot("answered", transfers), messages)
    first = next((turn.beats for turn in turns if turn.speaker == AGENT), ())
    assert "a.intro" not in first


@MANY
@given(dice=DICE, messages=st.sampled_from((2, 4)), transfers=TRANSFERS)
def test_an_unanswered_one_ends_with_the_desks_question(
    dice: random.Random,
    messages: int,
    transfers: int,
) -> None:
    """The last mail is an agent's and asks back; nothing is answered and nobody says thanks."""
    turns = enquiry_thread(dice, plot("unanswered", transfers), messages)
    assert turns[-1].speaker == AGENT
    assert "issue.clarify" in turns[-1].beats
    acts = said(dice, plot("unanswered", transfers), messages)
    assert acts.count("issue.clarify") == 1
    assert not {"issue.resolve", "c.thanks", "c.withdraw"} & set(acts)


@MANY
@given(dice=DICE, messages=st.integers(3, LONGEST_ENQUIRY), transfers=TRANSFERS)
def test_a_withdrawn_one_ends_with_the_customers_word_or_its_confirmation(
    dice: random.Random,
    messages: int,
    transfers: int,
) -> None:
    """The customer's last mail withdraws; a mail behind it only confirms that."""
    turns = enquiry_thread(dice, plot("withdrawn", transfers), messages)
    last_of_customer = [turn for turn in turns if turn.speaker == CUSTOMER][-1]
    assert "c.withdraw" in last_of_customer.beats
    acts = said(dice, plot("withdrawn", transfers), messages)
    assert acts.count("c.withdraw") == 1
    assert acts.count("a.withdrawn") == (messages % 2 == 0)
    assert not {"issue.resolve", "c.thanks"} & set(acts)


def test_no_two_enquiries_of_a_kind_have_one_number() -> None:
    """By its number each takes wordings of its own; whatever was bought, questions are counted
    together.
    """
    setting = load_job(RunRequest("bank", scale=0.1)).setting
    cases = facts_of(setting).table("CaseStory.cases")
    numbers: dict[tuple[str, str], list[int]] = {}
    for intent, channel, number in zip(
        cases["intent"], cases["channel"], cases["nth_of_issue"], strict=True
    ):
        if intent != COMPLAINT:
            numbers.setdefault((intent, channel), []).append(number)
    assert len(numbers) > 3
    for found in numbers.values():
        assert sorted(found) == list(range(1, len(found) + 1))


def test_nobody_is_passed_on_in_a_chat_for_nice_words() -> None:
    """What needs no look-up is answered by the first agent who speaks."""
    praise = Plot("answered", transfers=1, looked_up=False)
    for seed in range(50):
        turns = enquiry_chat(random.Random(seed), praise)
        acts = [beat for turn in turns for beat in turn.beats]
        assert not {"a.hold", "a.transfer", "a.intro"} & set(acts)
        assert {turn.step for turn in turns if turn.speaker == AGENT} == {1}
