"""The writing stage: grammar, rules, composing, style, the embedded writer, the lexicons' facts,
and the desk that asks and asks again.
"""

import asyncio
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.ledger import Ledger
from pipeline.world.org import RunContext
from pipeline.write.batches import TRIES
from pipeline.write.compose import Composer
from pipeline.write.desk import WritingService
from pipeline.write.embedded import EmbeddedWriter
from pipeline.write.grammar import Phrase, expand, parse, slots, sure_slots
from pipeline.write.lanes import write_object
from pipeline.write.request import Unit, WriterAnswer, WriteRequest, WrittenField
from pipeline.write.rules import KEYED, Rules
from pipeline.write.style import Habit, ended, habit_of, tidy, typed_in_chat, written_date
from pipeline.write.units import Entry, ObjectWork, transcript, whole_parts
from schemas.errors import SchemaError, WritingFailed
from schemas.lexicon import Lexicon, World, load_lexicon
from schemas.loader import load_schema
from schemas.model import BATCH, Beat, Count, Field, ObjectType, Schema
from schemas.profile import Profile, companies_folder, lexicons_folder
from schemas.sources import IdSource, WrittenSource

# --- grammar


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("[a|b", "'[' without ']'"),
        ("a]", "unmatched ']'"),
        ("a|b", "unmatched '|'"),
        ("{open", "stray brace"),
        ("a}", "stray brace"),
        ("{}", "stray brace"),
        ("[a|[b]", "'[' without ']'"),
    ],
)
def test_a_wrong_line_is_an_error_that_quotes_it(line: str, says: str) -> None:
    """Brackets and braces that do not match raise an error with the line in it."""
    with pytest.raises(SchemaError, match=re.escape(says)) as raised:
        parse(line)
    assert repr(line) in str(raised.value)


@pytest.mark.parametrize(
    ("line", "sure", "maybe"),
    [
        ("{a} and {b}", "ab", "ab"),
        ("[{a}|{b}]", "", "ab"),
        ("[{a} x|y {a}]", "a", "a"),
        ("[{a}|]", "", "a"),
        ("{c}[{a}{b}|{b}[{a}|{d}]]", "bc", "abcd"),
        ("plain", "", ""),
    ],
)
def test_sure_slots_are_those_of_every_wording(line: str, sure: str, maybe: str) -> None:
    """A slot is sure where no choice can leave it out."""
    assert sure_slots(parse(line)) == set(sure)
    assert slots(parse(line)) == set(maybe)


def no_rule(name: str) -> list[Phrase]:
    """A grammar without rules."""
    raise SchemaError(name)


@pytest.mark.parametrize("seed", range(20))
def test_an_expansion_stays_within_its_alternatives(seed: int) -> None:
    """Each wording is one of those the line spells out, facts put in as they are."""
    allowed = {
        f"My {thing} {verb}{tail}."
        for thing in ("[tent]", "stove")
        for verb in ("broke", "tore")
        for tail in ("", " again")
    }
    phrase = parse("My [{noun}|stove] [broke|tore][ again|].")
    assert expand(phrase, {"noun": "[tent]"}, no_rule, random.Random(seed)) in allowed


def test_every_alternative_is_reached() -> None:
    """All alternatives occur over many draws."""
    phrase = parse("[a|b|[c|d]]")
    assert {expand(phrase, {}, no_rule, random.Random(seed)) for seed in range(200)} == set("abcd")


@settings(max_examples=60, deadline=None)
@given(
    words=st.lists(st.sampled_from(["x ", "{a}", "[y|{b}]", "[{a}|z|]"]), max_size=6),
    seed=st.integers(0, 999),
)
def test_sure_facts_stand_in_every_expansion(words: list[str], seed: int) -> None:
    """What sure_slots promises stands in whatever the dice say."""
    phrase = parse("".join(words))
    text = expand(phrase, {"a": "<A>", "b": "<B>"}, no_rule, random.Random(seed))
    assert all(f"<{name.upper()}>" in text for name in sure_slots(phrase))


def test_rules_in_a_circle_are_an_error() -> None:
    """Rules that refer to each other without end raise instead of hanging."""
    with pytest.raises(SchemaError, match="break the circle"):
        expand(
            parse("{a}"),
            {},
            lambda name: [parse("{b}" if name == "a" else "{a}")],
            random.Random(1),
        )


# --- rules

