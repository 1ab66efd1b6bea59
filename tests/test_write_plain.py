"""Fields that no rule words have texts all the same: plain ones that name what they must."""

import json
import random
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.write.abroad import country_of, demanded_abroad, told_of_language, worded_abroad
from pipeline.write.plain import LONG, PlainText
from pipeline.write.queries import query_field, query_item
from schemas.country import load_country
from verifiers.answer import MUST
from verifiers.material import Facts, Unit, WrittenField

pytestmark = pytest.mark.quick

GERMANY, BRITAIN, JAPAN = (load_country(locale) for locale in ("de_DE", "en_GB", "ja_JP"))
FACTS = {"name": "Nola Marsh", "pet": "Biscuit", "town": "Ashford", "color": "gray"}


def word(rule: str, facts: Mapping[str, str]) -> str:
    """A toy wording: a long text is a sentence, a short one what it is about."""
    if rule == LONG:
        return f"This note is about {facts['about']}."
    return facts["about"] or "Larkspur"


def plain(
    *must: str,
    facts: Facts = FACTS,
    words: int = 12,
    seed: int = 1,
    avoid: tuple[str, ...] = (),
    **json_schema: object,
) -> str:
    """A text for a field that must name these facts, of a unit with these."""
    texts = {name: str(value) for name, value in facts.items()}
    unit = Unit(1, facts, avoid=avoid)
    written = WrittenField("Note", "A note.", must, json_schema, words=words)
    return PlainText(written, unit, texts, word, random.Random(seed)).write()


@given(
    must=st.lists(st.sampled_from(sorted(FACTS)), unique=True),
    words=st.sampled_from([3, 30]),
    seed=st.integers(0, 50),
)
def test_a_plain_text_names_what_it_must(must: list[str], words: int, seed: int) -> None:
    """Also more facts than a note usually has room for."""
    text = plain(*must, words=words, seed=seed)
    assert all(FACTS[name] in text for name in must)


def test_a_long_field_is_a_note_and_a_short_one_a_name() -> None:
    """The field's usual length decides by which of the two rules it is worded."""
    assert plain("pet", words=30).startswith("This note is about Biscuit")
    assert not plain("pet", words=3).startswith("This note")


def test_a_note_is_about_three_facts_at_most() -> None:
    """What must be named is among them, and the others are drawn."""
    for seed in range(20):
        text = plain("pet", seed=seed)
        assert sum(value in text for value in FACTS.values()) == 3
    assert len({plain("pet", seed=seed) for seed in range(20)}) > 1


def test_a_text_keeps_to_the_longest_that_its_field_takes() -> None:
    """It is about less, and at the last names nothing but what it must."""
    assert plain("name", maxLength=40) == "This note is about Nola Marsh."
    assert plain("name", maxLength=10) == "Nola Marsh"


def test_a_text_is_as_long_as_its_field_asks() -> None:
    """Sentences are added until it is."""
    assert len(plain("pet", minLength=120)) >= 120


def test_a_span_of_days_is_named_with_its_unit() -> None:
    """A bare number could be any: 30 days, and 1 day."""
    assert "30 days" in plain("days", facts={"days": 30})
    assert "1 day" in plain("days", facts={"days": 1})
    assert "1 days" not in plain("days", facts={"days": 1})


def test_forms_of_ones_own_are_named_by_the_first() -> None:
    """Of several ways to say it the first is taken."""
    forms = json.dumps([["refund", "refunds"], ["30 days"]])
    text = plain(MUST, facts={MUST: forms})
    assert "refund, 30 days" in text
    assert "refunds" not in text


def test_only_what_reads_well_is_said_unasked() -> None:
    """Flags, lists, numbers of days, long texts and what is to be avoided are left out."""
    facts: Facts = {
        "is_open": True,
        "codes": "[1, 2]",
        "days": 30,
        "story": "long " * 30,
        "rival": "Biscuit Club",
        "nothing": None,
        "town": "Ashford",
    }
    assert plain(facts=facts, avoid=("biscuit",)) == "This note is about Ashford."


def test_where_there_is_nothing_to_say_a_name_is_invented() -> None:
    """A unit without facts has a text, too."""
    assert plain(facts={}) == "This note is about Larkspur."


def test_a_rule_that_drops_a_demanded_fact_is_mended() -> None:
    """A wording without a slot for what it is about gets the fact in front."""
    written = WrittenField("Note", "A note.", ("pet",), {}, words=3)
    unit = Unit(1, FACTS)
    text = PlainText(written, unit, FACTS, lambda rule, facts: "Larkspur", random.Random(1))
    assert text.write() == "Biscuit: Larkspur"


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("TaskQuery handle_time named", "task.handle_time.named"),
        ("TaskQuery knowledge_qa policy.returns.question", "policy.returns.question"),
        ("TaskQuery knowledge_qa article.care.question", "article.care.question"),
    ],
)
def test_a_questions_object_type_says_its_rule(name: str, rule: str) -> None:
    """A seed with a rule of its own is worded by that."""
    _, task, seed = name.split(" ")
    assert query_item(task, seed).name == name
    field = query_field(name)
    assert (field.rule, field.must) == (rule, (MUST,))


def test_american_english_needs_no_country() -> None:
    """Only a request of another locale is told of one."""
    assert country_of({"name": "toy"}) is None
    assert country_of({"locale": "de_DE"}) == GERMANY


def test_a_model_is_told_the_language_with_samples() -> None:
    """A day and an amount show the forms; English has its own line."""
    told = told_of_language(GERMANY)
    assert "in German, as people in Deutschland write it" in told
    assert "3. August 2021" in told and "1.234,50 €" in told
    assert told_of_language(BRITAIN).startswith("Write ")
    assert "Facts are stated" not in told_of_language(BRITAIN)


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("since 3 August 2021, €1,234.50", "since 3. August 2021, 1.234,50 €"),
        ("€1,234 in all", "1.234 € in all"),
        ("30 days, order 00001234", "30 days, order 00001234"),
        ("31 February 2021", "31 February 2021"),
    ],
)
def test_days_and_amounts_take_the_countrys_form(text: str, there: str) -> None:
    """All else stays, also what only looks like a day."""
    assert worded_abroad(text, GERMANY) == there


def test_data_is_worded_at_every_depth() -> None:
    """Lists and mappings keep their shape, and what is no text its value."""
    data = {"a": ["€5", 7, None], "b": {"c": "€6"}}
    assert worded_abroad(data, GERMANY) == {"a": ["5 €", 7, None], "b": {"c": "6 €"}}


@pytest.mark.parametrize(
    ("fact", "value", "demanded"),
    [
        ("limit", "30 days", "30"),
        ("option", "a full refund", ""),
        ("option", "15 % off", "15"),
        ("product", "Pace 5 Trainer", "Pace 5 Trainer"),
        ("bought", "3 August 2021", "3 August 2021"),
        ("fee", "€7.50", "€7.50"),
        ("stated fact", "Store Credit", "Store Credit"),
    ],
)
def test_a_text_abroad_must_hold_what_no_translation_changes(
    fact: str,
    value: str,
    demanded: str,
) -> None:
    """Names, days and amounts stand; of other facts only the figures do."""
    assert demanded_abroad(fact, value, GERMANY) == demanded
    assert demanded_abroad(fact, value, BRITAIN) == value


def test_amounts_in_yen_have_no_decimals() -> None:
    """The currency says how many there are."""
    assert worded_abroad("¥1,200", JAPAN) == JAPAN.language.written_amount(1200, "¥", 0)
