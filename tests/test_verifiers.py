"""Verifiers: what they let pass, what they refuse with which reason and path, and that nothing
makes them raise.
"""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from pipeline.write.request import Unit, WriteRequest, WrittenField
from pipeline.write.verify import verify_answer, verify_entry
from schemas.model import Beat
from verifiers.content import Demand, date_forms, forms_of, roster_of, verify_names, verify_text
from verifiers.diversity import measure
from verifiers.duplicates import exact_repeats, folded, near_pairs, near_repeats
from verifiers.format import entry_schema, validator, verify_format
from verifiers.privacy import verify_privacy
from verifiers.transcript import ChatFacts, verify_transcript
from verifiers.verdict import PASS

TITLE = WrittenField(
    "Title", "A title.", ("topic",), {"type": "string", "minLength": 5, "maxLength": 40}
)
MAIL = WrittenField(
    "Body",
    "A mail a turn.",
    (),
    {"type": "string", "minLength": 20, "maxLength": 400},
    beats="beats",
)
BEATS = {
    "deny": Beat("deny", "refuses", ("limit",), {"limit": "deny_limit"}),
    "sign": Beat("sign", "signs", ("agent",)),
}
WORDS = [
    "river",
    "lamp",
    "window",
    "engine",
    "garden",
    "winter",
    "copper",
    "letter",
    "bridge",
    "orchard",
    "candle",
    "market",
    "harbor",
    "violet",
    "thunder",
    "pocket",
    "marble",
    "saddle",
    "kettle",
    "ribbon",
]

anything = st.text(st.characters(), max_size=60)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | anything,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["unit", "Title", "Body", "x"]) | anything, inner, max_size=4
        )
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("entry", "reason", "path"),
    [
        ({"unit": 1, "Title": "four"}, "format: 'four' is too short", "Title"),
        ({"unit": 1, "Title": "t" * 41}, "format: ", "Title"),
        (
            {"unit": 1, "Title": ["a", "list"]},
            "format: ['a', 'list'] is not of type 'string'",
            "Title",
        ),
        ({"unit": "1", "Title": "A right title"}, "format: '1' is not of type 'integer'", "unit"),
        ({"unit": 1}, "format: 'Title' is a required property", ""),
        ({"unit": 1, "Title": "A right title", "Extra": 1}, "format: Additional properties", ""),
        ("no mapping", "format: 'no mapping' is not of type 'object'", ""),
    ],
)
def test_a_wrong_form_is_told_with_its_path(entry: object, reason: str, path: str) -> None:
    """An entry of the wrong form fails with the first fault and where it stands."""
    verdict = verify_format(validator(entry_schema({"Title": TITLE.json_schema})), entry)
    assert verdict.failed and verdict.reason.startswith(reason) and verdict.path == path


@pytest.mark.parametrize(
    ("texts", "right"),
    [
        (["first one", "second one"], True),
        (["first one"], False),
        (["first one", "second one", "third one"], False),
        ([], False),
    ],
)
def test_a_conversation_has_exactly_its_parts(texts: list[str], right: bool) -> None:
    """A field with parts is a list of exactly so many texts, however short each of them."""
    verdict = verify_format(
        validator(entry_schema({"Body": MAIL.json_schema}, parts=2)), {"unit": 1, "Body": texts}
    )
    assert verdict.failed is not right


def test_the_path_of_a_wrong_part_names_its_place() -> None:
    """The path of a fault in a part is the field and the part's number."""
    verdict = verify_format(
        validator(entry_schema({"Body": MAIL.json_schema}, parts=2)),
        {"unit": 1, "Body": ["right", 7]},
    )
    assert verdict.failed and verdict.path == "Body.1"


@pytest.mark.parametrize(
    "form",
    ["March 3, 2021", "Mar 3, 2021", "3/3/2021", "2021-03-03", "3 March 2021", "MARCH 3, 2021"],
)
def test_a_date_may_stand_in_any_usual_form(form: str) -> None:
    """A demanded date is found in each of the forms people use."""
    assert (
        verify_text(
            f"I ordered it on {form}.",
            [Demand("order_date", forms_of("order_date", "March 3, 2021"))],
        )
        == PASS
    )


