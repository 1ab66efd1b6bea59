"""One object type written: what is asked again, what is kept, and who gives way to whom."""

import asyncio
import random
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ahead import Room
from pipeline.ledger import Ledger
from pipeline.write.nearest import nearest
from pipeline.write.object_writing import (
    ROUNDS,
    Batch,
    ObjectWriting,
    no_use,
)
from pipeline.write.request import REFUSED, WriterAnswer, WriteRequest
from pipeline.write.service import WritingService
from pipeline.write.tries import ANY_FAULT, SAME_FAULT, WITHHELD_ALONE
from schemas.errors import WritingFailed
from schemas.field import Field
from schemas.sources import WrittenSource
from tests.writing_toys import ITEM, SETTING, ToyWriter, right, work, written
from verifiers.material import Unit


def test_only_what_failed_is_asked_again(tmp_path: Path) -> None:
    """Of a mini-batch the valid entries are kept as they came, and only the missing and the wrong
    ones are asked again, told why.
    """

    def say(request: WriteRequest, unit: Unit) -> object:
        wrong = {
            3: None,
            5: {"unit": 5, "Title": 7},
            6: ["no", "mapping"],
            7: {"unit": 7, "Title": "about nothing"},
        }
        return wrong[unit.id] if unit.id in wrong and request.attempt == 0 else right(request, unit)

    writer = ToyWriter(say)
    entries = written(writer, tmp_path / "ledger.sqlite", work(10))
    first, again = writer.asked
    assert [unit.id for unit in again.units] == [3, 5, 6, 7]
    assert [
        unit.notes[0].split(":")[0] if unit.notes else "never came" for unit in again.units
    ] == ["never came", "Title", "never came", "Title"]
    assert all(
        entries[unit.id] == right(again if unit.id in (3, 5, 6, 7) else first, unit)
        for unit in first.units
    )


def test_tries_are_bounded_and_what_was_accepted_is_kept(tmp_path: Path) -> None:
    """A unit refused on every try stops the run by an error that names object, unit and reason; the
    ledger has all accepted entries.
    """
    writer = ToyWriter(
        lambda request, unit: (
            {"unit": 2, "Title": "about nothing"} if unit.id == 2 else right(request, unit)
        )
    )
    with pytest.raises(
        WritingFailed,
        match=(
            r"1 Note texts were refused 12 times \(Note 2: Title: content: does not name topic"
            r" \(topic 2\)\)"
        ),
    ):
        written(writer, tmp_path / "ledger.sqlite", work(10))
    assert [[unit.id for unit in request.units] for request in writer.asked] == [
        list(range(10)),
        *[[2]] * (SAME_FAULT - 1),
    ]
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        kept = ledger.get(writer.asked[0].key)
    assert kept is not None and set(kept.entries) == set(range(10)) - {2}


FAULTS: tuple[dict[str, object], ...] = (
    {"Title": 7},
    {"Title": "about nothing"},
    {},
)


def test_a_careless_writer_is_asked_until_it_is_right(tmp_path: Path) -> None:
    """Other faults in each try don't tell that a writer never gets a unit right: it is asked on."""
    tries = iter(range(ANY_FAULT))

    def say(request: WriteRequest, unit: Unit) -> object:
        number = next(tries) if unit.id == 2 else ANY_FAULT
        if number >= 2 * SAME_FAULT:
            return right(request, unit)
        return {"unit": 2, **FAULTS[number % len(FAULTS)]}

    assert set(written(ToyWriter(say), tmp_path / "ledger.sqlite", work(10))) == set(range(10))


def test_a_writer_that_is_never_right_has_an_end(tmp_path: Path) -> None:
    """Where no two faults in a row are equal, the tries are bounded all the same, and counted."""
    tries = iter(range(2 * ANY_FAULT))

    def say(request: WriteRequest, unit: Unit) -> object:
        if unit.id != 2:
            return right(request, unit)
        number = next(tries)
        text = f"fault{number % 9}: a fault of its own"
        return {"unit": 2, text: 1} if number % 2 else {"unit": 2, "Title": f"{text} twice"}

    with pytest.raises(WritingFailed, match=r"^1 Note texts were refused \d+ times \(Note 2: "):
        written(ToyWriter(say), tmp_path / "ledger.sqlite", work(10))
    assert next(tries) <= ANY_FAULT


