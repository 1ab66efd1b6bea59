"""The embedded writer: the same words for the same request, and others where others are needed."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from pipeline.config import RunRequest
from pipeline.run import generate
from pipeline.write.embedded import EmbeddedWriter, first_texts
from pipeline.write.request import ROUND, WriteRequest
from schemas.articles import Policy
from schemas.errors import BadInput
from schemas.lexicon import Lexicon
from schemas.world import World
from tests.toys import write_company, write_object
from tests.writing_toys import FACTS, NOTE, TOY_BEATS, TOY_WORDS
from verifiers.material import Entry, Unit, WrittenField


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


def entries_of(writer: EmbeddedWriter, request: WriteRequest) -> list[Entry]:
    """What a writer answers."""
    return [entry for entry in writer.answer(request).entries if isinstance(entry, dict)]


def test_the_same_request_gets_the_same_words() -> None:
    """A request is answered alike by every writer of the lexicon, at once or awaited."""
    assert (
        embedded().answer(note_request())
        == embedded().answer(note_request())
        == asyncio.run(embedded().write(note_request()))
    )


def test_changed_rules_or_a_changed_world_are_another_writer() -> None:
    """A ledger keeps words under the writer's name: rules and world decide which are said."""
    lexicon = Lexicon("toy", {"c.open": ("I bought {thing}.",)}, World())
    rules = replace(lexicon, rules={"c.open": ("I got {thing}.",)})
    policy = Policy(key="returns", title="Returns", figures={"days": (30,)})
    world = replace(lexicon, world=World(policies=(policy,)))
    names = {EmbeddedWriter(each, {}).name for each in (lexicon, rules, world, lexicon)}
    assert len(names) == 3


def test_another_attempt_gets_other_words() -> None:
    """Asked again, the writer says something else."""
    assert (
        embedded().answer(note_request()).entries
        != embedded().answer(note_request(attempt=1)).entries
    )


def test_each_round_words_a_mail_anew() -> None:
    """A rule's lines are dealt out in turn: five of them in five rounds, none twice."""
    lines = ("One pair.", "Two pairs.", "Three pairs.", "Four pairs.", "Five pairs.")
    writer = EmbeddedWriter(Lexicon("toy", {"c.open": lines}, World()), TOY_BEATS)
    mail = WrittenField("Body", "A mail a turn.", (), {"type": "string"}, beats="beats")
    unit = Unit(0, {**FACTS, "nth": 1}, ({"beats": "c.open", "speaker": "Customer"},))
    said = set()
    for number in range(len(lines)):
        request = WriteRequest("Mail", {}, (mail,), (unit,), attempt=ROUND * number)
        said.add(str(writer.answer(request).entries[0]["Body"]))
    assert len(said) == len(lines)


def test_rules_within_a_rule_are_dealt_out_among_the_cases() -> None:
    """What a line takes from another rule comes in one case only, as far as its lines go."""
    pairs = ("One pair.", "Two pairs.", "Three pairs.", "Four pairs.", "Five pairs.")
    rules = {"c.open": ("I bought {w.much}",), "w.much": pairs}
    writer = EmbeddedWriter(Lexicon("toy", rules, World()), TOY_BEATS)
    mail = WrittenField("Body", "A mail a turn.", (), {"type": "string"}, beats="beats")
    turn = {"beats": "c.open", "speaker": "Customer"}
    units = tuple(Unit(at, {**FACTS, "nth": at + 1}, (turn,)) for at in range(len(pairs)))
    request = WriteRequest("Mail", {}, (mail,), units)
    said = {str(entry["Body"]) for entry in entries_of(writer, request)}
    assert len(said) == len(pairs)


def test_a_turn_asked_again_is_unlike_those_that_are_shown() -> None:
    """Of five lines the one is taken that no shown text and no other unit of the request has."""
    lines = ("One pair.", "Both pairs.", "Every pair of them.", "No pair.", "All that I bought.")
    writer = EmbeddedWriter(Lexicon("toy", {"c.open": lines}, World()), TOY_BEATS)
    mail = WrittenField("Body", "A mail a turn.", (), {"type": "string"}, beats="beats")
    turn = {"beats": "c.open", "speaker": "Customer"}
    units = tuple(Unit(at, {**FACTS, "nth": 1}, (turn,)) for at in range(2))
    request = WriteRequest("Mail", {}, (mail,), units, earlier=lines[:3], attempt=ROUND)
    said = [first_texts(entry) for entry in entries_of(writer, request)]
    assert sorted(said) == sorted([[lines[3]], [lines[4]]])


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


BOXES = """
Name: {type: string, x-unique: true, x-source: {sequence: "Box {}"}}
City: {type: string, x-source: {faker: city}}
"""


def write_surveys(folder: Path, more: str = "") -> Path:
    """A profile whose schema has boxes, and surveys of them with a written comment."""
    write_object(folder / "toy", "Box", BOXES, "{number: 30}")
    fields = SURVEYS % ", must: [box, city]"
    write_object(folder / "toy", "Survey", fields, "{per: Box, number: 2}", SURVEY_FACTS)
    return write_company(folder, more)


def test_a_written_field_without_a_rule_is_refused_at_the_start(tmp_path: Path) -> None:
    """Before anything is made the field is told with its line, and the rule to write for it."""
    company = write_surveys(tmp_path)
    told = r"Survey.yaml: line 12: Survey.Comment is written, and no rule words it; add the rule"
    with pytest.raises(BadInput, match=told + r" Survey.Comment .* about {box} and {city}"):
        generate(RunRequest(str(company)), tmp_path / "run")
    assert not (tmp_path / "run" / "org.sqlite").exists()


def test_a_rule_named_after_the_field_words_it(tmp_path: Path) -> None:
    """Its slots are the facts of the record, and its lines vary by their alternatives."""
    (tmp_path / "mine").mkdir()
    rules = """
    rules:
      Survey.Comment:
      - "[The|My] {box} [came|went] to {city}, [{stars} stars|and I give it {stars}]."
      - "{stars} of 5 for {box}[, which stands in {city} now|; {city} is glad of it]."
    """
    (tmp_path / "mine" / "words.yaml").write_text(dedent(rules))
    outcome = generate(RunRequest(str(write_surveys(tmp_path, "lexicon: mine"))), tmp_path / "run")
    assert outcome.report.right
    query = "SELECT s.Comment, b.Name, b.City FROM Survey s JOIN Box b ON b.Id = s.BoxId"
    with closing(sqlite3.connect(outcome.folder / "org.sqlite")) as db:
        rows = db.execute(query).fetchall()
    assert len(rows) == 60
    assert all(box in comment and city in comment for comment, box, city in rows)
