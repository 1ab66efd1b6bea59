"""Conversations of which a text was refused: that text alone is asked again, the others stand."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from orgweave.testing.asked import Prompt, unit_of
from orgweave.testing.words import Words
from pipeline.config import RunRequest, load_job
from pipeline.ledger import Ledger
from pipeline.write.mending import Mending, Rewriting
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.request import WriterAnswer, WriteRequest
from pipeline.write.senses import NO_SENSES
from pipeline.write.service import WritingService
from pipeline.write.telling import UnitTelling
from pipeline.write.work import ObjectWork
from schemas.field import Field
from schemas.model import Beat
from schemas.sources import WrittenSource
from tests.writing_toys import ITEM, SETTING
from verifiers.answer import AnswerRules
from verifiers.material import Entry, Facts, Unit, WrittenField
from verifiers.verdict import fail

BODY = WrittenField(
    "Body",
    "A line a turn.",
    (),
    {"type": "string", "minLength": 2},
    "Talk.Body",
    "beats",
)
BEATS = {
    "a.offer": Beat("a.offer", "offers", ("option",)),
    "a.number": Beat("a.number", "tells the number", ("number",)),
    "c.thanks": Beat("c.thanks", "says thanks"),
}
RULES = AnswerRules((BODY,), BEATS)
TURNS: tuple[Facts, ...] = (
    {"speaker": "Customer", "given": "It leaks."},
    {"speaker": "Agent", "beats": "a.offer"},
    {"speaker": "Customer", "beats": "c.thanks"},
    {"speaker": "Agent", "beats": "a.number"},
)
TALK = Unit(0, {"option": "store credit", "number": "case 77"}, TURNS)
RIGHT = ["We can give you store credit.", "Lovely, thanks.", "You find it as case 77."]


def entry_of(*texts: str) -> Entry:
    """An entry with these texts."""
    return {"unit": 0, "Body": list(texts)}


def test_a_refused_text_is_asked_alone_and_told_how_it_read() -> None:
    """The right texts stand as given; the note quotes the refused one by its new number."""
    mending = Mending(RULES)
    (asked,) = mending.opened((TALK,), [entry_of("We can help.", RIGHT[1], RIGHT[2])])
    assert [part.get("given") for part in asked.parts] == ["It leaks.", None, *RIGHT[1:]]
    (note,) = asked.notes
    assert note.startswith("text 1 was 'We can help.': content: does not name option")


def test_the_new_text_takes_the_refused_ones_place() -> None:
    """What was right of the first answer and what is right of the second are one entry."""
    mending = Mending(RULES)
    mending.opened((TALK,), [entry_of("We can help.", RIGHT[1], RIGHT[2])])
    assert mending.whole({0: entry_of(RIGHT[0])}) == {0: entry_of(*RIGHT)}


def test_a_text_refused_once_more_is_asked_once_more() -> None:
    """What a second answer mends stands with the rest; what it doesn't is asked again."""
    mending = Mending(RULES)
    (asked,) = mending.opened((TALK,), [entry_of("We can help.", RIGHT[1], "See you.")])
    assert len(asked.open_parts) == 2
    (again,) = mending.opened((asked,), [entry_of(RIGHT[0], "See you soon.")])
    assert [part.get("given") for part in again.parts] == ["It leaks.", *RIGHT[:2], None]
    assert mending.whole({0: entry_of(RIGHT[2])}) == {0: entry_of(*RIGHT)}


def test_what_cannot_be_mended_is_asked_as_it_was() -> None:
    """A wrong count, no entry, and texts that are all wrong leave nothing to stand."""
    mending = Mending(RULES)
    for answer in ([entry_of("We can help.")], [], [entry_of("No.", "[name]", "None.")]):
        assert mending.opened((TALK,), answer) == (TALK,)
    record = replace(TALK, parts=())
    assert mending.opened((record,), [entry_of(*RIGHT)]) == (record,)


@dataclass
class OnceWrong:
    """A writer whose first offer names no remedy; keeps the requests."""

    name: str = "once wrong"
    at_once: int = 4
    asked: list[WriteRequest] = field(default_factory=list)

    def parameters(self, request: WriteRequest) -> Mapping[str, str]:
        """Nothing else decides its answers."""
        return {}

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """The open texts of each conversation, as JSON on the wire too."""
        self.asked.append(request)
        entries = [self._entry(unit) for unit in request.units]
        return WriterAnswer(tuple(entries), text=json.dumps({"entries": entries}))

    def _entry(self, unit: Unit) -> dict[str, object]:
        texts = []
        for part, text in zip(unit.parts, ["", *RIGHT], strict=True):
            if not part.get("given"):
                wrong = len(self.asked) == 1 and part.get("beats") == "a.offer"
                texts.append("We can help." if wrong else text)
        return {"unit": unit.id, "Body": texts}


def talks() -> ObjectWork:
    """One conversation to be written."""
    source = WrittenSource(written="A line a turn.", beats="beats", rule="Talk.Body")
    body = Field("Body", BODY.json_schema, source, True)
    return ObjectWork(
        item=replace(ITEM, fields=(ITEM.fields[0], body), key_fields=()),
        fields=(BODY,),
        units=(TALK,),
        lanes=((0,),),
        rows=((0,),),
    )


