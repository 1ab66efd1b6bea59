"""Figures of conversations: what each one measures, and which orgs have it."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from schemas.errors import SchemaError
from schemas.loader import load_schema
from schemas.model import Schema
from schemas.profile import companies_folder
from schemas.proofs import ConversationFigure
from tests.toys import write_object
from verifiers.conversation_figures import (
    FIGURES,
    KnownTalk,
    measure_conversations,
    share_with_common,
)
from verifiers.conversation_words import Masks, catalog_of, masked_words, name_words, remedy_pattern
from verifiers.conversations import CaseTalk, Remark, case_talks, sample_of

QUESTION = "which side of the left shoe came apart first, please?"
MAIL_FIELDS = "ParentId, MessageDate, Incoming, FromName, TextBody, Subject, FromAddress"
MAILS = f"CREATE TABLE EmailMessage ({MAIL_FIELDS})"


def talk(*lines: str, case: str = "1", is_chat: bool = True, **more: object) -> CaseTalk:
    """A conversation of lines such as `C0 Hello.`: who speaks, after how many seconds, and what."""
    said = []
    for line in lines:
        head, _, text = line.partition(" ")
        seconds = int(head[1:] or 0)
        time = f"2022-03-01T09:{seconds // 60:02d}:{seconds % 60:02d}"
        said.append(Remark(time, head[0] == "C", "Rosa" if head[0] == "C" else "Kim", text))
    known = {"framed": False, "closed": True, **more}
    return CaseTalk(case=case, is_chat=is_chat, said=tuple(said), **known)  # type: ignore[arg-type]


def figure(name: str, *talks: CaseTalk, **known: object) -> float | None:
    """A figure of these conversations alone."""
    return FIGURES[name](KnownTalk(talks, **known))  # type: ignore[arg-type]


def test_masked_words_hide_what_differs_between_two_uses_of_one_pattern() -> None:
    """Names, numbers, dates and remedies count as one word each, whatever they are."""
    masks = Masks(frozenset({"rosa", "birch"}), remedy_pattern(["full refund"]))
    words = masked_words("Rosa, your Birch boot of March 3, 2021: a full refund!", masks)
    assert words == ["@", "your", "@", "boot", "of", "#", "a", "$"]


def test_words_of_three_letters_tell_nobody_from_others() -> None:
    """Of a name its longer words count, in small letters and without an apostrophe."""
    assert name_words(["Kim O'Hara", "Kit of the Alps"]) == {"ohara", "alps"}


def test_two_conversations_share_a_run_of_seven_masked_words() -> None:
    """The same sentence to two customers is one wording, though their names differ."""
    asked = [
        talk("C1 Hi.", f"A2 Rosa, {QUESTION}", case="1"),
        talk("C1 Hello.", f"A2 Rosa, {QUESTION}", case="2"),
        talk("C1 Good day.", "A2 What can I do?", case="3"),
    ]
    assert figure("shared_runs", *asked) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("said", "shared"),
    [
        ("Rosa, number 417 of 2021 comes late.", 1),
        ("Rosa, number 417 of 2021 costs 25.", 0),
    ],
)
def test_a_run_of_more_than_three_masks_is_no_wording(said: str, shared: int) -> None:
    """Names and numbers stand near each other in any two mails: three of seven words may."""
    talks = [talk(f"C1 {said}", "A2 Hello.", case=case) for case in ("1", "2")]
    assert figure("shared_runs", *talks) == shared


def test_what_one_conversation_holds_alone_is_not_shared() -> None:
    """Runs count as shared only where somebody else holds them too."""
    assert share_with_common([frozenset({("a",)}), frozenset({("b",)})]) == 0
    assert share_with_common([frozenset({("a",)})]) is None


def test_a_customers_longer_sentence_may_stand_in_one_case_only() -> None:
    """Short sentences don't count, nor what agents say, nor a sentence twice in one case."""
    hot = "Within five minutes there is a hot spot on my heel."
    talks = [
        talk(f"C1 {hot} Thanks.", f"A2 {hot}", case="1"),
        talk(f"C1 {hot} Thanks.", case="2"),
        talk("C1 My left sole has come off at the toe. Thanks.", case="3"),
    ]
    assert figure("repeated_sentences", *talks) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("said", "shared"), [("My left sole has come off.", 1), ("My left sole came off.", 0)]
)
def test_six_words_make_a_longer_sentence(said: str, shared: int) -> None:
    """Five words may stand in any two cases."""
    talks = [talk(f"C1 {said}", case=case) for case in ("1", "2")]
    assert figure("repeated_sentences", *talks) == (shared or None)


