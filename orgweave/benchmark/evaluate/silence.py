"""Tells of a model's endpoint that falls silent while an evaluation runs.

Inspect asks it again and again, waits longer each time, and says nothing. Knows no key and no
task.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from inspect_ai.hooks import (
    Hooks,
    ModelRetry,
    ModelUsageData,
    SampleEnd,
    SampleStart,
    hooks,
)

PATIENCE = 20.0
"""Seconds without an answer until it is told: what hangs is told within 30 s."""

PATIENCE_WITH_FAULTS = 8.0
"""Seconds until it is told where calls fail: after the second or third of them."""

AGAIN = 60.0
"""Seconds until it is told again."""

LOOKS = 1.0
"""Seconds between two looks at the clock."""


class Silence:
    """What has been heard of an endpoint, and when; `tell` is given each line.

    >>> silence = Silence("openai/toy", print, patience=0.0)
    >>> silence.begins()
    >>> silence.look()
    openai/toy: no answer from the endpoint for 0 s; it is asked again. Ctrl-C keeps what is done, \
and the same command goes on
    >>> silence.look()
    >>> silence.heard()
    openai/toy: the endpoint answers again
    >>> silence.ends()
    >>> silence.look()
    """

    def __init__(
        self,
        model: str,
        tell: Callable[[str], None],
        patience: float = PATIENCE,
    ) -> None:
        self._model = model
        self._tell = tell
        self._patience = patience
        self._samples = 0
        self._heard = time.monotonic()
        self._told: float | None = None  # how long this silence was when it was told last
        self._reason = ""

    def begins(self) -> None:
        """A sample is given to the agent."""
        self._samples += 1
        self._answered()

    def ends(self) -> None:
        """A sample is over, whether it was answered or failed."""
        self._samples -= 1
        self._answered()

    def failed(self, reason: str) -> None:
        """A call failed for a `reason`, and will be made again."""
        self._reason = reason

    def heard(self) -> None:
        """A call was answered."""
        if self._told is not None:
            self._tell(f"{self._model}: the endpoint answers again")
        self._answered()

    def look(self) -> None:
        """Tells of a silence that has lasted too long, now and then."""
        silent = time.monotonic() - self._heard
        patience = PATIENCE_WITH_FAULTS if self._reason else self._patience
        due = patience if self._told is None else self._told + AGAIN
        if self._samples == 0 or silent < due:
            return
        self._told = silent
        reason = f" ({self._reason})" if self._reason else ""
        self._tell(
            f"{self._model}: no answer from the endpoint for {silent:.0f} s{reason}; it is asked"
            " again. Ctrl-C keeps what is done, and the same command goes on"
        )

    def _answered(self) -> None:
        self._heard = time.monotonic()
        self._told = None
        self._reason = ""


@contextmanager
def silence_told(model: str, tell: Callable[[str], None]) -> Iterator[None]:
    """Tells of each silence of the endpoint as long as the block runs."""
    silence = Silence(model, tell)
    over = threading.Event()
    _listen(silence, over)

    def watch() -> None:
        while not over.wait(LOOKS):
            silence.look()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _listen(silence: Silence, over: threading.Event) -> None:
    """Has Inspect report to `silence`, until it is over."""

    class Listening(Hooks):
        """Reports calls and samples; a later one takes its place under the same name."""

        def enabled(self) -> bool:
            return not over.is_set()

        async def on_sample_start(self, data: SampleStart) -> None:
            silence.begins()

        async def on_sample_end(self, data: SampleEnd) -> None:
            silence.ends()

        async def on_model_retry(self, data: ModelRetry) -> None:
            status = f" {data.status_code}" if data.status_code else ""
            silence.failed(f"{data.exception_type or 'it failed'}{status}")

        async def on_model_usage(self, data: ModelUsageData) -> None:
            silence.heard()

    hooks("orgweave_silence", "tells of an endpoint that falls silent")(Listening)
