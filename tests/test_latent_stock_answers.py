"""A stock answer: given before anything was read, told so by the customer, and made good."""

import random
from dataclasses import replace

import pytest

from latent.chat_dialogue import chat
from latent.dialogue import AGENT, CUSTOMER, Turn
from latent.mail_dialogue import thread
from latent.telling import MISSED, OWNS_UP, STOCK
from tests.plot_toys import LOOSE_SOLE

pytestmark = pytest.mark.quick

SEEDS = range(150)
SOLE = replace(LOOSE_SOLE, known_by="record", evidence="", settles=("ships",), stock=True)
MOST = 0.6


def chats(plot: object) -> list[list[Turn]]:
    """A chat from each of some seeds."""
    return [chat(random.Random(seed), plot)[0] for seed in SEEDS]  # type: ignore[arg-type]


def threads(plot: object) -> list[list[Turn]]:
    """A thread of seven mails from each of some seeds."""
    return [thread(random.Random(seed), plot, 7)[0] for seed in SEEDS]  # type: ignore[arg-type]


def acts(turns: list[Turn]) -> list[str]:
    """All acts of a conversation in order."""
    return [beat for turn in turns for beat in turn.beats]


@pytest.mark.parametrize("told", [chats, threads])
def test_an_answer_that_misses_the_point_is_told_so_and_made_good(told: object) -> None:
    """It comes once, before anything was asked or found; the next agent's words own up to it."""
    found = 0
    made = told(SOLE)  # type: ignore[operator]
    for turns in made:
        said = acts(turns)
        if STOCK not in said:
            assert MISSED not in said and OWNS_UP not in said
            continue
        found += 1
        assert said.count(STOCK) == said.count(MISSED) == said.count(OWNS_UP) == 1
        assert said.index(STOCK) < said.index(MISSED) < said.index(OWNS_UP)
        before = said[: said.index(STOCK)]
        assert not [act for act in before if act.startswith(("issue.ask.", "issue.cause."))]
        speakers = [turn.speaker for turn in turns if {STOCK, MISSED, OWNS_UP} & {*turn.beats}]
        assert speakers == [AGENT, CUSTOMER, AGENT]
    assert 0 < found < MOST * len(made)


def test_a_desk_without_a_stock_answer_gives_none() -> None:
    """Where an issue states none, no conversation has it."""
    plot = replace(SOLE, stock=False)
    for turns in chats(plot) + threads(plot):
        assert not {STOCK, MISSED, OWNS_UP}.intersection(acts(turns))
