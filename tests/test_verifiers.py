"""Verifiers of texts and answers: what they let pass, what they refuse with which reason and path,
and that nothing makes them raise.
"""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.model import Beat, Schema
from tests.writing_toys import ITEM
from verifiers.answer import AnswerRules, VerifiedUnit
from verifiers.content import date_forms, forms_of, verify_content, verify_names
from verifiers.format import entry_schema, validator_of, verify_format
from verifiers.material import Demand, Facts, Unit, WrittenField, WrittenText, roster_of
from verifiers.privacy import verify_org_privacy, verify_privacy
from verifiers.texts import TEXT_VERIFIERS, verify_text
from verifiers.verdict import PASS, Verdict, fail, finding_of
from verifiers.wording import says_number, stands_in

TITLE = WrittenField(
    "Title",
    "A title.",
    ("topic",),
    {"type": "string", "minLength": 5, "maxLength": 40},
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


anything = st.text(st.characters(), max_size=60)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | anything,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["unit", "Title", "Body", "x"]) | anything,
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("entry", "reason", "path"),
    [
        ({"unit": 1, "Title": "four"}, 'format: "four" is shorter than 5 characters', "Title"),
        ({"unit": 1, "Title": "t" * 41}, "format: ", "Title"),
        (
            {"unit": 1, "Title": ["a", "list"]},
            'format: ["a","list"] is not of type "string"',
            "Title",
        ),
        ({"unit": "1", "Title": "A right title"}, 'format: "1" is not of type "integer"', "unit"),
        ({"unit": 1}, 'format: "Title" is a required property', ""),
        ({"unit": 1, "Title": "A right title", "Extra": 1}, "format: Additional properties", ""),
        ("no mapping", 'format: "no mapping" is not of type "object"', ""),
    ],
)
def test_a_wrong_form_is_told_with_its_path(entry: object, reason: str, path: str) -> None:
    """An entry of the wrong form fails with the first fault and where it stands."""
    verdict = verify_format(validator_of(entry_schema({"Title": TITLE.json_schema})), entry)
    assert verdict.failed and verdict.reason.startswith(reason) and verdict.path == path


@pytest.mark.parametrize(
    ("texts", "right"),
    [
        (["first one", "second one"], True),
        (["No", "Ok"], True),
        (["k", "second one"], True),
        (["", "second one"], False),
        (["first one"], False),
        (["first one", "second one", "third one"], False),
        ([], False),
    ],
)
def test_a_conversation_has_exactly_its_parts(texts: list[str], right: bool) -> None:
    """A field with parts is a list of exactly so many texts, each of a character at least."""
    verdict = verify_format(
        validator_of(entry_schema({"Body": MAIL.json_schema}, parts=2)), {"unit": 1, "Body": texts}
    )
    assert verdict.failed is not right


def test_the_path_of_a_wrong_part_names_its_place() -> None:
    """The path of a fault in a part is the field and the part's number."""
    verdict = verify_format(
        validator_of(entry_schema({"Body": MAIL.json_schema}, parts=2)),
        {"unit": 1, "Body": ["right", 7]},
    )
    assert verdict.failed and verdict.path == "Body.1"


def verdict_on(text: str, **facts: str) -> Verdict:
    """The verdict on the content of a text that must name these facts."""
    demands = tuple(Demand(name, forms_of(name, value)) for name, value in facts.items())
    return verify_content(WrittenText(text, demands=demands))


@pytest.mark.parametrize(
    "form",
    [
        "March 3, 2021",
        "Mar 3, 2021",
        "3/3/2021",
        "2021-03-03",
        "3 March 2021",
        "MARCH 3, 2021",
        "March 3rd, 2021",
        "Mar. 3 2021",
        "03/03/2021",
        "3/3/21",
        "the 3rd of March 2021",
        "March 3",
        "the 3rd of March",
        "March\u00a03,\u00a02021",
    ],
)
def test_a_date_may_stand_in_any_usual_form(form: str) -> None:
    """A demanded date is found in each of the forms people use."""
    assert verdict_on(f"I ordered it on {form}.", order_date="March 3, 2021") == PASS


