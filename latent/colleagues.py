"""The people of a customer who is a firm: who signed up, and colleagues who came later.

A part of CustomerFile. Where the trade's customers act for firms (`buying.roles`), some firms have
more contacts than one. Knows no orders and no cases: who signed up writes to the desk.
"""

import numpy as np

from latent.draws import labels, only
from latent.organizations import OWN_DOMAIN, mailbox
from latent.people import People, draw_people
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, objects, strings, table

# How many colleagues of a small firm are on file beside who signed up, by eye: of firms of up to
# twenty people half show one name, and few more than three.
COLLEAGUES = {"0": 0.52, "1": 0.27, "2": 0.13, "3": 0.06, "4": 0.02}

# A colleague is added when there is a reason to, within some months of the firm's own first day.
ADDED_AFTER_DAYS = 150.0
# Office hours from coast to coast, in UTC.
ADDED_BETWEEN = (14.0, 23.0)

# Colleagues are of working age, and are called at the firm's number or at their own; by eye.
BORN = (1958, 2001)
TITLE_KNOWN = 0.75
FIRMS_NUMBER_KNOWN = 0.55

# What stands before the @ of colleagues, by turns.
IN_THE_FIRM = ("{given}", "{given}.{surname}", "{initial}{surname}")

COPIED = ("given", "surname", "email", "home_phone", "mobile", "title", "lead_source")
ADDRESS_PARTS = ("street", "city", "state", "postal", "country")


def contacts_table(org: Org, customers: Table) -> Table:
    """`CustomerFile.contacts`: a row for each customer, in their order, then their colleagues."""
    setting = org.setting
    rng = setting.stream("CustomerFile", "colleagues")
    people = org.table("Household.customers")
    since = org.table("ShoppingHabit.customers")["since"].astype("datetime64[s]")
    firms = np.repeat(np.arange(customers.size), _numbers(rng, setting, customers.size))
    added = _added(rng, setting, since[firms])
    order = np.lexsort((firms, added))
    firms = firms[order]
    added = added[order]
    own = {name: customers[name] for name in COPIED}
    own |= {"given": people["given"], "surname": people["surname"]}
    own |= {f"mailing_{part}": customers[f"mailing_{part}"] for part in ADDRESS_PARTS}
    own |= {"note": customers["contact_note"]}
    theirs = _fields(rng, setting, customers, firms)
    nothing = np.full(len(firms), None, dtype=object)
    columns = {}
    for name, values in own.items():
        columns[name] = np.concatenate([objects(list(values)), theirs.get(name, nothing)])
    return table(
        "CustomerFile.contacts",
        {"Id": "Contact", "account": "Account"},
        Id=np.arange(customers.size + len(firms)),
        account=np.concatenate([np.arange(customers.size), firms]),
        since=np.concatenate([since, added]),
        **columns,
    )


def _numbers(rng: Stream, setting: RunContext, size: int) -> Array:
    """How many colleagues each customer has: none where customers are private persons."""
    drawn = labels(rng, COLLEAGUES, size).astype(np.int64)
    return drawn if setting.world.trade.buying.roles else np.zeros(size, dtype=np.int64)


def _added(rng: Stream, setting: RunContext, since: Array) -> Array:
    """When each colleague was added: on a working day behind the firm's first one, or never."""
    waited = np.ceil(rng.exponential(ADDED_AFTER_DAYS, size=len(since)))
    day = since.astype("datetime64[D]") + waited.astype("timedelta64[D]")
    last = np.busday_offset(setting.last_day, 0, roll="backward")
    day = np.minimum(np.busday_offset(day, 0, roll="forward"), last)
    seconds = np.round(rng.uniform(*ADDED_BETWEEN, size=len(since)) * 3600)
    moment = day.astype("datetime64[s]") + seconds.astype("timedelta64[s]")
    # Where the firm came on the last day itself, its people came with it.
    return np.asarray(np.maximum(moment, since))


def _fields(rng: Stream, setting: RunContext, customers: Table, firms: Array) -> dict[str, Array]:
    """What is on file of colleagues."""
    born = rng.integers(*BORN, size=len(firms))
    names = setting.own_stream("CustomerFile", "colleagues")
    people = draw_people(names, setting.country, born)
    buying = setting.world.trade.buying
    roles = buying.colleague_roles or buying.roles or ("",)
    titles = strings(list(roles))[rng.integers(len(roles), size=len(firms))]
    number_known = rng.random(len(firms)) < FIRMS_NUMBER_KNOWN
    return {
        "given": objects(list(people.given)),
        "surname": objects(list(people.surname)),
        "email": _mailboxes(setting, people, customers, firms),
        "home_phone": only(number_known, customers["phone"][firms]),
        "title": only(rng.random(len(firms)) < TITLE_KNOWN, titles),
    }


def _mailboxes(setting: RunContext, people: People, customers: Table, firms: Array) -> Array:
    """Their mail addresses, with a number where somebody has the same one.

    Where the firm has a domain of its own its people write from there.
    """
    taken = set(customers["email"].tolist())
    found: list[str | None] = []
    for row, firm in enumerate(customers["email"][firms].tolist()):
        local, _, domain = str(people.email[row]).partition("@")
        shared = str(firm or "").partition("@")[2]
        if shared.endswith(OWN_DOMAIN):
            form = IN_THE_FIRM[row % len(IN_THE_FIRM)]
            local = mailbox(
                form,
                people.given[row],
                people.surname[row],
                setting.country,
            )
            domain = shared
        free = setting.mailbox(f"{local}@{domain}")
        number = 2
        while free in taken:
            free = setting.mailbox(f"{local}{number}@{domain}")
            number = number + 1
        taken.add(free)
        found.append(free)
    return objects(found)
