"""What the workers of the tests compute; they import it by name."""

import os
import signal
from pathlib import Path

from schemas.errors import BadInput


def doubled(numbers: list[int], name: str = "") -> tuple[list[int], str]:
    """Twice each number, and the name."""
    return [2 * number for number in numbers], name


def refused(number: int) -> int:
    """Never a number."""
    raise BadInput(f"{number}: is no good number; name another")


def worker() -> int:
    """The id of the process that computes."""
    return os.getpid()


def killed_until(times: int, marks: Path) -> int:
    """Kills its own process so many times, and then tells how often it was begun."""
    begun = len(list(marks.iterdir()))
    if begun < times:
        (marks / str(begun)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return begun


def added(shared: int, piece: int) -> tuple[int, int]:
    """The sum of what all pieces share and a piece, and who computed it."""
    return shared + piece, os.getpid()


def refused_piece(wrong: int, piece: int) -> int:
    """The piece, where it is not the wrong one."""
    if piece == wrong:
        raise BadInput(f"{piece}: is no good piece; name another")
    return piece