def test_what_is_refused_to_the_end_is_left_to_the_fallback(tmp_path: Path) -> None:
    """With a fallback the org is finished: it writes that unit alone, and is told which texts are
    taken; a run that was ended before comes to the same.
    """

    def say(request: WriteRequest, unit: Unit) -> object:
        return {"unit": 2, "Title": "about nothing"} if unit.id == 2 else right(request, unit)

    for path in (tmp_path / "ledger.sqlite", tmp_path / "ended.sqlite"):
        if path.name == "ended.sqlite":
            with pytest.raises(WritingFailed):
                written(ToyWriter(say), path, work(10))
        fallback = ToyWriter(name="other")
        with Ledger(path) as ledger:
            service = WritingService(SETTING, ToyWriter(say), ledger, fallback=fallback)
            entries = asyncio.run(ObjectWriting(service, work(10)).write())
        assert set(entries) == set(range(10))
        (asked,) = fallback.asked
        assert [unit.id for unit in asked.units] == [2] and len(asked.earlier) == 9
        assert asked.attempt == SAME_FAULT - 1


def test_what_is_withheld_now_and_then_is_not_given_up(tmp_path: Path) -> None:
    """A unit that is answered between refusals, if wrongly, is no withheld one."""
    writer = MoodyWriter()
    assert set(written(writer, tmp_path / "ledger.sqlite", work(1))) == {0}
    assert writer.withheld > WITHHELD_ALONE


def test_a_failed_run_can_be_gone_on_with(tmp_path: Path) -> None:
    """Run again, a writer is asked only for what was refused before,
    and the accepted entries stay.
    """
    bad = ToyWriter(lambda request, unit: None if unit.id == 2 else right(request, unit))
    with pytest.raises(WritingFailed):
        written(bad, tmp_path / "ledger.sqlite", work(10))
    good = ToyWriter()
    entries = written(good, tmp_path / "ledger.sqlite", work(10))
    assert [[unit.id for unit in request.units] for request in good.asked] == [[2]]
    assert entries[1] == right(bad.asked[0], Unit(1, {"topic": "topic 1"}))


def test_finished_mini_batches_are_never_asked_again(tmp_path: Path) -> None:
    """A second run of the same work asks nothing and gives the same."""
    first, second = ToyWriter(), ToyWriter()
    assert written(first, tmp_path / "ledger.sqlite") == written(second, tmp_path / "ledger.sqlite")
    assert (len(first.asked), len(second.asked)) == (3, 0)


def test_tokens_and_money_are_counted_whether_asked_now_or_before(tmp_path: Path) -> None:
    """What words took is the same in the run that asked and in the one that found them kept."""
    spent = []
    for _ in range(2):
        with Ledger(tmp_path / "ledger.sqlite") as ledger:
            service = WritingService(SETTING, ToyWriter(), ledger)
            asyncio.run(ObjectWriting(service, work()).write())
            spent.append(service.usage["Note"])
    assert spent[0] == spent[1]
    assert (
        spent[0].requests,
        spent[0].accepted,
        spent[0].tokens_in,
        spent[0].tokens_out,
        spent[0].cost,
    ) == (3, 25, 30, 60, 1.5)


def alike(request: WriteRequest, unit: Unit) -> object:
    """On the first attempt units 4, 14 and 24 say nearly the same, with their topics at the end."""
    return (
        {
            "unit": unit.id,
            "Title": (
                "A long and all but equal title that says the same thing again and again about"
                f" topic {unit.id}"
            ),
        }
        if unit.id % 10 == 4 and not request.attempt
        else right(request, unit)
    )


def test_the_later_of_two_like_texts_is_written_again(tmp_path: Path) -> None:
    """Of texts that are too like each other the first in canonical order stays; the others are told
    what they must not be like.
    """
    writer = ToyWriter(alike)
    entries = written(writer, tmp_path / "ledger.sqlite")
    again = writer.asked[3:]
    assert [[unit.id for unit in request.units] for request in again] == [[14, 24]]
    assert all(
        unit.notes[0].endswith(f" is too like an earlier text: {entries[4]['Title']!r}")
        for unit in again[0].units
    )
    assert entries[4] == alike(writer.asked[0], Unit(4, {})) and entries[14] == right(
        again[0], Unit(14, {"topic": "topic 14"})
    )


def test_a_rewritten_text_is_asked_for_with_all_its_refusals(tmp_path: Path) -> None:
    """A writer that takes the first of its phrases that no reason quotes finds a new one in the
    end: reasons of early rounds are not forgotten in late ones.
    """
    phrases = [" ".join([letter * 5] * 12) for letter in "abcdefg"]

    def say(request: WriteRequest, unit: Unit) -> object:
        if unit.id < 6:
            return {"unit": unit.id, "Title": f"{phrases[unit.id]} about topic {unit.id}"}
        quoted = [phrase for phrase in phrases if any(phrase in note for note in unit.notes)]
        free = [phrase for phrase in phrases if phrase not in quoted]
        return {"unit": unit.id, "Title": f"{(free or phrases)[0]} about topic {unit.id}"}

    entries = written(ToyWriter(say), tmp_path / "ledger.sqlite", work(7))
    assert entries[6]["Title"] == f"{phrases[6]} about topic 6"


