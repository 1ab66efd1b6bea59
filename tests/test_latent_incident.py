"""Incidents behind complaints: a cause that fits the ending, a value for every sign."""

import random
import re

import numpy as np
import pytest

from latent.dialogue import AGENT
from latent.drawn_figures import figure_of
from schemas.incidents import PRICE, IncidentCause, SignValue, plan_for, stake_range
from tests.latent_orgs import SEEDS, drawn


def test_every_complaint_has_a_cause_that_fits_its_ending() -> None:
    """What is granted has no cause that only fits a refusal; what is no complaint has none."""
    org = drawn(1)
    incidents, cases = org.table("Incident.cases"), org.table("ComplaintHabit.cases")
    endings = org.table("PolicyViolation.outcomes")["ending"]
    keys = org.table("Solution.issues")["key"]
    for case in range(cases.size):
        plan = plan_for(org.setting.world.incidents, str(keys[cases["issue"][case]]))
        assert plan is not None
        complains = cases["intent"][case] == "complaint"
        assert bool(incidents["cause"][case]) == complains
        if not complains:
            continue
        cause = plan.causes[str(incidents["cause"][case])]
        if endings[case] not in ("declined", "open"):
            assert set(cause.ends) & {"remedy", "either"}
        told = dict(pair.split(":") for pair in str(incidents["signs"][case]).split(","))
        assert told.keys() == plan.signs.keys()
        assert all(value in plan.signs[sign] for sign, value in told.items())


def test_files_come_with_the_turns_that_say_so() -> None:
    """A customer's mail carries a file exactly where its acts send one; an agent's only where its
    acts bring what the trade encloses.
    """
    org = drawn(1)
    mails = org.table("CaseStory.messages")
    has_file = org.table("AttachmentHabit.messages")["has_file"]
    enclosed = org.setting.world.trade.contact.enclosed
    for speaker, beats, carries in zip(mails["speaker"], mails["beats"], has_file, strict=True):
        if speaker == AGENT:
            assert not carries or not enclosed.keys().isdisjoint(beats.split(","))
        else:
            assert carries == ("c.evidence." in beats)


def test_no_remedy_is_granted_that_is_no_help_against_the_cause() -> None:
    """Nobody gets another pair of the lot that is bad."""
    org = drawn(1)
    incidents, cases = org.table("Incident.cases"), org.table("ComplaintHabit.cases")
    granted = org.table("PolicyViolation.outcomes")["granted"]
    keys = org.table("Solution.issues")["key"]
    for case in np.flatnonzero(cases["intent"] == "complaint").tolist():
        plan = plan_for(org.setting.world.incidents, str(keys[cases["issue"][case]]))
        assert plan is not None
        cause = plan.causes[str(incidents["cause"][case])]
        assert granted[case] not in cause.not_with


def test_a_remedy_cures_its_cause_where_any_does() -> None:
    """What is granted for a mistake is a cure for it by what the causes name, but where none is."""
    org = drawn(1)
    incidents, cases = org.table("Incident.cases"), org.table("ComplaintHabit.cases")
    outcomes = org.table("PolicyViolation.outcomes")
    gestures = {option.key for option in org.setting.world.options if option.gesture}
    keys = org.table("Solution.issues")["key"]
    cured = others = 0
    for case in np.flatnonzero(cases["intent"] == "complaint").tolist():
        plan = plan_for(org.setting.world.incidents, str(keys[cases["issue"][case]]))
        granted = str(outcomes["granted"][case])
        assert plan is not None
        cause = plan.causes[str(incidents["cause"][case])]
        if granted and granted not in gestures and cause.helped_by:
            cured += cause.is_cured_by(granted)
            others += not cause.is_cured_by(granted)
    assert cured > 10 * others


@pytest.mark.parametrize(
    ("value", "category", "days", "fits"),
    [
        ({"least_days": 26}, "water", 9, False),
        ({"least_days": 26}, "water", 30, True),
        ({"most_days": 60}, "water", 200, False),
        ({"products": ["water"]}, "natural_gas", 30, False),
        ({}, "natural_gas", 0, True),
    ],
)
def test_a_value_fits_the_product_and_the_age_of_the_order(
    value: dict[str, object], category: str, days: int, fits: bool
) -> None:
    """Nobody waits for three weeks for what was ordered nine days ago."""
    assert SignValue.model_validate({"marks": ["late"], **value}).fits(category, days) is fits