@pytest.mark.parametrize("form", ["March 4, 2021", "3/3/2020", "March 2021"])
def test_another_date_is_not_the_date(form: str) -> None:
    """A text with another date, or half of one, does not name the date."""
    assert verify_text(
        f"I ordered it on {form}.", [Demand("order_date", forms_of("order_date", "March 3, 2021"))]
    ).failed


def test_what_is_no_date_stands_as_it_is() -> None:
    """A text that can't be read as a date has only itself as a form."""
    assert date_forms("some day soon") == ("some day soon",)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("It has been 30 days.", True),
        ("the 30-day limit", True),
        ("within 30 of them", True),
        ("the limit is 30.", True),
        ("1 day", False),
        ("for 300 days", False),
        ("thirty days", False),
    ],
)
def test_a_number_of_days_is_named_in_words_about_days(text: str, named: bool) -> None:
    """A limit of thirty days is named by `30 days` and its like, not by another number that holds
    the digits.
    """
    assert verify_text(text, [Demand("limit", forms_of("limit", "30"))]).failed is not named


def test_an_option_is_named_with_or_without_its_article() -> None:
    """`a full refund` is named by `your full refund`."""
    demand = [Demand("option", forms_of("option", "a full refund"))]
    assert verify_text("Your full refund is on its way.", demand) == PASS
    assert (
        verify_text("Your partial refund is on its way.", demand).reason
        == "content: does not name option (full refund)"
    )


def test_a_text_must_not_name_what_is_not_among_its_facts() -> None:
    """An avoided phrase fails whatever its case and spacing."""
    assert (
        verify_text("We give you Store\n credit.", [], ["store credit"], "Body.2").path == "Body.2"
    )
    assert verify_text("We give you a refund.", [], ["store credit"]) == PASS


@pytest.mark.parametrize(
    "text",
    [
        "Dear {customer},",
        "Dear [name],",
        "Dear [Customer Name],",
        "<<date>>",
        "Lorem ipsum dolor",
        "As an AI I can't",
        "TODO: add date",
        "bad \ud83d half",
        "nul \x00",
    ],
)
def test_placeholders_and_what_is_no_text_fail(text: str) -> None:
    """A placeholder that was left, or a character that can't be stored, fails."""
    assert verify_text(text, []).failed


@pytest.mark.parametrize(
    "text",
    ["None of it", "Nancy wrote", "an ai", "{x", "a [b] c", "as an airline", "what to do: wait"],
)
def test_words_that_resemble_placeholders(text: str) -> None:
    """Only whole placeholders fail, not words that hold their letters."""
    assert verify_text(text, []) == PASS


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("mail rosa@tarnandalder.example", True),
        ("mail rosa.l+x@mail.example.com now", True),
        ("mail rosa@shop.test, or a@b.invalid", True),
        ("mail rosa@gmail.com", False),
        ("mail rosa@example.com.evil.io", False),
        ("mail rosa@notexample.com", False),
        ("call (303) 555-0142", True),
        ("call 303-555-0199 or +1 303 555 0100", True),
        ("call (303) 555-0242", False),
        ("call (303)555-2233", False),
        ("call 303.867.5309", False),
        ("card 4111 1111 1111 1111", False),
        ("card 4111-1111-1111-1111.", False),
        ("card 4111 1111 1111 1112", True),
        ("order 1234567890123, card 4111111111111111", False),
        ("order 0000001234, 00000412", True),
        ("ssn 123-45-6789", False),
        ("on 2021-03-03, 3/3/2021 at 09:31:12", True),
    ],
)
def test_only_invented_addresses_and_numbers_pass(text: str, right: bool) -> None:
    """E-mails only at reserved domains, phones only 555-01xx, no number that Luhn's sum makes a
    card's, no social security number.
    """
    assert verify_privacy(text).failed is not right


