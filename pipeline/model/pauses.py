"""How long a run waits before it tries, looks or sends again. Knows no endpoint."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pauses:
    """Seconds, made for endpoints far away; one on the same machine needs less.

    `retry` lies before the first further try of a call that failed, and doubles with each failure.
    `quiet` without a new request makes a wave full. `poll` lies between the first two looks at a
    batch; a real one takes minutes or hours, so it grows with each look.
    """

    retry: float = 0.5
    quiet: float = 0.15
    poll: float = 0.2


USUAL = Pauses()
