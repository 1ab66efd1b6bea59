"""Which lines of a lexicon word a rule, and what the shipped lexicons hold."""

import random
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from pipeline.write.facts_as_written import AS_WRITTEN
from pipeline.write.grammar import parse, sure_slots
from pipeline.write.rules import KEYED
from schemas.beats import VALUE
from schemas.errors import SchemaError
from schemas.lexicon import Lexicon, load_lexicon
from schemas.loader import load_schema
from schemas.model import Beat
from schemas.profile import companies_folder, lexicons_folder
from tests.writing_toys import rules_of
from verifiers.content import forms_of, names_fact
from verifiers.material import Demand
from verifiers.ways import sure_ways
from verifiers.wording import plain

TOY_RULES = {
    "issue.leak.complaint": ("keyed",),
    "issue.any.complaint": ("any",),
    "issue.leak.ask.where": ("keyed where",),
    "issue.any.ask.where": ("any ask",),
    "issue.enquiry_leak.complaint": ("of the enquiry",),
    "c.open": ("mail",),
    "chat.c.open": ("chat",),
    "option.refund.steps": ("any problem",),
    "option.refund.leak.steps": ("beside a leak",),
    "c.thanks": ("plain",),
    "c.thanks@angry": ("angry",),
    "c.wish": ("plain",),
    "c.wish@angry": ("angry",) * 4,
    "c.only@calm": ("calm",),
    "coworker": ("Ann", "Rosa", "Kim"),
}

STRANGERS = "enquiry_spam"
"""What the keys of the issues that come from strangers begin with."""


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
        ("issue.ask.where", {"issue_key": "leak"}, ["keyed where"]),
        ("issue.ask.where", {"issue_key": "stain"}, ["any ask"]),
        (
            "option.steps",
            {"option_key": "refund", "issue_key": "leak", "channel": "chat"},
            ["beside a leak"],
        ),
        ("option.steps", {"option_key": "refund", "issue_key": "stain"}, ["any problem"]),
        ("issue.complaint", {"issue_key": "enquiry_leak_roof"}, ["of the enquiry"]),
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
    drawn = [chosen("c.wish", {}, "angry", seed=seed)[0] for seed in range(300)]
    assert 0.55 < drawn.count("angry") / 300 < 0.77
    assert {chosen("c.thanks", {}, "calm", seed=seed)[0] for seed in range(20)} == {"plain"}
    assert {chosen("c.only", {}, "calm", seed=seed)[0] for seed in range(20)} == {"calm"}


def test_an_unknown_rule_is_a_clear_error() -> None:
    """A slot that is no fact and no rule raises an error that names lexicon and slot, and both
    ways to fill it.
    """
    says = r"lexicon toy: there is no rule for \{c.nothing\}, and no fact .* under x-facts"
    with pytest.raises(SchemaError, match=says):
        chosen("c.nothing", {})


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


DEEDS = {"option.do", "option.did"}
"""Rules that word what a remedy does: `refund the fee`, `refunded the fee`."""


def must_name(beat: Beat, rule: str, fact: str) -> bool:
    """Whether a line of the rule has to name that fact itself.

    A sign's value is told in marks. A policy's figure stands within the term that the line tells,
    and what strangers offer is no product of the company.
    """
    if fact == VALUE or rule.startswith(f"issue.{STRANGERS}"):
        return False
    return not (fact.startswith("shown_") and "term" in (beat.uses or {}))


@pytest.mark.parametrize(
    "folder",
    sorted(lexicons_folder().iterdir()),
    ids=lambda folder: folder.name,
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
                if sure & DEEDS:
                    # What is done names the remedy, see the next test.
                    sure |= {"option"}
                lacking += [
                    f"{rule}: {fact} in {line!r}"
                    for fact in beat.must
                    if must_name(beat, rule, fact)
                    and not sure
                    & {fact, AS_WRITTEN.get(fact, fact), (beat.uses or {}).get(fact, fact)}
                ]
    assert tried > 100
    assert lacking == []


@pytest.mark.parametrize(
    "folder",
    sorted(lexicons_folder().iterdir()),
    ids=lambda folder: folder.name,
)
def test_a_term_and_every_line_that_tells_it_show_the_figure(folder: Path) -> None:
    """Each clause of a policy's term holds its figure, and each line for terms holds the term."""
    lexicon = load_lexicon(folder, lexicons_folder() / "base")
    for term in lexicon.world.terms:
        assert all("shown" in sure_slots(parse(clause)) for clause in term.says)
    for rule in rules_wording("a.term", lexicon):
        assert all("term" in sure_slots(parse(line)) for line in lexicon.rules[rule])


@pytest.mark.parametrize(
    "folder",
    sorted(lexicons_folder().iterdir()),
    ids=lambda folder: folder.name,
)
def test_every_line_can_be_parsed(folder: Path) -> None:
    """All shipped lines are grammar."""
    lexicon = load_lexicon(folder, lexicons_folder() / "base")
    assert all(parse(line) for lines in lexicon.rules.values() for line in lines if line)


@pytest.mark.parametrize("name", ["bank", "saas", "shoes", "utility"])
def test_every_topic_of_an_enquiry_has_its_question_and_its_answer(name: str) -> None:
    """Who asks how to hide a column hears how to hide a column, not that there is a guide."""
    lexicon = load_lexicon(lexicons_folder() / name, lexicons_folder() / "base")
    topics = []
    for enquiry, figures in lexicon.world.trade.contact.enquiries.items():
        topics += [f"issue.enquiry_{enquiry}_{topic}" for topic in figures.topics]
    assert len(topics) > 3
    parts = ("subject", "request", "resolve")
    missing = [f"{topic}.{part}" for topic in topics for part in parts]
    assert [rule for rule in missing if rule not in lexicon.rules] == []


def test_a_trait_with_one_line_is_heard_seldom() -> None:
    """Few lines for a trait are taken less often, or they would stand in every other text."""
    drawn = [chosen("c.thanks", {}, "angry", seed=seed)[0] for seed in range(300)]
    assert 0.08 < drawn.count("angry") / 300 < 0.26


def test_a_case_has_one_colleague() -> None:
    """Whatever chance draws, one line serves all texts of a case, and other cases have others."""
    told = {tuple(chosen("coworker", {"nth": "4"}, seed=seed)) for seed in range(5)}
    assert told == {("Rosa",)}
    assert chosen("coworker", {"nth": "5"}) == ["Kim"]
    assert chosen("coworker", {}) == ["Ann", "Rosa", "Kim"]


@pytest.mark.parametrize(
    "folder",
    sorted(lexicons_folder().iterdir()),
    ids=lambda folder: folder.name,
)
def test_what_a_remedy_does_is_said_in_words_that_name_it(folder: Path) -> None:
    """Each wording of what an option does has the option's phrase or one of its other ways."""
    lexicon, unnamed = load_lexicon(folder, lexicons_folder() / "base"), []
    for option in lexicon.world.options:
        ways = tuple(sure_ways(option.ways, {"stake": "$30"}, ""))
        named = Demand("option", forms_of("option", option.phrase), ways=ways)
        for rule in lexicon.rules:
            if not re.fullmatch(rf"option\.{option.key}(\.\w+)?\.(do|did)", rule):
                continue
            for line in lexicon.rules[rule]:
                told = line.replace("{stake}", "$30").replace("{category.meter}", "meter")
                if not names_fact(named, plain(told)):
                    unnamed.append(f"{rule}: {line}")
    assert unnamed == []