def test_shorter_lanes_hold_the_same_mini_batches() -> None:
    """A lane of five mini-batches becomes lanes of two, two and one."""
    whole = replace(work(45), lanes=(tuple(range(45)),))
    shorter = whole.shorter_lanes(2)
    assert [len(lane) for lane in shorter.lanes] == [20, 20, 5]
    assert list(shorter.lane_batches()) == list(whole.lane_batches())


def test_canonical_order_decides_and_not_timing(tmp_path: Path) -> None:
    """However long each answer takes, the result is the same."""
    results = [
        written(
            ToyWriter(alike, random.Random(seed) if seed else None),
            tmp_path / f"{seed}.sqlite",
            work(40, lane=5),
        )
        for seed in range(4)
    ]
    assert all(result == results[0] for result in results)


def test_later_mini_batches_of_a_lane_are_told_the_earlier_entries(tmp_path: Path) -> None:
    """Inside a lane each mini-batch knows the key fields of those before it, lanes know nothing of
    one another.
    """
    writer = ToyWriter()
    entries = written(writer, tmp_path / "ledger.sqlite", work(40, lane=20))
    earlier = {request.units[0].id: request.earlier for request in writer.asked}
    assert earlier == {
        0: (),
        20: (),
        10: tuple(entries[at]["Title"] for at in range(10)),
        30: tuple(entries[at]["Title"] for at in range(20, 30)),
    }


@pytest.mark.parametrize("keys", [(), ("Title",)])
def test_equal_unique_texts_stop_the_run(keys: tuple[str, ...], tmp_path: Path) -> None:
    """A writer that gives two units the same unique text every time is refused in the end, the text
    and the rule that needs more lines named: within a lane at once, across lanes when it is written
    again.
    """
    todo = replace(
        work(3),
        item=replace(ITEM, key_fields=keys),
        units=tuple(Unit(number, {"topic": "one topic"}) for number in range(3)),
    )
    says = (
        "2 Note texts were refused 12 times .*'one topic' is taken already.* lines to Note.Title;"
    )
    with pytest.raises(WritingFailed, match=says):
        written(
            ToyWriter(lambda request, unit: {"unit": unit.id, "Title": "one topic"}),
            tmp_path / "ledger.sqlite",
            todo,
        )


def test_texts_nearest_to_a_refused_one_are_shown_with_it() -> None:
    """What is near a text is shown to whoever writes it anew, more of it with each round."""
    texts = ["My tent has a hole in its left side", "My tent has a hole in its left side."]
    texts += [f"Kettle number {number} is not warm" for number in range(400)]
    entries = {unit: {"unit": unit, "Title": text} for unit, text in enumerate(texts)}
    few = nearest(ITEM, entries, {1: ()}, round_number=1)[1]
    more = nearest(ITEM, entries, {1: ()}, round_number=2)[1]
    assert texts[0] == few[0] and texts[1] not in few
    assert len(few) < len(more) < len(texts)


def test_texts_of_other_lots_are_not_shown() -> None:
    """What a text need not differ from is not shown to whoever writes it anew."""
    written_alike = WrittenSource(written="A title of a few words.", new_among=2)
    item = replace(ITEM, fields=(Field("Title", {}, written_alike, True),))
    entries = {unit: {"unit": unit, "Title": f"Kettle {unit} is cold"} for unit in range(6)}
    assert nearest(item, entries, {3: ()}, round_number=1) == {3: ["Kettle 2 is cold"]}


def test_a_ledger_of_the_same_requests_answers_them_all(tmp_path: Path) -> None:
    """The keys of requests are pinned: a ledger made by an older version is used by this one, and
    nothing that was paid for is written again.
    """
    service = WritingService(SETTING, ToyWriter(), Ledger(tmp_path / "ledger.sqlite"))
    writing = ObjectWriting(service, work(2))
    first = writing.request_of(Batch(writing.work.units))
    assert first.canonical() == (
        '{"attempt":0,"company":{"company":"Fell & Moor","description":"Sells tents by mail.",'
        '"industry":"outdoor"},"earlier":[],"fields":[{"beats":"","instruction":"A title of a few'
        ' words.","must":["topic"],"name":"Title","rule":"Note.Title","schema":{"minLength":3,'
        '"type":"string"},"words":12}],"model":"toy","node":"Note","object":"Note","parameters":{},'
        '"seed":3,"units":[{"avoid":[],"facts":{"topic":"topic 0"},"id":0,"notes":[],"parts":[]},'
        '{"avoid":[],"facts":{"topic":"topic 1"},"id":1,"notes":[],"parts":[]}]}'
    )
    service.ledger.close()