def test_a_chat_alternates_strictly_until_somebody_writes_twice() -> None:
    """One line in a row too many, by either side, and a chat does not alternate."""
    strict = talk("C1 Hi.", "A2 Hello.", "C3 Bye.")
    loose = talk("C1 Hi.", "C2 Anyone?", "A3 Hello.")
    assert figure("strict_alternation", strict, loose) == 0.5


def test_pauses_go_with_the_length_of_what_follows() -> None:
    """Where each word takes a second, the correlation is one."""
    chat = talk("C0 Hi.", "A2 One two.", "C5 One two three.", "A6 One.")
    assert figure("pause_and_length", chat) == pytest.approx(1)


def test_lines_of_chats_at_both_ends() -> None:
    """The 5th and the 95th percentile of the lines of a chat."""
    short, long = talk("C1 Hi."), talk(*(f"C{second} Hi." for second in range(21)))
    assert figure("shortest_chats", short, long) == pytest.approx(2)
    assert figure("longest_chats", short, long) == pytest.approx(20)


def test_neighbouring_mails_of_one_side() -> None:
    """A customer who writes twice makes one of two neighbouring pairs."""
    assert figure("same_side", talk("C1 Hi.", "C2 Hi?", "A3 Hello.", is_chat=False)) == 0.5


def test_threads_with_a_trace_of_the_mail_system() -> None:
    """The share of threads in which something stands that no person wrote."""
    threads = [talk("C1 Hi.", is_chat=False, framed=framed) for framed in (True, False)]
    assert figure("mail_traces", *threads) == 0.5


@pytest.mark.parametrize(
    ("opening", "exact"),
    [
        ("The Birch Rain Boot from March 3, 2021 leaks.", 1),
        ("My birch rain boot, bought on 3/3/2021, leaks.", 1),
        ("The Birch Rain Boot leaks.", 0),
        ("My boots from March 3 leak.", 0),
        ("The Birch Rain Boot from March 4, 2021 leaks.", 0),
    ],
)
def test_who_opens_with_full_name_and_exact_date(opening: str, exact: int) -> None:
    """Both have to stand in what the customer says before anybody answers."""
    about = {"product": "Birch Rain Boot", "bought": date(2021, 3, 3)}
    assert figure("exact_openings", talk(f"C1 {opening}", "A2 Hello.", **about)) == exact


def test_an_answer_decides_only_where_it_was_asked_for() -> None:
    """The hidden course says what decided; the words must show a question and an answer to it."""
    asked = talk("C1 Hi.", "A2 Which?", "C3 The left.", case="1")
    untold = talk("C1 Hi.", "A2 Refunded.", case="2")
    shown = talk("C1 See the photo.", "A2 Refunded.", case="3")
    still_open = talk("C1 Hi.", case="4", closed=False)
    unasked = talk("C1 Can you help?", "C2 Anyone?", "A3 Refunded.", case="5")
    filed = talk("C1 See my file.", "A2 Refunded.", case="6")
    decided = {"1": "answer", "2": "answer", "3": "evidence", "4": "answer", "5": "answer"}
    value = figure(
        "decided_by_talk",
        *(asked, untold, shown, still_open, unasked, filed),
        decided=decided,
        shown=frozenset({"3", "6"}),
    )
    assert value == pytest.approx(2 / 5)
    assert figure("decided_by_talk", asked) is None


