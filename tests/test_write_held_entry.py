"""Entries that are held in little room."""

import pickle
import sys

import pytest

from pipeline.write.held_entry import held

ENTRY = {"unit": 3, "Title": "A tent", "Turns": ["Hello,", "Bye."]}


def test_a_held_entry_is_the_entry() -> None:
    """It reads, compares, unpacks and travels as the dictionary that it was."""
    (kept,) = held({3: ENTRY}, tuple(ENTRY)).values()
    assert kept == ENTRY
    assert {**kept, "Title": "A kettle"} == {**ENTRY, "Title": "A kettle"}
    assert pickle.loads(pickle.dumps(kept)) == ENTRY
    assert kept["Turns"] is ENTRY["Turns"]
    with pytest.raises(KeyError, match="Body"):
        kept["Body"]


def test_a_held_entry_takes_less_than_two_thirds_of_a_dictionary() -> None:
    """What all entries of an object type share is not counted for each."""
    entry = {"unit": 3, "Title": "A tent"}
    (kept,) = held({3: entry}, tuple(entry)).values()
    own = sys.getsizeof(kept) + sys.getsizeof(tuple(entry))
    assert own < 2 / 3 * sys.getsizeof(entry)
