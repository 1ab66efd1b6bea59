"""What an agent that acts in text wants: a query to run or an answer to give, found between tags.

Pure. Example: `action_in("<thought>Count.</thought> <execute>SELECT COUNT() FROM Case</execute>")`
is `Action("execute", "SELECT COUNT() FROM Case", ...)`.
"""

import re
from dataclasses import dataclass
from typing import Literal

TAG = re.compile(r"<\s*(execute|respond|submit)\s*>", re.IGNORECASE)
NEXT_TAG = re.compile(r"<\s*/?\s*(?:execute|respond|submit|thought)\s*>", re.IGNORECASE)
"""What ends an action: its own closing tag, or any other tag."""
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
    name, start = opened[1], opened.end()
    closed = NEXT_TAG.search(reply, start)
    end = closed.start() if closed else len(reply)
    inside = reply[start:end].strip()
    content = FENCE.sub("", inside).strip()
    said = f"{reply[:start]}{inside}</{name}>"
    if name.lower() == "execute":
        content = content.removesuffix(";").rstrip()
        return Action("execute", content, said) if content else None
    return Action("respond", content, said) if content else None