TOY_RULES = {
    "issue.leak.complaint": ("keyed",),
    "issue.any.complaint": ("any",),
    "issue.leak.ask.where": ("keyed where",),
    "issue.any.ask.any": ("any ask",),
    "c.open": ("mail",),
    "chat.c.open": ("chat",),
    "c.thanks": ("plain",),
    "c.thanks@angry": ("angry",),
    "c.only@calm": ("calm",),
}


def rules_of(lines: Mapping[str, tuple[str, ...]]) -> Rules:
    """Rules of a toy lexicon."""
    return Rules(Lexicon("toy", lines, World()))


def chosen(name: str, facts: Mapping[str, str], *traits: str, seed: int = 1) -> list[str]:
    """The lines that may word a rule."""
    return [
        "".join(map(str, phrase))
        for phrase in rules_of(TOY_RULES).chooser(facts, traits, random.Random(seed))(name)
    ]


@pytest.mark.parametrize(
    ("name", "facts", "lines"),
    [
        ("issue.complaint", {"issue_key": "leak"}, ["keyed"]),
        ("issue.complaint", {"issue_key": "stain"}, ["any"]),
        ("issue.complaint", {}, ["any"]),
        ("issue.complaint", {"issue_key": "leak", "channel": "chat"}, ["keyed"]),
        ("issue.ask", {"issue_key": "leak", "topic": "where"}, ["keyed where"]),
        ("issue.ask", {"issue_key": "leak", "topic": "when"}, ["any ask"]),
        ("c.open", {"channel": "email"}, ["mail"]),
        ("c.open", {"channel": "chat"}, ["chat"]),
    ],
)
def test_the_nearest_rule_is_taken(name: str, facts: Mapping[str, str], lines: list[str]) -> None:
    """A rule of the key comes before `any`, a chat's before a mail's, and each falls back to the
    other.
    """
    assert chosen(name, facts) == lines


def test_lines_of_a_trait_are_taken_two_times_in_three() -> None:
    """Where a trait fits, its lines are taken mostly but not always; where none does, never; where
    nothing else is, always.
    """
    drawn = [chosen("c.thanks", {}, "angry", seed=seed)[0] for seed in range(300)]
    assert 0.55 < drawn.count("angry") / 300 < 0.77
    assert {chosen("c.thanks", {}, "calm", seed=seed)[0] for seed in range(20)} == {"plain"}
    assert {chosen("c.only", {}, "calm", seed=seed)[0] for seed in range(20)} == {"calm"}


def test_an_unknown_rule_is_a_clear_error() -> None:
    """A slot that is no fact and no rule raises an error that names lexicon and slot."""
    with pytest.raises(SchemaError, match=r"lexicon toy: there is no rule for \{c.nothing\}"):
        chosen("c.nothing", {})


# --- composing

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


def composer() -> Composer:
    """The hand of a toy lexicon."""
    return Composer(rules_of(TOY_WORDS), TOY_BEATS)


def test_a_mail_has_its_facts_between_greeting_and_signature() -> None:
    """Greeting, sentences with capitals and end marks, signature, each a paragraph of its own."""
    text = composer().turn(
        ["c.greet", "c.open", "c.sign"], {**FACTS, "speaker": "Customer"}, random.Random(1)
    )
    assert re.fullmatch(
        r"Hello,\n\nI bought (the|a) Brindle Tent on (March 3, 2021|Mar 3,"
        r" 2021|3/3/2021)\.\n\nYours,\nRosa Lindgren",
        text,
    )


def test_a_chat_line_is_worded_by_the_chats_rule() -> None:
    """In a chat the chat's wording is taken, facts and all."""
    text = composer().turn(
        ["c.open"], {**FACTS, "speaker": "Customer", "channel": "chat"}, random.Random(1)
    )
    assert text.lower().startswith("my brindle tent of")


def test_a_beat_uses_the_facts_it_renames() -> None:
    """A refusal names the limit that refuses it."""
    assert "30 days" in composer().turn(["a.deny"], {**FACTS, "speaker": "Agent"}, random.Random(1))


def test_a_beat_is_worded_by_any_of_its_rules_that_exist() -> None:
    """Of two rules the keyed one is taken only where the key has one."""
    said = {
        key: {
            composer().turn(
                ["a.offer"], {**FACTS, "option_key": key, "speaker": "Agent"}, random.Random(seed)
            )
            for seed in range(30)
        }
        for key in ("refund", "credit")
    }
    assert said == {
        "refund": {"We offer store credit.", "You may have store credit."},
        "credit": {"We offer store credit."},
    }


