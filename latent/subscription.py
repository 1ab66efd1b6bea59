"""Subscription: what becomes of a contract: its start and term, renewals, changes and its end.

It draws `customers` (loyalty), `products` (what the price is, term), `contracts` (start, term, end,
seats, monthly value, status, why it ended), `changes` (start, renewals, upgrades, downgrades and
cancellations, each with seats and monthly value before and after) and `readings` (what a meter
showed on a day).
It is drawn from the terms of the world's categories and ShoppingHabit: a line of an order that is
no draft is a contract, its quantity the seats. ComplaintHabit makes renewals less likely.
It drives the contracts and their changes. In a trade that sells no subscriptions its tables are
empty but for customers and products.
It knows nothing of how cases are handled.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.contract_moments import with_moments
from latent.readings import readings_table
from latent.statistics import correlation, difference, shares
from latent.subscription_draws import changes_table, contracts_table, terms_of
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Table, table

# Contracts whose first term has ended: was it renewed, how loyal is the customer, had it a case in
# that term? Read where the object types of subscription_services show them.
FIRST_TERMS = """
    FROM Contract c
    JOIN latent."Subscription.contracts" s ON s.Id = c.Id
    JOIN latent."Subscription.customers" l ON l.Id = c.AccountId
    WHERE s.renewals > 0 OR c.Status = 'Cancelled'
"""
RENEWED_AND_LOYALTY = f"SELECT s.renewals > 0, l.loyalty {FIRST_TERMS}"
RENEWED_AND_CASES = f"""
    SELECT
        EXISTS (
            SELECT 1
            FROM "Case" k
            WHERE k.OrderItemId__c = c.OrderItemId__c
            AND substr(k.CreatedDate, 1, 10) <= s.first_end
        ),
        s.renewals > 0
    {FIRST_TERMS}
"""
VALUE_AND_SEATS = """
    SELECT s.seats, c.MonthlyValue__c
    FROM Contract c
    JOIN latent."Subscription.contracts" s ON s.Id = c.Id
"""
SEATS_AFTER_CHANGES = """
    SELECT h.Type__c = 'Upgrade', h.MonthlyValueAfter__c - h.MonthlyValueBefore__c
    FROM ContractChange__c h
    WHERE h.Type__c IN ('Upgrade', 'Downgrade')
"""


class Subscription:
    """Contracts and their changes."""

    name = "Subscription"
    reads: tuple[str, ...] = (
        "Assortment",
        "ClosedDays",
        "Household",
        "ShoppingHabit",
        "ComplaintHabit",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "customers": ("Id", "loyalty"),
        "products": ("Id", "charge", "unit", "months"),
        "contracts": (
            "Id",
            "item",
            "account",
            "product",
            "start",
            "months",
            "first_end",
            "end",
            "renewals",
            "status",
            "auto_renewed",
            "seats",
            "seats_now",
            "volume",
            "metered",
            "first_value",
            "value",
            "cancelled",
            "reason",
            "touched",
        ),
        "changes": (
            "Id",
            "contract",
            "kind",
            "day",
            "seats_before",
            "seats_after",
            "value_before",
            "value_after",
            "at",
        ),
        "readings": ("Id", "contract", "day", "kind", "reading", "at"),
    }
    drives = ("Product2.ChargeType__c", "Contract", "ContractChange__c")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Nothing where no subscriptions are sold; else a contract a line that isn't a draft."""
        terms = terms_of(org)
        rng = org.setting.stream("Subscription", "customers")
        spread = org.setting.world.trade.renewal.loyalty
        loyalty = np.round(spread * rng.normal(size=org.setting.count("Account")), 3)
        contracts, steps = contracts_table(org, terms, loyalty)
        contracts, changes = with_moments(org, contracts, changes_table(steps))
        return (
            table(
                "Subscription.customers",
                {"Id": "Account"},
                Id=np.arange(len(loyalty)),
                loyalty=loyalty,
            ),
            table(
                "Subscription.products",
                {"Id": "Product2"},
                Id=np.arange(len(terms.months)),
                charge=terms.charge,
                unit=terms.unit,
                months=terms.months,
            ),
            contracts,
            changes,
            readings_table(org, contracts),
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Loyalty and complaints against renewals, seats against value, changes of value."""
        loyalty = org.execute(RENEWED_AND_LOYALTY).fetchall()
        cases = org.execute(RENEWED_AND_CASES).fetchall()
        value = org.execute(VALUE_AND_SEATS).fetchall()
        changes = org.execute(SEATS_AFTER_CHANGES).fetchall()
        return (
            difference(self.name, "loyal customers renew", "loyalty", loyalty),
            shares(self.name, "who complained renews less often", cases, sign=-1),
            correlation(self.name, "more seats are worth more a month", value),
            difference(self.name, "an upgrade raises the monthly value", "dollars", changes),
        )
