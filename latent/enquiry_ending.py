"""How contacts that are no complaints end: answered, unanswered, or withdrawn.

An unanswered one stops at a question that the desk asks back: the customer never writes again, and
after some days of silence the case is closed by itself. A withdrawn one has settled itself before
the desk could answer. What a stranger sends to everybody is dropped. Only e-mail threads end so,
for nobody leaves a chat to lie for days. A part of CaseStory; knows no words.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from latent.draws import exactly
from latent.work_calendar import HOUR
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, objects

UNANSWERED: Final = "unanswered"
WITHDRAWN: Final = "withdrawn"
DROPPED: Final = "dropped"
DECLINED: Final = "declined"

OUTCOMES = {
    DECLINED: "Refused",
    UNANSWERED: "No Response",
    WITHDRAWN: "Withdrawn",
    DROPPED: "Spam",
}
"""What the CRM shows of an ending; every other closed case is resolved.

Whatever is granted looks alike, lawful or not, asked for or instead: agents file what they did as
settled, and whether they were allowed to is for others to find out.
"""

RESOLVED = "Resolved"

# Who writes little answers no questions; chosen by eye.
NO_REPLY = {"terse": 9.0, "medium": 1.0, "wordy": 0.2}

# A withdrawal takes a mail of the desk between the customer's two: three mails at least.
SHORTEST_WITHDRAWN = 3

DAY = 24 * HOUR

# A case whose silence would begin within its first week or behind the period is none of these:
# both sides need so much time to write. Chosen by eye.
TIME_TO_WRITE = 7 * DAY


@dataclass(frozen=True, slots=True)
class Threads:
    """What is known of the threads before their endings, one a case.

    `length` counts the mails (0 for a chat), `first_hours` the working hours to the first answer,
    and `room` the seconds from a case's creation to the last moment at which it may be closed.
    """

    length: Array
    closed: Array
    first_hours: Array
    room: Array


@dataclass(frozen=True, slots=True)
class Endings:
    """How each case ends.

    `silence` is how many seconds after its last mail an unanswered case is closed; 0 for others.
    """

    name: Array
    silence: Array

    def outcomes(self, closed: Array) -> Array:
        """What the CRM shows of each ending; None for a case that is still open."""
        shown = []
        for name, is_closed in zip(self.name, closed, strict=True):
            shown.append(OUTCOMES.get(name, RESOLVED) if is_closed else None)
        return objects(shown)


def draw_endings(org: Org, cases: Table, threads: Threads) -> Endings:
    """The endings of PolicyViolation, but for the trade's share of what ends without an answer.

    The longer a customer waits for the first answer, the likelier the matter has settled itself;
    the less a customer writes, the likelier a question stays without a reply.
    """
    rng = org.setting.stream("CaseStory", "endings")
    contact = org.setting.world.trade.contact
    names = org.table("PolicyViolation.outcomes")["ending"].copy()
    kinds = [name for name, enquiry in contact.enquiries.items() if enquiry.lapses]
    fits = np.isin(cases["intent"].astype(str), kinds) & threads.closed & (threads.length > 0)
    total = sum(contact.endings.values())
    settled = fits & (threads.length >= SHORTEST_WITHDRAWN)
    weights = np.where(settled, threads.first_hours, 0.0)
    wanted = round(fits.sum() * contact.endings.get(WITHDRAWN, 0.0) / total)
    names[exactly(rng, weights, min(wanted, int(settled.sum())))] = WITHDRAWN
    shortest, longest = contact.silence
    silence = rng.uniform(shortest * DAY, longest * DAY, size=cases.size).astype(np.int64)
    # The thread stops at an agent's mail.
    left = fits & (names != WITHDRAWN) & (threads.length % 2 == 0)
    left &= threads.room >= silence + TIME_TO_WRITE
    replies = np.array([NO_REPLY[str(verbosity)] for verbosity in cases["verbosity"]])
    wanted = round(fits.sum() * contact.endings.get(UNANSWERED, 0.0) / total)
    names[exactly(rng, replies * left, min(wanted, int(left.sum())))] = UNANSWERED
    names[by_stranger(org, cases) & threads.closed] = DROPPED
    return Endings(names, np.where(names == UNANSWERED, silence, 0))


def by_stranger(org: Org, cases: Table) -> Array:
    """Which cases come from nobody whom the company knows."""
    enquiries = org.setting.world.trade.contact.enquiries
    strange = [name for name, enquiry in enquiries.items() if enquiry.stranger]
    return np.isin(cases["intent"].astype(str), strange)