@pytest.mark.parametrize(
    "form",
    ["March 4, 2021", "3/3/2020", "March 2021", "March 3, 2020", "March 30", "3/3", "13/3/2021"],
)
def test_another_date_is_not_the_date(form: str) -> None:
    """A text with another date, or half of one, does not name the date."""
    assert verdict_on(f"I ordered it on {form}.", order_date="March 3, 2021").failed


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
        ("thirty days", True),
        ("30 calendar days", True),
        ("the limit is 30, and", True),
        ("day 30", True),
        ("within 130 days", False),
        ("by the 30th", False),
        ("until the 30th day", True),
        ("within 30.5 days", False),
        ("30 percent", False),
        ("$30", False),
        ("at 30:15", False),
        ("within 1,030 days", False),
    ],
)
def test_a_number_of_days_is_named_in_words_about_days(text: str, named: bool) -> None:
    """A limit of thirty days is named by `30 days` and its like, not by another number that holds
    the digits.
    """
    assert verdict_on(text, limit="30").failed is not named


@pytest.mark.parametrize(
    ("number", "text", "says"),
    [
        ("1", "one of them", False),
        ("2", "within two weeks", True),
        ("19", "nineteen of them", True),
        ("20", "twenty days", True),
        ("99", "ninety-nine days", True),
        ("99", "ninety nine days", True),
        ("100", "one hundred days", False),
        ("100", "100 days", True),
    ],
)
def test_numbers_from_two_to_ninety_nine_are_read_in_words(
    number: str, text: str, says: bool
) -> None:
    """One stands in too many other words, and larger ones are written in digits."""
    assert says_number(number, text) is says


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("5 dollars", True),
        ("ok,5 dollars", True),
        ("ok, 5 dollars", True),
        ("1.5 dollars", False),
        ("15 dollars", False),
    ],
)
def test_a_mark_before_a_number_is_a_part_of_it_behind_a_digit_alone(
    text: str, stands: bool
) -> None:
    """`ok,5` holds a five, `1.5` does not."""
    assert stands_in("5 dollars", text) is stands


def test_an_option_is_named_with_or_without_its_article() -> None:
    """`a full refund` is named by `your full refund`."""
    assert verdict_on("Your full refund is on its way.", option="a full refund") == PASS
    verdict = verdict_on("Your partial refund is on its way.", option="a full refund")
    assert verdict.reason == "content: does not name option (full refund)"


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("You get 20% back, a partial refund of 20% as agreed.", "a partial refund of 20 percent"),
        ("Here is a goodwill credit of $25.", "a goodwill credit of 25 dollars"),
        ("a goodwill credit of $25.00, then", "a goodwill credit of 25 dollars"),
        ("The Kids\u2019 Hopper came.", "Kids' Hopper"),
        ("An Interest\u2011Only mortgage", "Interest-Only"),
        ("It was $1,204.50 in all.", "$1204.50"),
    ],
)
def test_typography_and_amounts_have_many_forms(text: str, fact: str) -> None:
    """Curly quotes, other hyphens, and amounts and shares in signs or words are the same fact."""
    assert verdict_on(text, option=fact) == PASS


@pytest.mark.parametrize(
    "text", ["a credit of $250", "a credit of $125", "a credit of 25.50 dollars"]
)
def test_an_amount_is_a_whole_one(text: str) -> None:
    """An amount is not found inside a longer one."""
    assert verdict_on(text, option="a credit of 25 dollars").failed


@pytest.mark.parametrize(("stated", "named"), [("45 days", True), ("145 days", False)])
def test_a_stated_figure_is_a_whole_number(stated: str, named: bool) -> None:
    """A policy's figure is not found inside another number."""
    demands = (Demand("stated fact", ("45",)),)
    assert verify_content(WrittenText(f"Within {stated}.", demands=demands)).failed is not named


def test_a_text_must_not_name_what_is_not_among_its_facts() -> None:
    """An avoided phrase fails whatever its case and spacing."""
    avoid = ("store credit",)
    named = WrittenText("We give you Store\n credit.", "Body.2", avoid=avoid)
    assert verify_content(named) == fail(
        "content: names 'store credit', which is not among its facts", "Body.2"
    )
    assert verify_content(WrittenText("We give you a refund.", avoid=avoid)) == PASS
    as_in_articles = WrittenText("We give you store credit.", avoid=("Store Credit",))
    assert verify_content(as_in_articles).failed


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
        "track it with [tracking number]",
        "follow this [link]",
        "on [insert date]",
        "Order [ORDER NUMBER]",
        "Dear [Customer's Name]",
        "Dear <name>,",
        "since {order.date}",
        "Track it here: <insert link here>",
        "It ships on (insert date).",
        "Your order of ______ is on its way",
        "bad \ud83d half",
        "nul \x00",
    ],
)
def test_placeholders_and_what_is_no_text_fail(text: str) -> None:
    """A placeholder that was left, or a character that can't be stored, fails."""
    assert verify_content(WrittenText(text)).failed


