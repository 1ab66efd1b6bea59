"""The phrase grammar: what parses, which slots are sure, and what an expansion may say."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.write.grammar import Phrase, dealt, expand, parse, slots, sure_slots
from schemas.errors import SchemaError


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


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("What do I tell {who}?", "What do I tell Aisha, who does payroll?"),
        (
            "Let me ask {who}, then I'll write.",
            "Let me ask Aisha, who does payroll, then I'll write.",
        ),
        ("{who} needs it.", "Aisha, who does payroll, needs it."),
    ],
)
def test_an_aside_ends_in_one_mark(line: str, text: str) -> None:
    """The comma after an aside gives way to the mark that follows it."""
    facts = {"who": "Aisha, who does payroll,"}
    assert expand(parse(line), facts, lambda name: (), random.Random(0)) == text


def test_rules_in_a_circle_are_an_error() -> None:
    """Rules that refer to each other without end raise instead of hanging."""
    with pytest.raises(SchemaError, match="break the circle"):
        expand(
            parse("{a}"),
            {},
            lambda name: [parse("{b}" if name == "a" else "{a}")],
            random.Random(1),
        )


def test_each_sentence_of_a_line_goes_round_by_itself() -> None:
    """No sentence comes twice before all its wordings have come, and no line before all of its."""
    line = parse("I [called|wrote|came]. [Nothing|No word|No luck] so far. [Help|Hello]?")
    texts = [
        expand(dealt((line,), number), {}, lambda name: (), random.Random(0))
        for number in range(18)
    ]
    assert len(set(texts)) == 18
    for place, wordings in enumerate((3, 3, 2)):
        said = [re.split(r"(?<=[.?]) ", text)[place] for text in texts]
        assert len(set(said[:wordings])) == wordings


@pytest.mark.parametrize(
    ("noun", "said"),
    [("order", "An order?"), ("sign-up", "A sign-up?"), ("hour", "An hour?"), ("FAQ", "An FAQ?")],
)
def test_an_article_before_a_slot_is_the_one_that_its_word_takes(noun: str, said: str) -> None:
    """A line says `an {noun}`, and one company's noun is a sign-up; only small letters are sure."""
    phrase = parse("An {noun}?")
    assert expand(phrase, {"noun": noun}, {}.__getitem__, random.Random(1)) == said
    lines = {"noun": (parse(noun),)}
    assert expand(phrase, {}, lines.__getitem__, random.Random(1)) == said
