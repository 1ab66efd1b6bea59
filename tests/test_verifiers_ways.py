"""A remedy is known by many words, and told from the others by them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from schemas.issues import Option
from schemas.lexicon import Lexicon, load_lexicon
from schemas.model import Beat
from schemas.profile import lexicons_folder
from verifiers.answer import AnswerRules
from verifiers.content import forms_of, names_fact
from verifiers.material import Demand, Unit, WrittenField
from verifiers.ways import all_ways, says_any, shown_way, shown_ways, sure_ways, unsure_ways
from verifiers.wording import plain

SAID = yaml.safe_load((Path(__file__).parent / "remedies" / "said.yaml").read_text())
"""Sentences written by hand, by lexicon and remedy."""
SUM = re.compile(r"\$[\d.]+")
CHOICE = re.compile(r"\[([^\[\]]*)\]")
MOST_CHOICES = 12
WORDED = re.compile(r"option\.(\w+?)(?:\.(\w+))?\.(?:lay|do|did|set)")


def names(
    lexicon: Lexicon, option: Option, text: str, before: str = "", stake: str = "", back: str = ""
) -> bool:
    """Whether a text shows that this remedy is given, and none that the issue has besides.

    `stake` is what the case is about, `back` the sum of the remedy.
    """
    facts, said, others = {"stake": stake}, plain(before), list[str]()
    for other in rivals(lexicon, option.key):
        others += sure_ways(other.ways, facts, said)
        others += unsure_ways(other.ways, facts, said)
    demand = Demand(
        "option",
        forms_of("option", option.phrase),
        ways=tuple(sure_ways(option.ways, facts, said)),
        unsure=(*unsure_ways(option.ways, facts, said), *filter(None, [back])),
        rivals=tuple(others),
    )
    return names_fact(demand, plain(text))


def rivals(lexicon: Lexicon, key: str, issue: str = "") -> list[Option]:
    """The other remedies that can be granted for an issue of this one."""
    others: set[str] = set()
    for known in lexicon.world.issues:
        granted = {*known.options, *known.sometimes, *known.lenient, *(known.mended_by or ())}
        if key in granted and issue in ("", known.key):
            others |= granted
    return [option for option in lexicon.world.options if option.key in others - {key}]


def sentences(lexicon: str) -> Iterator[tuple[str, str, str]]:
    """Yields the remedy, what was said before, and the sentence."""
    for key, lines in SAID[lexicon].items():
        for line in lines:
            before, _, text = line.rpartition(">>")
            yield key, before, text


def lexicon_of(name: str) -> Lexicon:
    """A lexicon that ships."""
    return load_lexicon(lexicons_folder() / name, lexicons_folder() / "base")


def spelled_out(line: str) -> list[str]:
    """The first sentences that a line with choices can become."""
    found = CHOICE.search(line)
    if found is None:
        return [line]
    lines: list[str] = []
    for choice in found.group(1).split("|"):
        lines += spelled_out(line[: found.start()] + choice + line[found.end() :])
    return lines[:MOST_CHOICES]


@pytest.mark.parametrize("name", SAID)
def test_what_people_write_of_a_remedy_names_it_and_no_other(name: str) -> None:
    """A grant in everyday words is known, and taken for none that the issue has besides."""
    lexicon, wrong = lexicon_of(name), []
    options = {option.key: option for option in lexicon.world.options}
    assert set(SAID[name]) == set(options)
    for key, before, text in sentences(name):
        told = (*SUM.findall(text), "")[0]
        stake = told if options[key].repays else ""
        if not names(lexicon, options[key], text, before, stake, told):
            wrong.append(f"{key} is not known: {text}")
        for other in rivals(lexicon, key):
            if names(lexicon, other, text, before, stake):
                wrong.append(f"{key} passes for {other.key}: {text}")
    assert wrong == []


@pytest.mark.parametrize("name", SAID)
def test_no_way_of_a_remedy_is_found_in_the_wordings_of_another(name: str) -> None:
    """What a lexicon says of one remedy passes for none that the issue has besides."""
    lexicon, wrong = lexicon_of(name), []
    for rule, lines in lexicon.rules.items():
        found = WORDED.fullmatch(rule)
        if found is None:
            continue
        for other in rivals(lexicon, found.group(1), found.group(2) or ""):
            told = [text for line in lines for text in spelled_out(line)]
            wrong += [
                f"{rule} as {other.key}: {text}" for text in told if names(lexicon, other, text)
            ]
    assert wrong == []


@pytest.mark.parametrize("name", SAID)
def test_no_way_of_a_remedy_is_found_in_the_name_of_another(name: str) -> None:
    """Neither the catalog's name nor the phrase of one remedy passes for another."""
    lexicon, wrong = lexicon_of(name), []
    for option in lexicon.world.options:
        for other in rivals(lexicon, option.key):
            for text in (option.name, option.phrase):
                if names(lexicon, other, text):
                    wrong.append(f"{option.key} as {other.key}: {text}")
    assert wrong == []