@pytest.mark.parametrize(
    "text",
    [
        "None of it",
        "Nancy wrote",
        "an ai",
        "{x",
        "a [b] c",
        "as an airline",
        "what to do: wait",
        "It prints {client} instead of the name.",
        ">> You wrote\n>> that it leaks",
        "[Case 00001042] Re: my boots",
        "see <https://shop.example/returns>",
    ],
)
def test_words_that_resemble_placeholders(text: str) -> None:
    """Only whole placeholders fail, not words that hold their letters."""
    assert verify_content(WrittenText(text)) == PASS


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
        ("order 00000760 4111 1111 1111 1111", False),
        ("order 00000760 3782 822463 10005", False),
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
    assert verify_privacy(WrittenText(text)).failed is not right


def test_a_column_is_looked_through_like_its_texts() -> None:
    """Among many texts each wrong one is found, and where two lines meet nothing is made up."""
    right = ["call 303-555-0123", "4111 1111", "1111 1111", "123-45-", "6789", "(303)", "555-2233"]
    wrong = ["me@gmail.com", "+1 (303) 555-2233", "4111 1111 1111 1111", "123-45-6789"]
    schema = Schema("toy", (ITEM,))
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE Note (Title TEXT)")
        db.executemany("INSERT INTO Note VALUES (?)", [(text,) for text in right])
        assert [finding.broken for finding in verify_org_privacy(db, schema)] == [0]
        db.executemany("INSERT INTO Note VALUES (?)", [(text,) for text in wrong])
        (finding,) = verify_org_privacy(db, schema)
    assert (finding.tried, finding.broken) == (len(right + wrong), len(wrong))


def test_a_number_among_datetimes_is_found() -> None:
    """A column of datetimes is right at a glance, and with another text in it is not."""
    times = [f"2021-03-{day:02}T09:31:12.000+0000" for day in range(1, 29)]
    schema = Schema("toy", (ITEM,))
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE Note (Title TEXT)")
        db.executemany("INSERT INTO Note VALUES (?)", [(text,) for text in times])
        assert [finding.broken for finding in verify_org_privacy(db, schema)] == [0]
        db.execute("INSERT INTO Note VALUES ('2021-03-01T09:31:12.000+0000 (303) 555-2233')")
        assert [finding.broken for finding in verify_org_privacy(db, schema)] == [1]


def test_the_facts_of_fields_and_beats_are_demanded() -> None:
    """A field demands its must facts, a turn those of its beats under the names the beats use."""
    unit = Unit(
        1,
        {"deny_limit": 45, "limit": 0},
        ({"beats": "deny", "agent": "Dana Whitlock"}, {"beats": "sign", "agent": "Dana Whitlock"}),
    )
    mails, titles = AnswerRules((MAIL,), BEATS), AnswerRules((TITLE,), BEATS)
    right = {"unit": 1, "Body": ["The limit is 45 days.", "Dana Whitlock"]}
    another = {"unit": 1, "Body": ["The limit is 30 days.", "Dana Whitlock"]}
    unsigned = {"unit": 1, "Body": ["The limit is 45 days.", "Your team"]}
    assert mails.verify_entry(unit, right) == PASS
    assert mails.verify_entry(unit, another).path == "Body.0"
    assert mails.verify_entry(unit, unsigned).path == "Body.1"
    verdict = titles.verify_entry(Unit(1, {"topic": "lacing"}), {"unit": 1, "Title": "On laces"})
    assert verdict == fail("content: does not name topic (lacing)", "Title")


