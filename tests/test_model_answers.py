"""What a model's answer becomes: entries out of any text, the form it is asked in, and how many
tokens a text has.
"""

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orgweave.testing.asked import Prompt
from orgweave.testing.faults import CONTENT, SHAPE, spoiled
from pipeline.model.forms import FORMS, KEPT, Forms, answer_of, strict
from pipeline.model.tokens import count_tokens, rough_tokens
from pipeline.write.answers import entries_of
from pipeline.write.prompt import load_prompts
from verifiers.format import entry_schema
from verifiers.material import Unit

ENTRIES: list[dict[str, object]] = [
    {"unit": 1, "Name": "Brindle Tent"},
    {"unit": 2, "Name": 'Harrow {"unit": 9} Shelter'},
]
WHOLE = json.dumps({"entries": ENTRIES})
texts = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(
    ['{"unit": 7}', "}]}", "```", '"', "\\", "[[{{", "\u2028"]
)
answers = st.lists(
    st.builds(
        lambda unit, name, lines: {"unit": unit, "Name": name, "Text": lines},
        st.integers(0, 99),
        texts,
        st.lists(texts, max_size=3),
    ),
    max_size=5,
)

# --- entries


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"Of course {{really}}! Here you are:\n{WHOLE}\nAnything {{else}}? [no]",
        json.dumps(ENTRIES),
        "\n".join(json.dumps(entry) for entry in ENTRIES),
        json.dumps({"output": {"entries": ENTRIES}}),
        json.dumps({"result": {"data": {"entries": ENTRIES}}}),
        json.dumps({"entries": {str(entry["unit"]): entry for entry in ENTRIES}}),
        json.dumps({"entries": [{**entry, "unit": str(entry["unit"])} for entry in ENTRIES]}),
        json.dumps({"entries": [{**entry, "unit": f"Unit {entry['unit']}"} for entry in ENTRIES]}),
        json.dumps([{**entry, "unit": float(str(entry["unit"]))} for entry in ENTRIES]),
        json.dumps({"thoughts": "none", "entries": ENTRIES}, indent=2),
    ],
    ids=[
        "plain",
        "fenced",
        "prose around",
        "bare list",
        "one a line",
        "wrapped",
        "wrapped twice",
        "keyed",
        "units as texts",
        "units in words",
        "units with a point",
        "more around",
    ],
)
def test_entries_are_found_however_they_are_wrapped(text: str) -> None:
    """Plain, fenced, in prose, as a bare list or one a line: the same entries are found."""
    assert entries_of(text) == ENTRIES


def test_one_bare_entry_is_an_answer() -> None:
    """An answer that is one entry without a list is that entry."""
    assert entries_of('{"unit": 4, "Name": "Tarn Stove"}') == [{"unit": 4, "Name": "Tarn Stove"}]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I can't help with that.",
        "17",
        "null",
        '"a text"',
        '{"error": "busy"}',
        "[" * 100_000,
        '{"a":' * 5_000,
        "9" * 5_000,
    ],
)
def test_a_text_without_entries_has_none(text: str) -> None:
    """What holds no entry, however odd, gives no entry and raises nothing."""
    assert [
        entry for entry in entries_of(text) if isinstance(entry, dict) and "unit" in entry
    ] == []


@pytest.mark.parametrize(
    "text",
    [
        "{'entries': [{'unit': 1, 'Name': 'Brindle Tent'}]}",
        '{"entries": [{"unit": 1, "Name": "Brindle Tent",}]}',
        '{entries: [{unit: 1, Name: "Brindle Tent"}]}',
    ],
)
def test_nearly_right_json_is_repaired(text: str) -> None:
    """Single quotes, a comma too many and names without quotes are mended."""
    assert entries_of(text) == [{"unit": 1, "Name": "Brindle Tent"}]


def test_line_breaks_inside_a_text_are_taken() -> None:
    """A line break or tab that stands bare in a JSON text is a line break of the text."""
    assert entries_of('{"entries": [{"unit": 1, "Name": "two\nlines\tand a tab"}]}') == [
        {"unit": 1, "Name": "two\nlines\tand a tab"}
    ]


@settings(max_examples=150, deadline=None)
@given(
    entries=answers,
    indent=st.sampled_from([None, 1]),
    plain=st.booleans(),
    bare=st.booleans(),
    share=st.floats(0, 1),
)
@example(entries=ENTRIES, indent=None, plain=True, bare=False, share=0.9)
def test_a_prefix_holds_whole_entries_only(
    entries: list[dict[str, object]],
    indent: int | None,
    plain: bool,
    bare: bool,
    share: float,
) -> None:
    """Wherever an answer is cut off, its entries are the first ones of the whole answer, none of
    them half-written.
    """
    text = json.dumps(entries if bare else {"entries": entries}, indent=indent, ensure_ascii=plain)
    found = entries_of(text[: int(share * len(text))], cut=True)
    assert found == entries[: len(found)]


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(max_size=80)
    | st.lists(
        st.sampled_from(
            ['{"unit": 1', "}", "[", "]", "{", '"entries": [', ",", '"', "\\ud83d", "NaN"]
        ),
        max_size=12,
    ).map("".join),
    cut=st.booleans(),
)
@example(text='{"entries": [{"unit": 1, "Name": "half a smile \\ud83d"}]}', cut=False)
def test_any_text_gives_entries_that_can_be_kept(text: str, cut: bool) -> None:
    """No text raises, and what is found in it can be written to a file: no halves of characters."""
    assert json.dumps(entries_of(text, cut), ensure_ascii=False).encode()


