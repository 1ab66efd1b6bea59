"""New case routing: who should get a new case of which only subject and description are known.

Drawn and answered from the hidden story.

The best agent closed most cases of the same issue; of equals the one who closed most of the
product; of those the one with fewest open cases.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped
from orgweave.benchmark.story import Story

TIED = Dropped("several agents are equally fit for the case")


@dataclass(frozen=True, slots=True)
class NewCase:
    """A case that nobody has yet: its row among the new ones, its issue and product."""

    row: int
    issue: str
    product: str


def case_routing(
    story: Story, rng: Random, new_cases: Sequence[NewCase]
) -> Iterator[Candidate | Dropped]:
    """Each new case once, in random order; subject and description are written later."""
    for new in rng.sample(list(new_cases), len(new_cases)):
        answer = fittest(story, new.issue, new.product)
        yield (
            TIED
            if not answer
            else Candidate(
                "new_case",
                {"issue": new.issue, "product": new.product, "new_case": new.row},
                {},
                (),
                answer,
            )
        )


def fittest(story: Story, issue: str, product: str) -> Answer:
    """The one agent to be given the case; nothing where two are equal in everything."""
    done = [case for case in story.cases if case.closed]
    of_issue = Counter(case.owner for case in done if case.issue == issue)
    of_product = Counter(case.owner for case in done if case.product == product)
    open_now = Counter(case.owner for case in story.cases if not case.closed)
    ranked = sorted(
        (of_issue[agent], of_product[agent], -open_now[agent], agent) for agent in of_issue
    )
    if not ranked or (len(ranked) > 1 and ranked[-1][:3] == ranked[-2][:3]):
        return NOTHING
    return (ranked[-1][3],)
