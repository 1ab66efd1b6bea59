"""In whose name the CRM holds accounts and orders, and who made the accounts.

A part of CustomerFile. An account belongs to somebody of the department that owns accounts, where
the trade names one (`buying.owned_by`); else to whoever entered the customer's last order by hand
and is still there; else to what connects the shop and the CRM. An order belongs to whoever entered
it, while they are there. Knows nothing of cases, which have owners of their own.
"""

import numpy as np

from latent.draws import pick
from latent.workers import AUTOMATED, MEMBER, SERVICE_KINDS, SYSTEM
from latent.workforce import integration_user
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table

# Records of customers are made by what connects shop and CRM, not by people who answer mails.
FIRST_OWNER = 0.8


def account_owners(rng: Stream, org: Org, size: int) -> Array:
    """The user who owns each account."""
    people = org.table("Workforce.people")
    owners = _connecting(rng, people, size)
    department = org.setting.world.trade.buying.owned_by
    staff = np.flatnonzero((people["department"].astype(str) == department) & _there(people))
    if department and len(staff):
        shared = org.setting.stream("CustomerFile", "owners").integers(len(staff), size=size)
        owners = staff[shared]
    orders = org.table("ShoppingHabit.orders")
    sells = people["department"].astype(str) == department if department else _by_hand(people)
    entered = np.flatnonzero((sells & np.isnat(people["left"]))[orders["creator"]])
    # Orders stand in the order in which they were placed: of several the last one counts.
    owners[orders["account"][entered]] = orders["creator"][entered]
    return owners


def account_creators(org: Org) -> Array:
    """The user who made each account: who entered its first order, if that was when it came."""
    customers = org.table("ShoppingHabit.customers")
    orders = org.table("ShoppingHabit.orders")
    creators = np.full(customers.size, integration_user(org))
    # Orders stand in the order in which they were placed: of several the first one counts.
    account, first = np.unique(orders["account"], return_index=True)
    since = customers["since"][account]
    came = since.astype("datetime64[D]") == orders["day"][first]
    came &= ~customers["imported"][account]
    creators[account[came]] = orders["creator"][first[came]]
    return creators


def order_owners(org: Org, accounts: Array) -> Array:
    """The user who owns each order: who entered it, or the account's owner where they have left."""
    people = org.table("Workforce.people")
    orders = org.table("ShoppingHabit.orders")
    stays = np.isnat(people["left"])[orders["creator"]]
    return np.asarray(np.where(stays, orders["creator"], accounts[orders["account"]]))


def _there(people: Table) -> Array:
    """Who is a member of a department and has not left."""
    return np.asarray((people["kind"] == MEMBER) & np.isnat(people["left"]))


def _by_hand(people: Table) -> Array:
    """Who enters orders for customers, and so knows them; not who works on cases."""
    return np.asarray((people["kind"] != SYSTEM) & ~_serves(people))


def _serves(people: Table) -> Array:
    """Who works on cases."""
    return np.isin(people["kind"].astype(str), sorted(SERVICE_KINDS))


def _connecting(rng: Stream, people: Table, size: int) -> Array:
    """For each record what connects shop and CRM, mostly the first of such users.

    Where there is no such user, somebody who serves nobody is taken.
    """
    # The program in whose name the CRM acts owns nothing that people work with.
    acts_itself = people["given_first"] == AUTOMATED[0]
    systems = np.flatnonzero((people["kind"] == SYSTEM) & ~acts_itself)
    others = np.flatnonzero(~_serves(people))
    users = systems if len(systems) else others
    if not len(users):
        users = np.arange(people.size)[-1:]
    weights = np.full(len(users), 1 - FIRST_OWNER)
    weights[0] = FIRST_OWNER
    return np.asarray(users[pick(rng, np.tile(weights, (size, 1)))])