def test_each_unit_gets_one_verdict() -> None:
    """The first right entry of a unit counts, unknown units are ignored, a unit without an entry
    fails.
    """
    topics = ("lacing", "waxing", "drying")
    units = [Unit(number, {"topic": topic}) for number, topic in enumerate(topics, 1)]
    entries = (
        {"unit": 1, "Title": "No."},
        {"unit": 1, "Title": "On lacing"},
        {"unit": 1, "Title": "More lacing"},
        {"unit": 9, "Title": "Stray entry"},
        {"unit": 2, "Title": "On soles"},
    )
    found = AnswerRules((TITLE,), BEATS).verify_answer(units, entries)
    assert found[1] == VerifiedUnit(PASS, {"unit": 1, "Title": "On lacing"})
    assert [found[unit].verdict.reason for unit in (2, 3)] == [
        "content: does not name topic (waxing)",
        "format: no entry for this unit",
    ]


def test_a_key_field_may_not_repeat_what_stands() -> None:
    """A text of a key field fails where an earlier entry or one of the same answer has it; without
    key fields only the first field is held against what was shown as earlier.
    """
    units = [Unit(number, {"topic": "lacing"}) for number in range(3)]
    entries = [{"unit": number, "Title": text} for number, text in enumerate(TAKEN)]
    keyed = AnswerRules((TITLE,), BEATS, keys=("Title",))
    free = AnswerRules((TITLE,), BEATS)
    outcomes = {}
    for name, rules in (("keyed", keyed), ("free", free)):
        found = rules.verify_answer(units, entries, earlier=("On  LACING",))
        outcomes[name] = [verified.verdict.failed for verified in found.values()]
    assert outcomes == {"keyed": [True, False, True], "free": [True, False, False]}


TAKEN = ("On lacing", "More lacing", "more Lacing")


def test_a_short_line_may_repeat_what_stands() -> None:
    """Without key fields a first text of fewer words than must be new passes although it was shown
    as earlier; one of as many or more fails, and so does a key of any length.
    """
    lines = ("On lacing", "On lacing boots", "On lacing a boot")
    units = [Unit(number, {"topic": "lacing"}) for number in range(3)]
    entries = [{"unit": number, "Title": text} for number, text in enumerate(lines)]
    title = replace(TITLE, new_from=3)
    outcomes = []
    for keys in ((), ("Title",)):
        found = AnswerRules((title,), BEATS, keys=keys).verify_answer(units, entries, lines)
        outcomes.append([verified.verdict.failed for verified in found.values()])
    assert outcomes == [[False, True, True], [True, True, True]]


def test_a_verdict_is_told_with_the_place_and_the_reason_that_it_has() -> None:
    """Where one of the two is missing, the other stands alone; a pass has nothing to tell."""
    told = [str(fail("too long", "Body.2")), str(fail("too long")), str(fail("", "Body.2"))]
    assert told == ["Body.2: too long", "too long", "Body.2"]
    assert str(PASS) == ""


def test_a_finding_shows_the_first_five_of_all_that_broke() -> None:
    """They show the pattern of a fault; how many there are is counted."""
    failed = [fail("", f"c{number}") for number in range(7)]
    found = finding_of("rule", "A rule.", 9, failed)
    assert (found.tried, found.broken) == (9, 7)
    assert found.examples == ("c0", "c1", "c2", "c3", "c4")


def test_an_order_may_be_called_by_its_last_four_digits() -> None:
    """Or by its whole number, with the zeros in front or without."""
    assert forms_of("order_number", "00120417") == ("00120417", "120417", "0417")


def no_shouting(written: WrittenText) -> Verdict:
    """A verifier of one's own."""
    return fail("style: shouts", written.path) if written.text.isupper() else PASS


def test_the_list_of_text_verifiers_is_what_runs() -> None:
    """Every text of an entry is put before each verifier of the list, in its order; a new one is a
    function and a line in it.
    """
    assert [verifier.__name__ for verifier in TEXT_VERIFIERS] == [
        "verify_content",
        "verify_names",
        "verify_privacy",
    ]
    shout = WrittenText("CALL (303) 555-2233", "Body")
    mine = (*TEXT_VERIFIERS, no_shouting)
    assert verify_text(shout) == fail(
        "privacy: '(303) 555-2233' is not a number kept for fiction", "Body"
    )
    assert verify_text(shout, mine) == verify_text(shout)
    assert verify_text(WrittenText("CALL ME"), mine) == fail("style: shouts")
    assert verify_text(WrittenText("Call me"), mine) == PASS


