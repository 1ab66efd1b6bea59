"""What an agent that acts in text wants: a query to run or an answer to give, found between tags.

Pure.

Example: `action_in("<thought>Count.</thought> <execute>SELECT COUNT() FROM Case</execute>") ==
Action("execute", "SELECT COUNT() FROM Case", ...)`.
"""

import re
from dataclasses import dataclass
from typing import Literal

TAG = re.compile(r"<\s*(execute|respond|submit)\s*>", re.IGNORECASE)
FENCE = re.compile(r"^```\w*\s*|\s*```$")


@dataclass(frozen=True, slots=True)
class Action:
    """One action: its kind, what stands between its tags, and the reply up to its end (what comes
    after it is made up).
    """

    kind: Literal["execute", "respond"]
    content: str
    said: str


def action_in(reply: str) -> Action | None:
    """The first action of a reply, or None where it has none; a tag that is never closed reaches to
    the next tag or the end.
    """
    opened = TAG.search(reply)
    if opened is None:
        return None
    name = opened[1]
    closed = re.compile(
        rf"<\s*/\s*{name}\s*>|<\s*/?\s*(?:execute|respond|submit|thought)\s*>", re.IGNORECASE
    ).search(reply, opened.end())
    inside = reply[opened.end() : closed.start() if closed else len(reply)].strip()
    content = FENCE.sub("", inside).strip()
    if name.lower() == "execute":
        content = content.removesuffix(";").rstrip()
    said = f"{reply[: opened.end()]}{inside}</{name}>"
    return (
        Action("execute" if name.lower() == "execute" else "respond", content, said)
        if content
        else None
    )
