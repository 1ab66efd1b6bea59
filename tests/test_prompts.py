"""Prompts: golden files of toy requests, every fact in the text, a key that changes with any part
of the request.

`UPDATE_GOLDEN=1 python -m pytest tests/test_prompts.py` rewrites the golden files.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from orgweave.testing.asked import prompt_of
from pipeline.write.prompt import load_prompts, messages
from pipeline.write.request import WriteRequest
from pipeline.write.rules import Rules
from pipeline.write.senses import Senses
from pipeline.write.telling import FIGURES, MUST, OPTIONS, TOLD_AS, UNSAID, UNSAID_BY_PLAN
from schemas.errors import BadInput
from schemas.lexicon import Lexicon
from schemas.loader import load_schema
from schemas.model import Beat
from schemas.profile import companies_folder
from schemas.world import World
from verifiers.material import Facts, Unit, WrittenField

GOLDEN = Path(__file__).parent / "golden"
# What the company calls a purchase, which the plans name.
WORDS = Senses(Rules(Lexicon("toy", {"order_noun": ("order",)}, World())))
COMPANY = {
    "company": "Fell & Moor",
    "industry": "outdoor retail",
    "description": "Sells tents and stoves by mail.",
}
CASE: Facts = {
    "channel": "email",
    "tone": "annoyed",
    "customer": "Rosa Lindgren",
    "first": "Rosa",
    "product": "Brindle Tent",
    "order_date": "March 3, 2021",
    "days": 41,
    "plural": False,
    "wish": "a full refund",
}
TURNS: tuple[Facts, ...] = (
    {
        "speaker": "Customer",
        "beats": "c.greet,c.open,issue.complaint,c.wish,c.sign",
        "topic": "",
        "agent": "Dana Whitlock",
    },
    {
        "speaker": "Agent",
        "beats": "a.greet,a.ack,a.deny,a.alternative,a.sign",
        "topic": "",
        "style": "warm",
        "agent": "Dana Whitlock",
    },
)
GIVEN: Facts = {**TURNS[0], "given": "Hello, my Brindle Tent of March 3, 2021 leaks. Rosa Lindgren"}
LIMITS: Facts = {"option": "store credit", "limit": 90, "deny_limit": 30}


def text_field(name: str, instruction: str, *must: str, beats: str = "") -> WrittenField:
    """A written field of up to 400 characters."""
    return WrittenField(
        name,
        instruction,
        must,
        {"type": "string", "minLength": 3, "maxLength": 400},
        f"rule.{name}",
        beats,
    )


REQUESTS = {
    "Product2": WriteRequest(
        "Product2",
        COMPANY,
        (
            text_field("Name", "The product's name."),
            text_field("Description", "Two sentences for the catalog.", "Name"),
        ),
        (
            Unit(10, {"category": "Tents", "price": "$210.00"}),
            Unit(11, {"category": "Tents", "price": "$95.50"}, notes=("Name: too short",)),
        ),
        earlier=("Brindle Tent", "Harrow Shelter"),
    ),
    "EmailMessage": WriteRequest(
        "EmailMessage",
        COMPANY,
        (text_field("TextBody", "One whole mail a turn.", beats="beats"),),
        (Unit(4, {**CASE, **LIMITS}, (GIVEN, TURNS[1]), avoid=("workshop repair",)),),
    ),
    "LiveChatTranscript": WriteRequest(
        "LiveChatTranscript",
        COMPANY,
        (text_field("Body", "A short spoken line a turn.", beats="beats"),),
        (
            Unit(
                0,
                {**CASE, **LIMITS, "channel": "chat"},
                tuple({**turn, "at": f"2021-04-13T10:0{at}:00"} for at, turn in enumerate(TURNS)),
            ),
        ),
    ),
    "Knowledge__kav": WriteRequest(
        "Knowledge__kav",
        COMPANY,
        (
            text_field("Title", "The article's title."),
            text_field("FAQ_Answer__c", "The article, with every option and limit.", "must"),
        ),
        (
            Unit(
                2,
                {
                    "kind": "solution",
                    "subject": "Leaking seams",
                    "options": '[{"key": "refund", "name": "Full Refund", "limit": 30}]',
                    "must": '[["Full Refund"], ["30 days", "30-day"]]',
                },
            ),
        ),
    ),
}


@pytest.fixture(scope="module")
def beats() -> Mapping[str, Beat]:
    """The dialogue acts of the shipped schema."""
    return load_schema(companies_folder().parent / "service_cloud").beats or {}


def shown(request: WriteRequest, beats: Mapping[str, Beat]) -> str:
    """A prompt as one text."""
    return (
        "\n\n".join(
            f"=== {message['role']} ===\n{message['content']}"
            for message in messages(request, beats, load_prompts(), WORDS)
        )
        + "\n"
    )


@pytest.mark.parametrize("name", REQUESTS)
def test_prompts_are_as_agreed(name: str, beats: Mapping[str, Beat]) -> None:
    """The prompt of a toy request is, to the letter, that of its golden file."""
    path, text = GOLDEN / f"prompt_{name}.txt", shown(REQUESTS[name], beats)
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", REQUESTS)
def test_every_fact_stands_in_the_prompt(name: str, beats: Mapping[str, Beat]) -> None:
    """Each fact that says something of the words, avoided phrase, note and earlier entry, and the
    company, stand in the prompt.
    """
    request = REQUESTS[name]
    text = shown(request, beats)
    for unit in request.units:
        for facts in (unit.facts, *unit.parts):
            for fact, value in facts.items():
                hidden = fact in UNSAID | UNSAID_BY_PLAN | {MUST, FIGURES, OPTIONS}
                if value in ("", None) or hidden:
                    continue
                told = {TOLD_AS.get(fact, fact), fact}
                forms = [json.dumps({name: value}, ensure_ascii=False)[1:-1] for name in told]
                assert any(form in text for form in forms)
        assert all(phrase in text for phrase in (*unit.avoid, *unit.notes))
    assert all(
        part in text
        for part in (
            *request.earlier,
            *request.company.values(),
            *(field.instruction for field in request.fields),
        )
    )


def test_an_earlier_text_of_several_lines_is_one_item(beats: Mapping[str, Beat]) -> None:
    """Each earlier text stands in one line, and a reader of the prompt finds all of them."""
    texts = ("Where is it?\n\nRosa Lindgren", "Brindle Tent")
    request = replace(REQUESTS["Product2"], earlier=texts)
    made = messages(request, beats, load_prompts())
    assert prompt_of({"messages": made}).earlier == ("Where is it? Rosa Lindgren", "Brindle Tent")


def test_a_turns_plan_stands_as_intentions_and_no_act_is_named(beats: Mapping[str, Beat]) -> None:
    """A prompt says what each open turn is to say, with its facts, and never an act's name."""
    user = messages(REQUESTS["EmailMessage"], beats, load_prompts())[1]["content"]
    assert "greets Rosa" in user and "can give store credit instead" in user
    assert not any(f"{beat}," in user for beat in beats)


