"""Every slot of the shipped talk stands in a place where its phrases read as English.

A remedy in lay words is a phrase such as `my money back`: it follows `get` or `like`, and neither
`do` nor an article. Such seams show in one conversation of hundreds, so the grammar itself is held.
"""

import random
import re
from collections.abc import Iterator, Mapping

import pytest

from pipeline.write.grammar import Alternatives, Phrase, Slot, expand, parse
from pipeline.write.rules import Rules
from pipeline.write.style import tidy
from schemas.errors import SchemaError
from schemas.lexicon import Lexicon, load_lexicon
from schemas.profile import lexicons_folder

COMPANIES = ("shoes", "bank", "saas", "utility")
TALK = re.compile(r"(?:chat\.)?(?:[ac]|option\.\w+(?:\.\w+)?\.(?:lay|short|steps|tell)|issue)\.")
WITH_ARTICLE = ("option.lay", "option.short", "issue.wish")
"""Slots whose phrases bring their own article or pronoun: `the refund`, `my money back`."""

ARTICLES = ("a", "an", "the", "no", "my", "your", "our", "any", "another", "every")
NEVER_BEFORE = frozenset([*ARTICLES, "do", "does", "did", "don't"])
"""Words that no phrase with an article of its own follows: `no the refund`, `do my money`."""

BROKEN = re.compile(
    r"\b(?:no|a|an|the|my|your|our|any) (?:the|my|your|our|an?)\b(?! (?:lot|few|bit)\b)"
    r"|\b(\w{3,}) \1\b(?<!had had)(?<!that that)"
    r"| '(?:m|ve|d|ll|re|s)\b|[,;] ?[.?!,;]|\(\s*\)",
    re.IGNORECASE,
)
"""What a seam leaves: two articles, a word twice, a lost pronoun, two marks."""

SAMPLES = 6
FACTS = {
    "option": "a full refund",
    "wish": "store credit",
    "thing": "my running shoes",
    "thing_agent": "your running shoes",
    "order_noun": "order",
    "order_number": "00000417",
    "case_number": "00001155",
    "limit": "60",
    "tried": "on Tuesday",
    "waited": "a week",
    "bought": "in late May",
    "them": "them",
    "it": "they",
    "first": "Rosa",
    "agent": "Ann Lee",
    "agent_first": "Ann",
    "customer": "Rosa Lind",
    "company": "Tarn",
}


def lexicon_of(company: str) -> Lexicon:
    """A shipped company's words over the shared ones."""
    return load_lexicon(lexicons_folder() / company, lexicons_folder() / "base")


def words_before(phrase: Phrase, before: str = "") -> Iterator[tuple[str, str]]:
    """Each slot of a phrase with the word that may stand right before it."""
    ends = {before}
    for node in phrase:
        if isinstance(node, str):
            ends = {(end + node)[-40:] for end in ends}
        elif isinstance(node, Slot):
            yield from ((node.name, last_word(end)) for end in ends)
            ends = {"x"}
        else:
            yield from inside(node, ends)
            ends = {ending(option, end) for option in node.options for end in ends}


def inside(node: Alternatives, ends: set[str]) -> Iterator[tuple[str, str]]:
    """The same for the slots within a choice."""
    for option in node.options:
        for end in ends:
            yield from words_before(option, end)


def ending(phrase: Phrase, before: str) -> str:
    """The last characters of a phrase's first wording."""
    text = before
    for node in phrase:
        if isinstance(node, str):
            text += node
        elif isinstance(node, Slot):
            text += "x"
        else:
            text = ending(node.options[0], text)
    return text[-40:]


def last_word(text: str) -> str:
    """The word right before a slot; "" where a mark or nothing stands there."""
    found = re.search(r"([\w']+) $", text)
    return found.group(1).lower() if found else ""


def talk_lines(lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    """Each line by which somebody of a company talks, with its rule."""
    for rule, lines in lexicon.rules.items():
        if TALK.match(rule) and ".article" not in rule:
            yield from ((rule, line) for line in lines)


@pytest.mark.parametrize("company", COMPANIES)
def test_no_article_or_do_stands_before_a_phrase_with_its_own(company: str) -> None:
    """`no {option.short}` and `do {option.lay}` would read `no the refund`, `do my money back`."""
    broken = []
    for rule, line in talk_lines(lexicon_of(company)):
        for slot, word in words_before(parse(line)):
            if slot in WITH_ARTICLE and word in NEVER_BEFORE:
                broken.append(f"{rule}: {word} {{{slot}}} in {line!r}")
    assert broken == []


@pytest.mark.parametrize("company", COMPANIES)
def test_no_wording_shows_its_seams(company: str) -> None:
    """In samples of every line of talk no article and no word stands twice, and no mark alone."""
    lexicon = lexicon_of(company)
    rules, rng = Rules(lexicon), random.Random(11)
    broken = set()
    for rule, line in talk_lines(lexicon):
        key = rule.removeprefix("chat.").split(".")[1]
        facts = {**FACTS, "issue_key": key, "option_key": key}
        for text in samples(line, rules, facts, rng):
            found = BROKEN.search(text)
            if found:
                broken.add(f"{rule}: {found.group()!r} in {text!r}")
    assert broken == set()


def samples(line: str, rules: Rules, facts: Mapping[str, str], rng: random.Random) -> list[str]:
    """Some wordings of a line; none of one that needs facts which only a plan has."""
    choose = rules.chooser(facts, (), rng)
    phrase = parse(line)
    try:
        return [tidy(expand(phrase, facts, choose, rng)) for _ in range(SAMPLES)]
    except SchemaError:
        return []
