"""Composing: mails and chat lines from beats, single fields from rules or, without one, plainly."""

import random
import re
from dataclasses import replace

import pytest

from pipeline.write.compose import PART, Composer
from schemas.language import INTERNATIONAL, WrittenLanguage
from tests.writing_toys import COMPANY, FACTS, TOY_BEATS, TOY_WORDS, rules_of
from verifiers.answer import AnswerRules
from verifiers.material import Facts, Unit, WrittenField
from verifiers.verdict import PASS


def composer() -> Composer:
    """The hand of a toy lexicon."""
    return Composer(rules_of(TOY_WORDS), TOY_BEATS)


def field_text(written: WrittenField, unit: Unit, seed: int = 1) -> str:
    """The text of one field."""
    return composer().field(written, unit, COMPANY, {}, random.Random(seed))


def test_a_mail_has_its_facts_between_greeting_and_signature() -> None:
    """Greeting, sentences with capitals and end marks, signature, each a paragraph of its own.

    A sentence may have an aside that is this person's.
    """
    text = composer().turn(
        ["c.greet", "c.open", "c.sign"],
        {**FACTS, "speaker": "Customer"},
        random.Random(1),
    )
    assert re.fullmatch(
        r"Hello,\n\n([A-Z][\w' ]+, )?I bought (the|a) Brindle Tent on (March 3, 2021|Mar 3,"
        r" 2021|3/3/2021)(, [\w' ]+)?\.\n\nYours,\nRosa Lindgren",
        text,
    )


@pytest.mark.parametrize(
    ("language", "line"), [(None, "Frankfurt, HE"), (INTERNATIONAL, "Frankfurt")]
)
def test_who_signs_abroad_adds_no_state(language: WrittenLanguage | None, line: str) -> None:
    """Americans write `Reno, NV` below their names; elsewhere the city stands alone."""
    rules = rules_of({"c.sign": ("{customer}\n{city_line}",)})
    facts = {**FACTS, "speaker": "Customer", "city": "Frankfurt", "state": "HE"}
    text = Composer(rules, TOY_BEATS, language).turn(["c.sign"], facts, random.Random(1))
    assert text.splitlines()[-1] == line


def test_a_chat_line_is_worded_by_the_chats_rule() -> None:
    """In a chat the chat's wording is taken, facts and all."""
    text = composer().turn(
        ["c.open"],
        {**FACTS, "speaker": "Customer", "channel": "chat"},
        random.Random(1),
    )
    assert text.lower().startswith("my brindle tent of")


@pytest.mark.parametrize(
    ("act", "left"), [("c.open", "."), ("c.open.rough", ". I bought them in May.")]
)
def test_what_the_complaint_has_named_is_not_named_again(act: str, left: str) -> None:
    """Only the day is left to say, with a pronoun."""
    lines = {
        "issue.boots.complaint": ("the sole of {thing} came off",),
        "c.open": ("it's {thing}",),
        "c.open.rough": ("i bought {thing} in May",),
    }
    facts = {"issue_key": "boots", "thing": "my boots", "plural": True, "speaker": "Customer"}
    hand = Composer(rules_of(lines), {})
    said = hand.turn(["issue.complaint", act], {**facts, "channel": "chat"}, random.Random(1))
    assert said == f"The sole of my boots came off{left}"


def test_a_full_name_is_said_once() -> None:
    """Where an act asks for the product's full name, the complaint has the short one."""
    lines = {
        "issue.boots.complaint": ("the sole of {thing} came off",),
        "c.open.full": ("it's the {product}",),
    }
    facts = {"issue_key": "boots", "thing": "my Skerrin Hikers", "product": "Skerrin Hiker"}
    known = {**facts, "product_short": "boots", "speaker": "Customer", "channel": "chat"}
    said = Composer(rules_of(lines), {}).turn(
        ["issue.complaint", "c.open.full"], known, random.Random(1)
    )
    assert said.lower().startswith("the sole of my boots came off")
    assert said.count("Skerrin Hiker") == 1


def test_who_asks_for_news_again_asks_in_other_words() -> None:
    """As many mails of one conversation as the rule has lines have no line in common."""
    lines = ["Any news?", "I am still waiting.", "Where does it stand?"]
    hand = Composer(rules_of({**TOY_WORDS, "c.chase": lines}), TOY_BEATS)
    facts = {**FACTS, "speaker": "Customer", "nth": "7", "waited": "two days"}
    said = set()
    for place in range(len(lines)):
        said.add(hand.turn(["c.chase"], {**facts, PART: place}, random.Random(1)))
    assert len(said) == len(lines)


def test_a_beat_uses_the_facts_it_renames() -> None:
    """A refusal names the limit that refuses it."""
    assert "30 days" in composer().turn(["a.deny"], {**FACTS, "speaker": "Agent"}, random.Random(1))


