"""What contacts are drawn from: an item that is written about is used up."""

import numpy as np

from latent.contacts import Contacts, Sales, joined, take
from pipeline.world.tables import NONE


def sales() -> Sales:
    """Four items of two customers, who may write three times each."""
    rows, days = np.zeros(4, dtype=np.int64), np.full(4, np.datetime64("2022-01-01"))
    return Sales(
        product=rows,
        buyer=np.array([0, 0, 0, 1]),
        room=np.array([3, 3]),
        ordered=days,
        arrived=days,
        shipped=np.ones(4, dtype=bool),
        until=days,
        can_have=np.ones((4, 1), dtype=bool),
        weight=np.ones(4),
        usable=np.ones(4, dtype=bool),
    )


def test_who_writes_about_two_items_has_room_for_two_fewer() -> None:
    """The items are not written about again, and everybody else has as much room as before."""
    made = sales()
    take(made, np.array([0, 2]))
    assert made.usable.tolist() == [False, True, False, True]
    assert made.room.tolist() == [1, 3]


def test_contacts_of_parts_stand_one_part_after_the_other() -> None:
    """Each column is put together in the same order."""
    day = np.array(["2022-01-02"], "datetime64[D]")
    parts = [
        Contacts(
            np.array([row]), np.array([row + 1]), day + row, np.array([kind]), np.array([NONE])
        )
        for row, kind in ((5, "complaint"), (3, "question"))
    ]
    whole = joined(parts)
    assert whole.item.tolist() == [5, 3] and whole.issue.tolist() == [6, 4]
    assert whole.day.astype(str).tolist() == ["2022-01-07", "2022-01-05"]
    assert whole.intent.tolist() == ["complaint", "question"]
    assert whole.outage.tolist() == [NONE, NONE]
