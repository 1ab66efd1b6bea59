"""The forms in which an org's records can be exported, where a CRM knows several.

Knows no format.
"""

import sqlite3
from dataclasses import dataclass

from orgweave.crm.facts import Catalog, shipped
from orgweave.crm.messaging import ChatForm, with_messaging
from orgweave.crm.person_accounts import AccountForm, of_persons, with_persons
from orgweave.export.messaging import add_tables
from orgweave.export.person_accounts import add_person_table
from schemas.model import Schema


@dataclass(frozen=True, slots=True)
class OrgForms:
    """How chats and customers are written; as the org has them, where nothing is said."""

    chats: ChatForm = "transcripts"
    accounts: AccountForm = "business"

    @property
    def messaging(self) -> bool:
        """Whether chats are messaging sessions."""
        return self.chats == "messaging"

    @property
    def persons(self) -> bool:
        """Whether accounts are persons, whose contacts the CRM makes."""
        return self.accounts == "person"

    @property
    def catalog(self) -> Catalog:
        """What the CRM says of its objects."""
        return of_persons(shipped()) if self.persons else shipped()

    def schema_of(self, schema: Schema) -> Schema:
        """The schema of what is exported; raises BadInput where the org's own doesn't allow it."""
        if self.messaging:
            schema = with_messaging(schema)
        return with_persons(schema) if self.persons else schema

    def add_tables(self, db: sqlite3.Connection, schema: Schema) -> None:
        """Makes the tables that the org hasn't got; `schema` is its own."""
        if self.messaging:
            add_tables(db)
        if self.persons:
            add_person_table(db, schema)

    @property
    def told(self) -> dict[str, str]:
        """What an export's account says of them; nothing where they are the org's own."""
        found: dict[str, str] = {}
        if self.messaging:
            found["chats"] = self.chats
        if self.persons:
            found["accounts"] = self.accounts
        return found


AS_THEY_ARE = OrgForms()