def test_a_beat_is_worded_by_any_of_its_rules_that_exist() -> None:
    """Of two rules the keyed one is taken only where the key has one."""
    said = {
        key: {
            composer().turn(
                ["a.offer"],
                {**FACTS, "option_key": key, "speaker": "Agent"},
                random.Random(seed),
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
    article = WrittenField("Body", "An article.", (), {"type": "string"}, "Article.Body")
    assert (
        field_text(article, Unit(0, {"options": options}))
        == "Intro. Full Refund stands open for 30 days. Store Credit stands open for 1 day."
    )


COMMENT = WrittenField("Comment", "A comment.", (), {"type": "string"}, "Survey.Comment", words=30)
SURVEY = Unit(0, {"product": "Brindle Tent", "customer": "Rosa Lindgren", "stars": 4})


def test_a_field_without_a_rule_names_the_units_own_facts() -> None:
    """Where the lexicon has no rule for a field, a plain text names the unit's facts, a short one
    no less than a long one, and says nothing of the company.
    """
    note = Unit(0, {"topic": "lacing"})
    assert field_text(COMMENT, note) == "A note about lacing."
    assert field_text(replace(COMMENT, words=3), note) == "Short lacing"
    assert not any(name in field_text(COMMENT, SURVEY) for name in COMPANY.values())


@pytest.mark.parametrize(
    ("must", "facts", "named"),
    [
        (("product",), {}, "Brindle Tent"),
        (("customer", "product"), {}, "Rosa Lindgren, Brindle Tent"),
        (("stars",), {}, "4"),
        (("days",), {"days": 30}, "30 days"),
        (("days",), {"days": 1}, "1 day"),
        (("wish",), {"wish": "a full refund"}, "full refund"),
        (("order_date",), {"order_date": "March 3, 2021"}, "March 3, 2021"),
        (("must",), {"must": '[["store credit", "credit"], ["12 months"]]'}, "store credit, 12"),
        (("company",), {}, "Fell & Moor"),
        (("nothing",), {"nothing": None}, ""),
    ],
)
@pytest.mark.parametrize("words", [3, 30])
@pytest.mark.parametrize("longest", [30, 60, 400])
def test_a_field_without_a_rule_names_what_it_must(
    must: tuple[str, ...],
    facts: Facts,
    named: str,
    words: int,
    longest: int,
) -> None:
    """A plain text names every fact that the field's `must` lists, whatever length it may have,
    and so it passes the verifiers at once.
    """
    schema = {"type": "string", "minLength": 1, "maxLength": longest}
    written = replace(COMMENT, must=must, words=words, json_schema=schema)
    unit = Unit(0, {**SURVEY.facts, **facts, "company": COMPANY["company"]})
    rules = AnswerRules((written,), TOY_BEATS)
    for seed in range(20):
        text = field_text(written, unit, seed)
        assert named.casefold() in text.casefold()
        assert rules.verify_entry(unit, {"unit": 0, "Comment": text}) == PASS


def test_plain_texts_vary_with_their_facts() -> None:
    """Units of other facts get other texts, and one unit is spoken of in several ways."""
    other = Unit(1, {"product": "Harrow Stove", "customer": "Max Frost", "stars": 1})
    ways = {field_text(COMMENT, SURVEY, seed) for seed in range(20)}
    assert len(ways) > 3
    assert ways.isdisjoint(field_text(COMMENT, other, seed) for seed in range(20))


def test_a_plain_text_names_nothing_that_it_must_not() -> None:
    """What a unit avoids, flags and lists are no facts that a plain text names."""
    facts = {"product": "Brindle Tent", "plural": True, "options": "[]", "remedy": "a full refund"}
    unit = Unit(0, facts, avoid=("full refund",))
    assert {field_text(COMMENT, unit, seed) for seed in range(10)} == {"A note about Brindle Tent."}


def test_a_plain_text_is_as_long_as_its_schema_asks() -> None:
    """A shortest length is met by saying more."""
    schema = {"type": "string", "minLength": 200, "maxLength": 1000}
    assert 200 <= len(field_text(replace(COMMENT, json_schema=schema), SURVEY)) <= 1000


def test_a_plain_text_of_no_facts_is_about_an_invented_name() -> None:
    """A unit without facts gets a text all the same, and not always the same."""
    texts = {field_text(COMMENT, Unit(0, {}), seed) for seed in range(20)}
    assert all(text.startswith("A note about Short") for text in texts)


def test_an_act_takes_turns_by_its_own_number() -> None:
    """Two cases whose numbers would meet the same line have others where the acts are numbered."""
    lines = ("I like {it}.", "I want {it}.", "I need {it}.")
    hand = Composer(rules_of({"c.wish": lines}), TOY_BEATS)
    facts: Facts = {**FACTS, "it": "it", "speaker": "Customer", "nth": "7", "beats": "c.wish"}
    facts = {**facts, "customer": "Rosa Lind"}

    def said(rank: int) -> str:
        return hand.turn(["c.wish"], {**facts, "ranks": str(rank)}, random.Random(1))

    assert len({said(rank) for rank in range(3)}) == 3
    assert said(0) == said(3)
    assert len({hand.turn(["c.wish"], facts, random.Random(seed)) for seed in range(9)}) == 1
