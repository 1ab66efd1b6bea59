"""What a verifier says, of one text, one record or one line: pass, fail or unjudged.

There is one kind of verdict. A `Finding` counts the verdicts that one invariant got over all
records of an org.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

EXAMPLES = 5  # enough to see the pattern of a fault, few enough for a line of a report


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict with its reason; a passing one needs none.

    `path` says where: a place in an entry (`TextBody.2`), or a record's id.
    """

    outcome: Literal["pass", "fail", "unjudged"]
    reason: str = ""
    path: str = ""

    @property
    def failed(self) -> bool:
        """Whether the entry must not enter the org."""
        return self.outcome == "fail"

    def __str__(self) -> str:
        """The path and the reason in one line: `TextBody.2: content: does not name ...`."""
        if self.path and self.reason:
            return f"{self.path}: {self.reason}"
        return self.path or self.reason


PASS = Verdict("pass")


def fail(reason: str, path: str = "") -> Verdict:
    """A failing verdict."""
    return Verdict("fail", reason, path)


def unjudged(reason: str) -> Verdict:
    """The verdict where nobody could say."""
    return Verdict("unjudged", reason)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one invariant found: how many records it tried and how many of them break it.

    `examples` holds the ids or reasons of the first few that do.
    """

    name: str
    says: str
    tried: int
    broken: int
    examples: tuple[str, ...] = ()


def finding_of(
    name: str,
    says: str,
    tried: int,
    failed: Sequence[Verdict],
) -> Finding:
    """The finding of an invariant that was tried so often and failed with these verdicts."""
    examples = tuple(str(verdict) for verdict in failed[:EXAMPLES])
    return Finding(
        name,
        says,
        tried,
        len(failed),
        examples,
    )


def untried(
    name: str,
    says: str,
    error: Exception,
) -> Finding:
    """The finding of an invariant that can't be tried; it counts as broken once."""
    return Finding(
        name,
        says,
        0,
        1,
        (f"can't be tried: {error}",),
    )
