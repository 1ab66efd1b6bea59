"""Holding: applications, the accounts that they open, rates, balances and closing."""

import numpy as np

from latent.account_terms import months_on
from latent.credit_scores import scores_then, usual_scores
from latent.holding_draws import last_cases
from latent.registry import LATENT
from pipeline.world.streams import stream
from pipeline.world.tables import NONE
from tests.latent_orgs import drawn
from tests.trade_orgs import drawn_company


def test_each_line_of_an_order_is_an_application_and_an_account() -> None:
    """Every line stands in one application; those of drafts are in review and have no account."""
    org = drawn_company("bank")
    items, orders = org.table("ShoppingHabit.items"), org.table("ShoppingHabit.orders")
    made, accounts = org.table("Holding.applications"), org.table("Holding.accounts")
    named = made["item"][made["item"] != NONE]
    assert sorted(named) == list(range(items.size))
    draft = orders["status"][items["order"]] == "Draft"
    assert sorted(accounts["item"]) == list(np.flatnonzero(~draft))
    assert set(made["status"][made["item"] == NONE]) == {"Declined", "Withdrawn"}


def test_nobody_applies_before_being_a_customer_or_is_served_before_the_decision() -> None:
    """Submission, decision and opening follow each other, within the period."""
    org = drawn_company("bank")
    made, accounts = org.table("Holding.applications"), org.table("Holding.accounts")
    submitted = made["submitted"].astype("datetime64[D]")
    decided = made["decided"]
    known = ~np.isnat(decided)
    assert (submitted[known] <= decided[known]).all()
    assert (submitted >= org.setting.first_day).all()
    assert (accounts["opened"] >= decided[accounts["application"]]).all()
    assert (accounts["opened"] <= org.setting.last_day).all()


def test_a_customer_is_on_file_from_the_first_application_on() -> None:
    """A new customer's loan takes as long as anybody's: the account is there since it was asked."""
    org = drawn_company("bank")
    made, customers = org.table("Holding.applications"), org.table("Holding.customers")
    since = customers["since"].astype("datetime64[s]")
    assert (since[made["account"]] <= made["submitted"]).all()
    assert (since <= org.table("ShoppingHabit.customers")["since"]).all()
    decided = made["decided"]
    category = org.table("Assortment.products")["category"]
    mortgages = org.table("Assortment.categories")["key"][category[made["product"]]] == "mortgage"
    submitted = made["submitted"].astype("datetime64[D]")
    granted = mortgages & (made["status"] == "Approved") & (submitted > org.setting.first_day)
    assert granted.any() and (decided[granted] > submitted[granted]).all()


def test_an_account_is_not_closed_while_a_case_about_it_is_fresh() -> None:
    """Who complains stays two weeks at least, unless the term ends by itself."""
    org = drawn_company("bank")
    accounts = org.table("Holding.accounts")
    last = last_cases(org)[accounts["item"]]
    by_customer = (accounts["status"] == "Closed") & ~np.isnat(last)
    assert (accounts["closed"][by_customer] > last[by_customer]).all()


def test_a_loan_is_paid_off_and_a_line_stays_within_its_limit() -> None:
    """What is owed on a loan only falls, and no more is drawn from a line than it allows."""
    org = drawn_company("bank")
    accounts, statements = org.table("Holding.accounts"), org.table("Holding.statements")
    holds = accounts["holds"][statements["holding"]]
    loans = holds == "loan"
    assert (statements["change"][loans] <= 0).all()
    lines = accounts["holds"] == "line"
    limit = np.array([value or 0 for value in accounts["limit"]], dtype=float)
    assert (accounts["balance"][lines] <= limit[lines]).all()


