"""A phrase grammar: `[a|b]` chooses, `{name}` fills in a fact or another rule.

Example of a rule's lines:

    - "My {product} [arrived|turned up] on {order_date}[, two days late|], and {symptom}."

Knows nothing of CRMs, tones or companies; `lexicon` gives it the rules and `compose` the facts.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from schemas.errors import SchemaError

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


def parse(text: str) -> Phrase:
    """Compile one line; raises SchemaError that quotes the line where brackets do not match."""
    tokens = _tokens(text)
    phrase, rest = _sequence(tokens, 0, text)
    if rest != len(tokens):
        raise SchemaError(
            f"unmatched '{tokens[rest]}' in phrase {text!r}; close or remove the bracket"
        )
    return phrase


def slots(phrase: Phrase) -> frozenset[str]:
    """Every slot name a phrase may use."""
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
    rule: Callable[[str], Sequence[Phrase]],
    rng: random.Random,
    depth: int = 0,
) -> str:
    """One wording of a phrase.

    `rule(name)` gives the lines of a rule and raises SchemaError for an unknown one.
    """
    if depth > MAX_DEPTH:
        raise SchemaError(f"rules refer to each other more than {MAX_DEPTH} deep; break the circle")
    parts: list[str] = []
    for node in phrase:
        if isinstance(node, str):
            parts.append(node)
        elif isinstance(node, Alternatives):
            parts.append(expand(rng.choice(node.options), facts, rule, rng, depth))
        elif node.name in facts:
            parts.append(facts[node.name])
        else:
            parts.append(expand(rng.choice(rule(node.name)), facts, rule, rng, depth + 1))
    return "".join(parts)


def _tokens(text: str) -> list[str]:
    tokens = [match.group(0) for match in _TOKEN.finditer(text)]
    if "".join(tokens) != text:
        raise SchemaError(f"stray brace in phrase {text!r}; write slots as {{name}}")
    return tokens


def _sequence(tokens: Sequence[str], at: int, text: str) -> tuple[Phrase, int]:
    nodes: list[GrammarNode] = []
    while at < len(tokens) and tokens[at] not in ("|", "]"):
        token = tokens[at]
        if token == "[":
            choice, at = _choice(tokens, at + 1, text)
            nodes.append(choice)
            continue
        nodes.append(Slot(token[1:-1].strip()) if token.startswith("{") else token)
        at += 1
    return tuple(nodes), at


def _choice(tokens: Sequence[str], at: int, text: str) -> tuple[Alternatives, int]:
    options: list[Phrase] = []
    while True:
        option, at = _sequence(tokens, at, text)
        options.append(option)
        if at == len(tokens):
            raise SchemaError(f"'[' without ']' in phrase {text!r}; close the bracket")
        at += 1
        if tokens[at - 1] == "]":
            return Alternatives(tuple(options)), at
