"""The list of text verifiers, and the verdict of all of them on one text.

A new verifier is a function from a `WrittenText` to a `Verdict` in a file of its own, and one line
in `TEXT_VERIFIERS`.
"""

from collections.abc import Callable, Iterable

from verifiers.content import verify_content, verify_names
from verifiers.material import WrittenText
from verifiers.privacy import verify_privacy
from verifiers.verdict import PASS, Verdict

TextVerifier = Callable[[WrittenText], Verdict]

# In the order in which they are asked: the first failing verdict is the one that is told.
TEXT_VERIFIERS: tuple[TextVerifier, ...] = (
    verify_content,
    verify_names,
    verify_privacy,
)


def verify_text(
    written: WrittenText, verifiers: Iterable[TextVerifier] = TEXT_VERIFIERS
) -> Verdict:
    """The first failing verdict of the list, else a pass."""
    for verifier in verifiers:
        verdict = verifier(written)
        if verdict.failed:
            return verdict
    return PASS
