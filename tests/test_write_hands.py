"""How far people's habits go: in degrees, alike in all their texts, as a device lets them."""

import random

import pytest

from pipeline.write.hands import (
    APOSTROPHES_LOST,
    ERRING_HABIT,
    LAST_LOST,
    SHORTENS,
    SMALL,
    agent_hand,
    hand_of,
)
from pipeline.write.haste import (
    APOSTROPHES,
    COMMAS,
    DAYS,
    FIRSTS,
    LAST_STOP,
    PRONOUNS,
    Haste,
)

PEOPLE = [f"Rosa {number}" for number in range(300)]


def hands(*habits: str, on_phone: bool = False, in_mail: bool = False) -> list[Haste]:
    """The hands of many people with these habits."""
    return [hand_of(person, frozenset(habits), on_phone, in_mail) for person in PEOPLE]


def test_a_hand_is_one_persons() -> None:
    """It is the same each time, and no two people type quite alike."""
    again = [hand_of.__wrapped__(person, frozenset((SMALL,)), False, False) for person in PEOPLE]
    assert again == hands(SMALL)
    assert len({hand.lost[COMMAS] for hand in again}) > 250


def test_small_letters_bring_other_habits_along() -> None:
    """Who types without capitals loses most commas and nearly all last stops, too."""
    for hand in hands(SMALL):
        assert hand.lost[COMMAS] >= 0.5
        assert hand.lost[LAST_STOP] >= 0.75
        assert hand.lost[FIRSTS] > 0.5


def test_half_of_the_phones_correct() -> None:
    """There the pronoun, days and apostrophes come right; at a keyboard nothing does."""
    mended = [hand for hand in hands(SMALL, on_phone=True) if hand.mended]
    assert 100 < len(mended) < 200
    for hand in mended:
        assert max(hand.lost[PRONOUNS], hand.lost[DAYS], hand.lost[APOSTROPHES]) <= 0.25
    assert not any(hand.mended for hand in hands(SMALL))
    assert all(hand.lost[PRONOUNS] >= 0.85 for hand in hands(SMALL))


def test_most_tidy_people_have_a_light_habit_or_none() -> None:
    """A comma less or no stop at a line's end, and capitals and apostrophes all there."""
    tidy = hands()
    assert all(set(hand.lost) <= {COMMAS, LAST_STOP} for hand in tidy)
    assert all(max(hand.lost.values(), default=0.0) <= 0.6 for hand in tidy)
    assert 40 < sum(not hand.lost for hand in tidy) < 120
    assert all(hand.slips <= 0.002 for hand in tidy)


def test_last_stops_are_lost_less_often_in_mails() -> None:
    """The line of a chat ends where it is sent; a paragraph of a mail has a stop."""
    in_chats, in_mails = hands(LAST_LOST), hands(LAST_LOST, in_mail=True)
    for chat, mail in zip(in_chats, in_mails, strict=True):
        assert mail.lost[LAST_STOP] < chat.lost[LAST_STOP] / 2


def test_who_leaves_out_apostrophes_loses_other_signs_too() -> None:
    """Nobody is careless in one way only."""
    for hand in hands(APOSTROPHES_LOST):
        assert {APOSTROPHES, COMMAS, LAST_STOP} <= set(hand.lost)
    assert any(APOSTROPHES not in hand.lost for hand in hands(APOSTROPHES_LOST, on_phone=True))


def test_few_write_you_as_a_letter() -> None:
    """Most who shorten words shorten others; who writes "u" writes "ur"."""
    shorten = hands(SHORTENS)
    with_u = [hand for hand in shorten if "you" in hand.short]
    assert 0 < len(with_u) < len(shorten) / 2
    assert all("your" in hand.short for hand in with_u)
    assert not any(hand.short for hand in hands(SMALL))


@pytest.mark.parametrize("habit", [SMALL, LAST_LOST, SHORTENS, APOSTROPHES_LOST, ERRING_HABIT])
def test_no_habit_changes_how_somebody_goes_on(habit: str) -> None:
    """Where a sentence runs on is drawn for everybody alike, whatever else they do."""
    alike = zip(hands(SMALL), hands(SMALL, habit), strict=True)
    assert all(first.goes_on == second.goes_on for first, second in alike)


def test_formal_agents_lose_nothing() -> None:
    """Of the others, half leave out stops; nobody loses more than a few apostrophes."""
    people = [f"Ann {number}" for number in range(200)]
    random.Random(1).shuffle(people)
    assert not any(agent_hand(person, formal=True).lost for person in people)
    lost = [agent_hand(person, formal=False).lost for person in people]
    assert 60 < sum(LAST_STOP in signs for signs in lost) < 140
    assert all(signs.get(APOSTROPHES, 0.0) <= 0.15 for signs in lost)
