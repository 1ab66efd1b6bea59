"""How a thread is filled: what follows by a mail of its own, and what is told at once."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from latent.dialogue import AGENT, Plot, Turn
from latent.mail_dialogue import thread
from tests.plot_toys import LOOSE_SOLE

pytestmark = pytest.mark.quick

SOLE = replace(LOOSE_SOLE, known_by="answer", settles=("return", "refund"))
LENGTHS = range(4, 11)
MOST_ASK = 0.25


def threads(plot: Plot) -> list[list[Turn]]:
    """Threads of several lengths, from some seeds each."""
    made = []
    for seed in range(60):
        made += [thread(random.Random(seed), plot, length)[0] for length in LENGTHS]
    return made


def acts(turns: list[Turn]) -> list[str]:
    """All acts of a thread in order."""
    return [beat for turn in turns for beat in turn.beats]


@pytest.mark.parametrize("settles", [("return", "refund"), ("visit",), ("ships", "return")])
@pytest.mark.parametrize("wants", [True, False])
def test_what_an_agent_reports_later_was_said_to_follow(
    settles: tuple[str, ...], wants: bool
) -> None:
    """No second mail tells what the first could have told, unless that has announced it."""
    reported = 0
    for turns in threads(replace(SOLE, settles=settles, wants=wants)):
        said = acts(turns)
        for lead in ("a.details", "a.done"):
            if lead in said:
                reported += 1
                before = said[: said.index(lead)]
                announced = [act for act in before if act.startswith("a.follows.")]
                assert announced or "a.confirm.later" in before
    assert reported > 20


def test_few_have_to_ask_for_what_they_get() -> None:
    """Agents tell the sum, the day and what goes back by themselves, and one question is enough."""
    asked = 0
    made = threads(SOLE) + threads(replace(SOLE, wants=False))
    for turns in made:
        questions = [act for act in acts(turns) if act.startswith("c.how.")]
        asked += bool(questions)
        assert len(questions) < 2
    assert 0 < asked < MOST_ASK * len(made)


def test_the_question_that_decides_comes_after_the_others() -> None:
    """Who asks for more than decides asks for that in a mail before, and takes the answer up."""
    several = 0
    for turns in threads(SOLE):
        asking = [turn for turn in turns if any(act.startswith("issue.ask.") for act in turn.beats)]
        asked = [act for act in acts(asking) if act.startswith("issue.ask.")]
        if "issue.ask.wear" in asked:
            several += 1
            assert asked[-1] == "issue.ask.spot"
    assert several > 10


def test_an_agent_is_not_slow_to_follow_up_on_an_own_mail() -> None:
    """What an agent adds after an own mail takes a working day at most of what is drawn."""
    for turns in threads(SOLE):
        for before, turn in pairwise(turns):
            if before.speaker == turn.speaker == AGENT and "a.details" in turn.beats:
                assert turn.days == 1 or turn.soon


def test_nobody_who_is_upset_or_in_a_hurry_has_to_be_reminded() -> None:
    """They want something to happen: they answer what they are asked."""
    calm = replace(SOLE, tone="calm", needed=False)
    assert any("a.remind" in acts(turns) for turns in threads(calm))
    upset = [replace(calm, tone=tone) for tone in ("angry", "annoyed", "worried")]
    for plot in (*upset, replace(calm, needed=True)):
        assert not any("a.remind" in acts(turns) for turns in threads(plot))
