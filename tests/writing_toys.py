"""Toy lexicon, beats, notes and writers for the tests of the writing stage."""

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.ledger import Ledger
from pipeline.world.org import RunContext
from pipeline.write.object_writing import ObjectWriting
from pipeline.write.request import WriterAnswer, WriteRequest
from pipeline.write.rules import Rules
from pipeline.write.service import WritingService
from pipeline.write.work import ObjectWork
from schemas.field import Field
from schemas.lexicon import Lexicon
from schemas.model import Beat, Schema
from schemas.object_type import BATCH, Count, ObjectType
from schemas.profile import Profile
from schemas.sources import IdSource, WrittenSource
from schemas.world import World
from verifiers.material import Entry, Unit, WrittenField

TOY_BEATS = {
    "c.greet": Beat("c.greet", "greets"),
    "c.sign": Beat("c.sign", "signs", ("customer",)),
    "c.open": Beat("c.open", "opens", ("product", "order_date")),
    "a.deny": Beat("a.deny", "refuses", ("limit",), {"limit": "deny_limit"}),
    "a.offer": Beat("a.offer", "offers", ("option",), None, ("a.offer", "option.offer")),
}
TOY_WORDS = {
    "c.greet": ("Hello,",),
    "c.sign": ("Yours,\n{customer}",),
    "c.open": ("i bought [the|a] {product} on {order_date}",),
    "chat.c.open": ("my {product} of {order_date} broke",),
    "a.deny": ("That is beyond {limit} days",),
    "a.offer": ("We offer {option}",),
    "option.refund.offer": ("You may have {option}",),
    "Note.Title": ("{tone.word} {topic} {number.word}",),
    "tone.word": ("Brisk", "Plain", "Quiet", "Early"),
    "number.word": ("one", "two", "three", "four", "five", "six", "seven", "eight"),
    "any.long": ("A note about {about}.",),
    "any.short": ("Short {about}",),
    "Article.Body": ("Intro. {options_block}",),
    "option.any.article": ("{option_name} stands open for {limit} days",),
}
FACTS = {
    "customer": "Rosa Lindgren",
    "agent": "Dana Whitlock",
    "product": "Brindle Tent",
    "order_date": "March 3, 2021",
    "limit": 90,
    "deny_limit": 30,
    "option": "store credit",
    "option_key": "credit",
}
COMPANY = {"company": "Fell & Moor", "industry": "outdoor", "description": "Sells tents."}


def rules_of(lines: Mapping[str, tuple[str, ...]]) -> Rules:
    """Rules of a toy lexicon."""
    return Rules(Lexicon("toy", lines, World()))


NOTE = WrittenField(
    "Title",
    "A title of a few words.",
    ("topic",),
    {"type": "string", "minLength": 3},
    "Note.Title",
)


ITEM = ObjectType(
    "Note",
    "Note.yaml",
    "A note.",
    "NTE",
    Count(number=25),
    (
        Field("Id", {"type": "string"}, IdSource(id=True), True),
        Field(
            "Title",
            NOTE.json_schema,
            WrittenSource(written="A title of a few words.", must=("topic",)),
            True,
            unique=True,
        ),
    ),
    key_fields=("Title",),
)
SETTING = RunContext(
    Profile(
        name="Fell & Moor",
        industry="outdoor",
        description="Sells tents by mail.",
        period={"start": "2020-01-01", "end": "2021-12-31"},
    ),  # type: ignore[arg-type]
    Schema("toy", (ITEM,)),
    World(),
    {"Note": 25},
    seed=3,
)
Say = Callable[[WriteRequest, Unit], object]


def work(size: int = 25, lane: int = BATCH) -> ObjectWork:
    """Notes on different topics, `lane` units a lane."""
    lanes = [range(start, min(start + lane, size)) for start in range(0, size, lane)]
    return ObjectWork(
        item=ITEM,
        fields=(NOTE,),
        units=tuple(Unit(number, {"topic": f"topic {number}"}) for number in range(size)),
        lanes=tuple(tuple(units) for units in lanes),
        rows=tuple((number,) for number in range(size)),
    )


def right(request: WriteRequest, unit: Unit) -> dict[str, object]:
    """A right entry, unlike that of any other unit or attempt."""
    rng = random.Random(f"{unit.id}|{request.attempt}")
    return {
        "unit": unit.id,
        "Title": (
            f"{unit.facts['topic']} "
            + " ".join("".join(rng.choices("abcdefghijklmnop", k=8)) for _ in range(6))
        ),
    }


@dataclass
class ToyWriter:
    """A writer that says what it is told to say (None: nothing), after a random pause, and keeps
    the requests.
    """

    say: Say = right
    pauses: random.Random | None = None
    name: str = "toy"
    at_once: int = 64
    asked: list[WriteRequest] = field(default_factory=list)

    def parameters(self, request: WriteRequest) -> Mapping[str, str]:
        """Nothing else decides its answers."""
        return {}

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """Entries in reverse order, some maybe missing."""
        self.asked.append(request)
        if self.pauses:
            await asyncio.sleep(self.pauses.random() * 0.02)
        entries = [self.say(request, unit) for unit in reversed(request.units)]
        return WriterAnswer(tuple(entry for entry in entries if entry is not None), 10, 20, 0.5)


def written(writer: ToyWriter, path: Path, todo: ObjectWork | None = None) -> dict[int, Entry]:
    """The entries of a work (25 notes where none is given) by a writer, the ledger at a path."""
    with Ledger(path) as ledger:
        service = WritingService(SETTING, writer, ledger)
        return asyncio.run(ObjectWriting(service, todo or work()).write())