@pytest.mark.parametrize(
    ("way", "text", "fits"),
    [
        ("credited ... $25", "I've credited your account with $25.", True),
        ("credited ... $25", "I've credited your account. It's $25.", False),
        ("credited ... $25", "I've credited your account with $255.", False),
        ("credited ... $25", "Accredited, with $25.", False),
        ("bonus & add*/paid", "I've had the bonus added.", True),
        ("bonus & add*/paid", "I've paid you the bonus.", True),
        ("bonus & add*/paid", "The bonus is yours. I added a note.", False),
        ("refund* ! 20%", "I've refunded you.", True),
        ("refund* ! 20%", "I've refunded you 20% of it.", False),
        ("refund* ! 20%", "I've refunded you. That's 20% more than usual.", True),
    ],
)
def test_a_way_fits_a_sentence(way: str, text: str, fits: bool) -> None:
    """Words may be apart or turned round within a sentence, and some of them exclude a way."""
    assert says_any([way], plain(text)) is fits


@pytest.mark.parametrize(("before", "named"), [("My statement is wrong.", True), ("Hello!", False)])
def test_what_was_named_before_may_be_one(before: str, named: bool) -> None:
    """Once the talk is about a statement, a new one is a new statement."""
    ways = tuple(sure_ways(["new ... (statement)"], {}, plain(before)))
    assert says_any(ways, plain("I've ordered a new one.")) is named


def test_who_refuses_may_say_less_and_compare() -> None:
    """Nobody gets what is refused: it need not be told from the others so exactly."""
    ways = ["refund* ! 20%", "? money"]
    granted, refused = tuple(sure_ways(ways, {}, "")), tuple(all_ways(ways, {}, ""))
    for text in ("I can't give you the money.", "I can't refund all of it, only 20%."):
        assert not says_any(granted, plain(text))
        assert says_any(refused, plain(text))


@pytest.mark.parametrize(
    ("text", "named"),
    [("The boots ship on Monday.", True), ("The boots ship once they are mended.", False)],
)
def test_an_unsure_way_will_do_where_nothing_else_is_spoken_of(text: str, named: bool) -> None:
    """Boots that ship are new ones, unless they are mended."""
    demand = Demand("option", ("new pair",), unsure=("ship*",), rivals=("mend*",))
    assert names_fact(demand, plain(text)) is named


def test_the_remedies_of_an_issue_are_told_from_one_another() -> None:
    """A text that passes for one remedy by an unsure way is not one of another's."""
    grant = {"grant": Beat("grant", "grants", ("option",))}
    mail = WrittenField("Body", "The mail.", (), {"type": "string"}, beats="beats")
    remedies = {"sole": {"new": ("new pair", "? ship*"), "mended": ("mend*",)}}
    rules = AnswerRules((mail,), grant, remedies=remedies)
    facts = {"option": "a new pair", "option_key": "new", "option_ways": "new pair|? ship*"}
    unit = Unit(1, {**facts, "issue_key": "sole"}, ({"speaker": "Agent", "beats": "grant"},))
    for text, failed in (("They ship Monday.", False), ("Mended, they ship Monday.", True)):
        assert rules.verify_entry(unit, {"unit": 1, "Body": [text]}).failed is failed


def test_a_way_with_a_fact_needs_it() -> None:
    """A sum that is at stake stands in a way by its name; without a sum there is no such way."""
    ways = ["{stake} & back", "fee"]
    assert list(sure_ways(ways, {"stake": "$35"}, "")) == ["$35 & back", "fee"]
    assert list(sure_ways(ways, {"stake": ""}, "")) == ["fee"]


def test_a_writer_is_shown_a_way_as_words() -> None:
    """An example holds no signs but the dots."""
    assert shown_way("(bonus) & add*/paid ... by hand ! fee") == "bonus ... add ... by hand"
    assert list(shown_ways("fee & back|{stake} & back|(fee) & back/off|? fee")) == ["fee ... back"]
