"""Where a customer chats from: the address of that day."""

import numpy as np

from latent.chat_visit import homes_on
from pipeline.world.tables import strings, table


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
