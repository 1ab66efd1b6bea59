"""Customers as person accounts: an account is loaded with its contact's fields, and the contact
that the CRM makes of it stands for ours.

Knows no transport: it is given the upload's records, and asks what it is given to ask.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from orgweave.crm.describe import parsed
from orgweave.crm.person_accounts import ACCOUNT, CONTACT_ID, OF_PERSON, OWN_KEY, PersonField
from orgweave.crm.seam import BATCH, Target
from orgweave.load.values import literal
from schemas.errors import BadInput

Values = Mapping[str, object]


def contacts_by_account(contacts: Mapping[str, Values]) -> dict[str, str]:
    """The contact of each account, both as `@refs`; raises BadInput for one with several."""
    found: dict[str, str] = {}
    for ref, values in contacts.items():
        account = str(values.get("AccountId"))
        if account in found:
            raise BadInput(
                f"--accounts person: {account[1:]} has several contacts, such as"
                f" {found[account][1:]} and {ref[1:]}; a person has exactly one. Leave the option"
                " out"
            )
        found[account] = ref
    return found


def as_person(
    account: Values,
    contact: Values,
    fields: Iterable[PersonField],
    own_key: str,
) -> dict[str, object]:
    """An account's values with those of its contact; a club or a firm is who acts for it.

    `own_key` is the contact's external id.
    """
    values = {name: value for name, value in account.items() if name != "Name"}
    for name, of_contact in OF_PERSON.items():
        if values.get(name) is None:
            values[name] = contact.get(of_contact)
    for person in fields:
        if person.of_contact in contact and person.field.createable:
            values[person.field.name] = contact[person.of_contact]
    values[OWN_KEY] = own_key
    return {name: value for name, value in values.items() if value is not None}


def require_persons(target: Target) -> None:
    """Raises BadInput where the CRM has no person accounts."""
    if not parsed(target.describe(ACCOUNT)).has(CONTACT_ID):
        raise BadInput(
            "--accounts person: the CRM has no person accounts; turn them on in its setup, or leave"
            " the option out"
        )


def made_contacts(target: Target, accounts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The CRM's ids of accounts, each with that of the contact that it made."""
    for start in range(0, len(accounts), BATCH):
        listed = ", ".join(map(literal, accounts[start : start + BATCH]))
        rows = target.query(f"SELECT Id, {CONTACT_ID} FROM Account WHERE Id IN ({listed})")
        for row in rows:
            if row[CONTACT_ID]:
                yield str(row["Id"]), str(row[CONTACT_ID])
