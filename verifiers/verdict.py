"""What a verifier says of a record: pass, fail with a reason and a path, or unjudged."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Verdict:
    """`path` says where in the entry, for example `TextBody.2`."""

    outcome: Literal["pass", "fail", "unjudged"]
    reason: str = ""
    path: str = ""

    @property
    def failed(self) -> bool:
        """Whether the entry must not enter the org."""
        return self.outcome == "fail"


PASS = Verdict("pass")


def fail(reason: str, path: str = "") -> Verdict:
    """A failing verdict."""
    return Verdict("fail", reason, path)
