"""What `make test` leaves to `make test-all`, and that somebody runs all of it."""

import pytest

from tests.doc_pages import ROOT
from tests.tiers import THOROUGH, first_of, tried_on


def test_the_first_case_is_tried_by_make_test_and_each_by_test_all() -> None:
    """Whatever a rule's cases are, one of them is never thorough."""
    assert first_of(["a", "b", "c"]) == [
        pytest.param("a"),
        pytest.param("b", marks=(THOROUGH,)),
        pytest.param("c", marks=(THOROUGH,)),
    ]


def test_of_several_parameters_a_case_holds_one_value_each() -> None:
    """A pair is two values where two names are given, and one value where one is."""
    (pairs,) = tried_on("company, scale", [("bank", 0.1)]).args[1:]
    (alone,) = tried_on("forms", [("json", "text")]).args[1:]
    assert (pairs, alone) == ([pytest.param("bank", 0.1)], [pytest.param(("json", "text"))])


def test_the_public_workflow_leaves_nothing_out() -> None:
    """On Linux it runs pytest without a selection."""
    lines = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8").splitlines()
    assert "      - run: python -m pytest" in lines
