"""The rules by which customers ask next of a remedy or an answer, and by which agents answer.

An option and an enquiry name such questions in `wonders`; each needs its words on both sides. Those
of a cause are told with the incident's other rules; what its customers have tried before anybody
asks is a rule of each test. Reads a world, and knows no lines.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.write.rules import ENQUIRY, candidates
from schemas.world import World

ASKS_AND_ANSWERS = ("wonders", "clears")
OF_ANY_TOPIC = "any"


@dataclass(frozen=True, slots=True)
class NextRule:
    """A rule that is needed: the names that would do, the most special first, and who asks."""

    names: tuple[str, ...]
    asker: str


def next_rules(world: World) -> Iterator[NextRule]:
    """Yields the rules that the world's options, enquiries and tests need.

    `option.repair.wonders.box` will do, and so will `option.any.wonders.box`.
    """
    for option in world.options:
        for name in option.wonders:
            for side in ASKS_AND_ANSWERS:
                names = candidates(f"option.{side}.{name}", {"option_key": option.key})
                yield NextRule(tuple(names), f"the option {option.key}")
    for key, enquiry in world.trade.contact.enquiries.items():
        for topic, asked in enquiry.wonders.items():
            about = f"{ENQUIRY}{key}" if topic == OF_ANY_TOPIC else f"{ENQUIRY}{key}_{topic}"
            for name in asked:
                for side in ASKS_AND_ANSWERS:
                    names = candidates(f"issue.{side}.{name}", {"issue_key": about})
                    yield NextRule(tuple(names), f"the enquiry {key}")
    for issue, plan in world.incidents.items():
        tests: dict[str, None] = {}
        for cause in plan.causes.values():
            tests |= dict.fromkeys(cause.tests)
        for test in tests:
            yield NextRule((f"c.tested.{test}",), f"a test of {issue}")
