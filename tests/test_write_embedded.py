"""The embedded writer: the same words for the same request, and others where others are needed."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.config import RunRequest
from pipeline.run import generate
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.request import WriteRequest
from schemas.lexicon import Lexicon, World
from tests.toys import write_company, write_object
from tests.writing_toys import FACTS, NOTE, TOY_BEATS, TOY_WORDS
from verifiers.material import Unit, WrittenField


def note_request(attempt: int = 0, earlier: tuple[str, ...] = ()) -> WriteRequest:
    """A request for four notes."""
    return WriteRequest(
        "Note",
        {"company": "Fell & Moor"},
        (NOTE,),
        tuple(Unit(at, {"topic": "lacing"}) for at in range(4)),
        earlier,
        attempt,
        seed=3,
        node="Note",
    )


def embedded() -> EmbeddedWriter:
    """The embedded writer of the toy lexicon."""
    return EmbeddedWriter(Lexicon("toy", TOY_WORDS, World()), TOY_BEATS)


def test_the_same_request_gets_the_same_words() -> None:
    """A request is answered alike by every writer of the lexicon, at once or awaited."""
    assert (
        embedded().answer(note_request())
        == embedded().answer(note_request())
        == asyncio.run(embedded().write(note_request()))
    )


def test_another_attempt_gets_other_words() -> None:
    """Asked again, the writer says something else."""
    assert (
        embedded().answer(note_request()).entries
        != embedded().answer(note_request(attempt=1)).entries
    )


def test_a_unit_alone_gets_the_words_it_gets_among_others() -> None:
    """The first unit's words do not depend on the units asked with it."""
    request = note_request()
    assert (
        embedded().answer(replace(request, units=request.units[:1])).entries[0]
        == embedded().answer(request).entries[0]
    )


def test_the_words_are_unlike_the_earlier_ones() -> None:
    """What stands among the earlier entries is not written again."""
    said = str(embedded().answer(note_request()).entries[0]["Title"])  # type: ignore[index]
    assert said not in [
        entry["Title"] for entry in embedded().answer(note_request(earlier=(said,))).entries
    ]  # type: ignore[index]


def test_given_turns_are_not_written() -> None:
    """A conversation's entry has one text for each turn that does not stand already."""
    mail = WrittenField("Body", "A mail a turn.", (), {"type": "string"}, beats="beats")
    parts = (
        {"beats": "c.greet", "speaker": "Customer", "given": "Hello"},
        {"beats": "a.deny", "speaker": "Agent"},
        {"beats": "c.open", "speaker": "Customer"},
    )
    entry = (
        embedded().answer(WriteRequest("Mail", {}, (mail,), (Unit(0, FACTS, parts),))).entries[0]
    )
    assert len(entry["Body"]) == 2  # type: ignore[index,call-overload]


SURVEYS = """
BoxId: {type: string, x-source: {reference: Box, by: parent}}
Stars: {type: integer, x-source: {choice: [1, 2, 3, 4, 5]}}
Comment: {type: string, minLength: 20, maxLength: 400, x-source:
  {written: "A customer's comment on the box.", words: 30%s}}
"""
SURVEY_FACTS = "x-facts: {box: BoxId.Name, city: BoxId.City, stars: Stars}"


@pytest.mark.parametrize("must", ["", ", must: [box]", ", must: [box, city]"])
def test_a_schema_of_ones_own_needs_no_rules(must: str, tmp_path: Path) -> None:
    """A written field that no lexicon words is written all the same, by facts of its own record
    and with all that `must` names, never by what every record shares: the company.
    """
    boxes = """
    Name: {type: string, x-unique: true, x-source: {sequence: "Box {}"}}
    City: {type: string, x-source: {faker: city}}
    """
    write_object(tmp_path / "toy", "Box", boxes, "{number: 30}")
    write_object(tmp_path / "toy", "Survey", SURVEYS % must, "{per: Box, number: 2}", SURVEY_FACTS)
    outcome = generate(RunRequest(str(write_company(tmp_path))), tmp_path / "run")
    assert outcome.report.right
    query = "SELECT s.Comment, b.Name, b.City, s.Stars FROM Survey s JOIN Box b ON b.Id = s.BoxId"
    with closing(sqlite3.connect(outcome.folder / "org.sqlite")) as db:
        rows = db.execute(query).fetchall()
    assert len(rows) == 60
    assert not any("Bramble Toys" in comment for comment, *_ in rows)
    for comment, box, city, stars in rows:
        assert box in comment or city in comment or str(stars) in comment
        assert box in comment or "box" not in must
        assert city in comment or "city" not in must
    assert len({comment for comment, *_ in rows}) == 60
