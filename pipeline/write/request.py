"""What a writer is asked, and what it answers.

A request holds units with their facts, the fields to write, and entries that stand already. Every
writer gets this type. The SHA-256 of its canonical JSON is its key in the ledger: two versions of
the package must give the same request the same key, or what was paid for is paid again.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from verifiers.material import Fact, Unit, WrittenField

REFUSED, WITHHELD = "answer refused", "answer withheld by a content filter"
"""The troubles of an answer that no repetition of the same prompt mends."""
EMPTY = "answer empty"
"""Mostly a fault; twice in a row it is how some endpoints withhold an answer."""
ROUND = 100
"""Attempt numbers of a round begin at its number times this, above all tries of the one before."""


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """A mini-batch: up to ten units of one object type.

    `earlier` holds the key fields of entries that it must not repeat; `attempt` counts the tries
    and rounds behind it; `parameters` is what else the writer's answer depends on.
    """

    object: str
    company: Mapping[str, str]
    fields: tuple[WrittenField, ...]
    units: tuple[Unit, ...]
    earlier: tuple[str, ...] = ()
    attempt: int = 0
    seed: int = 0
    node: str = ""
    model: str = ""
    parameters: Mapping[str, Fact] = field(default_factory=dict)

    def canonical(self) -> str:
        """The request as JSON with sorted keys; equal requests have equal texts."""
        return canonical_json(
            {
                "object": self.object,
                "company": dict(self.company),
                "fields": [_field_json(written) for written in self.fields],
                "units": [_unit_json(unit) for unit in self.units],
                "earlier": self.earlier,
                "attempt": self.attempt,
                "seed": self.seed,
                "node": self.node,
                "model": self.model,
                "parameters": dict(self.parameters),
            }
        )

    @property
    def times(self) -> int:
        """How many rounds and tries lie behind it, one by one: words that are dealt out in turn
        would stand still with steps of a whole ROUND.
        """
        return sum(divmod(self.attempt, ROUND))

    @property
    def key(self) -> str:
        """The key under which the ledger keeps its answer."""
        return key_of(self.canonical())


@dataclass(frozen=True, slots=True)
class WriterAnswer:
    """What came back: raw entries, each a mapping with `unit` and the written fields.

    `cost` is in dollars. `sent` and `text` are the messages and the answer as they went over the
    wire; `trouble` says what was wrong with the whole (such as `not JSON`), and `cut` that the
    model stopped at its longest output.
    """

    entries: tuple[object, ...]
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    sent: str = ""
    text: str = ""
    trouble: str = ""
    cut: bool = False


def canonical_json(data: Mapping[str, object]) -> str:
    """The one text that JSON data has: keys sorted, no spaces, characters as they are."""
    return json.dumps(
        data,
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
    )


def key_of(canonical: str) -> str:
    """SHA-256 of a canonical request, 64 hexadecimal digits."""
    return hashlib.sha256(canonical.encode()).hexdigest()


def _field_json(written: WrittenField) -> dict[str, object]:
    return {
        "name": written.name,
        "instruction": written.instruction,
        "must": written.must,
        "schema": dict(written.json_schema),
        "rule": written.rule,
        "beats": written.beats,
        "words": written.words,
    }


def _unit_json(unit: Unit) -> dict[str, object]:
    return {
        "id": unit.id,
        "facts": dict(unit.facts),
        "parts": [dict(part) for part in unit.parts],
        "avoid": unit.avoid,
        "notes": unit.notes,
    }
