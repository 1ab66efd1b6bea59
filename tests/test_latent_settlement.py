"""What is arranged with a remedy: its day comes later, its sum is the price's, its size fits."""

from datetime import date

import numpy as np
import pytest

from latent.case_tables import TAKES_UP_DAY
from latent.settlement import WINDOWS, exceeds, is_resized, sums_back, told_of
from tests.latent_orgs import drawn, part_of, with_columns
from tests.tiers import THOROUGH, tried_on
from tests.trade_orgs import drawn_company
from verifiers.course import hours_of


def test_only_what_is_granted_has_facts() -> None:
    """Nothing is told of a remedy that nobody gets, and something of each that shoes have."""
    org = drawn(1)
    cases = org.table("CaseStory.cases")
    told = told_of(org, org.table("ComplaintHabit.cases"))
    for granted, kinds in zip(cases["granted"], told, strict=True):
        assert bool(kinds) == bool(granted)


def test_nobody_is_told_to_keep_what_was_only_charged_wrongly() -> None:
    """Who paid too much never asked to send the shoes back, but who was hurt by them hears it."""
    org = drawn(1)
    cases = org.table("ComplaintHabit.cases")
    billed = org.table("Solution.issues")["kind"][cases["issue"]] == "billing"
    kept = np.array(["keep" in kinds for kinds in told_of(org, cases)])
    assert billed.any() and kept.any()
    assert not (kept & billed).any()


def test_a_day_comes_after_the_arrangement_and_is_a_working_day() -> None:
    """Nobody ships on a Sunday, or before it is arranged; what goes back has ten days at least."""
    cases = drawn(1).table("CaseStory.cases")
    days = 0
    for due, back, settled in zip(cases["due"], cases["back_by"], cases["settled"], strict=True):
        if np.isnat(due):
            continue
        days += 1
        arranged = settled.astype("datetime64[D]")
        day: date = due.item()
        assert day.weekday() < 5 and due >= arranged - np.timedelta64(1, "D")
        assert np.isnat(back) or (back - arranged).astype(int) >= 9
    assert days > 50


def test_nothing_is_due_on_a_holiday_on_which_nobody_works() -> None:
    """What a shop promises for the day before Independence Day comes before or after it."""
    org = drawn(1)
    closed = org.table("ClosedDays.days")["day"]
    due = org.table("CaseStory.cases")["due"]
    assert len(closed) and not np.isin(due[~np.isnat(due)], closed).any()


@pytest.mark.parametrize("seed", [4, 6])
def test_a_day_that_is_told_has_not_come_yet(seed: int) -> None:
    """Who asks days later how much it is does not hear of a day that is over, nor does anybody say
    that such a day suits them.
    """
    org = drawn(seed)
    cases, mails = org.table("CaseStory.cases"), org.table("CaseStory.messages")
    told = 0
    for case, moment, beats in zip(mails["case"], mails["at"], mails["beats"], strict=True):
        due = cases["due"][case]
        takes_up = any(act in beats for act in TAKES_UP_DAY)
        if ("option.tell." in beats or takes_up) and not np.isnat(due):
            told += 1
            assert due >= moment.astype("datetime64[D]") - np.timedelta64(1, "D")
    assert told > 30


@THOROUGH
@pytest.mark.slow
@tried_on("company", ["saas", "bank"])
def test_whatever_is_told_of_a_remedy_was_arranged(company: str) -> None:
    """Who has left a chat in silence is told of a day as well as others: it has to be drawn."""
    # Few people leave in silence: there are some among so many chats.
    org = drawn_company(company, scale=0.8)
    cases, chats, turns = (org.table(f"CaseStory.{name}") for name in ("cases", "chats", "turns"))
    told = np.array(["option.tell." in beats for beats in turns["beats"]])
    # Some leave before what they are offered is set up, others after it was given.
    silent = ({"a.left", "a.gone"} & set(beats.split(",")) for beats in turns["beats"])
    left = np.array([bool(acts) for acts in silent])
    assert left.any()
    assert not np.isnat(cases["settled"][chats["case"][turns["chat"][told]]]).any()


def test_a_sum_is_told_where_money_goes_back() -> None:
    """A refund without a sum is told of by nobody."""
    org = drawn(1)
    told = told_of(org, org.table("ComplaintHabit.cases"))
    for kinds, back in zip(told, org.table("CaseStory.cases")["back"], strict=True):
        assert bool(back) or not {"refund", "credit"} & set(kinds)


