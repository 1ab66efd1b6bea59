"""Customers as person accounts, for orgs that have them.

A person account is an account and a contact in one: the CRM makes the contact by itself, and shows
the contact's fields on the account, `Birthdate` as `PersonBirthdate` and a custom one as `__pc`.
Here is what such accounts are in a schema; who exports, loads or serves them stands on it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from orgweave.crm.facts import Catalog, FieldFacts
from schemas.errors import BadInput
from schemas.field import Field
from schemas.model import Schema
from schemas.object_type import ObjectType
from schemas.sources import ConstantSource

AccountForm = Literal["business", "person"]
"""Accounts with contacts, as the org has them, or persons who are both."""

ACCOUNT = "Account"
CONTACT = "Contact"
OF_PERSON = {"FirstName": "FirstName", "LastName": "LastName", "PersonEmail": "Email"}
"""The fields by which an account is a person, and those of its contact that say the same."""

IS_PERSON, CONTACT_ID = "IsPersonAccount", "PersonContactId"
"""What the CRM itself sets on such an account: the flag, and the id of its contact."""

OWN_KEY = "Synth_Id__pc"
"""The contact's external id as the account shows it: set there, it is the contact's."""

OF_NAME = "a person account's name is made of FirstName and LastName"
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


@dataclass(frozen=True, slots=True)
class PersonField:
    """A field that a person account has more, and the contact's that it shows; "" for the flag."""

    field: Field
    of_contact: str


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
            more = [person.field for person in person_fields(schema)]
            objects.append(replace(item, fields=(*item.fields, *more)))
        else:
            objects.append(item)
    return replace(schema, objects=tuple(objects))


def person_fields(schema: Schema) -> Iterator[PersonField]:
    """The fields that a person account has more than an account of the schema."""
    account, contact = schema.object(ACCOUNT), schema.object(CONTACT)
    none = ConstantSource(constant=None)
    yes = Field(IS_PERSON, {"type": "boolean"}, none, required=False, createable=False)
    yield PersonField(yes, "")
    text = {"type": "string"}
    # No reference: a contact refers to its account, and only one of the two can be loaded first.
    made = Field(CONTACT_ID, text, none, required=False, createable=False)
    yield PersonField(made, "Id")
    yield PersonField(Field(OWN_KEY, {**text, "maxLength": 64}, none, required=False), "Id")
    for field in contact.fields:
        name = shown_name(field.name)
        if field.name.endswith("__c") and schema.target(contact, field):
            continue
        if name and not account.has(name):
            yield PersonField(Field(name, field.json_schema, none, required=False), field.name)


def shown_name(name: str) -> str:
    """What a person account calls a field of its contact, "" for one that it doesn't show."""
    if name in SHOWN_ON_ACCOUNT:
        return f"Person{name}"
    return f"{name.removesuffix('__c')}__pc" if name.endswith("__c") else ""


def of_persons(catalog: Catalog) -> Catalog:
    """What the CRM says of accounts where they are persons."""
    account = catalog.object(ACCOUNT)
    fields = {name: facts for name, facts in account.fields.items() if name not in OF_PERSON}
    fields["Name"] = FieldFacts(not_loaded=OF_NAME)
    changed = account.model_copy(update={"fields": fields})
    return replace(catalog, objects={**catalog.objects, ACCOUNT: changed})
