"""The day by which a customer needs it is held against the day on which they get it."""

import random
from dataclasses import replace
from datetime import date, datetime

import pytest

from latent.chat_dialogue import chat
from latent.deadlines import how_met, turn_met
from latent.dialogue import AGENT, CUSTOMER, Plot, Turn
from latent.incident_details import needed_by
from latent.mail_dialogue import thread

LATE_PARCEL = Plot(
    ending="granted",
    wish="replacement",
    wants=True,
    cause="lost",
    known_by="record",
    settles=("ships",),
    needed=True,
)
NEEDED = date(2026, 3, 14)
NOON = datetime(2026, 3, 2, 12)


@pytest.mark.parametrize(
    ("fact", "due", "how"),
    [
        ("ships", date(2026, 3, 9), "before"),
        ("ships", date(2026, 3, 12), "close"),
        ("visit", date(2026, 3, 12), "before"),
        ("done", date(2026, 3, 16), "after"),
    ],
)
def test_a_day_is_met_missed_or_close(fact: str, due: date, how: str) -> None:
    """A parcel needs days on its way; a visit on the day itself is in time."""
    assert how_met(fact, due, NEEDED) == how
    told = Turn(AGENT, 0, ("a.grant", f"option.tell.{fact}", f"a.needed.{fact}"))
    assert turn_met(told, NOON, due, NEEDED).beats[-1] == f"a.needed.{how}"


def test_a_day_is_taken_up_once_in_a_turn_and_regretted_once_it_is_over() -> None:
    """Who compares it doesn't take it in besides; who first writes after it is sorry."""
    both = Turn(AGENT, 0, ("a.greet", "a.needed", "option.tell.visit", "a.needed.visit"))
    met = turn_met(both, NOON, date(2026, 3, 12), NEEDED).beats
    assert met == ("a.greet", "option.tell.visit", "a.needed.before")
    late = turn_met(Turn(AGENT, 0, ("a.needed",)), datetime(2026, 3, 20, 9), None, NEEDED)
    assert late.beats == ("a.needed.missed",)
    offered = Turn(AGENT, 0, ("a.offer", "a.needed.visit"))
    after = turn_met(offered, datetime(2026, 3, 20, 9), date(2026, 3, 22), NEEDED)
    assert after.beats == ("a.offer", "a.needed.missed")


def test_a_day_that_was_named_is_taken_up_in_the_next_answer() -> None:
    """Whoever names such a day is heard, and told how the remedy stands to it."""
    turns = [thread(random.Random(seed), LATE_PARCEL, 2 + seed % 6)[0] for seed in range(40)]
    turns += [chat(random.Random(seed), LATE_PARCEL)[0] for seed in range(40)]
    for said in turns:
        told = [beat for turn in said if turn.speaker == CUSTOMER for beat in turn.beats]
        heard = [beat for turn in said if turn.speaker == AGENT for beat in turn.beats]
        assert told.count("issue.needed") == 1
        if "option.tell.ships" in heard or "option.would.ships" in heard:
            assert heard.count("a.needed.ships") == 1
    without = thread(random.Random(1), replace(LATE_PARCEL, needed=False), 4)[0]
    assert not [beat for turn in without for beat in turn.beats if "needed" in beat]


def test_nobody_needs_it_on_a_day_of_the_same_name() -> None:
    """A day that is called by its weekday is another one than today."""
    today = date(2026, 3, 2)
    for seed in range(50):
        needed = needed_by(random.Random(seed), (4, 16), today)
        assert 4 <= (needed - today).days <= 16
        assert needed.weekday() != today.weekday()
