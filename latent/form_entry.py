"""What people type into the contact form and their mail program: mostly their name and the address
that the company knows, now and then another one.

A part of CaseStory. It knows who wrote and by which way, and no words of theirs.
"""

import numpy as np

from latent.draws import labels
from latent.organizations import mailbox
from latent.people import DOMAINS
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Array, strings

# One in ten gives a mailbox in a form that the company does not know: an older one, one at work, or
# that of whoever sits beside them. As many write their name in small letters. Chosen by eye.
OTHER_MAILBOX = 0.09
SMALL_LETTERS = 0.1
FORMS = {"{initial}{surname}": 0.35, "{given}{surname}": 0.25, "{surname}": 0.25, "{given}": 0.15}
DIGITS = 100


def form_entries(org: Org, account: Array, by_form: Array) -> dict[str, Array]:
    """The columns `as_known`, `as_called`, `in_small` and `typed_mail`, one row a case.

    The first three are rows of contacts or NONE: whose address was given as it is known, whose name
    was given as it is known, and whose in small letters. The last is another address, or empty.
    """
    rng = org.setting.stream("CaseStory", "forms")
    size = len(account)
    other = by_form & (account != NONE) & (rng.random(size) < OTHER_MAILBOX)
    small = by_form & (rng.random(size) < SMALL_LETTERS)
    mail = _mailboxes(org, account, other)
    other = mail != ""
    return {
        "as_known": np.where(other, NONE, account),
        "as_called": np.where(small, NONE, account),
        "in_small": np.where(small, account, NONE),
        "typed_mail": mail,
    }


def _mailboxes(org: Org, account: Array, other: Array) -> Array:
    """Another mailbox of each person, at a reserved domain; none that somebody else has."""
    rng = org.setting.stream("CaseStory", "mailboxes")
    people = org.table("Household.customers")
    taken = set(people["email"].tolist())
    size = len(account)
    forms, domains = labels(rng, FORMS, size), labels(rng, DOMAINS, size)
    numbers = rng.integers(1, DIGITS, size=size)
    found = [""] * size
    for row in np.flatnonzero(other).tolist():
        person = account[row]
        local = mailbox(
            str(forms[row]),
            people["given"][person],
            people["surname"][person],
            org.setting.country,
        )
        address = f"{local}{numbers[row]}@{domains[row]}"
        found[row] = "" if address in taken else address
    return strings(found)
