"""Lines of a chat that cross: which may, and what stays as it is."""

import random

import pytest

from latent.crossing import MOST_CROSSINGS, crossed
from latent.dialogue import AGENT, CUSTOMER, Turn

pytestmark = pytest.mark.quick


def customer(*beats: str, soon: bool = False) -> Turn:
    """A customer's line."""
    return Turn(CUSTOMER, 0, beats, soon=soon)


def agent(*beats: str, soon: bool = False) -> Turn:
    """An agent's line."""
    return Turn(AGENT, 0, beats, soon=soon)


def orders_of(*lines: Turn) -> set[tuple[Turn, ...]]:
    """The orders in which the lines come, by many seeds."""
    return {tuple(crossed(random.Random(seed), lines)) for seed in range(40)}


LOOSE = customer("issue.complaint")
FRIDAY = customer("issue.stake", soon=True)
NUMBER = agent("a.ask_order")
GIVEN = customer("c.order")


def test_an_agents_question_may_come_before_what_a_customer_adds() -> None:
    """It needs the first line alone, and the answer to it comes behind both."""
    plain = (LOOSE, FRIDAY, NUMBER, GIVEN)
    assert orders_of(*plain) == {plain, (LOOSE, NUMBER, FRIDAY, GIVEN)}


@pytest.mark.parametrize(
    "lines",
    [
        (LOOSE, customer("c.order", soon=True), NUMBER),
        (LOOSE, customer("c.tested.again", soon=True), agent("issue.ask.restart")),
        (agent("issue.cause.glue"), customer("issue.wonders.glue"), agent("issue.clears.glue")),
        (LOOSE, FRIDAY, agent("a.hello", "a.ack")),
        (agent("issue.cause.glue"), agent("a.offer", soon=True), customer("c.accept")),
        (agent("a.deny"), agent("a.alternative", soon=True), customer("c.accept")),
        (customer("c.hello"), customer("issue.stake"), NUMBER),
    ],
)
def test_what_answers_a_line_stays_behind_it(lines: tuple[Turn, ...]) -> None:
    """Nobody is asked what they tell, thanked for what is not yet said, or accepts the unsaid."""
    assert orders_of(*lines) == {lines}


def test_a_customer_may_accept_before_all_is_told() -> None:
    """The offer itself stands before it, its terms may come in behind."""
    offer, terms = agent("a.offer", "option.would.refund"), agent("a.amount", soon=True)
    yes, done = customer("c.accept"), agent("a.confirm")
    plain = (offer, terms, yes, done)
    assert orders_of(*plain) == {plain, (offer, yes, terms, done)}


def test_few_lines_of_a_chat_cross() -> None:
    """However many may: what has crossed once stays where it is."""
    lines = (LOOSE, FRIDAY, NUMBER) * 9
    for order in orders_of(*lines):
        assert sorted(map(repr, order)) == sorted(map(repr, lines))
        moved = sum(one != other for one, other in zip(order, lines, strict=True))
        assert moved <= 2 * MOST_CROSSINGS
