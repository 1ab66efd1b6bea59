"""Person accounts of the served copy: what of such an account is its contact's.

The CRM keeps a contact for each, which shows the same values. Changes nothing by itself.
"""

from orgweave.crm.field import CrmObject
from orgweave.crm.person_accounts import CONTACT_ID, OF_PERSON, shown_name
from orgweave.server.store import StoreRow


def is_person(row: StoreRow) -> bool:
    """Whether a record is an account of an org with person accounts, and a person."""
    return CONTACT_ID in row and row.get("LastName") is not None


def shown_of(contact: CrmObject, account: StoreRow) -> StoreRow:
    """The contact's fields that values of an account stand for, with these values."""
    names = {of_contact: name for name, of_contact in OF_PERSON.items()}
    for field in contact.fields.values():
        shown = shown_name(field.name)
        if shown:
            names[field.name] = shown
    found: StoreRow = {}
    for name, shown in names.items():
        if shown in account and contact.takes(name):
            found[name] = account[shown]
    return found
