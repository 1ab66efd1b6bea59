"""A company drafted by a model: five industries that nobody prepared, and wrong answers."""

import asyncio
import json
import re
import shutil
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from orgweave.cli import run
from orgweave.testing.chat import ChatServer, ChatTurn
from orgweave.testing.server import ModelServer
from orgweave.testing.words import Words
from pipeline.company.check import company_faults
from pipeline.company.draft import TRIES, form_faults
from pipeline.company.draft_prompt import REFUSED
from pipeline.company.drafting import drafted, entry_in
from pipeline.company.pieces import LISTS, list_form
from pipeline.config import RunRequest, load_job
from pipeline.model.pauses import Pauses
from pipeline.model.settings import choose
from pipeline.run import generate, writers_with
from schemas.errors import BadInput, SchemaError, Unreachable, WritingFailed
from tests.draft_script import INDUSTRIES, answers_of, asked_piece, playing
from tests.test_industry import texts
from tests.tiers import THOROUGH, tried_on

HASTY = Pauses(retry=0.01)
FIVE = sorted(path.stem for path in INDUSTRIES.glob("*.yaml"))
PARCELS = re.compile(r"(?i)\b(parcels?|a pair of|pairs|shoe ?box(es)?|courier|carrier)\b")


@cache
def hotel() -> dict[str, Any]:
    """The answers for the hotel, read once; a test that changes them takes a copy."""
    return answers_of("hotel")


def draft(answers: dict[str, Any], folder: Path) -> tuple[Path, list[Sequence[ChatTurn]]]:
    """Drafts a company by these answers; its profile, and the messages of each call."""
    with playing(answers) as server:
        settings = choose({"model": "toy", "base_url": server.url}, {})
        assert settings is not None
        told = "a company as it was described"
        asyncio.run(drafted(told, "firm", folder, settings, lambda piece: None, HASTY))
        return folder / "firm.yaml", [body["messages"] for body in server.requests]


@dataclass(frozen=True, slots=True)
class DraftedHotel:
    """A hotel whose draft is done: its folder, and the messages of each call that it took."""

    folder: Path
    calls: list[Sequence[ChatTurn]]

    def without(self, piece: str, folder: Path) -> Path:
        """A copy in which a piece is still to be drafted."""
        shutil.copytree(self.folder, folder)
        files = {path.stem: path for path in folder.rglob("*.yaml")}
        stem = "firm" if piece == "profile" else piece.replace(" ", "_")
        files.get(stem, folder / "words" / f"world_{stem}.yaml").unlink()
        return folder


@pytest.fixture(scope="module")
def drafted_hotel(tmp_path_factory: pytest.TempPathFactory) -> DraftedHotel:
    """The hotel, drafted once; no test may write in its folder."""
    folder = tmp_path_factory.mktemp("hotel") / "firm"
    _, calls = draft(hotel(), folder)
    return DraftedHotel(folder, calls)


@tried_on("industry", FIVE)
def test_an_industry_that_nobody_prepared_becomes_an_org(industry: str, tmp_path: Path) -> None:
    """From one sentence and a model's answers comes a company that lacks nothing; the embedded
    writer makes an org of it without a violation, and no text is about parcels or pairs.
    """
    profile, calls = draft(answers_of(industry), tmp_path / "firm")
    assert len(calls) == len(answers_of(industry))
    assert [fault for fault in company_faults(profile) if not fault.remark] == []
    outcome = generate(RunRequest(str(profile)), tmp_path / "run")
    assert outcome.report.right
    said = texts(outcome)
    assert [text for text in said if PARCELS.search(text)] == []
    stated = [entry["name"] for entry in answers_of(industry)["categories"]["categories"]]
    assert set(stated) <= set(said)


def test_five_industries_are_played() -> None:
    """There are five of them, and among them are all kinds of trade."""
    assert len(FIVE) == 5
    trades = {answers_of(industry)["profile"]["trade"] for industry in FIVE}
    assert trades == {"goods", "services", "subscriptions", "accounts"}


KEYED = [{**entry, "key": "two words"} for entry in hotel()["categories"]["categories"]]


@THOROUGH
def test_a_model_writes_the_records_of_a_drafted_company_too(
    drafted_hotel: DraftedHotel, tmp_path: Path
) -> None:
    """A drafted company is one like any other: `generate --model` makes it with a model's words."""
    ask = RunRequest(str(drafted_hotel.folder / "firm.yaml"), scale=0.2)
    with ModelServer(Words(load_job(ask))) as server:
        settings = choose({"model": "toy", "base_url": server.url, "judge_model": "none"}, {})
        outcome = generate(ask, tmp_path / "run", writers_of=writers_with(settings, HASTY))
    assert outcome.report.right and outcome.writer == "toy"


