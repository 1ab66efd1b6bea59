"""An event loop whose clock jumps: what would be waited for takes no time, and is told exactly.

Example: `told_by_the_clock(course())` with `async def course(): await asyncio.sleep(3600); return
asyncio.get_running_loop().time()` is 3600.0 at once.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class JumpingSelector(selectors.DefaultSelector):
    """Moves the clock on where a loop would wait for its next timer."""

    moment = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """The events that are there now; without a timer it really waits, as for a thread."""
        if timeout is None:
            return super().select(None)
        self.moment += timeout
        return super().select(0)


class JumpingLoop(asyncio.SelectorEventLoop):
    """A loop that lives by its selector's clock."""

    def __init__(self) -> None:
        self._jumping = JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Seconds since the loop was made, all of them skipped."""
        return self._jumping.moment


def told_by_the_clock(course: Coroutine[Any, Any, Result]) -> Result:
    """What the course gives, run under a clock that jumps."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(course)
