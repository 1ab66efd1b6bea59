"""Dialogue acts by their names: what stands behind a name are the act's arguments.

Example: `issue.sign.spot.toe` is the act `issue.sign`, whose arguments are `spot` and `toe`.
"""

import re
from collections.abc import Mapping

from schemas.model import Beat

VALUE = "value"
"""What an act that tells a sign's value must show: any of the value's marks, see
`schemas.incidents`."""

_ARGUMENT = re.compile(r"\{(\d)\}")


def beat_named(beats: Mapping[str, Beat], name: str) -> tuple[Beat | None, tuple[str, ...]]:
    """The act of that name and its arguments; None for an act that the schema doesn't know.

    The longest name that fits counts.
    """
    known = name
    while known:
        if known in beats:
            rest = name[len(known) + 1 :]
            return beats[known], tuple(rest.split(".")) if rest else ()
        known = known.rpartition(".")[0]
    return None, ()


def said_with(says: str, arguments: tuple[str, ...]) -> str:
    """What an act says, with its arguments in the places `{1}`, `{2}`."""

    def filled(found: re.Match[str]) -> str:
        place = int(found.group(1)) - 1
        return arguments[place].replace("_", " ") if place < len(arguments) else ""

    return _ARGUMENT.sub(filled, says)
