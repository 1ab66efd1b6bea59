"""What presses: priorities by pressure, escalations, and how fast both are dealt with."""

import numpy as np
import pytest

from latent.urgency import PACES, priorities
from tests.latent_orgs import SEEDS, drawn


def test_what_presses_most_is_high_and_what_presses_least_is_low() -> None:
    """The shares are exact, and nothing of lower pressure has a higher priority."""
    pressure = np.linspace(0, 1, 40)[::-1]
    levels = priorities(pressure, 0.2, 0.3)
    assert levels.tolist() == ["High"] * 8 + ["Medium"] * 20 + ["Low"] * 12
    assert priorities(np.zeros(0), 0.2, 0.3).tolist() == []
    assert set(priorities(pressure, 1.0, 0.0)) == {"High"}


@pytest.mark.parametrize("seed", SEEDS)
def test_shares_are_those_of_the_trade(seed: int) -> None:
    """As many cases are High, Low and escalated as the trade says."""
    org = drawn(seed)
    contact = org.setting.world.trade.contact
    cases = org.table("Urgency.cases")
    assert (cases["priority"] == "High").sum() == round(cases.size * contact.high)
    assert (cases["priority"] == "Low").sum() == round(cases.size * contact.low)
    assert cases["escalated"].sum() == round(cases.size * contact.escalated)
    assert (
        cases["pace"][~cases["escalated"]]
        == [PACES[level] for level in cases["priority"][~cases["escalated"]]]
    ).all()
