"""Customers as person accounts, for orgs that have them.

A person account is an account and a contact in one: the CRM makes the contact by itself, and shows
the contact's fields on the account, `Birthdate` as `PersonBirthdate` and a custom one as `__pc`.
The account's table takes them over in memory. Knows no format.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from orgweave.crm.facts import Catalog, FieldFacts
from orgweave.soql.sql import quoted
from schemas.errors import BadInput
from schemas.model import Field, ObjectType, Schema
from schemas.sources import ConstantSource

AccountForm = Literal["business", "person"]
"""Accounts with contacts, as the org has them, or persons who are both."""

ACCOUNT, CONTACT = "Account", "Contact"
OF_PERSON = {"FirstName": "FirstName", "LastName": "LastName", "PersonEmail": "Email"}
"""The fields by which an account is a person, and those of its contact that say the same."""

OWN_KEY = "Synth_Id__pc"
"""The contact's external id as the account shows it: set there, it is the contact's."""

OF_NAME = "a person account's name is made of FirstName and LastName"
OF_CONTACT = "the CRM makes the contact of a person account by itself; its fields are the account's"
NOTE = (
    f"left out: {CONTACT}: {OF_CONTACT}, and {OWN_KEY} holds its key, by which other records refer"
    " to it; a club or a firm is the person who acts for it"
)
SHOWN_ON_ACCOUNT = (
    "MobilePhone",
    "HomePhone",
    "AssistantPhone",
    "Title",
    "Department",
    "LeadSource",
    "Birthdate",
    "MailingStreet",
    "MailingCity",
    "MailingState",
    "MailingPostalCode",
    "MailingCountry",
)
"""Fields of a contact that an account shows with `Person` before their names."""


def with_persons(schema: Schema) -> Schema:
    """The schema with accounts that are persons; raises BadInput where they can't be."""
    fit = schema.has(ACCOUNT) and all(map(schema.object(ACCOUNT).has, OF_PERSON))
    if not fit or not schema.has(CONTACT) or not schema.object(CONTACT).has("AccountId"):
        raise BadInput(
            f"--accounts person: the schema {schema.name} has no {CONTACT} of an {ACCOUNT} with"
            f" {', '.join(OF_PERSON)}; leave the option out"
        )
    objects: list[ObjectType] = []
    for item in schema.objects:
        if item.name == ACCOUNT:
            more = [field for field, _ in _taken_over(schema)]
            objects.append(replace(item, fields=(*item.fields, *more)))
        else:
            objects.append(item)
    return replace(schema, objects=tuple(objects))


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
    taken = [f"{value} AS {quoted(field.name)}" for field, value in _taken_over(schema)]
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
    of_contact = {"FirstName": "FirstName", "LastName": "LastName", "PersonEmail": "Email"}
    value = f"a.{quoted(name)}"
    if name == "Name":
        return f"iif(a.LastName IS NULL, c.Name, {value}) AS {quoted(name)}"
    if name in of_contact:
        return f"coalesce({value}, c.{quoted(of_contact[name])}) AS {quoted(name)}"
    return value


def of_persons(catalog: Catalog) -> Catalog:
    """What the CRM says of accounts where they are persons."""
    account = catalog.object(ACCOUNT)
    fields = {name: facts for name, facts in account.fields.items() if name not in OF_PERSON}
    fields["Name"] = FieldFacts(not_loaded=OF_NAME)
    changed = account.model_copy(update={"fields": fields})
    return replace(catalog, objects={**catalog.objects, ACCOUNT: changed})


def _taken_over(schema: Schema) -> Iterator[tuple[Field, str]]:
    """The fields that a person account has more, each with its value in SQL.

    `a` is the account there, and `c` its contact.
    """
    account, contact = schema.object(ACCOUNT), schema.object(CONTACT)
    none = ConstantSource(constant=None)
    yes = Field("IsPersonAccount", {"type": "boolean"}, none, required=False, createable=False)
    yield yes, "1"
    text = {"type": "string"}
    # No reference: a contact refers to its account, and only one of the two can be loaded first.
    yield Field("PersonContactId", text, none, required=False, createable=False), "c.Id"
    yield Field(OWN_KEY, {**text, "maxLength": 64}, none, required=False), "c.Id"
    for field in contact.fields:
        name = ""
        if field.name in SHOWN_ON_ACCOUNT:
            name = f"Person{field.name}"
        elif field.name.endswith("__c") and not schema.target(contact, field):
            name = f"{field.name.removesuffix('__c')}__pc"
        if name and not account.has(name):
            form = Field(name, field.json_schema, none, required=False)
            yield form, f"c.{quoted(field.name)}"