def test_an_article_states_every_option() -> None:
    """The options block has a sentence for each option with its limit."""
    options = (
        '[{"key": "refund", "name": "Full Refund", "limit": 30}, {"key": "credit", "name": "Store'
        ' Credit", "limit": 1}]'
    )
    assert (
        composer().field("Article.Body", {"options": options}, {}, random.Random(1))
        == "Intro. Full Refund stands open for 30 days. Store Credit stands open for 1 day."
    )


def test_a_field_without_a_rule_still_names_its_facts() -> None:
    """Where the lexicon has no rule for a field, a plain text names the facts."""
    assert (
        composer().field("Note.Unknown", {"topic": "lacing"}, {}, random.Random(1), words=30)
        == "A note about lacing."
    )
    assert (
        composer().field("Note.Unknown", {"topic": "lacing"}, {}, random.Random(1), words=3)
        == "Short lacing"
    )


# --- style


@pytest.mark.parametrize(
    ("raw", "tidied"),
    [
        ("it took 1 days", "It took 1 day"),
        ("it took 21 days", "It took 21 days"),
        ("a 18-day wait and a 30-day limit", "An 18-day wait and a 30-day limit"),
        (
            "a 8-day limit, a 11-day one, a 80-day one",
            "An 8-day limit, an 11-day one, an 80-day one",
        ),
        ("a offer of a one-time gift", "An offer of a one-time gift"),
        ("done. thanks! ok? yes", "Done. Thanks! Ok? Yes"),
        ("call at 5 p.m. on Friday, i.e. tomorrow", "Call at 5 p.m. on Friday, i.e. tomorrow"),
        ("well... maybe", "Well... maybe"),
        ("one ,  two .", "One, two."),
        ("it is done..", "It is done."),
        ("first \n second", "First\nSecond"),
        ("", ""),
    ],
)
def test_texts_are_tidied(raw: str, tidied: str) -> None:
    """White space, capitals, articles and single days come right; abbreviations end no sentence."""
    assert tidy(raw) == tidied


@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet="ab 18.,!?\n-days", max_size=40))
def test_tidying_twice_changes_nothing_more(text: str) -> None:
    """A tidy text without runs of end marks stays as it is."""
    once = tidy(re.sub(r"[.,!?]+\s*(?=[.,!?])", "", text))
    assert tidy(once) == once


@pytest.mark.parametrize(
    ("text", "closed"),
    [("so be it", "so be it."), ("why?", "why?"), ("Hello,", "Hello,"), ("", "")],
)
def test_sentences_get_an_end_mark(text: str, closed: str) -> None:
    """A period is put where no mark stands."""
    assert ended(text) == closed


def test_a_person_types_the_same_way_everywhere() -> None:
    """Habits follow from the name alone, and people differ."""
    assert habit_of("Rosa Lindgren") == habit_of("Rosa Lindgren")
    assert len({habit_of(f"Person {at}") for at in range(50)}) > 4


def test_lower_case_typing_leaves_names_alone() -> None:
    """Someone who types without capitals still writes names and products as they are."""
    assert (
        typed_in_chat(
            "My tent broke. Brindle Tent again.",
            Habit(lower_case=True, no_final_period=True),
            ["Brindle Tent"],
        )
        == "my tent broke. Brindle Tent again"
    )
    assert typed_in_chat("My tent broke.", Habit(), []) == "My tent broke."


def test_a_date_is_written_as_the_person_writes_dates() -> None:
    """The habit decides the form of the date; what is no date stays."""
    assert [written_date("March 3, 2021", Habit(form)) for form in (0, 1, 2)] == [
        "March 3, 2021",
        "Mar 3, 2021",
        "3/3/2021",
    ]
    assert written_date("some day", Habit(2)) == "some day"


# --- the embedded writer

NOTE = WrittenField(
    "Title", "A title of a few words.", ("topic",), {"type": "string", "minLength": 3}, "Note.Title"
)


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


# --- conversations

CHAT = Unit(
    0,
    {"customer": "Rosa Lindgren"},
    (
        {"at": "2022-03-01T09:31:12", "speaker": "Customer", "agent": "Dana Whitlock"},
        {"at": "2022-03-01T09:32:00", "speaker": "Agent", "agent": "Dana Whitlock"},
    ),
)


