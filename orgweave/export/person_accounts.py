"""The table of customers as person accounts, in memory before that of the opened org's accounts.

Knows no format.
"""

import sqlite3

from orgweave.crm.person_accounts import (
    ACCOUNT,
    CONTACT,
    OF_PERSON,
    OWN_KEY,
    PersonField,
    person_fields,
)
from orgweave.soql.sql import quoted
from schemas.errors import BadInput
from schemas.model import Schema

OF_CONTACT = "the CRM makes the contact of a person account by itself; its fields are the account's"
NOTE = (
    f"left out: {CONTACT}: {OF_CONTACT}, and {OWN_KEY} holds its key, by which other records refer"
    " to it; a club or a firm is the person who acts for it"
)


def add_person_table(db: sqlite3.Connection, schema: Schema) -> None:
    """Puts a table of persons before the org's accounts, which it stands for from then on.

    `schema` is the org's own. Raises BadInput where an account has several contacts, or none.
    """
    (others,) = db.execute(
        """
        SELECT count(*)
        FROM Account a
        WHERE (SELECT count(*) FROM Contact c WHERE c.AccountId = a.Id) <> 1
        """
    ).fetchone()
    if others:
        raise BadInput(
            f"--accounts person: {others:,} accounts have several contacts or none; a person has"
            " exactly one. Leave the option out"
        )
    own = [_own_value(field.name) for field in schema.object(ACCOUNT).fields]
    taken = [_shown_value(person) for person in person_fields(schema)]
    db.execute(
        f"""
        CREATE TEMP TABLE Account AS
        SELECT {", ".join([*own, *taken])}
        FROM main.Account a
        JOIN main.Contact c ON c.AccountId = a.Id
        ORDER BY a.rowid
        """
    )
    db.commit()


def _own_value(name: str) -> str:
    """A field of an account in SQL; a club or firm becomes the person who acts for it."""
    value = f"a.{quoted(name)}"
    if name == "Name":
        return f"iif(a.LastName IS NULL, c.Name, {value}) AS {quoted(name)}"
    if name in OF_PERSON:
        return f"coalesce({value}, c.{quoted(OF_PERSON[name])}) AS {quoted(name)}"
    return value


def _shown_value(person: PersonField) -> str:
    """A field of the contact as the account shows it, in SQL; `c` is the contact."""
    value = f"c.{quoted(person.of_contact)}" if person.of_contact else "1"
    return f"{value} AS {quoted(person.field.name)}"