@pytest.mark.parametrize(
    "text", ["Call me, {name}", "Ask Dana Whitlock about it", "Mail rosa@gmail.com"]
)
def test_an_entry_is_put_before_every_verifier(text: str) -> None:
    """An entry fails by each of the list: content, names and privacy."""
    rules = AnswerRules((replace(TITLE, must=()),), BEATS, roster_of(["Dana Whitlock"]))
    assert rules.verify_entry(Unit(1, {}), {"unit": 1, "Title": text}).path == "Title"
    assert rules.verify_entry(Unit(1, {}), {"unit": 1, "Title": "Call me soon"}) == PASS


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
    demands = (Demand(fact, forms_of(fact, demanded)),)
    written = WrittenText(text, "", demands, (phrase,), (text,), roster_of([demanded]))
    for verifier in TEXT_VERIFIERS:
        assert verifier(written).outcome in ("pass", "fail")


def test_what_json_cannot_hold_is_of_no_right_form() -> None:
    """Half a character, a set, a list within itself: a verdict, never an error."""
    endless: list[object] = []
    endless.append(endless)
    validator = validator_of(entry_schema({"Title": TITLE.json_schema}))
    for value in ("\ud83d", {1, 2}, endless, object()):
        verdict = verify_format(validator, {"unit": 1, "Title": value})
        assert verdict.failed and verdict.reason.startswith("format: ")


def test_a_reason_quotes_the_beginning_of_a_long_value() -> None:
    """What a value of the wrong form holds is told to 200 characters at most."""
    validator = validator_of(entry_schema({"Title": TITLE.json_schema}))
    verdict = verify_format(validator, {"unit": 1, "Title": ["word"] * 500})
    assert len(verdict.reason) == len("format: ") + 200


@settings(max_examples=200, deadline=None)
@given(entries=st.lists(json_values, max_size=4))
def test_an_answer_of_any_kind_gets_verdicts(entries: list[object]) -> None:
    """Whatever a model sends, each unit gets a verdict and only passing entries are kept."""
    units = (Unit(1, {"topic": "lacing"}), Unit(2, {"topic": ""}))
    found = AnswerRules((TITLE,), BEATS).verify_answer(units, entries)
    assert set(found) == {1, 2}
    assert all((one.entry is None) == one.verdict.failed for one in found.values())


def test_a_text_names_nobody_on_the_roster_but_its_own() -> None:
    """A name on the roster fails a text unless it stands within one of the text's own facts."""
    roster = roster_of(["Dana Whitlock", "Rosa Lindgren", "Brindle Trail Runner"])
    own = ("Rosa Lindgren", "Brindle Trail Runner Mid")
    text = "Hi Rosa Lindgren, your Brindle Trail Runner Mid is here."
    assert verify_names(WrittenText(text, own=own, roster=roster)) == PASS
    stranger = WrittenText("Ask Dana Whitlock.", "Body.1", own=own, roster=roster)
    assert verify_names(stranger).path == "Body.1"


@pytest.mark.parametrize("length", [1, 2, 5, 6])
def test_a_roster_knows_names_of_two_to_five_words(length: int) -> None:
    """One word may be a common one, and no name that ships has more than five."""
    name = " ".join(["Dana", "Maria", "Rosa", "Anna", "Ines", "Cruz"][:length])
    refused = verify_names(WrittenText(f"Ask {name}!", roster=roster_of([name]))).failed
    assert refused == (length in (2, 5))


@pytest.mark.parametrize("text", ["Hi Dana, Whitlock Repairs here", "Thanks Dana. Whitlock is out"])
def test_two_names_beside_each_other_are_not_a_third_one(text: str) -> None:
    """A mark between two words ends a name: a greeting and who greets are two people."""
    assert verify_names(WrittenText(text, roster=roster_of(["Dana Whitlock"]))) == PASS


def test_two_facts_below_each_other_name_nobody() -> None:
    """Who signs with their name and their club's does not name whoever stands across both; a first
    name of one's own still begins another person's name.
    """
    roster = roster_of(["Morgan Long", "Evan Dane"])
    own = ("Evan Morgan", "Evan", "Long Mile Walkers")
    signed = "They pinch.\n\nEvan Morgan\nLong Mile Walkers"
    assert verify_names(WrittenText(signed, own=own, roster=roster)) == PASS
    for other in ("Evan Dane told me so.", f"{signed}\nAsk Morgan Long."):
        assert verify_names(WrittenText(other, own=own, roster=roster)).failed


