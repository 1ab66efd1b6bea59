"""What agents promise of their next mail, where it takes longer than a day."""

import pytest

from pipeline.write.promises import is_answered_late, without_day

AGENT = {"speaker": "Agent"}
CUSTOMER = {"speaker": "Customer"}


@pytest.mark.parametrize(
    ("after", "late"),
    [
        ([], True),
        ([CUSTOMER], True),
        ([{**AGENT, "waited": ""}], False),
        ([{**AGENT, "waited": "a day"}], False),
        ([{**AGENT, "waited": "four days"}], True),
        ([{**CUSTOMER, "waited": "a day"}, {**AGENT, "waited": "a day"}], True),
        ([CUSTOMER, {**AGENT, "waited": "a day"}], False),
    ],
)
def test_an_answer_is_late_that_takes_more_than_a_day(
    after: list[dict[str, str]], late: bool
) -> None:
    """All that goes by until the agent writes again counts, and silence counts as late."""
    assert is_answered_late([AGENT, *after], 0) is late


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I'll write tomorrow.", "I'll write soon."),
        ("Please give me a day.", "Please give me some time."),
        ("You'll hear from me in a day.", "You'll hear from me soon."),
        ("They need a day or two.", "They need some time."),
        ("I'll write when they answer.", "I'll write when they answer."),
    ],
)
def test_a_promise_that_is_not_kept_names_no_day(said: str, told: str) -> None:
    """It is told without a day, and other acts keep theirs."""
    assert without_day("a.wait", said) == told
    assert without_day("option.tell.ships", said) == said
