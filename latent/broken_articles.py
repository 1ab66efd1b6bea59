"""Which article each breach is of: that of its case's issue, or a policy's, by which of its terms.

A part of PolicyViolation. Chosen case by case, a matter or a remedy to which one policy belongs
would give that policy away, and one policy would be most of what is broken. So breaches are dealt
out evenly: in each issue over its own article and the policies that agents tell of, and with each
remedy over these policies.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from latent.policy_terms import KnownTerm
from pipeline.world.streams import Stream

# How much it counts that a policy stands often with a remedy, and that it does at all, beside that
# it does in an issue. By the share that a classifier guesses of the agents' words.
WITH_THE_REMEDY = 1.0
AT_ALL = 0.25


class DealtBreach(NamedTuple):
    """A case in breach: its issue, what may be granted lawfully, the terms to be told wrongly."""

    issue: int
    granted: str
    terms: Sequence[KnownTerm]


def dealt_out(
    rng: Stream,
    breaches: Sequence[DealtBreach],
    wanted: int,
) -> list[KnownTerm | None]:
    """The term by which each breach breaks a policy's article; None where it is the issue's own.

    So many as are `wanted` break a policy's, or as many as can.
    """
    chosen: list[KnownTerm | None] = [None] * len(breaches)
    alike = _alike(rng, breaches)
    own = Counter(breach.issue for breach in breaches)
    of_issue: Counter[tuple[int, str]] = Counter()
    with_remedy: Counter[tuple[str, str]] = Counter()
    of_policy: Counter[str] = Counter()
    of_term: Counter[tuple[str, str]] = Counter()
    for _ in range(wanted):
        offers = []
        for place, rows in enumerate(alike):
            if not rows:
                continue
            issue, granted, terms = breaches[rows[-1]]
            for nth, known in enumerate(terms):
                policy = known.term.policy
                crowd = (
                    of_issue[issue, policy]
                    - own[issue]
                    + WITH_THE_REMEDY * with_remedy[granted, policy]
                    + AT_ALL * of_policy[policy]
                )
                offers.append((crowd, of_term[policy, known.term.figure], place, nth))
        if not offers:
            break
        _, _, place, nth = min(offers)
        row = alike[place].pop()
        issue, granted, terms = breaches[row]
        chosen[row] = known = terms[nth]
        policy = known.term.policy
        own[issue] -= 1
        of_issue[issue, policy] += 1
        with_remedy[granted, policy] += 1
        of_policy[policy] += 1
        of_term[policy, known.term.figure] += 1
    return chosen


def _alike(rng: Stream, breaches: Sequence[DealtBreach]) -> list[list[int]]:
    """The breaches of one issue, one remedy and the same terms together, all in random order."""
    groups: dict[object, list[int]] = {}
    for row in rng.permutation(len(breaches)).tolist():
        issue, granted, terms = breaches[row]
        names = tuple((known.term.policy, known.term.figure) for known in terms)
        groups.setdefault((issue, granted, names), []).append(row)
    return list(groups.values())