def test_a_remedy_may_be_named_by_its_other_words() -> None:
    """Who has refunded the fee need not call it a refund of the fee; silence is no naming."""
    rules = AnswerRules((MAIL,), {"grant": Beat("grant", "grants", ("option",))})
    facts = {"option": "a refund of the fee", "option_ways": "refunded the|fee back"}
    unit = Unit(1, facts, ({"speaker": "Agent", "beats": "grant"},))
    said = "I've refunded the fee, and it posts tomorrow."
    assert not rules.verify_entry(unit, {"unit": 1, "Body": [said]}).failed
    assert rules.verify_entry(
        unit, {"unit": 1, "Body": ["I looked into it and it is done."]}
    ).failed


CONVERSATION: tuple[Facts, ...] = (
    {"beats": "deny", "agent": "Dana Whitlock", "limit": 45},
    {"beats": "sign", "agent": "Dana Whitlock"},
)


@pytest.mark.parametrize(
    ("texts", "wrong"),
    [
        (["The limit is 45 days.", "Dana Whitlock"], []),
        (["The limit is 30 days.", "Dana Whitlock"], [0]),
        (["The limit is 45 days.", "Your team"], [1]),
        (["The limit is 30 days.", "Your team"], [0, 1]),
    ],
)
def test_the_refused_texts_of_a_conversation_are_told_by_place(
    texts: list[str], wrong: list[int]
) -> None:
    """Each wrong text is named, and no right one."""
    unit = Unit(1, {"deny_limit": 45, "limit": 0}, CONVERSATION)
    found = AnswerRules((MAIL,), BEATS).wrong_texts(unit, {"unit": 1, "Body": texts})
    assert list(found) == wrong
    assert all(verdict.failed for verdict in found.values())


def test_a_single_text_is_at_fault_in_a_conversation_of_one_field_alone() -> None:
    """A record without parts, and one of two fields, are refused as a whole."""
    titles = AnswerRules((TITLE,), BEATS)
    assert not titles.wrong_texts(Unit(1, {"topic": "lacing"}), {"unit": 1, "Title": "On laces"})
    both = AnswerRules((MAIL, replace(MAIL, name="Note")), BEATS)
    texts = ["The limit is 30 days.", "Your team"]
    unit = Unit(1, {"deny_limit": 45, "limit": 0}, CONVERSATION)
    assert not both.wrong_texts(unit, {"unit": 1, "Body": texts, "Note": texts})


def test_an_entry_has_the_form_in_which_its_texts_are_asked() -> None:
    """What is too short or of another unit's kind has not, whatever else it says."""
    rules, unit = AnswerRules((TITLE,), BEATS), Unit(1, {"topic": "lacing"})
    assert rules.has_form(unit, {"unit": 1, "Title": "Something else"})
    assert not rules.has_form(unit, {"unit": 1, "Title": "No."})


def test_the_form_is_told_before_the_words() -> None:
    """A text that is too short and names nothing fails as too short."""
    rules, unit = AnswerRules((TITLE,), BEATS), Unit(1, {"topic": "lacing"})
    assert rules.verify_entry(unit, {"unit": 1, "Title": "No."}).reason.startswith("format: ")


def test_an_entry_that_names_no_unit_is_nobodys() -> None:
    """Not even that of the unit whose number is 0."""
    found = AnswerRules((TITLE,), BEATS).verify_answer(
        [Unit(0, {"topic": "lacing"})], [{"Title": "On lacing"}, "no mapping"]
    )
    assert found[0].verdict.reason == "format: no entry for this unit"


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("within 30.", True),
        ("within 30, or 5 more", True),
        ("within 30.5 days", False),
        ("within 30,000 days", False),
        ("within 130 or 30", True),
        ("within 300", False),
    ],
)
def test_a_mark_behind_a_number_is_a_part_of_it_before_a_digit_alone(
    text: str, stands: bool
) -> None:
    """`30.` and `30, 5` hold a thirty, `30.5` does not."""
    assert stands_in("30", text) is stands
