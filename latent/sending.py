"""How likely a customer sends a file with a case.

By the kind of the issue, the channel, and how much the customer uses a phone. A part of Incident,
which says what is sent, and of AttachmentHabit, which says what the files are. Knows no words.
"""

import numpy as np

from latent.contacts import COMPLAINT
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table
from schemas.contacts import ContactFigures

ENQUIRY = "enquiry"

# Chat windows take files, too, but fewer people use that; who does most things by phone has the
# camera at hand: from 0.6 times the usual share to 1.4 times. Chosen by eye.
CHAT = 0.6
WITHOUT_PHONE = 0.6
BY_PHONE_ALONE = 1.4


def kinds_of(org: Org, cases: Table) -> Array:
    """The kind of each case's issue; all that is no complaint is an enquiry."""
    kinds = org.table("Solution.issues")["kind"]
    complaint = cases["intent"] == COMPLAINT
    kind = np.full(cases.size, ENQUIRY, dtype=object)
    kind[complaint] = kinds[cases["issue"][complaint]]
    return kind


def evidence_chances(org: Org, cases: Table, kind: Array) -> Array:
    """How likely each case's customer sends a file."""
    attached = org.setting.world.trade.contact.attached
    usual = np.array([attached[name].share if name in attached else 0.0 for name in kind])
    by_phone = org.table("Household.customers")["by_phone"][cases["account"]]
    at_hand = WITHOUT_PHONE + (BY_PHONE_ALONE - WITHOUT_PHONE) * by_phone
    # A screen is as easily shown from a computer: the phone matters for photos alone.
    habit = 1 + (at_hand - 1) * _photos(org.setting.world.trade.contact, kind)
    channel = np.where(cases["channel"] == "chat", CHAT, 1.0)
    return np.asarray(np.minimum(usual * habit * channel, 1.0), dtype=float)


def _photos(contact: ContactFigures, kind: Array) -> Array:
    """Which share of the files that come with each case are photos."""
    shares = {
        name: sent.photo / (sent.photo + sent.screenshot + sent.document)
        for name, sent in contact.attached.items()
    }
    return np.array([shares.get(name, 0.0) for name in kind.tolist()])