@pytest.mark.parametrize("fault", sorted({*CONTENT, *SHAPE} - {"malformed"}))
def test_what_the_test_server_leaves_right_is_found(fault: str) -> None:
    """Of each spoiled answer of the test server, exactly the entries that stand whole in its text
    are found.
    """
    prompt = Prompt("Product2", (Unit(1, {}), Unit(2, {})), ("Old Tent",))
    sent = spoiled(fault, [dict(entry) for entry in ENTRIES], prompt, {}, random.Random(3))
    found = entries_of(sent.text, sent.finish == "length")
    if fault in ("empty", "refused", "filtered"):
        assert found == []
    elif fault == "truncated":
        assert found == ENTRIES[: len(found)]
    elif fault in ("prose", *SHAPE):
        assert found == ENTRIES
    else:
        assert found == json.loads(sent.text)["entries"]


# --- forms

scalars = st.sampled_from(
    [
        {"type": "string", "minLength": 2, "maxLength": 80, "pattern": "^x"},
        {"type": "integer", "minimum": 1},
        {"enum": ["a", "b"], "format": "date", "x-source": {"id": True}},
    ]
)


def nested(inner: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[dict[str, object]]:
    """Lists of a schema and objects of several; properties may be named like keywords."""
    parts = st.dictionaries(st.sampled_from(["a", "pattern", "minLength"]), inner)
    closed = parts.map(
        lambda properties: {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    )
    return inner.map(lambda item: {"type": "array", "items": item, "minItems": 2}) | closed


schemas = st.recursive(scalars, nested, max_leaves=6)


def keywords(schema: Mapping[str, object]) -> set[str]:
    """All JSON Schema keywords in use, at every depth; names of properties are none."""
    found = set(schema)
    properties, items = schema.get("properties"), schema.get("items")
    for inner in [*(properties.values() if isinstance(properties, Mapping) else ()), items]:
        found |= keywords(inner) if isinstance(inner, Mapping) else set()
    return found


@given(schema=schemas)
def test_the_strict_projection_keeps_only_what_every_endpoint_knows(
    schema: dict[str, Any],
) -> None:
    """Lengths, patterns and x- keywords go at every depth, properties stay whatever their names,
    and a second projection changes nothing.
    """
    projected = strict(schema)
    assert keywords(projected) == keywords(schema) & set(KEPT)
    properties: Mapping[str, object] = projected.get("properties", {})  # type: ignore[assignment]
    assert properties.keys() == schema.get("properties", {}).keys()
    assert strict(projected) == projected


def test_an_answer_is_an_object_with_entries() -> None:
    """The schema of an answer is an object of one list, closed at both levels, with every field
    required.
    """
    shown = answer_of(entry_schema({"Name": {"type": "string", "maxLength": 80}}))
    entry = {
        "type": "object",
        "properties": {"unit": {"type": "integer"}, "Name": {"type": "string"}},
        "required": ["unit", "Name"],
        "additionalProperties": False,
    }
    assert shown == {
        "type": "object",
        "properties": {"entries": {"type": "array", "items": entry}},
        "required": ["entries"],
        "additionalProperties": False,
    }


def test_forms_go_from_strict_to_plain_and_end_there() -> None:
    """Refused forms lead from a strict schema over JSON mode to plain text; plain text refused
    leads nowhere; each change is remembered.
    """
    told: list[str] = []
    forms = Forms(remember=told.append)
    sent = [forms.response_format("Case", {"type": "object"})]
    while forms.refused(forms.form):
        sent.append(forms.response_format("Case", {"type": "object"}))
    assert [body.get("response_format", {}).get("type") for body in sent] == [
        "json_schema",
        "json_object",
        None,
    ]  # type: ignore[attr-defined]
    assert told == list(FORMS[1:])


def test_each_call_is_asked_for_its_own_form() -> None:
    """A form is made once for equal entries; another object type's, and another entry, has its
    own.
    """
    forms, texts = Forms(), ({"type": "string"}, {"type": "integer"})
    asked = [
        forms.response_format(name, {"type": "array", "items": items})
        for items in texts
        for name in ("Case", "Case", "Note")
    ]
    shown = [json.dumps(body) for body in asked]
    assert asked[0] is asked[1]
    assert len(set(shown)) == 4
    assert all(text["type"] in body for text, body in zip(texts, (shown[0], shown[3]), strict=True))


def test_calls_side_by_side_refuse_a_form_once() -> None:
    """Ten calls whose strict form is refused at the same time go on to JSON mode together, not past
    it.
    """
    forms = Forms()
    assert [forms.refused("json_schema") for _ in range(10)] == [True] * 10
    assert forms.form == "json_object"


# --- tokens


@given(one=st.text(max_size=200), other=st.text(max_size=200))
def test_tokens_are_counted_within_bounds(one: str, other: str) -> None:
    """A message has at least its own four tokens and at most one more a character;
    messages add up.
    """
    for count in (count_tokens, rough_tokens):
        assert 4 <= count(one) <= len(one) + 4
        assert count(one, other) == count(one) + count(other)


def test_the_rough_count_is_near_the_careful_one() -> None:
    """On the shipped prompt templates the count by length is within a fifth of the count by
    pieces.
    """
    prompts = load_prompts().texts.values()
    assert rough_tokens(*prompts) == pytest.approx(count_tokens(*prompts), rel=0.2)
