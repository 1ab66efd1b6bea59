"""Holding: what becomes of an application at a bank, and of the account that it opens.

It draws `market` (the market's rate, month by month), `customers` (credit score at
the beginning), `products` (what
the price is, rate, term), `applications` (submitted, decided, how), `accounts` (opened, rate,
limit, balance, closing) and `statements` (balance at each quarter's end).
It is drawn from the terms of the world's categories and ShoppingHabit: an order's line is an
application that was granted, or that is still looked at where the order is a draft. Declined and
withdrawn ones are added; they never became orders. ComplaintHabit hastens closing.
It drives the applications, the accounts and the statements. In a trade that opens no accounts its
tables are empty but for the market, customers and products.
It knows nothing of how cases are handled.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.account_terms import AccountTerms, market_path, terms_of
from latent.applications import applications_table
from latent.credit_scores import usual_scores
from latent.holding_balances import statements_table
from latent.holding_draws import accounts_table
from latent.statistics import correlation, difference
from latent.variable import Effect
from pipeline.world.org import Org
from pipeline.world.tables import Table, table

# Effects are read where the object types of financial_services show them.
RATES_AND_MARKET = """
    SELECT m.rate, a.InterestRate__c
    FROM Asset a
    JOIN latent."Holding.market" m ON m.month = substr(a.InstallDate, 1, 7)
    WHERE a.InterestRate__c IS NOT NULL
"""
RATES_AND_SCORES = """
    SELECT c.score, a.InterestRate__c - m.rate
    FROM Asset a
    JOIN latent."Holding.accounts" h ON h.Id = a.Id
    JOIN latent."Holding.customers" c ON c.Id = a.AccountId
    JOIN latent."Holding.market" m ON m.month = substr(a.InstallDate, 1, 7)
    WHERE h.holds = 'loan'
"""
DECISIONS_AND_SCORES = """
    SELECT a.Status__c = 'Declined', c.score
    FROM Application__c a
    JOIN latent."Holding.customers" c ON c.Id = a.AccountId__c
    JOIN latent."Holding.products" p ON p.Id = a.Product2Id__c
    WHERE a.Status__c IN ('Approved', 'Declined') AND p.holds IN ('loan', 'line')
"""
BALANCES_BY_KIND = """
    SELECT h.holds = 'deposit', a.Balance__c - a.OpeningAmount__c
    FROM Asset a
    JOIN latent."Holding.accounts" h ON h.Id = a.Id
    WHERE a.Status = 'Open' AND h.holds IN ('deposit', 'loan')
"""


class Holding:
    """Applications, the accounts that they open, and what is in them."""

    name = "Holding"
    reads: tuple[str, ...] = ("Assortment", "ShoppingHabit", "ComplaintHabit")
    tables: Mapping[str, tuple[str, ...]] = {
        "market": ("month", "rate"),
        "customers": ("Id", "score"),
        "products": ("Id", "holds", "charge", "unit", "margin", "months"),
        "applications": (
            "Id",
            "account",
            "product",
            "item",
            "submitted",
            "decided",
            "status",
            "reason",
            "score",
            "amount",
        ),
        "accounts": (
            "Id",
            "item",
            "account",
            "product",
            "application",
            "holds",
            "opened",
            "matures",
            "last",
            "closed",
            "status",
            "reason",
            "rate",
            "limit",
            "months",
            "opening",
            "use",
            "balance",
        ),
        "statements": ("Id", "holding", "day", "balance", "change"),
    }
    drives = ("Product2.ChargeType__c", "Application__c", "Asset", "Statement__c")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Nothing where the trade opens no accounts; else one account a line that isn't a draft."""
        setting = org.setting
        terms = terms_of(org)
        rng = setting.stream("Holding", "customers")
        mean, spread = setting.world.trade.opening.score
        score = usual_scores(rng, mean, spread, setting.count("Account"))
        months, market = market_path(org)
        applications = applications_table(org, terms, score)
        opened = accounts_table(org, terms, market, applications)
        accounts, statements = statements_table(org, opened)
        return (
            table("Holding.market", month=months, rate=market),
            table("Holding.customers", {"Id": "Account"}, Id=np.arange(len(score)), score=score),
            _products(terms),
            applications,
            accounts,
            statements,
        )

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """The market and the score against rates, the score against decisions, balances."""
        rates = org.execute(RATES_AND_MARKET).fetchall()
        margins = org.execute(RATES_AND_SCORES).fetchall()
        decisions = org.execute(DECISIONS_AND_SCORES).fetchall()
        balances = org.execute(BALANCES_BY_KIND).fetchall()
        return (
            correlation(self.name, "rates follow the market's rate of their month", rates),
            correlation(self.name, "a lower score pays more over the market", margins, sign=-1),
            difference(self.name, "credit is declined at lower scores", "score", decisions, -1),
            difference(self.name, "deposits grow while loans are paid off", "dollars", balances),
        )


def _products(terms: AccountTerms) -> Table:
    return table(
        "Holding.products",
        {"Id": "Product2"},
        Id=np.arange(len(terms.holds)),
        holds=terms.holds,
        charge=terms.charge,
        unit=terms.unit,
        margin=terms.margin,
        months=terms.months,
    )
