"""What top issue and monthly trend share on the hidden story's side: the cases of a product in a
window, and the shortcuts that would find an answer without counting them.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from orgweave.benchmark.choice import best
from orgweave.benchmark.instance import Answer, Candidate
from orgweave.benchmark.story import HiddenCase, Story
from orgweave.benchmark.windows import TimeWindow

ReadCase = Callable[[HiddenCase], str]
"""What is counted of a case: its issue, or its month."""


def cases_by_product(story: Story) -> dict[str, list[HiddenCase]]:
    """The cases of each product, in the order of their creation."""
    found: dict[str, list[HiddenCase]] = defaultdict(list)
    for case in story.complaints:
        found[case.product].append(case)
    return dict(found)


def product_candidate(
    story: Story,
    seed: str,
    window: TimeWindow,
    own: Sequence[HiddenCase],
    answer: Answer,
    read: ReadCase,
) -> Candidate:
    """A question about a product, whose cases are `own`, and a window."""
    product = own[0].product
    name = story.products[product].name
    return Candidate(
        seed=seed,
        parameters={"product": product, **window.parameters},
        slots={"product": name, "window": window.name},
        must=((name,), window.forms),
        answer=answer,
        easy=_shortcuts(window, own, answer, read),
        subject=product,
    )


def _shortcuts(
    window: TimeWindow,
    own: Sequence[HiddenCase],
    answer: Answer,
    read: ReadCase,
) -> frozenset[str]:
    """What would find the answer without counting in the window: its first or last case, all of the
    product's cases, the window before.
    """
    if not answer:
        return frozenset()
    earlier_start = window.start - (window.end - window.start)
    inside = [case for case in own if window.holds(case.created)]
    earlier = [case for case in own if earlier_start <= case.created < window.start]
    guesses = {"first": inside[:1], "last": inside[-1:], "ever": own, "before": earlier}
    found = set()
    for name, cases in guesses.items():
        counts = Counter(read(case) for case in cases)
        if best(counts, largest=True) == answer:
            found.add(name)
    return frozenset(found)