@pytest.mark.parametrize("window", WINDOWS)
def test_a_window_has_two_hours(window: str) -> None:
    """Both ends can be held against what an agent writes."""
    assert len(hours_of(window)) == 2


def test_a_full_refund_is_the_price_and_a_partial_one_a_part_of_it() -> None:
    """What goes back is what was paid for the item, or the option's share of it."""
    org = drawn(1)
    cases = org.table("CaseStory.cases")
    paid = org.table("ShoppingHabit.items")["amount"]
    seen = set()
    columns = zip(cases["granted"], cases["item"].tolist(), cases["back"], strict=True)
    for granted, item, back in columns:
        if granted not in ("refund", "partial_refund"):
            continue
        seen.add(granted)
        share = 1.0 if granted == "refund" else 0.2
        told = float(str(back).removeprefix("$").replace(",", ""))
        assert told == pytest.approx(paid[item] * share, abs=0.01)
    assert "refund" in seen


def test_a_new_pair_comes_in_the_same_size_and_an_exchange_in_another() -> None:
    """Who gets another size gets half a size more or less, or a wider one."""
    org = drawn(1)
    cases = org.table("CaseStory.cases")
    sizes = org.table("ShoppingHabit.items")["size"]
    pieces = 0
    columns = zip(cases["granted"], cases["item"].tolist(), cases["piece"], strict=True)
    for granted, item, piece in columns:
        if not piece:
            continue
        pieces += 1
        same = piece == f"size {sizes[item]}"
        assert same or granted == "exchange"
    assert pieces > 5


def test_another_size_is_the_next_one_of_those_who_wear_it() -> None:
    """Halves are stepped over only where there are some, and nobody gets a size that isn't made."""
    org = drawn(1)
    cases = org.table("CaseStory.cases")
    items = org.table("ShoppingHabit.items")
    keys = org.table("Assortment.products")["group_key"]
    made = {group.key: group.sizes for group in org.setting.world.groups}
    swapped = 0
    for row in np.flatnonzero((cases["granted"] == "exchange") & (cases["piece"] != "")):
        item = int(cases["item"][row])
        sizes = made[str(keys[items["product"][item]])]
        told = str(cases["piece"][row]).removeprefix("size ").removesuffix(" wide")
        steps = abs(sizes.index(told) - sizes.index(str(items["size"][item])))
        assert steps <= (2 if "8.5" in sizes else 1)
        swapped += 1
    assert swapped


def test_who_got_the_wrong_size_is_sent_the_one_on_the_order() -> None:
    """A label that lies calls for no other size than was ordered."""
    assert is_resized("exchange", "last_short")
    assert not is_resized("exchange", "mislabelled")
    assert not is_resized("replacement", "last_short")


def test_what_is_in_order_is_not_sent_back_for_a_wrong_bill() -> None:
    """A credit for the shoes themselves comes for the pair, one for the bill for nothing."""
    org = drawn(1)
    cases = org.table("ComplaintHabit.cases")
    billed = org.table("Solution.issues")["kind"][cases["issue"]] == "billing"
    returned = np.array(["return" in kinds for kinds in told_of(org, cases)])
    assert returned.any() and not (returned & billed).any()


def test_who_asks_where_a_parcel_is_hears_a_day_that_is_still_to_come() -> None:
    """An answer names a working day of the next week, and no other enquiry's answer names one."""
    org = drawn_company("outdoor", scale=0.1)
    cases, issued = org.table("CaseStory.cases"), org.table("ComplaintHabit.cases")
    told = 0
    for case in np.flatnonzero(issued["intent"] != "complaint").tolist():
        due, answered = cases["due"][case], cases["settled"][case]
        assert np.isnat(due) == np.isnat(answered)
        if not np.isnat(due):
            assert issued["intent"][case] == "status"
            assert 0 <= (due - answered.astype("datetime64[D]")).astype(int) <= 9
            told += 1
    assert told > 5


def test_what_is_sent_back_has_its_day_before_the_money_comes() -> None:
    """Nobody is paid for shoes that are still on the way."""
    cases = drawn(1).table("CaseStory.cases")
    refunds = cases["granted"] == "refund"
    both = refunds & ~np.isnat(cases["back_by"])
    assert both.any()
    assert (cases["due"][both] > cases["back_by"][both]).all()


