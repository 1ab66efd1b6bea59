"""A phrase grammar: `[a|b]` chooses, `{name}` fills in a fact or another rule.

Example of a rule's lines:

    - "My {product} [arrived|turned up] on {order_date}[, two days late|], and {symptom}."

It knows nothing of CRMs, tones or companies; `lexicon` gives it the rules and `compose` the facts.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import gcd

from schemas.errors import SchemaError

# Rules of the shipped lexicons nest five deep; twelve are a circle.
MAX_DEPTH = 12
# Brackets of the shipped lexicons stand two deep; what is parsed goes through functions that call
# themselves.
MAX_BRACKETS = 20
# Rules that use others twice, ten deep, would make a text of megabytes, and of gigabytes with a few
# uses more. No field of a CRM holds a longer text than this, in characters and uses of rules.
MAX_LENGTH = 131_072
# Steps of this share of a circle meet no place near one that they met before.
GOLDEN = 0.618
# What ends a sentence within a text, and at the end of one.
MARKS = (".", "?", "!")
SENTENCE_ENDS = (". ", "? ", "! ")
# The comma that closes an aside ("Aisha, who does payroll,") goes where another mark follows.
_CLOSED_ASIDE = re.compile(r"(?<=[a-z]),(?=[.,;:?!])")
# "an {order_noun}" is said of orders and accounts; a sign-up or a booking takes the other article.
_AN = re.compile(r"(?<![\w'])([Aa])n $")
_TAKES_A = frozenset("bcdfgjklmnpqrstvwyz")
_TOKEN = re.compile(r"\{([^{}|\[\]]+)\}|([\[\]|])|([^{}\[\]|]+)")


@dataclass(frozen=True, slots=True)
class Slot:
    """`{name}`: a fact if one has that name, else a rule."""

    name: str


@dataclass(frozen=True, slots=True)
class Alternatives:
    """`[a|b|]`: one of its sequences, each as likely.

    `sizes` are the wordings that each has, `number` those of all, and `ends` says whether a
    sentence ends with one of them.
    """

    options: tuple["Phrase", ...]
    sizes: tuple[int, ...] = field(init=False, compare=False, repr=False)
    number: int = field(init=False, compare=False, repr=False)
    ends: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Found once: a rule's lines are dealt thousands of times.
        sizes = tuple(wordings(option) for option in self.options)
        ends = any(option and _ends_sentence(option[-1]) for option in self.options)
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "number", sum(sizes))
        object.__setattr__(self, "ends", ends)


GrammarNode = str | Slot | Alternatives
Phrase = tuple[GrammarNode, ...]
LinesOf = Callable[[str], Sequence[Phrase]]


@lru_cache(maxsize=50_000)  # of the lines of some lexicons, which a process reads again and again
def parse(text: str) -> Phrase:
    """Compiles one line; raises SchemaError that quotes the line where brackets do not match."""
    tokens = _tokens(text)
    phrase, end = _sequence(tokens, 0, text)
    if end != len(tokens):
        raise SchemaError(
            f"unmatched '{tokens[end]}' in phrase {text!r:.80}; close or remove the bracket"
        )
    return phrase


def slots(phrase: Phrase) -> frozenset[str]:
    """Every slot name that a phrase may use."""
    found: set[str] = set()
    for node in phrase:
        if isinstance(node, Slot):
            found.add(node.name)
        elif isinstance(node, Alternatives):
            found.update(*(slots(option) for option in node.options))
    return frozenset(found)


def sure_slots(phrase: Phrase) -> frozenset[str]:
    """The slot names that every expansion of a phrase uses."""
    found: set[str] = set()
    for node in phrase:
        if isinstance(node, Slot):
            found.add(node.name)
        elif isinstance(node, Alternatives):
            found |= frozenset.intersection(*(sure_slots(option) for option in node.options))
    return frozenset(found)


def wordings(phrase: Phrase) -> int:
    """How many wordings a phrase has by its own choices, those of rules that it uses aside."""
    number = 1
    for node in phrase:
        if isinstance(node, Alternatives):
            number *= node.number
    return number


def chosen(phrase: Phrase, place: int) -> Phrase:
    """The phrase with its own choices made: the wording at a place from 0 to `wordings` - 1."""
    nodes: list[GrammarNode] = []
    for node in phrase:
        if not isinstance(node, Alternatives):
            nodes.append(node)
            continue
        place, inside = divmod(place, node.number)
        for option, size in zip(node.options, node.sizes, strict=True):
            if inside < size:
                nodes += chosen(option, inside)
                break
            inside -= size
    return tuple(nodes)


def dealt(lines: Sequence[Phrase], number: int) -> Phrase:
    """One of the lines with its choices made, so that consecutive numbers have unlike wordings.

    The lines take turns. Within a line no wording comes twice before all of them have come, and no
    wording of a sentence before all of that sentence's.
    """
    line = lines[number % len(lines)]
    turn = number // len(lines)
    nodes: list[GrammarNode] = []
    before = 1
    for sentence in _sentences(line):
        total = wordings(sentence)
        # Each sentence goes round by itself, and skips as often as those before it have come round.
        skip = _coprime(before, total) - before
        place = turn + skip * (turn // before)
        nodes += chosen(sentence, place * _coprime(round(total * GOLDEN), total) % total)
        before *= total
    return tuple(nodes)


def _coprime(least: int, total: int) -> int:
    """The first number from `least` on that has no divisor in common with a total."""
    while gcd(least, total) != 1:
        least += 1
    return least


def _sentences(line: Phrase) -> Iterator[Phrase]:
    """The sentences of a line, as far as its nodes tell where one ends."""
    nodes: list[GrammarNode] = []
    for node in line:
        nodes.append(node)
        if _ends_sentence(node):
            yield tuple(nodes)
            nodes = []
    if nodes:
        yield tuple(nodes)


def _ends_sentence(node: GrammarNode) -> bool:
    """Whether a sentence ends in a node, or with one of its options."""
    if isinstance(node, Slot):
        return False
    return _text_ends_sentence(node) if isinstance(node, str) else node.ends


@lru_cache(maxsize=50_000)  # as many as there are lines
def _text_ends_sentence(text: str) -> bool:
    return any(end in text for end in SENTENCE_ENDS) or text.endswith(MARKS)


def expand(
    phrase: Phrase,
    facts: Mapping[str, str],
    lines_of: LinesOf,
    rng: random.Random,
) -> str:
    """One wording of a phrase.

    `lines_of` gives the lines of a rule and raises SchemaError for an unknown one. A text that
    grows beyond measure raises it, too.
    """
    parts: list[str] = []
    length = 0
    for piece in _pieces(phrase, facts, lines_of, rng, 0):
        if piece[:1] in _TAKES_A:
            _with_its_article(parts)
        parts.append(piece)
        length += len(piece) + 1
        if length > MAX_LENGTH:
            raise SchemaError(
                f"a text grows beyond {MAX_LENGTH:,} characters; let its rules use others less"
            )
    return _CLOSED_ASIDE.sub("", "".join(parts))


def _with_its_article(parts: list[str]) -> None:
    """Makes the `an` that a text so far ends with an `a`, as what follows takes it."""
    place = len(parts) - 1
    while place >= 0 and not parts[place]:
        place -= 1
    if place >= 0 and parts[place].endswith("n "):
        parts[place] = _AN.sub(r"\1 ", parts[place])


def _pieces(
    phrase: Phrase,
    facts: Mapping[str, str],
    lines_of: LinesOf,
    rng: random.Random,
    depth: int,
) -> Iterator[str]:
    """The texts of a wording, in order; every use of a rule is one too, an empty one."""
    if depth > MAX_DEPTH:
        raise SchemaError(f"rules refer to each other more than {MAX_DEPTH} deep; break the circle")
    for node in phrase:
        if isinstance(node, str):
            yield node
        elif isinstance(node, Alternatives):
            yield from _pieces(
                rng.choice(node.options),
                facts,
                lines_of,
                rng,
                depth,
            )
        elif node.name in facts:
            yield facts[node.name]
        else:
            yield ""
            line = rng.choice(lines_of(node.name))
            yield from _pieces(line, facts, lines_of, rng, depth + 1)


def _tokens(text: str) -> list[str]:
    tokens = [match.group(0) for match in _TOKEN.finditer(text)]
    if "".join(tokens) != text:
        raise SchemaError(f"stray brace in phrase {text!r:.80}; write slots as {{name}}")
    return tokens


def _sequence(
    tokens: Sequence[str],
    start: int,
    text: str,
    depth: int = 0,
) -> tuple[Phrase, int]:
    """The phrase that begins at a token, and the place behind it: a `|`, a `]` or the end."""
    if depth > MAX_BRACKETS:
        raise SchemaError(
            f"brackets stand more than {MAX_BRACKETS} deep in phrase {text!r:.80}; make rules of"
            " them"
        )
    nodes: list[GrammarNode] = []
    place = start
    while place < len(tokens) and tokens[place] not in ("|", "]"):
        token = tokens[place]
        if token == "[":
            choice, place = _choice(tokens, place + 1, text, depth + 1)
            nodes.append(choice)
            continue
        nodes.append(Slot(token[1:-1].strip()) if token.startswith("{") else token)
        place += 1
    return tuple(nodes), place


def _choice(
    tokens: Sequence[str],
    start: int,
    text: str,
    depth: int,
) -> tuple[Alternatives, int]:
    """The alternatives behind a `[`, and the place behind their `]`."""
    options: list[Phrase] = []
    place = start
    while True:
        option, place = _sequence(tokens, place, text, depth)
        options.append(option)
        if place == len(tokens):
            raise SchemaError(f"'[' without ']' in phrase {text!r:.80}; close the bracket")
        place += 1
        if tokens[place - 1] == "]":
            return Alternatives(tuple(options)), place