def test_a_statement_of_the_last_day_has_the_accounts_balance() -> None:
    """An open account whose last day ends a quarter has what its statement of that day says."""
    org = drawn_company("bank")
    accounts, statements = org.table("Holding.accounts"), org.table("Holding.statements")
    same_day = statements["day"] == accounts["last"][statements["holding"]]
    still_open = accounts["status"][statements["holding"]] == "Open"
    rows = np.flatnonzero(same_day & still_open)
    assert len(rows)
    assert (accounts["balance"][statements["holding"][rows]] == statements["balance"][rows]).all()


def test_a_score_is_asked_for_where_credit_is() -> None:
    """Who brings money is asked for none, and isn't declined for a low one."""
    org = drawn_company("bank")
    made, opening = org.table("Holding.applications"), org.setting.world.trade.opening
    unasked = np.array([score is None for score in made["asked_score"]])
    assert unasked.any() and (made["asked_score"][~unasked] == made["score"][~unasked]).all()
    assert not set(made["reason"][unasked]) & set(opening.low_score_reasons)


def test_a_closed_account_is_empty() -> None:
    """Only open accounts hold or owe something."""
    accounts = drawn_company("bank").table("Holding.accounts")
    assert (accounts["balance"][accounts["status"] != "Open"] == 0).all()


def test_a_shop_opens_no_accounts() -> None:
    """In another kind of trade there are neither applications nor accounts nor statements."""
    org = drawn(0)
    made = {table.name: table for table in LATENT["Holding"].draw(org)}
    names = ("Holding.applications", "Holding.accounts", "Holding.statements")
    assert [made[name].size for name in names] == [0, 0, 0]


def test_months_later_is_the_same_day_or_the_months_last() -> None:
    """A month after the end of January is the end of February."""
    days = np.array(["2021-01-31", "2021-03-15"], dtype="datetime64[D]")
    later = months_on(days, np.array([1, 12]))
    assert [str(day) for day in later] == ["2021-02-28", "2022-03-15"]


def test_a_credit_score_moves_between_applications() -> None:
    """By some twenty points a year; nobody's is a birthmark, and none is cut off at the highest."""
    rng = stream(1, "scores", "toy")
    usual = usual_scores(rng, 714, 72, 5_000)
    account = np.repeat(np.arange(5_000), 3)
    elapsed = np.tile([10.0, 375.0, 1105.0], 5_000)
    score = scores_then(rng, usual, account, elapsed).reshape(-1, 3)
    moved = np.diff(score, axis=1)
    assert (moved != 0).any(axis=1).mean() > 0.98
    assert 15 < moved[:, 0].std() < 30 < moved[:, 1].std() + 8
    assert score.max() <= 850 and (score == 850).mean() < 0.005
    assert np.corrcoef(score[:, 0], score[:, 2])[0, 1] > 0.8


def test_a_score_of_before_the_period_is_that_of_its_beginning() -> None:
    """Nobody's walk is known further back: the days before day 0 count for nothing."""
    usual, account = np.array([700.0, 640.0]), np.array([0, 1])
    days = (np.array([-400, -1]), np.array([0, 0]))
    before, begun = (scores_then(stream(5, "walk"), usual, account, each) for each in days)
    assert before.tolist() == begun.tolist()


def test_a_decline_gives_a_reason_that_fits_the_score() -> None:
    """A short history is no reason where the score is above the mean."""
    org = drawn_company("bank")
    made, opening = org.table("Holding.applications"), org.setting.world.trade.opening
    low = np.isin(made["reason"].astype(str), opening.low_score_reasons)
    assert low.any() and (made["score"][low] < opening.score[0]).all()


def test_loans_cost_more_than_the_market_and_deposits_are_on_no_sale() -> None:
    """Credit has most of its margin whatever the score; no promotion lowers a least deposit."""
    org = drawn_company("bank")
    accounts, market = org.table("Holding.accounts"), org.table("Holding.market")
    rates = dict(zip(market["month"].tolist(), market["rate"].tolist(), strict=True))
    credit = np.isin(accounts["holds"].astype(str), ["loan", "line"])
    then = np.array([rates[str(day)[:7]] for day in accounts["opened"][credit]])
    assert (accounts["rate"][credit].astype(float) > then + 1).all()
    items, products = org.table("ShoppingHabit.items"), org.table("Holding.products")
    deposit = products["charge"][items["product"]] == "Minimum Opening Deposit"
    assert deposit.any()
    assert (items["price"][deposit] == items["list_price"][deposit]).all()


