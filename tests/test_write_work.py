"""Units and their texts: conversations spread, lanes cut into mini-batches."""

from dataclasses import replace

from pipeline.write.work import MOST_TOKENS, usual_tokens, whole_parts
from tests.writing_toys import NOTE, work
from verifiers.material import Unit


def test_given_parts_stand_among_written_ones() -> None:
    """Given texts keep their place, written ones fill the others in order."""
    unit = Unit(0, {}, ({"given": "first"}, {"beats": "a"}, {"given": "third"}, {"beats": "b"}))
    assert whole_parts(unit, ["second", "fourth"]) == ["first", "second", "third", "fourth"]


def test_a_mini_batch_ends_where_its_answer_would_grow_too_long() -> None:
    """Ten short texts stand in a mini-batch, of texts as long as articles fewer, at least one."""
    short = work(25)
    assert [len(batch) for batch in short.batches(range(25))] == [10, 10, 5]
    long = replace(short, fields=(replace(NOTE, words=600),))
    assert MOST_TOKENS // 3 < usual_tokens(long.fields, long.unit(0)) < MOST_TOKENS // 2
    assert [len(batch) for batch in long.batches(range(5))] == [2, 2, 1]
    longest = replace(short, fields=(replace(NOTE, words=6000),))
    assert [len(batch) for batch in longest.batches(range(2))] == [1, 1]


def test_a_part_of_the_work_keeps_whole_units_in_their_lanes() -> None:
    """The work on some rows has the units that hold one of them, lanes in the old order."""
    part = work(40, lane=20).part({3, 25, 17})
    assert [unit.id for unit in part.units] == [3, 17, 25]
    assert (part.lanes, part.rows) == (((3, 17), (25,)), ((3,), (17,), (25,)))
    assert part.unit(17).facts == {"topic": "topic 17"}