def test_a_courtesy_beside_a_corrected_bill_is_a_part_of_the_price() -> None:
    """A free month is a twelfth of the plan's price, whatever sum the bill was off by."""
    org = drawn_company("saas")
    cases = org.table("ComplaintHabit.cases")
    options = org.table("Solution.options")
    shares = dict(zip(options["key"].tolist(), options["share"].tolist(), strict=True))
    paid = org.table("ShoppingHabit.items")["amount"][cases["item"]]
    granted = org.table("PolicyViolation.outcomes")["granted"]
    billed = org.table("Solution.issues")["kind"][cases["issue"]] == "billing"
    months = 0
    for place in np.flatnonzero(billed & (granted == "free_month")):
        if org.table("Incident.cases")["mends"][place]:
            months += 1
            back = float(sums_back(org, cases)[place].replace("$", "").replace(",", ""))
            assert back <= max(2 * shares["free_month"] * float(paid[place]), 10)
    assert months


def test_who_was_charged_too_much_gets_that_back_and_not_the_price() -> None:
    """Store credit for a wrong charge is what the charge was off by."""
    org = drawn(1)
    cases, stakes = org.table("ComplaintHabit.cases"), org.table("Incident.cases")["stake"]
    outcomes = org.table("PolicyViolation.outcomes")
    granted = np.full(outcomes.size, "store_credit", dtype=object)
    sums = sums_back(part_of(org, with_columns(outcomes, granted=granted)), cases)
    billed = org.table("Solution.issues")["kind"][cases["issue"]] == "billing"
    charged = [row for row in np.flatnonzero(billed) if str(stakes[row]).startswith("$")]
    assert charged
    assert all(sums[row] == stakes[row] for row in charged)


def test_what_is_prorated_is_the_unused_part_of_a_year() -> None:
    """All of the price on the first day, half of it after half a year, nothing after a year."""
    org = drawn(1)
    options, outcomes = org.table("Solution.options"), org.table("PolicyViolation.outcomes")
    cases = org.table("ComplaintHabit.cases")
    prorated = with_columns(options, prorated=np.arange(options.size) == 0)
    granted = np.full(outcomes.size, options["key"][0], dtype=object)
    days = np.resize([0, 73, 292, 365, 400], cases.size)
    part = part_of(org, prorated, with_columns(outcomes, granted=granted))
    sums = sums_back(part, with_columns(cases, days=days))
    paid = org.table("ShoppingHabit.items")["amount"][cases["item"]].tolist()
    shown = org.setting.country.currency.shown
    assert sums[:3] == [shown(paid[0]), shown(paid[1] * 0.8), shown(paid[2] * 0.2)]
    assert set(sums[3:5]) == {str(options["worth"][0])}


def test_what_a_cause_wants_at_once_is_told_whatever_undoes_the_problem() -> None:
    """A lock of the bank's own is lifted with the reset, and a double charge disputed with the
    credit; with something on top it is put right besides.
    """
    org = drawn_company("bank", scale=0.4)
    cases, incidents = org.table("CaseStory.cases"), org.table("Incident.cases")
    told = told_of(org, org.table("ComplaintHabit.cases"))
    reset = (incidents["cause"] == "risk_lock") & (cases["granted"] == "access_reset")
    credited = incidents["cause"] == "terminal_resent"
    credited &= cases["granted"] == "provisional_credit"
    assert reset.any() and credited.any()
    for case in np.flatnonzero(reset):
        assert told[case] == ("mend",)
    for case in np.flatnonzero(credited):
        assert told[case] == ("mend", "credit")
    on_top = np.flatnonzero(cases["granted"] == "goodwill_credit")
    assert all("mend" not in told[case] for case in on_top)


@pytest.mark.parametrize(
    ("back", "stake", "more"),
    [
        ("$25", "$9.95", True),
        ("$25", "$1,024.50", False),
        ("$25", "0.35 points", False),
        ("$25", "", False),
        ("", "$9.95", False),
        ("$25", "four seats", False),
    ],
)
def test_a_sum_is_more_than_another_sum_alone(back: str, stake: str, more: bool) -> None:
    """A rate, a number of seats or nothing at all is no sum that a credit could outweigh."""
    assert exceeds(back, stake) is more