def test_a_plan_names_its_facts_as_the_act_does(beats: Mapping[str, Beat]) -> None:
    """A refusal is told by the limit that refuses it, not by that of what is granted."""
    user = messages(REQUESTS["EmailMessage"], beats, load_prompts())[1]["content"]
    assert "the rule allows it for 30 days" in user
    assert '"must_contain": ["a full refund", "30", "store credit", "Dana Whitlock"]' in user


def test_no_json_stands_in_a_text_of_json(beats: Mapping[str, Beat]) -> None:
    """What an article must state is laid open, not quoted."""
    user = messages(REQUESTS["Knowledge__kav"], beats, load_prompts())[1]["content"]
    assert '"must_contain": [["Full Refund"], ["30 days", "30-day"]]' in user
    assert '\\"' not in user


def test_how_many_texts_to_write_counts_the_open_turns(beats: Mapping[str, Beat]) -> None:
    """A turn that is given already is shown but not asked for."""
    assert '"texts_to_write": 1' in shown(REQUESTS["EmailMessage"], beats)
    assert '"texts_to_write": 2' in shown(REQUESTS["LiveChatTranscript"], beats)


def test_own_prompts_may_use_every_place(tmp_path: Path, beats: Mapping[str, Beat]) -> None:
    """A person's own templates are filled in place of the shipped ones."""
    (tmp_path / "system.txt").write_text("For $company ($industry): $description")
    (tmp_path / "user.txt").write_text("$object $fields $beats $schema $earlier $units costs $$5")
    system, user = messages(REQUESTS["Product2"], beats, load_prompts(tmp_path))
    assert system["content"] == "For Fell & Moor (outdoor retail): Sells tents and stoves by mail."
    assert user["content"].startswith("Product2 - Name:") and user["content"].endswith("costs $5")