def test_a_chat_is_rendered_line_by_line() -> None:
    """A line a turn, with time, name and role, line breaks inside a turn folded."""
    assert (
        transcript(CHAT, ["Hi,\nare you there?", "Yes."])
        == "[2022-03-01T09:31:12] Rosa Lindgren (Customer): Hi, are you"
        " there?\n[2022-03-01T09:32:00] Dana Whitlock (Agent): Yes."
    )


def test_given_parts_stand_among_written_ones() -> None:
    """Given texts keep their place, written ones fill the others in order."""
    unit = Unit(0, {}, ({"given": "first"}, {"beats": "a"}, {"given": "third"}, {"beats": "b"}))
    assert whole_parts(unit, ["second", "fourth"]) == ["first", "second", "third", "fourth"]


# --- the shipped lexicons


def shipped_beats() -> Mapping[str, Beat]:
    """The dialogue acts of the service schema."""
    return load_schema(companies_folder().parent / "service_cloud").beats or {}


def rules_wording(name: str, lexicon: Lexicon) -> list[str]:
    """Every rule of a lexicon that may word this one: itself, its keyed and chat forms, and all of
    these for a trait.
    """
    head, _, rest = name.partition(".")
    keyed = rf"|{head}\.\w+\.{re.escape(rest)}" if head in KEYED else ""
    return [
        rule
        for rule in lexicon.rules
        if re.fullmatch(rf"(chat\.)?({re.escape(name)}{keyed})(@\w+)?", rule)
    ]


@pytest.mark.parametrize(
    "folder", sorted(lexicons_folder().iterdir()), ids=lambda folder: folder.name
)
def test_every_line_of_a_beat_names_what_the_beat_must_name(folder: Path) -> None:
    """In all shipped lexicons, each line that may word a beat has the beat's facts in every
    wording.
    """
    lexicon, lacking, tried = load_lexicon(folder, lexicons_folder() / "base"), [], 0
    for beat in shipped_beats().values():
        for rule in (
            [found for name in beat.rules or (beat.name,) for found in rules_wording(name, lexicon)]
            if beat.must
            else []
        ):
            for line in lexicon.rules[rule]:
                tried += 1
                sure = sure_slots(parse(line))
                lacking += [
                    f"{rule}: {fact} in {line!r}"
                    for fact in beat.must
                    if not sure & {fact, (beat.uses or {}).get(fact, fact)}
                ]
    assert tried > 100
    assert lacking == []


@pytest.mark.parametrize(
    "folder", sorted(lexicons_folder().iterdir()), ids=lambda folder: folder.name
)
def test_every_line_can_be_parsed(folder: Path) -> None:
    """All shipped lines are grammar."""
    lexicon = load_lexicon(folder, lexicons_folder() / "base")
    assert all(parse(line) for lines in lexicon.rules.values() for line in lines if line)


# --- the desk

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
    units = tuple(Unit(at, {"topic": f"topic {at}"}) for at in range(size))
    return ObjectWork(
        (NOTE,),
        units,
        tuple(tuple(range(start, min(start + lane, size))) for start in range(0, size, lane)),
        tuple((at,) for at in range(size)),
        keys=("Title",),
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


def written(writer: ToyWriter, ledger: Path, todo: ObjectWork | None = None) -> dict[int, Entry]:
    """What the desk makes of a writer's answers."""
    with Ledger(ledger) as kept:
        return asyncio.run(
            write_object(WritingService(SETTING, writer, kept), ITEM, todo or work())
        )


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
        *[[2]] * (TRIES - 1),
    ]
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        kept = ledger.get(writer.asked[0].key)
    assert kept is not None and set(kept.entries) == set(range(10)) - {2}


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
            desk = WritingService(SETTING, ToyWriter(), ledger)
            asyncio.run(write_object(desk, ITEM, work()))
            spent.append(desk.spent["Note"])
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
    named: within a lane at once, across lanes when it is written again.
    """
    todo = replace(
        work(3), units=tuple(Unit(at, {"topic": "one topic"}) for at in range(3)), keys=keys
    )
    with pytest.raises(
        WritingFailed, match="2 Note texts were refused 12 times .*'one topic' is taken already"
    ):
        written(
            ToyWriter(lambda request, unit: {"unit": unit.id, "Title": "one topic"}),
            tmp_path / "ledger.sqlite",
            todo,
        )
