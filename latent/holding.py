"""Holding: what becomes of an application at a bank, and of the account that it opens.

It draws `market` (the market's rate, month by month), `customers` (credit score at the beginning,
wealth, which grows with age, and when and by whom the customer was put on file), `products` (what
the price is, rate, term), `applications` (submitted, decided, how), `accounts` (opened, rate,
limit, balance, closing) and `statements` (balance at each quarter's end).
It is drawn from the terms of the world's categories and ShoppingHabit: an order's line is an
application that was granted, or that is still looked at where the order is a draft. Declined and
withdrawn ones are added; they never became orders. ComplaintHabit hastens closing, and Workforce
says who enters what.
It drives the applications, the accounts and the statements, and since when there are customers.
In a trade that opens no accounts its tables are empty but for the market, customers and products.
It knows nothing of how cases are handled.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.account_terms import AccountTerms, market_path, terms_of
from latent.ages import ages_on
from latent.applications import applications_table, came_with
from latent.credit_scores import usual_scores
from latent.holding_balances import statements_table
from latent.holding_draws import accounts_table
from latent.record_owners import account_creators
from latent.statistics import correlation, difference
from latent.variable import Effect
from latent.workforce import integration_user
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, table

# How far wealth follows from age: a correlation. Chosen by eye after surveys of savings.
WEALTH_BY_AGE = 0.45

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
WEALTH_AND_DEPOSITS = """
    SELECT c.wealth, a.OpeningAmount__c
    FROM Asset a
    JOIN latent."Holding.accounts" h ON h.Id = a.Id
    JOIN latent."Holding.customers" c ON c.Id = a.AccountId
    WHERE h.holds = 'deposit'
"""
SCORES_AND_LIMITS = """
    SELECT c.score, a.CreditLimit__c
    FROM Asset a
    JOIN latent."Holding.customers" c ON c.Id = a.AccountId
    WHERE a.CreditLimit__c IS NOT NULL
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
    reads: tuple[str, ...] = (
        "Assortment",
        "ClosedDays",
        "Household",
        "ShoppingHabit",
        "ComplaintHabit",
        "Workforce",
    )
    tables: Mapping[str, tuple[str, ...]] = {
        "market": ("month", "rate"),
        "customers": ("Id", "score", "wealth", "since", "creator"),
        "products": ("Id", "holds", "charge", "unit", "margin", "months"),
        "applications": (
            "Id",
            "account",
            "product",
            "item",
            "submitted",
            "ordered",
            "decided",
            "status",
            "reason",
            "score",
            "asked_score",
            "amount",
            "creator",
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
            "touched",
        ),
        "statements": ("Id", "holding", "day", "balance", "change"),
    }
    drives = (
        "Product2.ChargeType__c",
        "Account.CreatedDate",
        "Application__c",
        "Asset",
        "Statement__c",
    )
    references: Mapping[str, str] = {"creator": "User"}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """Nothing where the trade opens no accounts; else one account a line that isn't a draft."""
        setting = org.setting
        terms = terms_of(org)
        rng = setting.stream("Holding", "customers")
        mean, spread = setting.world.trade.opening.score
        score = usual_scores(rng, mean, spread, setting.count("Account"))
        wealth = _wealth(org)
        months, market = market_path(org)
        applications = applications_table(org, terms, score, wealth)
        opened = accounts_table(org, terms, market, applications)
        accounts, statements = statements_table(org, opened)
        return (
            table("Holding.market", month=months, rate=market),
            _customers(org, score, wealth, applications),
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
        deposits = org.execute(WEALTH_AND_DEPOSITS).fetchall()
        limits = org.execute(SCORES_AND_LIMITS).fetchall()
        return (
            correlation(self.name, "rates follow the market's rate of their month", rates),
            correlation(self.name, "a lower score pays more over the market", margins, sign=-1),
            difference(self.name, "credit is declined at lower scores", "score", decisions, -1),
            difference(self.name, "deposits grow while loans are paid off", "dollars", balances),
            correlation(self.name, "the wealthy lay by more", deposits),
            correlation(self.name, "a higher score is lent more", limits),
        )


def _wealth(org: Org) -> Array:
    """What each customer has to lay by, in deviations from the mean: more in later years."""
    rng = org.setting.stream("Holding", "wealth")
    born = org.table("Household.customers")["born"]
    ages = ages_on(born, org.setting.last_day)
    spread = max(float(ages.std()), 1.0)
    older = (ages - ages.mean()) / spread
    chance = np.sqrt(1 - WEALTH_BY_AGE**2)
    return np.asarray(WEALTH_BY_AGE * older + chance * rng.normal(size=len(ages)))


def _customers(org: Org, score: Array, wealth: Array, applications: Table) -> Table:
    """Score and wealth of each, when the account was made, and by whom."""
    since = came_with(org, applications)
    came = org.table("ShoppingHabit.customers")["since"]
    # What an application has brought about days before the order was made by the web site.
    that_day = since.astype("datetime64[D]") == came.astype("datetime64[D]")
    return table(
        "Holding.customers",
        {"Id": "Account", "creator": "User"},
        Id=np.arange(len(score)),
        score=score,
        wealth=np.round(wealth, 3),
        since=since,
        creator=np.where(that_day, account_creators(org), integration_user(org)),
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
