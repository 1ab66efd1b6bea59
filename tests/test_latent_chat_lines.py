"""How turns of a chat are cut into lines."""

import random

import pytest

from latent.chat_lines import LONGEST_CHAT, USUAL, in_lines
from latent.dialogue import CUSTOMER, Turn

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("turns", [1, 38, 39, 40])
def test_a_chat_is_cut_until_it_is_as_long_as_chats_get(turns: int) -> None:
    """Who sends each act as a line of its own does so while there is room, and loses no act."""
    said = [Turn(CUSTOMER, 0, ("c.one", "c.two", "c.three"))] * turns
    lines = in_lines(random.Random(1), 1.0, said, USUAL)
    assert len(lines) == min(3 * turns, LONGEST_CHAT)
    acts = [beat for line in lines for beat in line.beats]
    assert acts == ["c.one", "c.two", "c.three"] * turns


def test_only_what_follows_in_a_turn_comes_soon() -> None:
    """The first line of a turn waits for the one before it."""
    said = [Turn(CUSTOMER, 0, ("c.one", "c.two"))] * 2
    lines = in_lines(random.Random(1), 1.0, said, USUAL)
    assert [line.soon for line in lines] == [False, True, False, True]