def written(writer: OnceWrong, path: Path) -> dict[int, Entry]:
    """The conversation as a writer writes it, with the ledger at a path."""
    schema = replace(SETTING.schema, beats=BEATS)
    with Ledger(path) as ledger:
        service = WritingService(replace(SETTING, schema=schema), writer, ledger)
        return asyncio.run(ObjectWriting(service, talks()).write())


def test_only_the_refused_text_is_paid_again_and_nothing_by_a_second_run(tmp_path: Path) -> None:
    """The second request has one open turn, and a run that goes on finds both answers kept."""
    writer = OnceWrong()
    path = tmp_path / "ledger.sqlite"
    assert written(writer, path)[0]["Body"] == RIGHT
    assert [len(request.units[0].open_parts) for request in writer.asked] == [3, 1]
    later = OnceWrong()
    assert written(later, path)[0]["Body"] == RIGHT
    assert not later.asked


def two_talks() -> ObjectWork:
    """Two conversations of the same plan."""
    one = talks()
    units = (TALK, replace(TALK, id=1))
    return replace(one, units=units, lanes=((0,), (1,)), rows=((0,), (1,)))


OFFERS = ("You get store credit.", "I can do store credit, if you like.")
SAME = "It took a while, but now it works again."


@dataclass
class TwiceTheSame(OnceWrong):
    """A writer who ends each conversation with the same words until it is told of that."""

    def _entry(self, unit: Unit) -> dict[str, object]:
        told = any(SAME in note for note in unit.notes)
        texts = [OFFERS[unit.id], SAME, "It is case 77."]
        if told:
            texts[1] = "Thank you both, all is well with the tent."
        opened = [place for place, part in enumerate(unit.parts[1:]) if not part.get("given")]
        return {"unit": unit.id, "Body": [texts[place] for place in opened]}


def test_of_a_conversation_too_like_another_that_turn_alone_is_written_again(
    tmp_path: Path,
) -> None:
    """The other turns stand as given, the note quotes the turn by its new number, and the texts
    that are near it are shown.
    """
    writer = TwiceTheSame()
    schema = replace(SETTING.schema, beats=BEATS)
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        service = WritingService(replace(SETTING, schema=schema), writer, ledger)
        found = asyncio.run(ObjectWriting(service, two_talks()).write())
    again = writer.asked[-1]
    (unit,) = again.units
    assert [len(request.units[0].open_parts) for request in writer.asked] == [3, 3, 1]
    assert unit.notes == (f"text 1: {SAME!r} is too like an earlier text: {SAME!r}",)
    assert SAME in again.earlier
    assert found[0]["Body"] == [OFFERS[0], SAME, "It is case 77."]
    other = "Thank you both, all is well with the tent."
    assert found[1]["Body"] == [OFFERS[1], other, "It is case 77."]


def test_a_conversation_that_is_misread_is_written_again_as_a_whole() -> None:
    """What a reader finds in it stands in no single turn; all that was ever wrong is told."""
    rewriting = Rewriting(talks())
    entries = {0: entry_of(*RIGHT)}
    alike = fail("is too like an earlier text", "Body.1")
    (unit,) = rewriting.asked({0: (alike,)}, entries)
    assert [part.get("given") for part in unit.parts] == ["It leaks.", RIGHT[0], None, RIGHT[2]]
    assert rewriting.whole({0: entry_of("Thanks!")}) == {0: entry_of(RIGHT[0], "Thanks!", RIGHT[2])}
    (unit,) = rewriting.asked({0: (fail("a reader finds another option"),)}, entries)
    assert unit.parts == TALK.parts
    assert unit.notes == (
        "Body.1: is too like an earlier text",
        "a reader finds another option",
    )
    assert rewriting.whole(entries) == entries


def test_the_test_server_repeats_its_words_unless_they_were_refused() -> None:
    """Of a conversation asked in part come the words that it wrote with the whole; others where a
    note quotes those.
    """
    words = Words(load_job(RunRequest("shoes", scale=0.01)))
    beats = words.job.setting.schema.beats or {}
    turns = ({"speaker": "Customer", "beats": "c.hello"}, {"speaker": "Agent", "beats": "a.help"})
    facts = {"channel": "chat", "customer": "Rosa Lindgren", "agent": "Dana Whitlock"}

    def asked(unit: Unit) -> list[str]:
        line = json.dumps(UnitTelling(beats, NO_SENSES).unit(unit))
        prompt = Prompt("LiveChatTranscript", (unit_of(json.loads(line)),), ())
        (entry,) = words.entries(prompt)
        assert isinstance(entry["Body"], list)
        return [str(text) for text in entry["Body"]]

    unit = Unit(0, facts, turns)
    first, second = asked(unit)
    rest = replace(unit, parts=({**turns[0], "given": first}, turns[1]))
    assert asked(replace(rest, notes=("text 1 was 'Yes?': too short",))) == [second]
    # A spoiled text may begin as the right one does: what the note misses tells which it was.
    missed = f"text 1 was {second[:300]!r}: content: does not name agent"
    said = second.split()[0]
    assert asked(replace(rest, notes=(f"{missed} ({said})",))) == [second]
    assert asked(replace(rest, notes=(f"text 1 was {second!r}: too short",))) != [second]