def chat(*turns: tuple[str, str, str]) -> str:
    """A chat of (time, speaker with role, text)."""
    return "\n".join(f"[2022-03-01T09:{time}] {speaker}: {text}" for time, speaker, text in turns)


ROSA, DANA, LEE = "Rosa Lindgren (Customer)", "Dana Whitlock (Agent)", "Lee Ortiz (Agent)"
FACTS = ChatFacts(
    "Rosa Lindgren",
    [("2022-03-01T09:30:00", "Dana Whitlock"), ("2022-03-01T09:34:30", "Lee Ortiz")],
    "2022-03-01T09:30:00",
    "2022-03-01T09:38:00",
)
TURNS = tuple(
    (
        f"3{at}:00" if at else "30:30",
        ROSA if at % 2 == 0 else DANA if at < 4 else LEE,
        f"Line {at} of it.",
    )
    for at in range(9)
)


def changed(at: int, *, time: str = "", speaker: str = "", text: str = "") -> str:
    """The right chat with one turn changed."""
    was = TURNS[at]
    return chat(*TURNS[:at], (time or was[0], speaker or was[1], text or was[2]), *TURNS[at + 1 :])


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (chat(*TURNS), ""),
        (chat(*TURNS) + "\nbye", "a line is not of the form `[time] Name (Customer|Agent): text`"),
        (changed(2, text=" "), "a line is not of the form `[time] Name (Customer|Agent): text`"),
        ("", "a line is not of the form `[time] Name (Customer|Agent): text`"),
        (chat(*TURNS[2:]), "has 7 turns, not 8 to 12"),
        (chat(*TURNS, *TURNS[:4]), "has 13 turns, not 8 to 12"),
        (changed(0, speaker=DANA), "the agent speaks first"),
        (changed(3, time="32:00"), "times do not rise from the case's creation"),
        (changed(0, time="30:00"), "times do not rise from the case's creation"),
        (changed(8, time="38:01"), "the last line is not at EndTime"),
        (
            changed(2, speaker="Max Frost (Customer)"),
            "Max Frost speaks as customer, who is Rosa Lindgren",
        ),
        (
            changed(3, speaker=LEE),
            "Lee Ortiz answers at 2022-03-01T09:33:00, when Dana Whitlock owned the case",
        ),
        (
            changed(5, speaker=DANA),
            "Dana Whitlock answers at 2022-03-01T09:35:00, when Lee Ortiz owned the case",
        ),
    ],
)
def test_each_fault_of_a_chat_is_told(body: str, fault: str) -> None:
    """A right chat has no fault; each wrong one is told by its first."""
    assert verify_transcript(body, FACTS) == fault


def test_nobody_may_answer_before_the_first_owner() -> None:
    """An agent's line before any assignment is a fault."""
    assert "when nobody owned the case" in verify_transcript(
        chat(*TURNS), ChatFacts("Rosa Lindgren", [], FACTS.created, FACTS.end)
    )


def test_the_facts_of_fields_and_beats_are_demanded() -> None:
    """A field demands its must facts, a turn those of its beats under the names the beats use."""
    unit = Unit(
        1,
        {"deny_limit": 45, "limit": 0},
        ({"beats": "deny", "agent": "Dana Whitlock"}, {"beats": "sign", "agent": "Dana Whitlock"}),
    )
    right = {"unit": 1, "Body": ["The limit is 45 days.", "Dana Whitlock"]}
    assert verify_entry((MAIL,), unit, right, BEATS) == PASS
    assert (
        verify_entry(
            (MAIL,), unit, {**right, "Body": ["The limit is 30 days.", "Dana Whitlock"]}, BEATS
        ).path
        == "Body.0"
    )
    assert (
        verify_entry(
            (MAIL,), unit, {**right, "Body": ["The limit is 45 days.", "Your team"]}, BEATS
        ).path
        == "Body.1"
    )
    assert (
        verify_entry(
            (TITLE,), Unit(1, {"topic": "lacing"}), {"unit": 1, "Title": "All about laces"}, BEATS
        ).reason
        == "content: does not name topic (lacing)"
    )