WRONG: dict[str, tuple[str, Any, str]] = {
    "no JSON": ("profile", "I'm sorry, I can't.", "the answer"),
    "another form": ("options", {"options": [{"key": "a"}]}, "'name' is a required property"),
    "a key with a space": (
        "categories",
        {"categories": KEYED},
        "use small letters, digits and _ alone",
    ),
    "an unknown key": (
        "articles",
        {"articles": [{"key": f"a{n}", "category": "boats", "topic": "T"} for n in range(3)]},
        "names unknown category boats",
    ),
    "too few": ("holidays", {"holidays": []}, "state 2 to 8 of them, not 0"),
    "an issue without topics": (
        "issues",
        {"issues": [{**entry, "topics": []} for entry in hotel()["issues"]["issues"]]},
        "noisy_room: state one topic at least",
    ),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_a_wrong_piece_is_asked_for_again_with_its_fault(
    name: str,
    drafted_hotel: DraftedHotel,
    tmp_path: Path,
) -> None:
    """The second prompt holds what was wrong with the first answer, and the draft goes on."""
    piece, wrong, told = WRONG[name]
    answers = {**hotel(), piece: [wrong, hotel()[piece]]}
    profile, calls = draft(answers, drafted_hotel.without(piece, tmp_path / "firm"))
    asked = [messages for messages in calls if asked_piece(messages) == piece]
    assert len(asked) == 2
    assert REFUSED not in str(asked[0][-1]["content"])
    again = str(asked[1][-1]["content"])
    assert REFUSED in again and told in again.partition(REFUSED)[2]
    assert company_faults(profile) == []


RULES = {
    "an unknown slot": (
        "category spa",
        "category.spa.feature",
        "Good {prodct}.",
        "{prodct} is no fact",
    ),
    "an open bracket": ("category spa", "category.spa.model", "Bath [Tub", "'[' without ']'"),
    "no product": (
        "words",
        "Product2.Description.lead",
        "For everybody.",
        "this line doesn't name {Name}",
    ),
    "too short": (
        "policy club",
        "policy.club.body",
        "{points_per_dollar} points, {valid_months} months.",
        "at most, and Knowledge__kav.FAQ_Answer__c needs 200 of it",
    ),
    "no figure": (
        "policy club",
        "policy.club.body",
        "Points are good.",
        "doesn't name {valid_months}",
    ),
}


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_wrong_line_is_told_as_the_check_tells_it(
    name: str,
    drafted_hotel: DraftedHotel,
    tmp_path: Path,
) -> None:
    """What `company check` would find in a piece's rules is told to the model that wrote them."""
    piece, rule, line, told = RULES[name]
    wrong = deepcopy(hotel()[piece])
    wrong[rule].append(line)
    folder = drafted_hotel.without(piece, tmp_path / "firm")
    _, calls = draft({**hotel(), piece: [wrong, hotel()[piece]]}, folder)
    asked = [str(messages[-1]["content"]) for messages in calls if asked_piece(messages) == piece]
    assert len(asked) == 2
    assert told in asked[1].partition(REFUSED)[2]


def changed_incident(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """What is behind a noisy room, with one thing in it wrong."""
    wrong: dict[str, Any] = deepcopy(hotel()["incident noisy_room"])
    change(wrong)
    return wrong


def first_value(answer: dict[str, Any]) -> dict[str, Any]:
    """The first value of the only sign."""
    return cast(dict[str, Any], answer["signs"]["source"][0])


INCIDENTS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a line that tells nothing": (
        lambda answer: first_value(answer)["says"].append("It was loud."),
        "has none of the marks inside, house itself, from within",
    ),
    "a way of a line that tells another value": (
        lambda answer: first_value(answer)["chat"].append("[inside|inside, next door]"),
        "has a mark of neighbors, which it isn't",
    ),
    "one value": (lambda answer: answer["signs"]["source"].pop(), "has one value only"),
    "two of one key": (
        lambda answer: answer["causes"].append(answer["causes"][0]),
        "causes: two have the same key",
    ),
    "no refusal": (
        lambda answer: answer["causes"][1].update(ends="remedy"),
        "none ends in refusal or either",
    ),
    "a value that isn't there": (
        lambda answer: answer["causes"][1].update(values=["street"]),
        "street",
    ),
    "a key with a space": (lambda answer: first_value(answer).update(key="in side"), "'in side'"),
    "marks in capitals": (lambda answer: first_value(answer).update(marks=["Bar"]), "marks"),
    "an unknown slot": (
        lambda answer: answer["causes"][0]["explains"].append("It's {lift}."),
        "{lift} is no fact",
    ),
    "too few lines": (
        lambda answer: answer["causes"][0].update(explains=["Known."]),
        "loud_room.explains: 2 different lines at least",
    ),
}


