"""Who enters orders: the people of a shop, a department, or the systems."""

import numpy as np

from latent.sellers import sellers
from pipeline.world.org import Org
from pipeline.world.streams import stream
from pipeline.world.tables import NONE, Array, strings, table
from tests.latent_orgs import setting_with

STORES, SUPPORT, IT = "Stores", "Customer Support", "IT"
START = np.datetime64("2020-01-01")
NEVER = np.datetime64("NaT", "D")

CLERK, SUCCESSOR, OTHER_CLERK, AGENT, SYSTEM = range(5)
SALEM, BOISE = 0, 1


def company() -> Org:
    """Two shops: in Salem a clerk is followed by another, in Boise there is one; an agent; IT."""
    org = Org(setting_with())
    org.add(
        table(
            "Workforce.sites",
            city=strings(["Salem", "Boise"]),
            state=strings(["OR", "ID"]),
            kind=strings(["Shop", "Shop"]),
        ),
        table(
            "Workforce.people",
            kind=strings(["member", "member", "member", "agent", "system"]),
            department=strings([STORES, STORES, STORES, SUPPORT, IT]),
            given_first=strings(["Ann", "Ben", "Cleo", "Dan", "Integration"]),
            city=strings(["Salem", "Salem", "Boise", "Salem", "Salem"]),
            state=strings(["OR", "OR", "ID", "OR", "OR"]),
            joined=START + np.array([0, 100, 50, 0, 0]),
            left=np.array([START + 90, NEVER, NEVER, NEVER, NEVER]),
        ),
    )
    return org


def entered(channel: str, site: int, *days: int) -> Array:
    """Who entered the orders of some days of the period."""
    size = len(days)
    return sellers(
        stream(1, "sellers", "toy"),
        company(),
        strings([channel] * size),
        START + np.array(days),
        np.full(size, site),
    )


def test_a_sale_is_entered_at_its_own_shop_by_who_is_there() -> None:
    """The clerk until she leaves, then her successor; nobody serves in another town."""
    assert entered("Store", SALEM, 1, 90).tolist() == [CLERK, CLERK]
    assert entered("Store", SALEM, 101, 900).tolist() == [SUCCESSOR, SUCCESSOR]
    assert entered("Store", BOISE, 60).tolist() == [OTHER_CLERK]


def test_where_nobody_is_the_systems_enter_it() -> None:
    """Between two clerks, and on the very day on which somebody's account is made."""
    assert entered("Store", SALEM, 95, 100).tolist() == [SYSTEM, SYSTEM]
    assert entered("Store", BOISE, 0).tolist() == [SYSTEM]


def test_calls_are_taken_by_a_department_and_the_web_by_nobody() -> None:
    """The channel names the department; a website needs none."""
    assert entered("Phone", NONE, 5, 500).tolist() == [AGENT, AGENT]
    assert entered("Online", NONE, 5, 500).tolist() == [SYSTEM, SYSTEM]
