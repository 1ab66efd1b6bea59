"""What presses: priorities by pressure, escalations, and how fast both are dealt with."""

from dataclasses import replace

import numpy as np
import pytest

from latent.urgency import PACES, own_shares, priorities
from pipeline.world.org import Org
from tests.latent_orgs import SEEDS, drawn, job


def test_what_presses_most_is_high_and_what_presses_least_is_low() -> None:
    """The shares are exact, and nothing of lower pressure has a higher priority."""
    pressure = np.linspace(0, 1, 40)[::-1]
    levels = priorities(pressure, 0.2, 0.3)
    assert levels.tolist() == ["High"] * 8 + ["Medium"] * 20 + ["Low"] * 12
    assert priorities(np.zeros(0), 0.2, 0.3).tolist() == []
    assert set(priorities(pressure, 1.0, 0.0)) == {"High"}


def test_where_all_is_urgent_no_desk_has_a_habit_of_its_own() -> None:
    """A trade that calls every case High has no Low ones, however its desk would deal with them."""
    world = job().setting.world
    contact = world.trade.contact.model_copy(update={"high": 1.0})
    trade = world.trade.model_copy(update={"contact": contact})
    setting = replace(job().setting, world=world.model_copy(update={"trade": trade}))
    assert own_shares(Org(setting)) == (1.0, 0.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_shares_are_those_of_the_desk(seed: int) -> None:
    """As many cases are High and Low as the desk itself gives, about the trade's share in the mean
    of some desks; as many are escalated as the trade says.
    """
    org = drawn(seed)
    contact = org.setting.world.trade.contact
    cases = org.table("Urgency.cases")
    high, low = own_shares(org)
    assert (cases["priority"] == "High").sum() == round(cases.size * high)
    assert (cases["priority"] == "Low").sum() == round(cases.size * low)
    desks = np.array([own_shares(drawn(each)) for each in SEEDS])
    assert np.allclose(desks.mean(axis=0), [contact.high, contact.low], rtol=0.15)
    assert len({round(share, 6) for share in desks[:, 0].tolist()}) == len(SEEDS)
    assert cases["escalated"].sum() == round(cases.size * contact.escalated)
    assert (
        cases["pace"][~cases["escalated"]]
        == [PACES[level] for level in cases["priority"][~cases["escalated"]]]
    ).all()