@pytest.mark.parametrize("name", sorted(INCIDENTS))
def test_what_is_behind_an_issue_is_checked_before_it_is_kept(
    name: str, drafted_hotel: DraftedHotel, tmp_path: Path
) -> None:
    """Signs and causes that no company could be read with, or whose lines tell another value, are
    asked for again with what is wrong.
    """
    change, told = INCIDENTS[name]
    piece = "incident noisy_room"
    folder = drafted_hotel.without(piece, tmp_path / "firm")
    _, calls = draft({**hotel(), piece: [changed_incident(change), hotel()[piece]]}, folder)
    asked = [str(messages[-1]["content"]) for messages in calls]
    assert len(asked) == 2
    assert told in asked[1].partition(REFUSED)[2]


def test_agents_ask_and_explain_what_is_behind_an_issue(
    drafted_hotel: DraftedHotel, tmp_path: Path
) -> None:
    """A drafted company's conversations ask its own questions, and hear and explain its causes."""
    outcome = generate(RunRequest(str(drafted_hotel.folder / "firm.yaml")), tmp_path / "run")
    said = "\n".join(texts(outcome))
    for words in ("beforehand?", "given away twice", "lobby", "number was lost"):
        assert words in said


def test_a_complaint_leaves_to_a_sign_what_it_tells(
    drafted_hotel: DraftedHotel, tmp_path: Path
) -> None:
    """A customer who complains of the neighbors must not say next that it was the house itself."""
    piece = "issue noisy_room"
    wrong = deepcopy(hotel()[piece])
    wrong["issue.noisy_room.complaint"].append("The [people|family] next door sang.")
    folder = drafted_hotel.without(piece, tmp_path / "firm")
    _, calls = draft({**hotel(), piece: [wrong, hotel()[piece]]}, folder)
    assert [asked_piece(messages) for messages in calls] == [piece, piece]
    first, again = [str(messages[-1]["content"]) for messages in calls]
    assert "use none of these words: inside, house itself" in first
    assert "use none of the words inside" in again.partition(REFUSED)[2]


def test_an_incident_waits_for_the_words_of_its_issue(
    drafted_hotel: DraftedHotel, tmp_path: Path
) -> None:
    """While the words of an issue are still to be drafted, what a person changed in its incident
    is neither in the way nor lost.
    """
    folder = drafted_hotel.without("issue noisy_room", tmp_path / "firm")
    incident = folder / "words" / "incident_noisy_room.yaml"
    edited = incident.read_text().replace("From within the house", "From within the old house")
    incident.write_text(edited)
    with pytest.raises(WritingFailed, match="issue noisy_room"):
        draft({**hotel(), "issue noisy_room": {}}, folder)
    assert not incident.is_file()
    _, calls = draft(hotel(), folder)
    assert [asked_piece(messages) for messages in calls] == ["issue noisy_room"]
    assert incident.read_text() == edited


def test_a_draft_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """A piece that stays wrong ends the draft in one line; what was right isn't asked for again,
    and what a person wrote meanwhile stays.
    """
    folder = tmp_path / "firm"
    with pytest.raises(WritingFailed, match=f"issues: .* was refused {TRIES} times"):
        draft({**hotel(), "issues": {"issues": []}}, folder)
    profile = folder / "firm.yaml"
    edited = profile.read_text().replace("Seabright", "Saltwind")
    profile.write_text(edited)
    _, calls = draft(hotel(), folder)
    pieces = {asked_piece(messages) for messages in calls}
    assert {"profile", "categories", "options"}.isdisjoint(pieces) and "issues" in pieces
    assert profile.read_text() == edited
    assert all("Saltwind" in str(messages[-1]["content"]) for messages in calls)
    assert draft(hotel(), folder)[1] == []


