"""RecordTypes: under which record type each case is filed, and each account.

It draws `types` (object, name, description), `cases` and `accounts` (the type of each).
It is drawn from ComplaintHabit (the intents), CustomerFile (who is a private person) and the trade
(how it files intents).
It drives the record types. It has no effect of its own: the intents show themselves.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Table, strings, table

COMPLAINT_TYPE = "Complaint"
CASE_TYPES = {
    COMPLAINT_TYPE: "Something is wrong with what was bought, sent or charged.",
    "Enquiry": "A question about an order, a product or the company.",
    "Return": "Something goes back without being faulty.",
    "Feedback": "Praise and remarks that ask for nothing.",
}
PRIVATE = "Customer"
BUSINESS = "Business Customer"
ACCOUNT_TYPES = {PRIVATE: "A private customer.", BUSINESS: "A club, a shop or a firm."}


class RecordTypes:
    """Kinds of records."""

    name = "RecordTypes"
    reads: tuple[str, ...] = ("ComplaintHabit", "CustomerFile")
    tables: Mapping[str, tuple[str, ...]] = {
        "types": ("Id", "object", "name", "developer", "description"),
        "cases": ("Id", "type"),
        "accounts": ("Id", "type"),
    }
    drives = ("RecordType", "Case.RecordTypeId", "Account.RecordTypeId")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Complaints, and what the trade files the other intents under."""
        enquiries = org.setting.world.trade.contact.enquiries
        kinds = {name: enquiry.kind for name, enquiry in enquiries.items()}
        rows = {name: row for row, name in enumerate(CASE_TYPES)}
        cases = org.table("ComplaintHabit.cases")
        filed = [rows[kinds.get(intent, COMPLAINT_TYPE)] for intent in cases["intent"]]
        types = {**CASE_TYPES, **ACCOUNT_TYPES}
        names = list(types)
        private = org.table("CustomerFile.customers")["private"]
        objects = ["Case"] * len(CASE_TYPES) + ["Account"] * len(ACCOUNT_TYPES)
        return (
            table(
                "RecordTypes.types",
                {"Id": "RecordType"},
                Id=np.arange(len(types)),
                object=strings(objects),
                name=strings(list(types)),
                developer=strings([name.replace(" ", "_") for name in types]),
                description=strings(list(types.values())),
            ),
            table(
                "RecordTypes.cases",
                {"Id": "Case", "type": "RecordType"},
                Id=np.arange(cases.size),
                type=np.array(filed, dtype=np.int64),
            ),
            table(
                "RecordTypes.accounts",
                {"Id": "Account", "type": "RecordType"},
                Id=np.arange(len(private)),
                type=np.where(private, names.index(PRIVATE), names.index(BUSINESS)),
            ),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """None: a record type says what the intent is, and nothing follows from it."""
        return ()
