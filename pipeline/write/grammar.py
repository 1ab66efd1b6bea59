"""A phrase grammar: `[a|b]` chooses, `{name}` fills in a fact or another rule.

Example of a rule's lines:

    - "My {product} [arrived|turned up] on {order_date}[, two days late|], and {symptom}."

It knows nothing of CRMs, tones or companies; `lexicon` gives it the rules and `compose` the facts.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from schemas.errors import SchemaError

# Rules of the shipped lexicons nest five deep; twelve are a circle.
MAX_DEPTH = 12
_TOKEN = re.compile(r"\{([^{}|\[\]]+)\}|([\[\]|])|([^{}\[\]|]+)")


@dataclass(frozen=True, slots=True)
class Slot:
    """`{name}`: a fact if one has that name, else a rule."""

    name: str


@dataclass(frozen=True, slots=True)
class Alternatives:
    """`[a|b|]`: one of its sequences, each as likely."""

    options: tuple["Phrase", ...]


GrammarNode = str | Slot | Alternatives
Phrase = tuple[GrammarNode, ...]
LinesOf = Callable[[str], Sequence[Phrase]]


def parse(text: str) -> Phrase:
    """Compiles one line; raises SchemaError that quotes the line where brackets do not match."""
    tokens = _tokens(text)
    phrase, end = _sequence(tokens, 0, text)
    if end != len(tokens):
        raise SchemaError(
            f"unmatched '{tokens[end]}' in phrase {text!r}; close or remove the bracket"
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


def expand(
    phrase: Phrase,
    facts: Mapping[str, str],
    lines_of: LinesOf,
    rng: random.Random,
    depth: int = 0,
) -> str:
    """One wording of a phrase.

    `lines_of` gives the lines of a rule and raises SchemaError for an unknown one.
    """
    if depth > MAX_DEPTH:
        raise SchemaError(f"rules refer to each other more than {MAX_DEPTH} deep; break the circle")
    parts: list[str] = []
    for node in phrase:
        if isinstance(node, str):
            parts.append(node)
        elif isinstance(node, Alternatives):
            parts.append(expand(rng.choice(node.options), facts, lines_of, rng, depth))
        elif node.name in facts:
            parts.append(facts[node.name])
        else:
            line = rng.choice(lines_of(node.name))
            parts.append(expand(line, facts, lines_of, rng, depth + 1))
    return "".join(parts)


def _tokens(text: str) -> list[str]:
    tokens = [match.group(0) for match in _TOKEN.finditer(text)]
    if "".join(tokens) != text:
        raise SchemaError(f"stray brace in phrase {text!r}; write slots as {{name}}")
    return tokens


def _sequence(
    tokens: Sequence[str],
    start: int,
    text: str,
) -> tuple[Phrase, int]:
    """The phrase that begins at a token, and the place behind it: a `|`, a `]` or the end."""
    nodes: list[GrammarNode] = []
    place = start
    while place < len(tokens) and tokens[place] not in ("|", "]"):
        token = tokens[place]
        if token == "[":
            choice, place = _choice(tokens, place + 1, text)
            nodes.append(choice)
            continue
        nodes.append(Slot(token[1:-1].strip()) if token.startswith("{") else token)
        place += 1
    return tuple(nodes), place


def _choice(
    tokens: Sequence[str],
    start: int,
    text: str,
) -> tuple[Alternatives, int]:
    """The alternatives behind a `[`, and the place behind their `]`."""
    options: list[Phrase] = []
    place = start
    while True:
        option, place = _sequence(tokens, place, text)
        options.append(option)
        if place == len(tokens):
            raise SchemaError(f"'[' without ']' in phrase {text!r}; close the bracket")
        place += 1
        if tokens[place - 1] == "]":
            return Alternatives(tuple(options)), place