def test_a_wrong_piece_costs_no_other(tmp_path: Path) -> None:
    """While one piece of the words stays wrong, all others are kept; only it is asked for again."""
    folder = tmp_path / "firm"
    wrong = {**hotel()["category spa"], "category.spa.model": ["Bath"]}
    with pytest.raises(WritingFailed, match="category spa: .* 4 different lines at least, not 1"):
        draft({**hotel(), "category spa": wrong}, folder)
    _, calls = draft(hotel(), folder)
    assert [asked_piece(messages) for messages in calls] == ["category spa"]


def test_a_piece_that_was_broken_by_hand_is_told(
    drafted_hotel: DraftedHotel, tmp_path: Path
) -> None:
    """A file that is there is used, and a fault in it is told with its line."""
    folder = shutil.copytree(drafted_hotel.folder, tmp_path / "firm")
    words = folder / "words" / "category_spa.yaml"
    words.write_text(words.read_text().replace("Towels, robe", "Towels, {robes}"))
    with pytest.raises(WritingFailed, match=r"category_spa.yaml: line \d+: .*{robes} is no fact"):
        draft(hotel(), folder)
    (folder / "words" / "world_issues.yaml").write_text("issues: [")
    with pytest.raises(SchemaError, match="world_issues.yaml: broken YAML"):
        draft(hotel(), folder)


def test_a_prompt_says_what_a_rule_may_use(drafted_hotel: DraftedHotel) -> None:
    """Each rule comes with its meaning, its facts, and lines that another company has for it."""
    prompts = {}
    for messages in drafted_hotel.calls:
        prompts[asked_piece(messages)] = str(messages[-1]["content"])
    complaint = prompts["issue noisy_room"].partition("issue.noisy_room.complaint: ")[2]
    assert complaint.startswith("The customer describes the problem. At least 5 lines")
    assert "{product}" in complaint.splitlines()[0]
    assert "as another company has it: " in complaint.splitlines()[1]
    body = prompts["policy club"].partition("policy.club.body: ")[2]
    assert "Every line names each of these facts: points_per_dollar, valid_months" in body
    assert "Seabright Hotels" in prompts["options"] and "key: rooms" in prompts["options"]


ASKED = re.compile(
    r"^([\w.@]+): .*(?:At least (\d+) lines|One line will do).* Facts: (.*)\.$"
    r"(?:\n  Every line has at least (\d+) characters)?",
    re.MULTILINE,
)


def obedient(prompt: str) -> dict[str, list[str]]:
    """Lines for each rule that a prompt asks for, which use all that it says they may."""
    answer = {}
    for rule, least, facts, length in ASKED.findall(prompt):
        used = "" if facts == "none" else facts
        more = "x" * int(length or 0)
        answer[rule] = [f"line {number} {used}{more}" for number in range(int(least or 1))]
    return answer


def test_what_a_prompt_allows_is_never_refused(tmp_path: Path) -> None:
    """Lines that use every fact which the prompt lists for their rule pass the check, and a model
    that does what it is told is asked for each piece once.
    """
    stated = {}
    for piece, answer in hotel().items():
        if piece in LISTED or piece.startswith("incident "):
            stated[piece] = answer

    def script(messages: Sequence[ChatTurn], calls: int) -> str:
        piece = asked_piece(messages)
        answer = stated.get(piece) or obedient(str(messages[-1]["content"]))
        return json.dumps({"entries": [answer]})

    with ChatServer(script) as server:
        settings = choose({"model": "toy", "base_url": server.url}, {})
        assert settings is not None
        asyncio.run(drafted("a hotel", "firm", tmp_path, settings, lambda piece: None, HASTY))
        asked = [asked_piece(body["messages"]) for body in server.requests]
    assert sorted(asked) == sorted(hotel())


LISTED = {"profile", *(drafted_list.part for drafted_list in LISTS)}


def test_examples_are_of_the_like_trade_and_state_nothing(drafted_hotel: DraftedHotel) -> None:
    """A hotel is shown no lines about goods; but for policies, no example has a figure or a fact
    that the rule may not use, and none is shown twice.
    """
    for messages in drafted_hotel.calls:
        for asked in re.split(r"\n(?=[\w.@]+: )", str(messages[-1]["content"])):
            head, *examples = asked.split("\n  as another company has it: ")
            assert len(set(examples)) == len(examples)
            assert [example for example in examples if PARCELS.search(example)] == []
            if not head.startswith("policy."):
                used = set(re.findall(r"{[\w.]+}|\d", " ".join(examples)))
                assert used <= set(re.findall(r"{[\w.]+}", head))


