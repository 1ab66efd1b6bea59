"""How customers write, and what they know: the same person in every case, and sensible shares."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from latent.naming import FULL, KIND, SHORT, VAGUE, NamedThing, thing_of
from pipeline.run import FinishedRun
from tests.latent_orgs import SEEDS, drawn

CALLED = """
    SELECT v.naming, n.thing, p.Name
    FROM "Case" c
    JOIN latent."CustomerVoice.cases" v ON v.Id = c.Id
    JOIN latent."ProductNaming.cases" n ON n.Id = c.Id
    JOIN OrderItem i ON i.Id = c.OrderItemId__c
    JOIN Product2 p ON p.Id = i.Product2Id
"""
BOOT = NamedThing("Quillon Lined Boot", "winter boots", True, "Dark Brown")
LOAN = NamedThing("Trellick Home Loan", "home loan", False)


@pytest.mark.parametrize("seed", list(SEEDS)[:3])
def test_a_customer_types_alike_in_every_case(seed: int) -> None:
    """The manner of each case is its customer's."""
    org = drawn(seed)
    customers, cases = org.table("CustomerVoice.customers"), org.table("CustomerVoice.cases")
    account = org.table("ComplaintHabit.cases")["account"]
    assert (cases["manner"] == customers["manner"][account]).all()


@pytest.mark.parametrize("seed", list(SEEDS)[:3])
def test_few_know_the_catalog_by_heart(seed: int) -> None:
    """Full names, exact days and order numbers are the minority; every way occurs."""
    cases = drawn(seed).table("CustomerVoice.cases")
    assert (cases["naming"] == FULL).mean() < 0.35
    assert (cases["dating"] == "exact").mean() < 0.4
    assert 0.2 < cases["knows_order"].mean() < 0.6
    assert set(cases["naming"]) == {FULL, SHORT, KIND, VAGUE}


def test_the_device_of_a_case_is_the_customers() -> None:
    """Nobody writes from a device that they don't own."""
    org = drawn(1)
    devices = org.table("Household.devices")
    owned = set(zip(devices["account"].tolist(), devices["platform"], strict=True))
    account = org.table("ComplaintHabit.cases")["account"].tolist()
    used = zip(account, org.table("CustomerVoice.cases")["device"], strict=True)
    assert set(used) <= owned


def test_who_mentions_an_earlier_case_has_one() -> None:
    """Some of those who wrote before say so, and nobody else does."""
    org = drawn(1)
    before = org.table("CaseLinks.cases")["before"] >= 0
    mentions = org.table("CustomerVoice.cases")["mentions_before"]
    assert not mentions[~before].any()
    assert 0 < mentions[before].mean() < 0.5


def test_a_product_is_called_in_the_customers_way(small_shoes: FinishedRun) -> None:
    """Who names it in full says all of its name, and nobody else does."""
    folder = small_shoes.folder
    with closing(sqlite3.connect(folder / "org.sqlite")) as db:
        db.execute("ATTACH ? AS latent", (str(folder / "latent.sqlite"),))
        rows = db.execute(CALLED).fetchall()
    assert {naming for naming, _, _ in rows} == {FULL, SHORT, KIND, VAGUE}
    for naming, thing, name in rows:
        # "The Amberlough rubber boots" are a maker and a kind; their name has capitals throughout.
        assert (name in thing) == (naming == FULL)


def test_a_few_customers_write_letters() -> None:
    """Some do in every org, hardly more than one in fifty."""
    letters = drawn(1).table("CustomerVoice.customers")["letters"]
    assert 1 <= letters.sum() <= max(len(letters) / 50, 1)


def test_typing_has_bounds() -> None:
    """Everybody types between 15 and 60 words a minute, the old slower than the young."""
    org = drawn(1)
    customers = org.table("CustomerVoice.customers")
    assert customers["typing"].min() >= 15 and customers["typing"].max() <= 60
    born = org.table("Household.customers")["born"].astype(int)
    assert np.corrcoef(born, customers["typing"])[0, 1] > 0.3


@pytest.mark.parametrize(
    ("thing", "way", "words"),
    [
        (BOOT, FULL, "my Quillon Lined Boots"),
        (BOOT, SHORT, "my Quillon winter boots"),
        (BOOT, KIND, "my winter boots"),
        (BOOT, VAGUE, "my brown boots"),
        (LOAN, FULL, "my Trellick Home Loan"),
        (LOAN, SHORT, "my Trellick home loan"),
        (LOAN, VAGUE, "my loan"),
        (NamedThing("Boot", "winter boots", True), SHORT, "my winter boots"),
    ],
)
def test_each_way_of_naming(thing: NamedThing, way: str, words: str) -> None:
    """The words have the grammatical number of the kind, whatever the name's is."""
    assert thing_of(thing, way) == words


@pytest.mark.parametrize("seed", list(SEEDS)[:3])
def test_whose_a_thing_is_called_is_a_habit(seed: int) -> None:
    """The point of each customer is the same in every case."""
    org = drawn(seed)
    points = org.table("CustomerVoice.cases")["naming_point"]
    account = org.table("ComplaintHabit.cases")["account"]
    assert len(set(zip(account, points, strict=True))) == len(set(account))


@pytest.mark.parametrize("seed", list(SEEDS)[:3])
def test_who_types_without_capitals_types_no_full_name(seed: int) -> None:
    """A name of the catalog has capitals of its own."""
    org = drawn(seed)
    account = org.table("ComplaintHabit.cases")["account"]
    small = org.table("CustomerVoice.customers")["small_letters"][account].astype(bool)
    assert not (org.table("CustomerVoice.cases")["naming"][small] == FULL).any()