def test_an_application_is_sent_before_its_order_and_refused_on_a_working_day() -> None:
    """Nobody orders what was not applied for; what somebody reads is decided from Monday on."""
    org = drawn_company("bank")
    made, items = org.table("Holding.applications"), org.table("ShoppingHabit.items")
    orders = org.table("ShoppingHabit.orders")
    granted = np.flatnonzero(made["item"] != NONE)
    order = items["order"][made["item"][granted]]
    assert (made["submitted"][granted] < orders["placed"][order].astype("datetime64[s]")).all()
    decided = made["decided"][granted]
    known = ~np.isnat(decided)
    assert (decided[known] <= orders["day"][order][known]).all()
    later = made["decided"] > made["submitted"].astype("datetime64[D]")
    refused = (made["status"] == "Declined") & later
    assert np.is_busday(made["decided"][refused].astype("datetime64[D]")).mean() > 0.9


def test_homes_are_bought_by_who_is_neither_too_young_nor_too_old() -> None:
    """What a category says of ages shows in who holds it."""
    org = drawn_company("bank")
    accounts, products = org.table("Holding.accounts"), org.table("Assortment.products")
    born = org.table("Household.customers")["born"][accounts["account"]]
    years = (accounts["opened"] - born.astype("datetime64[D]")).astype(int) / 365.25
    key = products["category_key"][accounts["product"]]
    assert years[key == "certificate"].mean() > years[key == "mortgage"].mean() + 4


def test_an_account_was_touched_by_its_last_statement_or_its_end() -> None:
    """Whatever sets a balance or a status changes the record."""
    org = drawn_company("bank")
    accounts, written = org.table("Holding.accounts"), org.table("Holding.statements")
    touched = accounts["touched"][written["holding"]]
    assert (touched >= written["day"]).all()
    closed = accounts["closed"].astype("datetime64[D]")
    assert (accounts["touched"][~np.isnat(closed)] == closed[~np.isnat(closed)]).all()


def test_what_is_laid_by_follows_wealth_and_what_is_lent_the_score() -> None:
    """A customer with much asks for much, and a good score for more credit, drawing less of it."""
    org = drawn_company("bank")
    accounts, customers = org.table("Holding.accounts"), org.table("Holding.customers")
    saved = accounts["holds"] == "deposit"
    amount = np.log(accounts["opening"][saved].astype(float))
    product = accounts["product"][saved]
    for row in np.unique(product):
        amount[product == row] -= amount[product == row].mean()
    wealth = customers["wealth"][accounts["account"][saved]]
    assert np.corrcoef(amount, wealth)[0, 1] > 0.2
    line = accounts["holds"] == "line"
    score = org.table("Holding.applications")["score"][accounts["application"][line]]
    assert np.corrcoef(accounts["use"][line].astype(float), score)[0, 1] < -0.2


def test_people_ask_for_round_sums() -> None:
    """Most loans are of whole thousands, and limits of whole five hundreds; few are odd fifties."""
    org = drawn_company("bank")
    made = org.table("Holding.applications")
    amounts = np.array([amount or 0 for amount in made["amount"]], dtype=float)
    large = amounts[amounts >= 10_000]
    assert (large % 1000 == 0).mean() > 0.6 and (large % 5000 == 0).mean() < 0.6
    assert (large % 500 == 0).all()
    limits = np.array([limit or 0 for limit in org.table("Holding.accounts")["limit"]], dtype=float)
    assert (limits[limits >= 2000] % 500 == 0).mean() > 0.6
