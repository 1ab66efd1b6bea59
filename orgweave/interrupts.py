"""Ctrl-C where Python would swallow it: in a destructor or in a callback of a weak reference.

Python runs the handler of a signal between any two steps. What it raises in a destructor goes to
`sys.unraisablehook`, which prints a traceback, and the program goes on as if nothing had been
asked of it. Knows no command.
"""

import _thread
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

# So much later the destructor is over; nobody notices it.
SECONDS = 0.02


@contextmanager
def interrupts_kept() -> Iterator[None]:
    """Raises KeyboardInterrupt once more, outside, where a destructor swallowed it.

    It is for the main thread, where Python handles signals; elsewhere nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = sys.unraisablehook
    pressed: list[threading.Timer] = []

    def told(unraisable: "UnraisableHookArgs") -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            before(unraisable)
            return
        # Not here and now: this, too, runs within the destructor.
        pressed.append(threading.Timer(SECONDS, _thread.interrupt_main))
        pressed[-1].start()

    sys.unraisablehook = told
    try:
        yield
    finally:
        sys.unraisablehook = before
        for again in pressed:
            # Also where the work ended meanwhile, it was asked to end.
            again.join()
