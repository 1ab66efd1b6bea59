"""What follows a case: reopenings, scores, links, notes, calls, articles and returns."""

import numpy as np
import pytest

from latent.local_time import to_local
from latent.reopening import Reopening
from latent.return_habit import TO_CHOOSE, TOO_LATE
from pipeline.world.tables import NONE
from tests.latent_orgs import SEEDS, drawn


@pytest.mark.parametrize("seed", SEEDS)
def test_a_case_is_reopened_by_its_customers_mail_and_closed_for_good_later(seed: int) -> None:
    """The first close lies between an agent's mail and the customer's, the last one behind both."""
    org = drawn(seed)
    cases, mails = org.table("CaseStory.cases"), org.table("CaseStory.messages")
    events = org.table("Reopening.events")
    wanted = round(cases["is_closed"].sum() * org.setting.world.trade.contact.reopened)
    assert 0 < events.size <= wanted
    assert len(set(events["case"])) == events.size
    for case, closed, reopened in zip(
        events["case"],
        events["closed"],
        events["reopened"],
        strict=True,
    ):
        own = mails["case"] == case
        before = own & (mails["at"] < closed)
        assert reopened in mails["at"][own & mails["incoming"]]
        assert not mails["incoming"][before][-1]
        assert not (own & (mails["at"] > closed) & (mails["at"] < reopened)).any()
        assert cases["created"][case] < closed < reopened < cases["closed"][case]
    flags = org.table("Reopening.cases")["reopened"]
    assert np.array_equal(np.flatnonzero(flags), np.sort(events["case"]))
    assert Reopening().draw(org)[1].size == events.size


@pytest.mark.parametrize("seed", SEEDS)
def test_only_closed_cases_have_a_score_from_one_to_five(seed: int) -> None:
    """The trade's share of the closed cases is answered, no open one."""
    org = drawn(seed)
    cases, given = org.table("CaseStory.cases"), org.table("Contentment.cases")
    answered = given["score"] != np.array(None)
    assert not (answered & ~cases["is_closed"]).any()
    wanted = cases["is_closed"].sum() * org.setting.world.trade.contact.surveyed
    assert answered.sum() == round(wanted)
    assert set(given["score"][answered]) <= {1, 2, 3, 4, 5}


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_comes_back_that_never_came(seed: int) -> None:
    """A refund for a parcel that got lost brings no return of its case."""
    org = drawn(seed)
    cases, returns = org.table("CaseStory.cases"), org.table("ReturnHabit.returns")
    never_came = org.table("Solution.issues")["never_came"]
    of_cases = returns["case"][returns["case"] != NONE]
    assert never_came.any()
    assert not never_came[cases["issue"][of_cases]].any()


