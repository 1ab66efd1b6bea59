"""Complaints: about which items, how soon, by which channel, with and without weak products."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.complaint_habit import ComplaintHabit
from latent.complaints import shipped_orders, struck
from latent.local_time import to_local
from latent.solution import possible
from pipeline.world.org import Org
from pipeline.world.tables import Table
from schemas.errors import BadInput
from tests.latent_orgs import SEEDS, drawn, part_of, setting_with, with_columns
from tests.trade_orgs import drawn_company

PRODUCTS = st.lists(st.integers(0, 5), max_size=30)


def without_defects(org: Org) -> Org:
    """The same org, in which no weak product was ever sold."""
    defects = org.table("ProductDefect.defects")
    unsold = np.full(defects.size, org.table("Assortment.products").size)
    return part_of(org, with_columns(defects, product=unsold))


def cases_of(org: Org) -> Table:
    """The cases that are drawn from an org's tables."""
    return ComplaintHabit().draw(org)[1]


@settings(max_examples=200, deadline=None)
@given(products=PRODUCTS, weak=PRODUCTS)
def test_a_defect_strikes_every_item_of_its_product(products: list[int], weak: list[int]) -> None:
    """All pairs of an item and a defect of the same product, the first rows of both included."""
    item, defect = struck(np.array(products, dtype=np.int64), np.array(weak, dtype=np.int64))
    wanted = []
    for defect_row, bad in enumerate(weak):
        for item_row, product in enumerate(products):
            if bad == product:
                wanted.append((item_row, defect_row))
    assert list(zip(item.tolist(), defect.tolist(), strict=True)) == wanted
    assert item.dtype == defect.dtype == np.int64


@pytest.mark.parametrize("seed", SEEDS)
def test_where_nothing_weak_was_sold_all_complaints_are_ordinary(seed: int) -> None:
    """Without a sold weak product there are as many cases, none of them about a defect."""
    org = without_defects(drawn(seed))
    cases = cases_of(org)
    assert cases.size == org.setting.counts["Case"]
    assert len(set(cases["item"])) == cases.size


@pytest.mark.parametrize("seed", SEEDS)
def test_many_cases_are_about_defects_in_their_months(seed: int) -> None:
    """Many cases are of a weak product, its issue and its months; hardly more than two in three."""
    org = drawn(seed)
    cases, defects = org.table("ComplaintHabit.cases"), org.table("ProductDefect.defects")
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    month = cases["created"].astype("datetime64[M]")
    struck_cases = np.zeros(cases.size, dtype=bool)
    for row in range(defects.size):
        first = defects["from_month"][row]
        inside = (month >= first) & (month <= first + int(defects["months"][row]))
        own = (product == defects["product"][row]) & (cases["issue"] == defects["issue"][row])
        struck_cases |= own & inside
    assert 0.1 < struck_cases.mean() < 0.72


@pytest.mark.parametrize("seed", SEEDS)
def test_an_item_is_complained_about_once_and_only_in_time(seed: int) -> None:
    """No item has two cases; its order is activated and at least ten days before the end."""
    org = drawn(seed)
    cases, orders = org.table("ComplaintHabit.cases"), org.table("ShoppingHabit.orders")
    order = org.table("ShoppingHabit.items")["order"][cases["item"]]
    assert len(set(cases["item"])) == cases.size
    assert (orders["status"][order] == "Activated").all()
    assert (orders["day"][order] <= org.setting.last_day - 10).all()
    assert np.array_equal(cases["account"], orders["account"][order])
    created_on = cases["created"].astype("datetime64[D]")
    assert np.array_equal(cases["days"], (created_on - orders["day"][order]).astype(int))
    assert (created_on <= org.setting.last_day).all()


def test_some_complaints_come_back_to_the_same_thing_where_nothing_is_sent_back() -> None:
    """About the same issue, two weeks after the first at least, and the later one names it."""
    org = drawn_company("saas")
    cases, links = org.table("ComplaintHabit.cases"), org.table("CaseLinks.cases")
    complains = np.flatnonzero(cases["intent"] == "complaint")
    _, first, number = np.unique(cases["item"][complains], return_inverse=True, return_counts=True)
    share = float((number > 1).sum() / len(complains))
    assert 0.01 < share < 0.04 and number.max() == 2
    twice = np.flatnonzero(number == 2)
    for item in twice.tolist():
        earlier, later = complains[first == item]
        assert cases["issue"][earlier] == cases["issue"][later]
        assert cases["created"][later] - cases["created"][earlier] > np.timedelta64(13, "D")
        assert links["before"][later] == earlier


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_writes_more_often_than_a_customer_who_stays_would(seed: int) -> None:
    """At most once more than there are orders, and than six times for each year since the first.

    A weak product that a handful bought has its complaints from them all the same.
    """
    org = drawn(seed)
    cases, orders = org.table("ComplaintHabit.cases"), org.table("ShoppingHabit.orders")
    defects = org.table("ProductDefect.defects")
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    usual = ~np.isin(product, defects["product"])
    for account, number in enumerate(np.bincount(cases["account"][usual])):
        own = orders["day"][orders["account"] == account]
        if number:
            years = (org.setting.last_day - own.min()).astype(float) / 365.25
            assert number <= 1 + min(len(own), 6 * years)