def test_each_unit_gets_one_verdict() -> None:
    """The first right entry of a unit counts, unknown units are ignored, a unit without an entry
    fails.
    """
    request = WriteRequest(
        "Note",
        {},
        (TITLE,),
        (Unit(1, {"topic": "lacing"}), Unit(2, {"topic": "waxing"}), Unit(3, {"topic": "drying"})),
    )
    entries = (
        {"unit": 1, "Title": "No."},
        {"unit": 1, "Title": "On lacing"},
        {"unit": 1, "Title": "More lacing"},
        {"unit": 9, "Title": "Stray entry"},
        {"unit": 2, "Title": "On soles"},
    )
    verdicts = verify_answer(request, entries, BEATS)
    assert verdicts[1] == (PASS, {"unit": 1, "Title": "On lacing"})
    assert [verdicts[unit][0].reason for unit in (2, 3)] == [
        "content: does not name topic (waxing)",
        "format: no entry for this unit",
    ]


@settings(max_examples=150, deadline=None)
@given(
    text=anything,
    demanded=anything,
    phrase=anything,
    fact=st.sampled_from(["order_date", "limit", "option", "agent"]),
)
@example(text="\ud83d", demanded="\ud83d", phrase="\x00", fact="option")
def test_content_and_privacy_never_raise(text: str, demanded: str, phrase: str, fact: str) -> None:
    """Any text gets a verdict."""
    assert verify_text(text, [Demand(fact, forms_of(fact, demanded))], [phrase]).outcome in (
        "pass",
        "fail",
    )
    assert verify_privacy(text).outcome in ("pass", "fail")
    assert isinstance(verify_transcript(text, FACTS), str)


@settings(max_examples=200, deadline=None)
@given(entries=st.lists(json_values, max_size=4))
def test_an_answer_of_any_kind_gets_verdicts(entries: list[object]) -> None:
    """Whatever a model sends, each unit gets a verdict and only passing entries are kept."""
    units = (Unit(1, {"topic": "lacing"}), Unit(2, {"topic": ""}))
    verdicts = verify_answer(WriteRequest("Note", {}, (TITLE,), units), entries, BEATS)
    assert set(verdicts) == {1, 2}
    assert all((entry is None) == verdict.failed for verdict, entry in verdicts.values())


@settings(max_examples=100, deadline=None)
@given(texts=st.lists(anything, max_size=12))
def test_duplicates_and_diversity_never_raise(texts: list[str]) -> None:
    """Any texts, empty or odd, can be measured."""
    assert set(exact_repeats(texts)) <= set(near_repeats(texts))
    assert measure(texts).texts == len(texts)


@settings(max_examples=100, deadline=None)
@given(picks=st.lists(st.sampled_from(["A b", "a  B", "c d", "C D ", "e"]), max_size=12))
def test_exact_repeats_are_all_but_the_first_of_equal_texts(picks: list[str]) -> None:
    """A text repeats where an equal one stands before it, case and white space aside."""
    assert exact_repeats(picks) == [
        at for at, text in enumerate(picks) if folded(text) in map(folded, picks[:at])
    ]


def texts_with_plants(seed: int) -> list[str]:
    """A few unlike sentences and, among them, copies with one or two characters changed."""
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(10, 18))) for _ in range(rng.randint(1, 8))]
    for _ in range(rng.randint(0, 5)):
        signs = list(rng.choice(texts))
        for _ in range(rng.randint(0, 2)):
            signs[rng.randrange(len(signs))] = rng.choice("qxz")
        texts.insert(rng.randint(0, len(texts)), "".join(signs))
    return texts