@pytest.mark.parametrize("seed", SEEDS)
def test_linked_cases_came_before(seed: int) -> None:
    """A parent is a thread on the same product and issue, a case before of the same customer."""
    org = drawn(seed)
    cases, links = org.table("CaseStory.cases"), org.table("CaseLinks.cases")
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    child = np.flatnonzero(links["parent"] != NONE)
    parent = links["parent"][child]
    assert (parent < child).all()
    assert (product[parent] == product[child]).all()
    assert (cases["issue"][parent] == cases["issue"][child]).all()
    assert (links["parent"][parent] == NONE).all()
    assert (cases["channel"][parent] == "email").all()
    later = np.flatnonzero(links["before"] != NONE)
    before = links["before"][later]
    assert (before < later).all()
    assert (cases["account"][before] == cases["account"][later]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_parent_is_open_until_its_children_are_settled(seed: int) -> None:
    """Each child comes while its parent is open, and is closed before it where that is closed."""
    org = drawn(seed)
    cases, links = org.table("CaseStory.cases"), org.table("CaseLinks.cases")
    child = np.flatnonzero(links["parent"] != NONE)
    parent = links["parent"][child]
    settled = cases["is_closed"][parent]
    assert cases["is_closed"][child][settled].all()
    assert (cases["created"][child] <= cases["closed"][parent])[settled].all()
    assert (cases["closed"][child] <= cases["closed"][parent])[settled].mean() > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_work_on_a_case_lies_in_its_life_and_is_its_agents(seed: int) -> None:
    """Notes are of an owner, articles were published before, calls are done when they are due."""
    org = drawn(seed)
    cases = org.table("CaseStory.cases")
    owners = org.table("Routing.assignments")
    known = set(zip(owners["case"].tolist(), owners["agent"].tolist(), strict=True))
    for name in ("comments", "articles", "calls"):
        work = org.table(f"DeskWork.{name}")
        assert set(zip(work["case"].tolist(), work["agent"].tolist(), strict=True)) <= known
        assert (work["at"] >= cases["created"][work["case"]]).all()
    attached = org.table("DeskWork.articles")
    published = org.table("IssueSolution.articles")["published"][attached["article"]]
    assert (published <= attached["at"]).all()
    assert (attached["at"] <= cases["closed"][attached["case"]]).all()
    calls = org.table("DeskWork.calls")
    done = ~np.isnat(calls["done"])
    assert np.array_equal(done, calls["status"] == "Completed")
    assert (calls["done"][done].astype("datetime64[D]") >= calls["due"][done]).all()
    last_day = org.setting.last_day
    assert (calls["done"][done].astype("datetime64[D]") <= last_day).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_return_is_of_one_order_and_what_was_bought_comes_back_once(seed: int) -> None:
    """Lines are items of the return's order, a case opens its return when an agent arranges it."""
    org = drawn(seed)
    items, cases = org.table("ShoppingHabit.items"), org.table("CaseStory.cases")
    returns, lines = org.table("ReturnHabit.returns"), org.table("ReturnHabit.lines")
    assert set(lines["return"]) == set(range(returns.size))
    assert (items["order"][lines["item"]] == returns["order"][lines["return"]]).all()
    assert len(set(lines["item"])) == lines.size
    share = (returns["case"][lines["return"]] == NONE).sum() / items.size
    wanted = org.setting.world.trade.contact.returned
    assert 0.8 * wanted < share <= wanted + 0.001
    own = returns["case"] != NONE
    case = returns["case"][own]
    assert (returns["at"][own] == cases["settled"][case]).all()
    assert (returns["at"][own] <= cases["closed"][case]).all()
    assert (org.table("ReturnHabit.cases")["number"][case] == returns["number"][own]).all()
    totals = np.bincount(lines["return"], weights=lines["amount"])
    assert np.allclose(totals, returns["total"], atol=0.011)
    assert (returns["at"].astype("datetime64[D]") <= org.setting.last_day).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_parcel_comes_back_on_a_day_of_work_after_some_days(seed: int) -> None:
    """Returns are under way for three days to four weeks; none is received on a Sunday.

    Who gets a return opened by an agent hands the parcel in within eleven days.
    """
    returns = drawn(seed).table("ReturnHabit.returns")
    came = ~np.isnat(returns["received"]) & (returns["received"] != returns["at"])
    received = returns["received"][came]
    waits = (received - returns["at"][came]).astype("timedelta64[h]").astype(int) / 24
    unasked = returns["case"][came] == NONE
    assert 2.5 < waits.min() < 5
    assert waits[unasked].max() < 28 and waits[~unasked].max() < 28 + 11
    assert len(set(received.tolist())) > 0.95 * came.sum()
    assert set(((received.astype("datetime64[D]").astype(int) + 3) % 7).tolist()) <= set(range(6))


def test_what_was_bought_in_a_shop_is_mostly_brought_back_to_one() -> None:
    """It is taken in as it is brought; nothing that was shipped is, nor what an agent arranged."""
    brought = total = 0
    for seed in SEEDS:  # a company of this size has a handful of such returns
        org = drawn(seed)
        returns, orders = org.table("ReturnHabit.returns"), org.table("ShoppingHabit.orders")
        at_counter = returns["received"] == returns["at"]
        from_shop = orders["channel"][returns["order"]] == "Store"
        unasked = returns["case"] == NONE
        assert not at_counter[~from_shop].any() and not at_counter[~unasked].any()
        brought += int(at_counter.sum())
        total += int((from_shop & unasked).sum())
    assert 0.6 < brought / total < 0.95


def test_returns_are_asked_for_until_the_last_day() -> None:
    """None is later than the period, and the last day of it is a day like any other."""
    left = set()
    for seed in SEEDS:
        org = drawn(seed)
        asked = org.table("ReturnHabit.returns")["at"].astype("datetime64[D]")
        left.add(int((org.setting.last_day - asked.max()).astype(int)))
    assert min(left) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_called_off_is_never_handed_over(seed: int) -> None:
    """A few orders are, within days, and nobody complains of them or sends them back."""
    org = drawn(seed)
    orders, called_off = org.table("ShoppingHabit.orders"), org.table("ReturnHabit.orders")
    rows = np.flatnonzero(~np.isnat(called_off["cancelled"]))
    assert len(rows) == round(org.setting.world.trade.buying.cancelled * orders.size)
    assert not np.isin(rows, org.table("ReturnHabit.returns")["order"]).any()
    items, cases = org.table("ShoppingHabit.items"), org.table("CaseStory.cases")
    assert not np.isin(rows, items["order"][cases["item"][cases["item"] >= 0]]).any()
    days = (called_off["cancelled"][rows] - orders["placed"][rows].astype("datetime64[D]")).astype(
        int
    )
    assert ((days >= 0) & (days <= 4)).all() and "Store" not in orders["channel"][rows]


def test_calls_are_spread_over_the_working_week() -> None:
    """What falls on a weekend is not all pushed on to Monday, and nobody calls at weekends."""
    weekday = np.zeros(7, dtype=np.int64)
    for seed in SEEDS:  # a company of this size makes a handful of calls
        org = drawn(seed)
        calls = org.table("DeskWork.calls")
        people = org.table("Workforce.people")
        made = ~np.isnat(calls["done"])
        zones = people["zone"][calls["agent"][made]]
        local = to_local(calls["done"][made], zones).astype("datetime64[D]")
        weekday += np.bincount((local.astype(int) + 3) % 7, minlength=7)
    assert weekday.sum() > 50
    assert not weekday[5:].any() and weekday[0] < 0.4 * weekday.sum()


def test_returns_are_of_few_orders() -> None:
    """Much of few orders goes back."""
    shares, by_line = [], []
    for seed in SEEDS:
        org = drawn(seed)
        returns, lines = org.table("ReturnHabit.returns"), org.table("ReturnHabit.lines")
        items, orders = org.table("ShoppingHabit.items"), org.table("ShoppingHabit.orders")
        shares.append(len(np.unique(returns["order"])) / orders.size)
        # Were each line sent back by itself, so many orders would have one at least.
        one = 1 - (1 - lines.size / items.size) ** np.bincount(items["order"])
        by_line.append(one.mean())
    assert np.mean(shares) < 0.93 * np.mean(by_line)


@pytest.mark.parametrize("seed", SEEDS)
def test_returns_are_taken_in_on_working_days(seed: int) -> None:
    """The warehouse is closed on Sundays and holidays."""
    org = drawn(seed)
    returns = org.table("ReturnHabit.returns")
    day = returns["received"].astype("datetime64[D]")
    came = ~np.isnat(day)
    assert not np.isin(day[came], org.table("ClosedDays.days")["day"]).any()
    parcels = day[came & (returns["received"] != returns["at"])]
    assert ((parcels.astype(int) + 3) % 7 != 6).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_why_something_comes_back_is_possible_for_its_order(seed: int) -> None:
    """Only a parcel is late, and only who ordered two of a kind wanted to choose."""
    org = drawn(seed)
    returns, items = org.table("ReturnHabit.returns"), org.table("ShoppingHabit.items")
    orders, products = org.table("ShoppingHabit.orders"), org.table("Assortment.products")
    shipped = {channel.name for channel in org.setting.world.trade.channels if channel.shipped}
    late = returns["order"][returns["reason"] == TOO_LATE]
    assert set(orders["channel"][late]) <= shipped
    for order in returns["order"][returns["reason"] == TO_CHOOSE]:
        kinds = products["category"][items["product"][items["order"] == order]]
        assert np.bincount(kinds).max() > 1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_case_was_touched_no_sooner_than_anything_in_its_history(seed: int) -> None:
    """Who takes a case or hands it on has changed it, whether anybody writes or not."""
    org = drawn(seed)
    touched = org.table("CaseStory.cases")["touched"]
    for name in ("CaseStory.history", "CaseTrail.rows"):
        rows = org.table(name)
        assert (touched[rows["case"]] >= rows["at"]).all()
        assert (np.diff(rows["at"]) >= np.timedelta64(0, "s")).all()
