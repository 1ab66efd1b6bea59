"""What fails for many customers at once, and what is complained about for years."""

import numpy as np
import pytest

from latent.outages import outages_of
from pipeline.world.streams import stream
from pipeline.world.tables import NONE
from tests.trade_orgs import drawn_company


@pytest.mark.parametrize("name", ["saas", "utility"])
def test_an_outage_strikes_customers_of_one_category_within_days(name: str) -> None:
    """All write about one issue that may strike many, each once, and hang under one thread."""
    org = drawn_company(name)
    cases, links = org.table("ComplaintHabit.cases"), org.table("CaseLinks.cases")
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    category = org.table("Assortment.products")["category"][product]
    issues = org.table("Solution.issues")
    assert cases["outage"].max() >= 0
    for number in range(int(cases["outage"].max()) + 1):
        struck = cases["outage"] == number
        assert len(set(cases["issue"][struck])) == len(set(category[struck])) == 1
        assert issues["outage"][cases["issue"][struck]].all()
        assert len(set(cases["account"][struck])) == struck.sum()
        first, last = cases["created"][struck].min(), cases["created"][struck].max()
        assert last - first < np.timedelta64(8, "D")
        assert len(set(links["parent"][struck]) - {NONE}) <= 1


def test_outages_come_at_any_time_once_there_are_customers() -> None:
    """From the fifth month to two weeks before the end; each is as large as the trade says, but for
    the last one, and together they are no more than was asked for.
    """
    org = drawn_company("saas")
    fewest, most = org.setting.world.trade.contact.outages.cases
    made = list(outages_of(stream(1, "toy"), org, 5_000))
    issues = org.table("Solution.issues")["outage"]
    assert all(issues[outage.issue] for outage in made)
    days = np.array([outage.day for outage in made])
    first, last = org.setting.first_day + 120, org.setting.last_day - 14
    assert first <= days.min() < first + 60 and last - 60 < days.max() < last
    sizes = [outage.size for outage in made]
    assert all(fewest <= size <= most for size in sizes)
    assert 5_000 - fewest < sum(sizes) <= 5_000
    assert max(sizes) > most / 2 and np.median(sizes) < (fewest + most) / 2


@pytest.mark.parametrize("name", ["bank", "saas", "utility"])
def test_what_is_held_for_years_is_written_about_for_years(name: str) -> None:
    """Some cases come more than a year after the order, and none before it."""
    days = drawn_company(name).table("ComplaintHabit.cases")["days"]
    assert days.min() >= 0
    assert 0 < (days > 365).mean() < 0.3


def test_no_account_is_written_about_before_it_is_open() -> None:
    """The first case about an account comes on the day of its opening at the earliest."""
    org = drawn_company("bank")
    cases, accounts = org.table("ComplaintHabit.cases"), org.table("Holding.accounts")
    opened = dict(zip(accounts["item"].tolist(), accounts["opened"], strict=True))
    complains = cases["intent"] == "complaint"
    for item, created in zip(cases["item"][complains], cases["created"][complains], strict=True):
        assert created.astype("datetime64[D]") >= opened[int(item)]


def test_an_outage_of_the_fewest_is_one() -> None:
    """As many complaints as the smallest outage has make one, and fewer make none."""
    org = drawn_company("saas")
    fewest, _ = org.setting.world.trade.contact.outages.cases
    assert [outage.size for outage in outages_of(stream(1, "toy"), org, fewest)] == [fewest]
    assert list(outages_of(stream(1, "toy"), org, fewest - 1)) == []
