"""Reading files that may be anything by the time they are read.

A pipe would be waited for and a device never ends, so neither is opened. Knows nothing of what the
files mean. Example: `json_of(regular_text(path))` raises OSError or ValueError, and nothing else.
"""

import errno
import json
import stat
from pathlib import Path
from typing import Any


def check_regular(path: Path) -> None:
    """Raises OSError for what isn't there, and for a pipe, a socket or a device.

    A folder is let through: to open it fails at once, and says what is wrong.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "is a pipe or a device, and no file", str(path))


def regular_bytes(path: Path) -> bytes:
    """The content of a regular file; raises OSError."""
    check_regular(path)
    return path.read_bytes()


def regular_text(path: Path) -> str:
    """The text of a regular file in UTF-8; raises OSError, and UnicodeDecodeError."""
    check_regular(path)
    return path.read_text(encoding="utf-8")


def json_of(text: str | bytes) -> Any:  # noqa: ANN401 (it may be anything)
    """What a text of JSON holds; raises ValueError for no JSON, and for JSON nested too deep."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
