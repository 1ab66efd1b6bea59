"""Where a customer chats from: which device, and the address of that day."""

import numpy as np

from latent.chat_visit import devices_used, homes_on
from pipeline.world.streams import stream
from pipeline.world.tables import strings, table


def test_a_customer_chats_from_each_of_their_devices_as_often_as_it_is_used() -> None:
    """Two devices share the chats by their use, one has them all, and nobody uses another's; the
    last customer's device has none behind it.
    """
    devices = table(
        "Household.devices",
        {"account": "Account"},
        account=np.array([0, 1, 1, 2]),
        use=np.array([1.0, 3.0, 1.0, 1.0]),
    )
    accounts = np.array([0, 1, 2] * 400)
    used = devices_used(stream(1, "toy"), devices, accounts).reshape(-1, 3)
    assert set(used[:, 0].tolist()) == {0} and set(used[:, 2].tolist()) == {3}
    assert set(used[:, 1].tolist()) == {1, 2}
    assert 0.68 < (used[:, 1] == 1).mean() < 0.82
    assert len(devices_used(stream(1, "toy"), devices, accounts[:0])) == 0


def test_whoever_moved_chats_from_the_new_home_on_the_day_of_moving() -> None:
    """The day before it is the old home; before the first address it is the first one."""
    addresses = table(
        "Household.addresses",
        {"account": "Account"},
        account=np.array([0, 1, 0]),
        since=np.array(["2021-01-10", "2021-01-01", "2022-05-01"], "datetime64[D]"),
        city=strings(["Austin", "Reno", "Salem"]),
        state=strings(["TX", "NV", "OR"]),
    )
    days = ["2021-01-09", "2021-01-10", "2022-04-30", "2022-05-01", "2022-05-01"]
    visitors = np.array([0, 0, 0, 0, 1])
    homes = homes_on(addresses, visitors, np.array(days, "datetime64[D]"))
    old, new = ("Austin", "TX"), ("Salem", "OR")
    assert homes == [old, old, old, new, ("Reno", "NV")]
