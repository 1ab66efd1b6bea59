"""The balances of accounts: what is saved, owed, drawn or left at each quarter's end.

A part of Holding. Accounts come in as `latent.holding_draws` opened them; it draws how a balance
moves, and nothing else. Knows nothing of how statements show in a CRM.
"""

import numpy as np

from latent.account_terms import DAY, DEPOSIT, LINE, LOAN, MONTHS_A_QUARTER, MONTHS_A_YEAR, numbers
from latent.draws import walk
from latent.elapsed import DAYS_A_YEAR
from latent.holding_draws import LOWEST_RATE, PERCENT
from pipeline.world.org import Org
from pipeline.world.streams import Stream
from pipeline.world.tables import NONE, Array, Table, table

DAYS_A_MONTH = 30.44

# A deposit grows by an eighth a year beside its interest, give or take a twelfth a quarter; what is
# drawn of a line varies by a quarter. Chosen by eye.
DEPOSIT_GROWTH = 0.12
DEPOSIT_NOISE = 0.08
LINE_NOISE = 0.25


def statements_table(org: Org, accounts: Table) -> tuple[Table, Table]:
    """The accounts with their balance, and `Holding.statements`: a balance a quarter's end.

    The balance is that of the period's last day, 0 for an account that is closed.
    """
    rng = org.setting.stream("Holding", "statements")
    row, day, closing = _dates(accounts)
    decimals = org.setting.country.currency.decimals
    balance = np.round(_balances(rng, accounts, row, day), decimals)
    _settle_last_days(accounts, balance, row, day, closing)
    change = np.round(balance - _balances_before(accounts, balance, row), decimals)
    kept = np.ones(len(row), dtype=bool)
    kept[closing] = False
    # They are written for all accounts on one day.
    written = np.flatnonzero(kept)
    written = written[np.argsort(day[written], kind="stable")]
    statements = table(
        "Holding.statements",
        {"Id": "Statement__c", "holding": "Asset"},
        Id=np.arange(len(written)),
        holding=row[written],
        day=day[written],
        balance=balance[written],
        change=change[written],
    )
    columns = {
        **accounts.columns,
        "balance": balance[closing],
        "touched": _touched(accounts, row[written], day[written]),
    }
    with_balance = Table(accounts.name, accounts.size, columns, accounts.references)
    return with_balance, statements


def _settle_last_days(
    accounts: Table, balance: Array, row: Array, day: Array, closing: Array
) -> None:
    """Sets the balances of the last days, in place: 0 where the account is closed.

    Each account's rows are its quarters' ends and then its last day; where that is the end of a
    quarter, too, its statement says what the account has.
    """
    before_last = closing - 1
    same_row = row[before_last] == row[closing]
    same_day = day[before_last] == day[closing]
    again = closing[same_row & same_day]
    balance[again] = balance[again - 1]
    is_open = accounts["status"] == "Open"
    balance[closing] = np.where(is_open, balance[closing], 0.0)


def _balances_before(accounts: Table, balance: Array, row: Array) -> Array:
    """What each account held at the row above, or when it was opened."""
    same_account = np.diff(row, prepend=NONE) == 0
    before: Array = np.where(same_account, np.roll(balance, 1), accounts["opening"][row])
    return before


def _touched(
    accounts: Table,
    row: Array,
    day: Array,
) -> Array:
    """The day on which each account's balance or status was set last; NaT before a first one."""
    latest = accounts["closed"].astype("datetime64[D]")
    np.fmax.at(latest, row, day)
    return np.asarray(latest)


def _dates(accounts: Table) -> tuple[Array, Array, Array]:
    """For each account the ends of its quarters and its last day.

    The account's row, the day, and where among these the last days stand.
    """
    first = _quarter(accounts["opened"])
    quarters = _quarter(accounts["last"] + DAY) - first
    number = quarters + 1
    row = np.repeat(np.arange(accounts.size), number)
    closing = np.cumsum(number) - 1
    begins = np.repeat(closing - quarters, number)
    place = np.arange(len(row)) - begins
    next_quarter = first[row] + place + 1
    next_month = (next_quarter * MONTHS_A_QUARTER).astype("datetime64[M]")
    day = next_month.astype("datetime64[D]") - DAY
    day[closing] = accounts["last"]
    return row, day, closing


def _quarter(days: Array) -> Array:
    """Quarters since 1970."""
    months = days.astype("datetime64[M]").astype(np.int64)
    return np.asarray(months // MONTHS_A_QUARTER)


def _balances(rng: Stream, accounts: Table, row: Array, day: Array) -> Array:
    """What is in the account, owed on it or drawn from it at the end of each day."""
    holds = accounts["holds"][row]
    opening = accounts["opening"][row]
    use = accounts["use"][row]
    limit = numbers(accounts["limit"])[row]
    term = numbers(accounts["months"])[row]
    rate = numbers(accounts["rate"])[row] / PERCENT
    elapsed = (day - accounts["opened"][row]).astype(float)
    years = elapsed / DAYS_A_YEAR
    noise = rng.normal(size=len(row))
    months = np.maximum(term, 1)
    monthly = rate / MONTHS_A_YEAR
    share_owed = _owed(monthly, months, elapsed / DAYS_A_MONTH)
    owed = opening * share_owed
    drawn_share = use * (1 + LINE_NOISE * noise)
    drawn = limit * np.clip(drawn_share, 0, 1)
    steady = DEPOSIT_GROWTH * elapsed / DAYS_A_YEAR
    saved = steady + DEPOSIT_NOISE * walk(noise, row)
    interest = rate * elapsed / DAYS_A_YEAR
    # Nobody pays into a deposit with a term.
    growth = interest + np.where(term > 0, 0.0, saved)
    deposit = opening * np.exp(growth)
    spent = np.minimum(years, 1) * (1 - use)
    prepaid = opening * (1 - spent)
    kinds = [holds == LOAN, holds == LINE, holds == DEPOSIT]
    return np.select(kinds, [owed, drawn, deposit], prepaid)


def _owed(monthly: Array, months: Array, elapsed: Array) -> Array:
    """The share of a loan that is owed after some of its equal monthly payments."""
    paid = np.minimum(np.floor(elapsed), months)
    factor = 1 + np.maximum(monthly, LOWEST_RATE / PERCENT)
    whole = factor**months
    still_owed = whole - factor**paid
    return np.asarray(still_owed / (whole - 1))