def test_a_complaint_fits_what_was_sold_and_how() -> None:
    """No parcel is lost in a shop and no slipper leaks, whether a defect or chance is behind it."""
    for seed in SEEDS:
        org = drawn(seed)
        cases, items = org.table("ComplaintHabit.cases"), org.table("ShoppingHabit.items")
        product = items["product"][cases["item"]]
        category = org.table("Assortment.products")["category_key"][product]
        shipped = shipped_orders(org)[items["order"][cases["item"]]]
        can = possible(org, category, shipped)
        assert can[np.arange(cases.size), cases["issue"]].all()


def test_bills_and_parcels_are_written_about_at_once_and_goods_much_later() -> None:
    """Goods fail after weeks, and no complaint about a parcel comes before the parcel can."""
    seen: dict[str, list[int]] = {}
    for seed in SEEDS:
        org = without_defects(drawn(seed))
        cases = cases_of(org)
        kinds = org.table("Solution.issues")["kind"][cases["issue"]]
        for kind in set(kinds):
            seen.setdefault(kind, []).extend(cases["days"][kinds == kind].tolist())
    contact = drawn(1).setting.world.trade.contact
    assert min(seen["billing"]) == 0
    assert min(seen["delivery"]) >= contact.arrival[0]
    assert np.mean(np.array(seen["billing"]) <= 3) > 0.3
    assert np.median(seen["product"]) > 2 * np.median(seen["delivery"])
    assert max(max(seen["billing"]), max(seen["delivery"])) <= 360
    assert max(seen["product"]) <= contact.longest + 4


def test_customers_write_most_on_monday_and_least_at_the_weekend_by_day_and_by_night() -> None:
    """The week's beat and the hours of a day are those of the customer's own clock."""
    days: list[int] = []
    hours: list[int] = []
    for seed in SEEDS:
        cases = drawn(seed).table("ComplaintHabit.cases")
        local = to_local(cases["created"], cases["zone"])
        days += ((local.astype("datetime64[D]").astype(int) + 3) % 7).tolist()
        hours += (local.astype("datetime64[h]").astype(int) % 24).tolist()
    weekday = np.bincount(days, minlength=7)
    assert weekday.argmax() == 0
    assert 0.3 < weekday[5:].mean() / weekday[:5].mean() < 0.75
    assert 0 < np.mean(np.array(hours) < 6) < 0.08
    assert np.mean(np.array(hours) >= 18) > 0.2


@pytest.mark.parametrize("chats", [0, 1, 10])
def test_there_are_exactly_as_many_chats_as_asked_for_and_early_enough(chats: int) -> None:
    """Chats are as many as asked for, none in the period's last days while others are left."""
    org = drawn(1)
    cases = cases_of(part_of(org, setting=setting_with(LiveChatTranscript=chats)))
    chosen = cases["channel"] == "chat"
    assert chosen.sum() == chats
    created_on = cases["created"][chosen].astype("datetime64[D]")
    assert (created_on < org.setting.last_day - 1).all()


def test_every_case_may_be_a_chat() -> None:
    """As many chats as cases are possible, one more is refused."""
    org = drawn(1)
    cases = org.setting.counts["Case"]
    all_chats = cases_of(part_of(org, setting=setting_with(LiveChatTranscript=cases)))
    assert (all_chats["channel"] == "chat").all()
    with pytest.raises(BadInput, match="LiveChatTranscript"):
        cases_of(part_of(org, setting=setting_with(LiveChatTranscript=cases + 1)))


def test_more_cases_than_usable_items_are_refused() -> None:
    """Every usable item may have its case; one case more is refused with the number."""
    org = drawn(1)
    items, orders = org.table("ShoppingHabit.items"), org.table("ShoppingHabit.orders")
    active = orders["status"] == "Activated"
    usable = active & (orders["day"] <= org.setting.last_day - 10)
    most = int(usable[items["order"]].sum())
    setting = setting_with(Case=most, LiveChatTranscript=0)
    assert cases_of(part_of(org, setting=setting)).size == most
    setting = setting_with(Case=most + 1, LiveChatTranscript=0)
    with pytest.raises(BadInput, match=f"only {most} ordered items"):
        cases_of(part_of(org, setting=setting))