def test_units_may_be_written_without_lanes(tmp_path: Path) -> None:
    """Questions' wordings need no lanes: each mini-batch stands by itself, in canonical order."""
    writer = ToyWriter()
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        service = WritingService(SETTING, writer, ledger)
        entries = asyncio.run(ObjectWriting(service, work(25)).write_units())
    assert list(entries) == list(range(25))
    assert [request.earlier for request in writer.asked] == [(), (), ()]


@given(st.lists(st.integers(0, 500), max_size=ROUNDS))
def test_rewriting_ends_where_it_mends_nothing(counts: list[int]) -> None:
    """Three rounds that mend less than a tenth of many texts are the last; few texts, or progress,
    go on.
    """
    ended = no_use(counts)
    assert not ended or (len(counts) > 3 and counts[-1] > 10)
    assert not no_use([200, 100, 50, 25, 12, 11]) and no_use([200, 199, 199, 198])


@dataclass
class WithholdingWriter(ToyWriter):
    """Answers no mini-batch in which unit 2 is, as an endpoint whose filter minds it."""

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """A refusal as a whole, or what any toy writer says."""
        if any(unit.id == 2 for unit in request.units):
            self.asked.append(request)
            return WriterAnswer((), trouble=f"{REFUSED}: a filter minds it")
        return await super().write(request)


@dataclass
class MoodyWriter(ToyWriter):
    """Withholds three answers of four, says nothing to the point in the fourth, and is right in the
    end.
    """

    withheld: int = 0

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """A refusal, or what any toy writer says."""
        tries = len(self.asked)
        if tries % WITHHELD_ALONE != WITHHELD_ALONE - 1:
            self.asked.append(request)
            self.withheld += 1
            return WriterAnswer((), trouble=f"{REFUSED}: not in the mood")
        self.say = right if tries > 2 * WITHHELD_ALONE else (lambda request, unit: None)
        return await super().write(request)


def test_a_withheld_mini_batch_is_halved_to_the_unit(tmp_path: Path) -> None:
    """One unit that a filter minds doesn't spoil its neighbours, and is named in the end."""
    writer = WithholdingWriter()
    with pytest.raises(WritingFailed, match="^Note 2: the model won't write it .*--fallback"):
        written(writer, tmp_path / "ledger.sqlite", work(10))
    sizes = [len(request.units) for request in writer.asked if has_unit(request, 2)]
    assert sizes == [10, 5, 3, *[1] * WITHHELD_ALONE]
    alone = [request for request in writer.asked if len(request.units) == 1]
    assert any("milder words" in note for note in alone[-1].units[0].notes)


def test_a_withheld_unit_is_not_paid_for_again(tmp_path: Path) -> None:
    """The same command run again finds the refusals kept and asks nothing."""
    for _ in range(2):
        writer = WithholdingWriter()
        with pytest.raises(WritingFailed, match="won't write it"):
            written(writer, tmp_path / "ledger.sqlite", work(10))
    assert writer.asked == []


def test_a_fallback_writes_what_is_withheld(tmp_path: Path) -> None:
    """With a fallback the org is finished, and the fallback is asked for that unit alone, once."""
    fallback = ToyWriter(name="other")
    for _ in range(2):
        with Ledger(tmp_path / "ledger.sqlite") as ledger:
            service = WritingService(SETTING, WithholdingWriter(), ledger, fallback=fallback)
            entries = asyncio.run(ObjectWriting(service, work(10)).write())
    assert set(entries) == set(range(10))
    assert [[unit.id for unit in request.units] for request in fallback.asked] == [[2]]


def has_unit(request: WriteRequest, number: int) -> bool:
    """Whether a request asks for the unit."""
    return any(unit.id == number for unit in request.units)


def test_what_is_asked_ahead_is_asked_once_and_counted_once(tmp_path: Path) -> None:
    """Mini-batches whose units are all ready are asked ahead; the writing itself waits for those
    that are under way and counts all of them.
    """
    writer = ToyWriter(pauses=random.Random(3))
    ready = set(range(25)) - {12}

    async def both(service: WritingService) -> None:
        ahead = ObjectWriting(service, work(), leave=Room(service, 8)).ask_ahead(ready)
        await asyncio.gather(ahead, ObjectWriting(service, work()).write())

    async def alone(service: WritingService) -> None:
        await ObjectWriting(service, work(), leave=Room(service, 8)).ask_ahead(ready)

    with Ledger(tmp_path / "alone.sqlite") as ledger:
        asyncio.run(alone(WritingService(SETTING, writer, ledger)))
    asked = [{unit.id for unit in request.units} for request in writer.asked]
    assert asked and all(units <= ready for units in asked)
    writer.asked.clear()
    with Ledger(tmp_path / "both.sqlite") as ledger:
        service = WritingService(SETTING, writer, ledger)
        asyncio.run(both(service))
    keys = [request.key for request in writer.asked]
    assert len(keys) == len(set(keys)) == service.usage["Note"].requests
