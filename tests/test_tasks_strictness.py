"""How the selection of questions is loosened, and what no limit means."""

import math

import pytest

from orgweave.benchmark.strictness import SelectionLimits, Stage, lone_stages, stages

pytestmark = pytest.mark.quick


def test_the_selection_is_loosened_stage_by_stage() -> None:
    """First few of one answer, then more; twins at all stages, and seed queries in equal shares
    until the last.
    """
    assert stages(9) == [
        Stage(3, 0.5, 1.0, facts=1, twins=2, balanced=True),
        Stage(5, 0.6, 1.5, facts=1, twins=2, balanced=True),
        Stage(9, 0.75, 2.5, facts=2, twins=2, balanced=True),
        Stage(9, 1.0, math.inf, facts=math.inf, twins=2, balanced=True),
        Stage(9, 1.0, math.inf, facts=math.inf, twins=2, balanced=False),
    ]


def test_questions_without_a_twin_come_last() -> None:
    """First such as share little of their time with others, then any."""
    assert lone_stages(9) == [
        Stage(9, 0.5, math.inf, twins=1, balanced=False),
        Stage(9, 1.0, math.inf, twins=1, balanced=False),
    ]


def test_a_limit_that_is_not_named_is_none() -> None:
    """As many come as there are."""
    bare = SelectionLimits()
    assert (bare.answer, bare.nothing, bare.seed, bare.one_side, bare.passed) == (0, 0, 0, 0, {})
