"""What anybody would ask next: of a cause, of an enquiry's answer, of what is granted.

A part of CaseStory: reads which questions the lexicon has words for, and says which of them belong
to a case. Whether somebody asks one is decided in the conversation. Knows no acts and no words.
"""

from collections.abc import Mapping
from typing import TypedDict

from latent.contacts import COMPLAINT
from latent.enquiry_topics import topics_of
from latent.incident import plan_of_issue
from pipeline.world.org import Org
from pipeline.world.tables import Table

OF_ANY_TOPIC = "any"
AT_FINDING = "finding"


class Wonders(TypedDict):
    """What a plot says of the questions that may come up, by its names there."""

    wonders: tuple[str, ...]
    wonders_later: tuple[str, ...]
    wonders_of_option: tuple[str, ...]


class NextQuestions:
    """The questions of all cases, each looked up when it is asked for."""

    def __init__(self, org: Org, cases: Table) -> None:
        self.cases = cases
        self.topics = topics_of(org, cases)
        enquiries = org.setting.world.trade.contact.enquiries
        self.of_enquiries = {str(name): enquiry.wonders for name, enquiry in enquiries.items()}
        self.cause = org.table("Incident.cases")["cause"]
        self.granted = org.table("PolicyViolation.outcomes")["granted"]
        self.of_options = {option.key: option.wonders for option in org.setting.world.options}
        issues = range(org.table("Solution.issues").size)
        plans = [plan_of_issue(org, issue) for issue in issues]
        self.causes = [plan.causes if plan else {} for plan in plans]

    def of(self, case: int) -> Wonders:
        """The questions of one case."""
        intent = str(self.cases["intent"][case])
        if intent != COMPLAINT:
            return Wonders(
                wonders=self._of_enquiry(intent, str(self.topics[case])),
                wonders_later=(),
                wonders_of_option=(),
            )
        asked = self._of_cause(case)
        return Wonders(
            wonders=tuple(name for name, when in asked.items() if when == AT_FINDING),
            wonders_later=tuple(name for name, when in asked.items() if when != AT_FINDING),
            wonders_of_option=self.of_options.get(str(self.granted[case]), ()),
        )

    def _of_cause(self, case: int) -> Mapping[str, str]:
        causes = self.causes[int(self.cases["issue"][case])]
        cause = causes.get(str(self.cause[case]))
        return cause.wonders if cause else {}

    def _of_enquiry(self, intent: str, topic: str) -> tuple[str, ...]:
        asked = self.of_enquiries.get(intent, {})
        return asked.get(topic or OF_ANY_TOPIC) or asked.get(OF_ANY_TOPIC, ())
