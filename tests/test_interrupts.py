"""Ctrl-C ends a command wherever it comes."""

import signal
import sys
import time
from collections.abc import Iterator

import pytest

from orgweave.interrupts import interrupts_kept


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """A process that is started in the background of a shell ignores Ctrl-C; these tests do not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Interrupted:
    """Something in whose destructor Ctrl-C is pressed."""

    def __del__(self) -> None:
        raise KeyboardInterrupt


class Broken:
    """Something whose destructor fails."""

    def __del__(self) -> None:
        raise ValueError("broken")


def test_what_a_destructor_swallowed_is_raised_outside(capsys: pytest.CaptureFixture[str]) -> None:
    """The work ends, and nothing is printed of where it was."""
    thing = Interrupted()
    with pytest.raises(KeyboardInterrupt), interrupts_kept():
        del thing
        for _ in range(1000):
            time.sleep(0.01)
    assert "Traceback" not in capsys.readouterr().err


def test_work_that_ends_meanwhile_is_interrupted_all_the_same() -> None:
    """Whoever pressed Ctrl-C is not told that all went well."""
    thing = Interrupted()
    with pytest.raises(KeyboardInterrupt), interrupts_kept():
        del thing


def test_other_faults_of_destructors_are_told_as_ever() -> None:
    """Only Ctrl-C is kept: whoever listens for other faults hears of them."""
    heard: list[str] = []
    before = sys.unraisablehook
    sys.unraisablehook = lambda fault: heard.append(str(fault.exc_value))
    try:
        thing = Broken()
        with interrupts_kept():
            del thing
    finally:
        sys.unraisablehook = before
    assert heard == ["broken"]