@settings(max_examples=150, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_near_repeats_agree_with_trying_every_pair(seed: int) -> None:
    """Near pairs and repeats are those that rapidfuzz's ratio of 95 finds when every pair is
    tried.
    """
    texts = [folded(text) for text in texts_with_plants(seed)]
    alike = [
        (one, other)
        for other in range(len(texts))
        for one in range(other)
        if fuzz.ratio(texts[one], texts[other]) >= 95
    ]
    firsts = {text: at for at, text in reversed(list(enumerate(texts)))}
    assert near_pairs(texts) == sorted(
        pair for pair in alike if all(firsts[texts[at]] == at for at in pair)
    )
    assert set(near_repeats(texts)) == {
        other for _, other in alike if other != firsts[texts[other]]
    } | {
        other for one, other in alike if firsts[texts[other]] == other and firsts[texts[one]] == one
    }
    assert all(
        before < at and fuzz.ratio(texts[before], texts[at]) >= 95
        for at, before in near_repeats(texts).items()
    )


def test_nearly_all_pairs_just_above_the_bound_are_found() -> None:
    """Of long texts whose ratio is between 95 and 97, changed in one place, at least 98 in 100 are
    found.
    """
    rng, pairs = random.Random(7), []
    for _ in range(600):
        words = rng.choices(WORDS, k=20)
        pair = (" ".join(words), " ".join([*words[:12], "zebra", *words[13:]]))
        pairs += [pair] if 95 <= fuzz.ratio(*pair) <= 97 else []
    assert len(pairs) > 100
    assert sum(near_pairs(list(pair)) == [(0, 1)] for pair in pairs) >= 0.98 * len(pairs)


def test_pairs_stand_in_order_and_the_earlier_text_first() -> None:
    """Pairs rise, each with the earlier text first,
    and of equal texts only the first one counts.
    """
    text = "the copper kettle stands on the orchard market bridge in winter thunder"
    texts = [
        text,
        "another matter altogether, said in other words than those",
        text.replace("kettle", "kettla"),
        text.upper(),
        text.replace("orchard", "orchart"),
    ]
    assert near_pairs(texts) == [(0, 2), (0, 4), (2, 4)]
    assert near_repeats(texts) == {2: 0, 3: 0, 4: 0}


def test_diversity_of_a_toy_set() -> None:
    """Distinct-1 and distinct-2 are different words and pairs over all,
    pairs never across texts.
    """
    found = measure(["a b a b", "A c"])
    assert (found.texts, found.words, found.distinct_1, found.distinct_2) == (2, 6, 0.5, 0.75)


def test_only_texts_of_five_words_count_as_duplicates() -> None:
    """Short texts may stand twice; of longer ones exact and near repeats are counted."""
    long = "the copper kettle stands on the orchard market bridge in winter thunder"
    found = measure(
        [
            "yes",
            "yes",
            long,
            long,
            long.replace("kettle", "kettla"),
            "candle ribbon saddle marble pocket violet harbor",
        ]
    )
    assert (found.exact_duplicates, found.near_duplicate_share) == (1, 0.5)


def test_repeated_texts_are_less_diverse() -> None:
    """The same sentences over and over compress better and have fewer distinct words than varied
    ones.
    """
    varied, same = (
        measure([" ".join(random.Random(at).sample(WORDS, 12)) for at in range(40)]),
        measure([" ".join(WORDS[:12])] * 40),
    )
    assert same.gzip_ratio > varied.gzip_ratio and same.distinct_2 < varied.distinct_2


def test_nothing_has_a_measure_too() -> None:
    """No texts at all measure zero."""
    found = measure([])
    assert (found.texts, found.words, found.distinct_1, found.near_duplicate_share) == (
        0,
        0,
        0.0,
        0.0,
    )


def test_a_text_names_nobody_on_the_roster_but_its_own() -> None:
    """A name on the roster fails a text unless it stands within one of the text's own facts."""
    roster = roster_of(["Dana Whitlock", "Rosa Lindgren", "Brindle Trail Runner"])
    assert (
        verify_names(
            "Hi Rosa Lindgren, your Brindle Trail Runner Mid is here.",
            roster,
            ["Rosa Lindgren", "Brindle Trail Runner Mid"],
        )
        == PASS
    )
    assert verify_names("Ask Dana Whitlock.", roster, ["Rosa Lindgren"], "Body.1").path == "Body.1"