def test_the_sample_is_of_conversations_in_which_both_sides_speak() -> None:
    """The sample does not depend on the order in which conversations stand."""
    talks = [talk("C1 Hi.", "A2 Hello.", case=str(case)) for case in range(9)]
    talks.append(talk("C1 Hi.", case="alone"))
    sample = sample_of(talks, 5)
    assert sample == sample_of(talks[::-1], 5)
    assert len(sample) == 5
    assert "alone" not in {chosen.case for chosen in sample_of(talks, 99)}


def org_figures(*statements: str) -> dict[str, float | None]:
    """What is measured of an org made by these statements, by the shipped schema."""
    schema = load_schema(companies_folder().parent / "service_cloud")
    with closing(sqlite3.connect(":memory:")) as db:
        for statement in statements:
            db.execute(statement)
        found = measure_conversations(db, schema, {"mail_traces": None})
        return {measured.name: measured.value for measured in found}


def test_mails_that_no_person_sent_are_a_trace_and_no_talk() -> None:
    """An acknowledgement by the system makes no neighbouring pair of one side."""
    rows = [
        "('5', '2022-03-01T09:00:00', 1, 'Rosa', 'Hi.', 'Sole', 'rosa@x.example')",
        "('5', '2022-03-01T09:00:05', 0, 'Desk', 'Got it.', 'Sole', 'no-reply@x.example')",
        "('5', '2022-03-01T10:00:00', 0, 'Kim', 'Hi Rosa.', 'Sole', 'kim@x.example')",
    ]
    found = org_figures(
        MAILS,
        f"INSERT INTO EmailMessage VALUES {', '.join(rows)}",
        "CREATE TABLE User (Email)",
        "INSERT INTO User VALUES ('kim@x.example')",
        'CREATE TABLE "Case" (Id, IsClosed, OrderItemId__c)',
        "CREATE TABLE OrderItem (Id, OrderId, Product2Id)",
        'CREATE TABLE "Order" (Id, EffectiveDate)',
        "CREATE TABLE Product2 (Id, Name)",
        "CREATE TABLE LiveChatTranscript (CaseId, Body)",
    )
    assert found == {"same_side": 0.0}


def test_the_lines_of_a_chat_are_what_people_said() -> None:
    """What the window says is no remark; of a chat that is none, nothing was said."""
    schema = load_schema(companies_folder().parent / "service_cloud")
    lines = [
        "[2022-03-01T09:00:00] Rosa Lind (Customer): Hi.",
        "[2022-03-01T09:00:05] Toys (System): Kim has joined the chat.",
        "[2022-03-01T09:00:09] Kim Roe (Agent): Hello Rosa.",
    ]
    with closing(sqlite3.connect(":memory:")) as db:
        for statement in (
            'CREATE TABLE "Case" (Id, IsClosed, OrderItemId__c)',
            "INSERT INTO \"Case\" VALUES ('c1', 1, 'i1'), ('c2', 0, NULL)",
            "CREATE TABLE OrderItem (Id, OrderId, Product2Id)",
            "INSERT INTO OrderItem VALUES ('i1', 'o1', 'p1')",
            'CREATE TABLE "Order" (Id, EffectiveDate)',
            "INSERT INTO \"Order\" VALUES ('o1', '2022-02-11T09:00:00.000+0000')",
            "CREATE TABLE Product2 (Id, Name)",
            "INSERT INTO Product2 VALUES ('p1', 'Birch Rain Boot')",
            MAILS,
            "CREATE TABLE User (Email)",
            "CREATE TABLE LiveChatTranscript (CaseId, Body)",
        ):
            db.execute(statement)
        chats = [("c1", "\n".join(lines)), ("c2", "no chat"), (None, lines[0])]
        db.executemany("INSERT INTO LiveChatTranscript VALUES (?, ?)", chats)
        found = {chat.case: chat for chat in case_talks(db, schema)}
    assert found["c1"].said == (
        Remark("2022-03-01T09:00:00", True, "Rosa Lind", "Hi."),
        Remark("2022-03-01T09:00:09", False, "Kim Roe", "Hello Rosa."),
    )
    assert found.keys() == {"c1", "c2"} and found["c2"].said == ()
    assert found["c1"].is_chat and found["c1"].closed and not found["c2"].closed
    assert (found["c1"].product, found["c1"].bought) == ("Birch Rain Boot", date(2022, 2, 11))
    assert (found["c2"].product, found["c2"].bought) == ("", None)