def test_what_is_seen_fits_the_age_of_the_order() -> None:
    """In a whole org no customer tells of more time than has gone by, where a value names some."""
    org = drawn(1)
    incidents, cases = org.table("Incident.cases"), org.table("ComplaintHabit.cases")
    keys = org.table("Solution.issues")["key"]
    for case in np.flatnonzero(cases["intent"] == "complaint").tolist():
        plan = plan_for(org.setting.world.incidents, str(keys[cases["issue"][case]]))
        assert plan is not None
        for pair in str(incidents["signs"][case]).split(","):
            sign, value = pair.split(":")
            assert plan.signs[sign][value].least_days <= cases["days"][case]


def test_what_is_at_stake_is_that_of_the_signs() -> None:
    """A case about money has a sum that its own signs allow, and all others have none."""
    org = drawn(1)
    incidents, cases = org.table("Incident.cases"), org.table("ComplaintHabit.cases")
    keys = org.table("Solution.issues")["key"]
    amounts = org.table("ShoppingHabit.items")["amount"]
    found = 0
    for case in np.flatnonzero(cases["intent"] == "complaint").tolist():
        plan = plan_for(org.setting.world.incidents, str(keys[cases["issue"][case]]))
        assert plan is not None
        told = [pair.split(":") for pair in str(incidents["signs"][case]).split(",")]
        known = [stake for sign, value in told for stake in plan.signs[sign][value].stakes]
        stake = str(incidents["stake"][case])
        paid = f"${amounts[cases['item'][case]]:,.2f}"
        stated = [paid if each == PRICE else each for each in known or plan.stakes or [""]]
        assert any(is_of(stake, each) for each in stated)
        found += bool(stake)
    assert found


def is_of(stake: str, stated: str) -> bool:
    """Whether a figure is the stated one, or lies in the stated range."""
    bounds = stake_range(stated)
    if bounds is None:
        return stake == stated
    return bounds[0] <= float(stake.strip("$").replace(",", "")) <= bounds[1]


def test_a_figure_of_a_range_has_the_form_of_the_lower_one() -> None:
    """Decimals and unit are as stated, thousands are set apart, and the figures vary."""
    rng = random.Random(5)
    sums = [figure_of(rng, "$850.00 to $1,400.00") for _ in range(200)]
    assert all(re.fullmatch(r"\$(?:1,)?\d{3}\.\d\d", stake) for stake in sums)
    assert len(set(sums)) > 190
    points = {figure_of(rng, "0.2 points to 0.6 points") for _ in range(200)}
    assert points <= {f"0.{tenths} points" for tenths in range(2, 7)}
    assert figure_of(rng, "$9.95") == "$9.95"


@pytest.mark.parametrize(
    "stake", ["$20 to much", "$20 to $10", "$0 to $10", "some to $10", "$1 $2 to $3"]
)
def test_what_is_no_range_is_refused(stake: str) -> None:
    """A range has one figure on each side, the lower one first."""
    with pytest.raises(ValueError, match="is no range"):
        stake_range(stake)


def test_a_part_of_the_price_is_worked_out() -> None:
    """A remedy of 20 percent pays back a fifth of what the order line shows, to the cent, and one
    of all that was paid just that, but for who was only charged too much.
    """
    shared = set()
    for seed in SEEDS:
        org = drawn(seed)
        cases, issued = org.table("CaseStory.cases"), org.table("ComplaintHabit.cases")
        paid = org.table("ShoppingHabit.items")["amount"][issued["item"]]
        options = {option.key: option for option in org.setting.world.options}
        billed = org.table("Solution.issues")["kind"][issued["issue"]] == "billing"
        for case in np.flatnonzero(cases["granted"] != "").tolist():
            share = options[str(cases["granted"][case])].share
            overcharged = billed[case] and share == 1
            if share and not overcharged:
                assert cases["back"][case] == f"${paid[case] * share:,.2f}"
                shared.add(share)
    assert len(shared) > 1


def test_a_cause_is_one_of_the_orders_age() -> None:
    """No sole is worn through after a week, and nothing has to be broken in for half a year."""
    worn = IncidentCause(known_by="photo", ends=("refusal",), least_days=120)
    stiff = IncidentCause(known_by="answer", ends=("refusal",), most_days=60)
    assert [worn.fits_age(days) for days in (7, 120, 400)] == [False, True, True]
    assert [stiff.fits_age(days) for days in (7, 60, 61)] == [True, True, False]