@pytest.mark.parametrize("text", ["Write for $nonsense", "It costs $ 5"])
def test_an_unknown_place_is_a_clear_error(
    text: str,
    tmp_path: Path,
    beats: Mapping[str, Beat],
) -> None:
    """A template with an unknown or broken place raises an error that names the file and the known
    places.
    """
    (tmp_path / "system.txt").write_text(text)
    with pytest.raises(BadInput, match=r"system\.txt: unknown place .*use \$company, .*\$units"):
        messages(REQUESTS["Product2"], beats, load_prompts(tmp_path))


def test_a_folder_without_templates_is_a_clear_error(tmp_path: Path) -> None:
    """A prompt folder that holds no template raises an error that says what to put there."""
    with pytest.raises(BadInput, match=r"holds no prompt template; put system\.txt"):
        load_prompts(tmp_path)


@pytest.mark.parametrize("name", ["sytem.txt", "Case/usr.txt", "a/b/user.txt"])
def test_a_file_that_is_no_template_is_a_clear_error(name: str, tmp_path: Path) -> None:
    """A misspelt template is not passed over in silence."""
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("Write.")
    with pytest.raises(BadInput, match="is no prompt template"):
        load_prompts(tmp_path)


def test_an_object_types_own_template_is_for_it_alone(
    tmp_path: Path, beats: Mapping[str, Beat]
) -> None:
    """`<ObjectType>/user.txt` stands in for the shipped template where that object type is written,
    and nowhere else.
    """
    (tmp_path / "Product2").mkdir()
    (tmp_path / "Product2" / "user.txt").write_text("Name these: $units")
    prompts = load_prompts(tmp_path)
    assert messages(REQUESTS["Product2"], beats, prompts)[1]["content"].startswith("Name these:")
    assert messages(REQUESTS["EmailMessage"], beats, prompts) == messages(
        REQUESTS["EmailMessage"],
        beats,
        load_prompts(),
    )


def test_what_every_turn_shares_stands_once(beats: Mapping[str, Beat]) -> None:
    """A fact that all turns of a conversation have is not repeated with each of them."""
    turns = tuple({**turn, "team": "Night Desk"} for turn in TURNS)
    request = replace(REQUESTS["LiveChatTranscript"], units=(Unit(4, {"order": "77"}, turns),))
    assert messages(request, beats, load_prompts())[1]["content"].count("Night Desk") == 1


def changed_requests() -> list[WriteRequest]:
    """The toy request with one part of it changed at a time."""
    request = REQUESTS["EmailMessage"]
    field, unit = request.fields[0], request.units[0]
    fields = [
        replace(field, name="Other"),
        replace(field, instruction="Otherwise."),
        replace(field, must=("product",)),
        replace(field, json_schema={"type": "string"}),
        replace(field, rule="other"),
        replace(field, beats="acts"),
        replace(field, words=99),
    ]
    units = [
        replace(unit, id=5),
        replace(unit, facts={**unit.facts, "days": 42}),
        replace(unit, parts=unit.parts[:1]),
        replace(unit, avoid=()),
        replace(unit, notes=("again",)),
    ]
    return [
        *(replace(request, fields=(one,)) for one in fields),
        *(replace(request, units=(one,)) for one in units),
        replace(request, object="Other"),
        replace(request, company={**COMPANY, "company": "Other"}),
        replace(request, earlier=("one",)),
        replace(request, attempt=1),
        replace(request, seed=1),
        replace(request, node="other"),
        replace(request, model="other"),
        replace(request, parameters={"temperature": 0.5}),
    ]


def test_the_key_changes_with_any_part_of_the_request() -> None:
    """Requests that differ in any one part have different keys."""
    keys = [request.key for request in (REQUESTS["EmailMessage"], *changed_requests())]
    assert len(set(keys)) == len(keys)


def test_equal_requests_have_equal_keys() -> None:
    """The order in which facts were put together does not change the key."""
    request = REQUESTS["EmailMessage"]
    unit = request.units[0]
    turned = replace(
        request, units=(replace(unit, facts=dict(reversed(list(unit.facts.items())))),)
    )
    assert turned.key == request.key and len(request.key) == 64
