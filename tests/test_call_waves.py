"""The tool that tells which call of a run waits for which."""

from tests.call_waves import TimedCall, critical_chain, under_way

CALLS = [
    TimedCall("Toy", "first", 0.0, 1.0),
    TimedCall("Toy", "quick", 0.0, 0.4),
    TimedCall("Note", "second", 1.1, 2.0),
]


def test_the_chain_goes_back_from_the_last_answer() -> None:
    """Each call of it follows the last answer that had come when it was asked for."""
    assert [call.label for call in critical_chain(CALLS)] == ["first", "second"]
    assert critical_chain([]) == []


def test_calls_are_counted_in_the_middle_of_each_half_second() -> None:
    """A line tells how many there are, and of which object types."""
    lines = [line.split() for line in under_way(CALLS, 1.4)]
    assert lines == [
        ["0.25", "s", "2", "Toy", "2"],
        ["0.75", "s", "1", "Toy", "1"],
        ["1.25", "s", "1", "Note", "1"],
    ]