def test_customers_keep_their_tone_in_most_cases() -> None:
    """Seven of ten cases are in the customer's own tone, and no friendly person is ever angry."""
    own = []
    for seed in SEEDS:
        org = drawn(seed)
        cases, customers = org.table("ComplaintHabit.cases"), org.table("ComplaintHabit.customers")
        own.append((cases["tone"] == customers["tone"][cases["account"]]).mean())
        assert (cases["verbosity"] == customers["verbosity"][cases["account"]]).all()
        friendly = customers["tone"][cases["account"]] == "friendly"
        assert "angry" not in set(cases["tone"][friendly])
    assert 0.66 < np.mean(own) < 0.76


def test_nobody_is_angry_who_only_asks() -> None:
    """Praise is friendly, a question calm; who waits for news may be impatient, never furious."""
    cases = drawn_company("bank").table("ComplaintHabit.cases")
    tones = {name: set(cases["tone"][cases["intent"] == name]) for name in set(cases["intent"])}
    assert tones["praise"] == {"friendly"} and tones["question"] <= {"calm", "friendly"}
    assert "annoyed" in tones["status"] | tones["change"]
    assert not any("angry" in found for name, found in tones.items() if name != "complaint")


def test_nothing_is_overdue_on_the_day_of_the_order() -> None:
    """An issue that says how soon it can come up comes no sooner, and still on different days."""
    org = drawn(1)
    issues = org.table("Solution.issues")
    later = part_of(org, with_columns(issues, since=np.full(issues.size, 20)))
    cases = cases_of(without_defects(later))
    complaints = cases["days"][cases["intent"] == "complaint"]
    last_days = org.setting.last_day - np.timedelta64(20, "D")
    ordered = cases["created"].astype("datetime64[D]") - cases["days"].astype("timedelta64[D]")
    in_time = (ordered < last_days)[cases["intent"] == "complaint"]
    assert complaints[in_time].min() >= 20
    assert len(set(complaints[in_time].tolist()) & set(range(20, 40))) > 5


@pytest.mark.parametrize("seed", SEEDS)
def test_chats_begin_while_the_desk_is_open_by_its_own_clock(seed: int) -> None:
    """Wherever the customer lives, nobody chats before the first shift or behind the last one."""
    org = drawn(seed)
    cases = cases_of(org)
    chats = cases["created"][cases["channel"] == "chat"]
    zone = np.repeat(org.table("Workforce.hours")["zone"], len(chats))
    shown = to_local(chats, zone)
    hour = (shown - shown.astype("datetime64[D]")).astype(float) / 3600
    shifts = org.setting.world.trade.staff.shifts
    assert (hour >= min(shift.start for shift in shifts)).mean() > 0.98
    assert (hour <= max(shift.end for shift in shifts)).mean() > 0.98


def test_months_do_not_take_turns() -> None:
    """Of the last two years odd months have about as many cases as even ones."""
    odd = even = 0
    for seed in SEEDS:
        created = drawn(seed).table("ComplaintHabit.cases")["created"]
        months = created.astype("datetime64[M]").astype(int)
        late = months[months > months.max() - 24]
        odd += int((late % 2 == 1).sum())
        even += int((late % 2 == 0).sum())
    assert 0.85 < odd / even < 1.18


@pytest.mark.slow
def test_what_shows_at_once_is_told_of_soon() -> None:
    """Nobody finds out after half a year that shoes were never their size, but for a few."""
    org = drawn_company("shoes", scale=0.3)
    cases = org.table("ComplaintHabit.cases")
    within = org.table("Solution.issues")["within"][cases["issue"]]
    bounded = (within < 365) & (cases["intent"] == "complaint")
    assert bounded.any()
    # A weekday's patience comes on top; who bought long before stands in where nobody else is left.
    assert (cases["days"] <= within + 4)[bounded].mean() > 0.9


def test_who_sees_to_most_things_alone_writes_less() -> None:
    """Stores that sell on write less often about a pair than households do."""
    org = drawn_company("shoes", scale=0.3)
    segments = org.table("ShoppingHabit.customers")["segment"].astype(str)
    orders, items = org.table("ShoppingHabit.orders"), org.table("ShoppingHabit.items")
    buyers = segments[orders["account"][items["order"]]]
    writers = segments[org.table("ComplaintHabit.cases")["account"]]
    often = {name: (writers == name).sum() / (buyers == name).sum() for name in set(segments)}
    assert often["reseller"] < often["club"] < often["family"]
