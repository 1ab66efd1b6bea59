"""What all kinds of commands share: words for options, places to write to, an exit code.

Knows nothing of making an org, so that commands that only read one start without it.
"""

from pathlib import Path

from schemas.errors import BadInput

FOLDER = "the folder of a finished org, such as outputs/shoes"
CLOCK = (
    "take this moment as now: a date, which means its last second, or a datetime in UTC (default:"
    " the last day of the org's period)"
)
BROKEN = 5
"""The exit code where a check failed, or a CRM refused records."""


def named_path(text: str) -> Path:
    """A path to write to; raises BadInput for an empty one, which an unset variable leaves."""
    if not text:
        raise BadInput("'': is no name of a file or folder; name the place to write to")
    return Path(text)