TABLES = {
    "Case": 'CREATE TABLE "Case" (Id, IsClosed, OrderItemId__c)',
    "OrderItem": "CREATE TABLE OrderItem (Id, OrderId, Product2Id)",
    "Order": 'CREATE TABLE "Order" (Id, EffectiveDate)',
    "Product2": "CREATE TABLE Product2 (Id, Name)",
    "User": "CREATE TABLE User (Email)",
    "LiveChatTranscript": "CREATE TABLE LiveChatTranscript (CaseId, Body)",
    "EmailMessage": MAILS,
}


def threads_without(missing: str, *mails: tuple[str, str, str]) -> dict[str, CaseTalk]:
    """The threads of an org, and of a schema, that lack an object type; the mails are of (case,
    subject, text), all of them of a customer.
    """
    whole = load_schema(companies_folder().parent / "service_cloud")
    schema = replace(whole, objects=tuple(item for item in whole.objects if item.name != missing))
    with closing(sqlite3.connect(":memory:")) as db:
        for name, statement in TABLES.items():
            if name != missing:
                db.execute(statement)
        for case, subject, text in mails:
            row = (case, "2022-03-01T09:00:00", 1, "Rosa", text, subject, "rosa@x.example")
            if missing != "EmailMessage":
                db.execute("INSERT INTO EmailMessage VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return {talk.case: talk for talk in case_talks(db, schema)}


@pytest.mark.parametrize("missing", TABLES)
def test_a_schema_may_lack_what_conversations_are_about(missing: str) -> None:
    """Whoever has no products, orders, users or cases has conversations all the same."""
    found = threads_without(missing, ("5", "Sole", "Hi."))
    assert list(found) == ([] if missing == "EmailMessage" else ["5"])


def test_a_text_or_a_subject_may_show_what_no_person_wrote() -> None:
    """The line of a telephone is enough, and so is a token in the subject."""
    mails = [
        ("1", "Sole", "Hi.\n\nSent from my iPhone"),
        ("2", "RE: Sole", "Hi."),
        ("3", "Sole", "Hi."),
    ]
    found = threads_without("", *mails)
    assert {case: talk.framed for case, talk in found.items()} == {"1": True, "2": True, "3": False}


def test_an_org_without_its_tables_says_why_nothing_is_measured() -> None:
    """A damaged org gives rows with a fault instead of an error."""
    assert set(org_figures().values()) == {None}


def test_a_schema_without_conversations_has_no_figures(tmp_path: Path) -> None:
    """Where an object type is not there, neither are its figures."""
    write_object(tmp_path / "toy", "Toy")
    schema = load_schema(tmp_path / "toy")
    stated = ConversationFigure("same_side", "same side", (0, 1), "practice")
    toys = Schema("toy", schema.objects, conversations=(stated,))
    with closing(sqlite3.connect(":memory:")) as db:
        assert list(case_talks(db, toys)) == []
        assert list(measure_conversations(db, toys, {})) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("conversations: 3", "must be a list of {name, says, band, source}"),
        ("conversations: [{name: smell, says: a, band: [0, 1], source: b}]", "smell"),
        ("conversations: [{name: same_side, says: a, band: [1, 0], source: b}]", "is above"),
    ],
)
def test_a_file_of_figures_is_checked(tmp_path: Path, text: str, says: str) -> None:
    """Unknown figures, bounds in disorder and other forms are refused by name."""
    write_object(tmp_path / "toy", "Toy")
    (tmp_path / "toy" / "_conversations.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError, match=says):
        load_schema(tmp_path / "toy")


def test_every_product_a_conversation_names_is_masked() -> None:
    """Who asks before they buy names a product that the case does not link."""
    asked = talk("C0 Is the birch boot alpine in?")
    known = KnownTalk([asked], catalog=catalog_of(["Birch Boot Alpine", "Birch Clog"]))
    assert known.masks(asked).names == {"rosa", "birch", "boot", "alpine"}