def test_a_wrong_line_is_quoted_and_told_once(drafted_hotel: DraftedHotel, tmp_path: Path) -> None:
    """A line that mails and chats would both be wrong by is one fault, and the model sees which."""
    piece = "issue noisy_room"
    wrong = deepcopy(hotel()[piece])
    wrong["issue.noisy_room.summary"].append("There was noise.")
    folder = drafted_hotel.without(piece, tmp_path / "firm")
    _, calls = draft({**hotel(), piece: [wrong, hotel()[piece]]}, folder)
    told = str(calls[-1][-1]["content"]).partition(REFUSED)[2].strip().splitlines()
    assert len(told) == 2
    for fact, line in zip(("customer", "product"), sorted(told), strict=True):
        assert f"doesn't name {{{fact}}}" in line and line.endswith("'There was noise.'")


def test_an_endpoint_that_is_dead_ends_the_draft(tmp_path: Path) -> None:
    """Nobody waits for an endpoint that isn't there."""
    settings = choose({"model": "toy", "base_url": "http://127.0.0.1:9/v1"}, {})
    assert settings is not None
    with pytest.raises(Unreachable, match="nothing got through"):
        asyncio.run(drafted("a firm", "firm", tmp_path, settings, lambda piece: None, HASTY))


def test_a_folder_with_something_else_costs_no_call(tmp_path: Path) -> None:
    """It is refused before a model is asked, and what is in it stays."""
    (tmp_path / "notes.txt").write_text("mine")
    for folder in (tmp_path, tmp_path / "notes.txt"):
        with playing({}) as server:
            settings = choose({"model": "toy", "base_url": server.url}, {})
            assert settings is not None
            with pytest.raises(BadInput, match="name (one|another folder) with --to"):
                asyncio.run(drafted("a firm", "firm", folder, settings, lambda piece: None, HASTY))
            assert server.requests == []
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_lexicon_that_is_begun_keeps_what_it_extends(
    drafted_hotel: DraftedHotel, tmp_path: Path
) -> None:
    """A draft writes what isn't there yet, and nothing over what somebody has edited."""
    folder = drafted_hotel.without("profile", tmp_path / "mine")
    head = folder / "words" / "_lexicon.yaml"
    head.write_text("# mine\nextends: generic\n")
    draft(hotel(), folder)
    assert head.read_text() == "# mine\nextends: generic\n"


def test_batches_can_not_draft(tmp_path: Path) -> None:
    """A draft goes from piece to piece, which no batch can wait for."""
    settings = choose({"model": "toy", "base_url": "http://127.0.0.1:9/v1", "batch": True}, {})
    assert settings is not None
    with pytest.raises(BadInput, match="can't draft a company; leave them out"):
        asyncio.run(drafted("a firm", "firm", tmp_path, settings, lambda piece: None, HASTY))


def test_the_command_drafts_and_tells_what_it_took(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`company draft` writes the files, names each piece, and says what calls and tokens it took;
    without a model it says what to do.
    """
    folder = tmp_path / "inn"
    with playing(hotel()) as server:
        words = ["company", "draft", "a hotel", "--name", "inn", "--to", str(folder)]
        assert run(words) == 2
        assert "needs a model; add --model NAME" in capsys.readouterr().err
        more = ["--model", "toy", "--base-url", server.url, "--price", "1,2"]
        assert run([*words, *more]) == 0
        told = capsys.readouterr()
        assert "drafted: category spa" in told.err
        assert re.search(r"29 calls, [\d,]+ tokens, \$0\.\d+", told.out)
    assert yaml.safe_load((folder / "inn.yaml").read_text())["lexicon"] == "words"


@pytest.mark.parametrize(
    "text",
    [
        '{"entries": [{"a": [1]}]}',
        '{"a": [1]}',
        'Sure!\n```json\n{"entries": [{"a": [1]}]}\n```',
        '{"entries": [{"a": [1],}]}',
    ],
)
def test_an_entry_is_found_however_it_is_wrapped(text: str) -> None:
    """Models answer bare, wrapped, in a fence, and with a comma too many."""
    assert entry_in(text) == {"a": [1]}
    assert entry_in("no") is None


def test_forms_are_strict() -> None:
    """Each list's form demands every key, as the strict mode of endpoints asks for."""
    for drafted_list in LISTS:
        form = list_form(drafted_list)
        assert form_faults({}, form)
        entry = form["properties"][drafted_list.part]["items"]
        assert entry["required"] == list(entry["properties"])
        assert entry["additionalProperties"] is False
